"""Builds the application. Importing this module starts nothing."""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, TypedDict

from fastapi import FastAPI

from service.composition.container import Memory, open_memory
from service.composition.startup import log_started, log_stopping
from service.http.middleware.access import AccessCheck
from service.http.middleware.body_limit import BodyLimit
from service.http.middleware.earlier_copy import EarlierCopy
from service.http.middleware.forward import Forward
from service.http.middleware.mind_path import MindPath
from service.http.middleware.request_metrics import RequestMetrics, RouteName
from service.http.middleware.security_headers import SecurityHeaders
from service.http.middleware.slash_at_end import SlashAtEnd
from service.http.middleware.stopping import AnswerWhenStopping
from service.http.openapi import document_access
from service.http.problems import add_problem_handlers
from service.http.processes import STOPPING
from service.http.routes import (
    access,
    api_docs,
    ask,
    audio,
    console,
    consolidation,
    conversations,
    corrections,
    erasures,
    evaluations,
    events,
    example,
    files,
    health,
    imports,
    journal,
    knowledge,
    log,
    memories,
    news,
    observations,
    outcomes,
    people,
    remember,
    resonance,
    service_settings,
    sessions,
    sleep,
    story,
    timeline,
    traces,
    turns,
    waking,
    webhooks,
)
from service.http.routes import archive as moving
from service.http.routes import erasure as erasing
from service.http.routes import mcp as tools
from service.http.routes import minds as memory
from service.http.routes import settings as own_settings
from service.http.routes import status as standing
from service.observability.logging import configure_logs_once
from service.openai_proxy import routes as proxy
from service.openai_proxy.errors import OpenAIErrors
from service.runtime.garbage import collect_cycles_seldom
from service.settings.settings import Settings
from service.workers.share import WHOLE, Share

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from contextlib import AbstractAsyncContextManager

    from fastapi import APIRouter
    from fastapi.telemetry import TelemetryConfig
    from starlette.routing import BaseRoute

_ABOUT = """A memory for any chatbot, in two calls a turn: **before** it, what surfaces; **after** it, what is kept."""

# FastAPI's own would send queries and errors, words and all, wherever a variable of the environment tells it to.
_OWN_TELEMETRY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}

_SWITCH_SECONDS = 0.0005  # for which a thread that computes may hold up the loop; Python's own is ten times as long

_PARTS = (
    turns,
    audio,
    memories,
    outcomes,
    sleep,
    observations,
    evaluations,
    story,
    consolidation,
    journal,
    files,
    log,
    moving,
    erasing,
    erasures,
    imports,
    conversations,
    knowledge,
    corrections,
    people,
    remember,
    resonance,
    traces,
    events,
    timeline,
    news,
    sessions,
    access,
    service_settings,
    webhooks,
    waking,
    memory,
    own_settings,
    ask,
    standing,
    tools,
    health,
    example,
    api_docs,
    console,
)


class State(TypedDict):
    """What the lifespan hands to every request."""

    memory: Memory


def _larger_bodies(settings: Settings) -> dict[str, int]:
    """The paths whose bodies may be larger than others, by pattern: context windows with pictures, and audio."""
    window_bytes = max(settings.max_body_bytes, settings.proxy.max_body_bytes)
    found = {consolidation.WINDOWS: window_bytes}
    if settings.models.transcription.model is not None:
        found[turns.SPOKEN] = max(settings.max_body_bytes, settings.voice.max_body_bytes)
    return found


def create_app(
    settings: Settings | None = None,
    *,
    opening: Callable[[Settings], AbstractAsyncContextManager[Memory]] = open_memory,
    share: Share = WHOLE,
) -> FastAPI:
    """
    Assemble the service; *opening* is the seam a caller may fill with a memory of its own.

    With a *share*, it is one of several processes: the one in front admits each call and passes it on, and a worker
    answers what was admitted.
    """
    settings = settings or Settings()

    configure_logs_once(level=settings.log_level, as_json=settings.log_json, secrets=settings.secrets)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[State]:
        collect_cycles_seldom()
        sys.setswitchinterval(_SWITCH_SECONDS)  # a thread that loads a model must not hold up the loop
        async with opening(settings) as opened:
            log_started(opened)
            app.state.on_stopping = partial(_begin_to_stop, app, opened)
            yield {"memory": opened}
            log_stopping()

    app = FastAPI(
        title="Mind Memory",
        version="0.1.0",
        description=_ABOUT,
        lifespan=lifespan,
        telemetry=_OWN_TELEMETRY,
        docs_url=None,
        redoc_url=None,
    )
    app.router.routes.extend(_routes(settings))
    app.add_middleware(SlashAtEnd)
    app.add_middleware(RouteName)
    if settings.database is not None:
        app.add_middleware(EarlierCopy)
    if not share.is_worker:
        _add_admission(app, settings, share=share)
    app.add_middleware(RequestMetrics)
    add_problem_handlers(app)
    document_access(app)
    return app


def _routes(settings: Settings) -> Iterator[BaseRoute]:
    """
    The routes that are served, as they are.

    FastAPI makes those of an included router once more, at the first request, which took 0.1 s longer by that.
    """
    for part in _PARTS:
        yield from part.router.routes
    if settings.proxy.enabled:
        yield from proxy.router.routes
    for facade in _facades(settings):
        yield from facade.routes


def _facades(settings: Settings) -> Iterator[APIRouter]:
    """The routes of other services' APIs that are switched on; to import all of them takes a tenth of a second."""
    if settings.facades.mem0:
        from service.facades.mem0 import earlier_routes as mem0_of_before
        from service.facades.mem0 import routes as mem0

        yield mem0.router
        yield mem0_of_before.router
    if settings.facades.graphiti:
        from service.facades.graphiti import routes as graphiti

        yield graphiti.router
    if settings.facades.zep:
        from service.facades.zep import graph_routes_v2, routes_v2, routes_v4

        yield from (graph_routes_v2.router, routes_v2.router, routes_v4.router)


def _add_admission(app: FastAPI, settings: Settings, *, share: Share) -> None:
    """What a call passes before a route may have it. In front of workers, it is passed on from the innermost place."""
    if share.is_front:
        app.add_middleware(Forward)
    # Whoever comes last stands outermost: access is decided on the headers, before a body is read.
    app.add_middleware(
        BodyLimit,
        most_bytes=settings.max_body_bytes,
        seconds=settings.body_seconds,
        uploads={
            moving.UPLOADS: settings.archive.max_bytes,
            imports.UPLOADS: settings.imports.max_bytes,
            proxy.UPLOADS: settings.proxy.max_body_bytes,
        },
        larger=_larger_bodies(settings),
    )
    app.add_middleware(AccessCheck)
    app.add_middleware(MindPath)
    app.add_middleware(AnswerWhenStopping)
    if settings.proxy.enabled:
        app.add_middleware(OpenAIErrors)
    if settings.facades.mem0:
        from service.facades.mem0.errors import Mem0Errors

        app.add_middleware(Mem0Errors)
    if settings.facades.zep:
        from service.facades.zep.errors import ZepErrors

        app.add_middleware(ZepErrors)
    app.add_middleware(SecurityHeaders)


def _begin_to_stop(app: FastAPI, memory: Memory) -> None:
    """Let those go who listen to events, in all processes, and have calls that are open answered."""
    app.state.is_stopping = True
    memory.events.close()
    memory.pipeline.stop()
    fleet = memory.fleet
    if fleet is not None and memory.minds.share.is_front:
        memory.background.start("listeners", lambda: fleet.ask_all(STOPPING))
