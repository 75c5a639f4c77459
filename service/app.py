"""Builds the application. Importing this module starts nothing."""

from __future__ import annotations

import gc
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypedDict

from fastapi import FastAPI

from service.access_check import AccessCheck
from service.announcing import tell_end, tell_start
from service.api import (
    consolidation,
    erasing,
    health,
    journal,
    memory,
    moving,
    resonance,
    standing,
    story,
    tools,
    turns,
)
from service.api.documented import document_access
from service.body_limit import BodyLimit
from service.container import Memory, open_memory
from service.problems import speak_problems
from service.proxy import routes as proxy
from service.request_watch import RequestWatch, RouteName
from service.security_headers import SecurityHeaders
from service.settings import Settings
from service.telemetry import ensure_logs

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

    from fastapi.telemetry import TelemetryConfig

_ABOUT = """A memory for any chatbot, in two calls a turn: **before** it, what surfaces; **after** it, what is kept."""

# FastAPI's own would send queries and errors, words and all, wherever a variable of the environment tells it to.
_OWN_TELEMETRY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}


# Python's own thresholds have it look for cycles every 700 objects, now and then through all that was ever imported: a
# tenth of a pre-turn call.
_CYCLES = (50_000, 20, 20)


class State(TypedDict):
    """What the lifespan hands to every request."""

    memory: Memory


def create_app(
    settings: Settings | None = None,
    *,
    opening: Callable[[Settings], AbstractAsyncContextManager[Memory]] = open_memory,
) -> FastAPI:
    """Assemble the service; *opening* is the seam a caller may fill with a memory of its own."""
    settings = settings or Settings()

    ensure_logs(level=settings.log_level, as_json=settings.log_json, secrets=settings.secrets)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[State]:
        gc.set_threshold(*_CYCLES)
        async with opening(settings) as opened:
            tell_start(opened)
            yield {"memory": opened}
            tell_end()

    app = FastAPI(title="Mind Memory", version="0.1.0", description=_ABOUT, lifespan=lifespan, telemetry=_OWN_TELEMETRY)
    parts = (turns, resonance, story, consolidation, memory, journal, moving, erasing, standing, tools, health)
    for part in parts:
        app.include_router(part.router)
    if settings.proxy.enabled:
        app.include_router(proxy.router)
    # Whoever comes last stands outermost: a body is measured before anything else is done, then access is checked.
    app.add_middleware(RouteName)
    app.add_middleware(AccessCheck)
    app.add_middleware(
        BodyLimit,
        most_bytes=settings.max_body_bytes,
        uploads=f"{moving.UPLOADS}|{proxy.UPLOADS}",
        most_uploaded_bytes=settings.archive.max_bytes,
    )
    app.add_middleware(SecurityHeaders)
    app.add_middleware(RequestWatch)
    speak_problems(app)
    document_access(app)
    return app
