"""
What begins once everything is built: unfinished work, sweeps, and a warm-up beside them; and the log's first line.

The warm-up loads what the first calls would otherwise wait for: imports, tables, weights. It runs in worker threads,
one thing after another, first what every pre-turn call needs and last what takes longest. A call that comes earlier
loads what it needs by itself, in a thread, and keeps its deadline all the same.
"""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.ports import Role
from consolidation.kernel.release import installed_version
from consolidation.text.language import detect
from consolidation.text.speech_acts import told
from consolidation.text.tokens import count_tokens
from service.adapters.falkordb.connection import warm_client
from service.composition.embedder import (
    problem_of_embedder,
    refuse_embedder_of_others,
    refuse_known_embedders,
    refuse_other_embedders,
)
from service.composition.models import choose, problems_of
from service.composition.shared_home import start_custodian
from service.composition.webhooks import start_webhooks
from service.example.loader import EXAMPLE
from service.mind.trace_sweep import drop_old_traces
from service.observability.dependency_health import EMBEDDER
from service.ports.database_address import shown_database
from service.ports.graph_address import shown
from service.ports.transcriber import TranscriptionRole
from service.resonance.moment_builder import read_patterns
from service.settings.otlp_endpoint import shown as shown_collector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from consolidation.kernel.ports import LanguageModel
    from service.composition.container import Memory
    from service.composition.journal import JournalPath
    from service.composition.resources import Resources
    from service.ports.embedder import Embedder
    from service.ports.transcriber import Transcriber
    from service.ports.upstream import Upstream
    from service.settings.settings import Settings

_HEAD_START_SECONDS = 0.3  # for opening the port: two busy threads at once would both be late
_TEMPLATES = "jinja2.sandbox"
_NO_MODEL, _CONFIGURATION = "none", "configuration"

log = structlog.get_logger()


async def start_front(memory: Memory, shared: Resources) -> None:
    """Begin what the process in front of several workers does: it has no minds, and posts the webhooks of all."""
    await shared.minds.of_other_embedders(shared.plain_embedder.stored_name)  # makes the register that workers share
    start_webhooks(memory.webhooks, shared.background, share=shared.share)

    async def warm() -> None:
        await warm_client()
        memory.warmed.set()

    shared.background.start_daemon("warm-up", warm)


async def start(memory: Memory, shared: Resources, *, journal: JournalPath) -> None:
    """
    Finish what a kill interrupted, and begin to look for work that nobody woke.

    Raises EmbedderMismatch where a mind's graph holds another embedder's vectors.
    """
    background = shared.background
    if shared.common_graph is not None:
        background.start_daemon("graphs of all services", shared.common_graph.run)
    memory.archive.start(background)
    if shared.several is None:
        memory.erasure.resume()
    if shared.share.owns(EXAMPLE):
        background.start("example", memory.example.resume)
    unknown, others = await shared.minds.of_other_embedders(shared.plain_embedder.stored_name)
    refuse_known_embedders(others, embedder=shared.plain_embedder)
    if shared.several is not None:
        await refuse_embedder_of_others(shared.graphs, shared.minds.ids(), embedder=shared.plain_embedder)
    await refuse_other_embedders(
        shared.graphs, () if shared.is_graph_loading else unknown, embedder=shared.plain_embedder
    )
    journal.start(background)
    start_webhooks(memory.webhooks, background, share=shared.share)
    background.start_daemon("sweep", memory.ingestion.sweep)
    background.start_daemon("retries after outages", memory.outage_retries.run)
    background.start_daemon("closing of minds", memory.ingestion.close_unused)
    if shared.several is None:
        background.start_daemon("eviction of graphs", memory.eviction.sweep)
    else:
        start_custodian(memory, shared.several)
    background.start_daemon("story sweep", memory.story.scheduler.sweep)
    background.start_daemon("dream sweep", memory.sleep.sleeper.sweep)
    background.start_daemon(
        "trace sweep",
        lambda: drop_old_traces(
            memory.minds,
            keep_days=memory.settings.traces.keep_days,
            clock=shared.clock,
            background=background,
            stored=shared.several.with_traces_before if shared.several is not None else None,
        ),
    )
    background.start("left uploads", memory.imports.clear)
    background.start("dreams", memory.sleep.sleeper.resume)
    background.start("session files", memory.story.sync.import_at_start)
    if memory.settings.story.auto_bootstrap:
        seconds = memory.settings.digestion.sweep_seconds
        background.start_daemon("bootstrap", lambda: memory.story.sync.bootstrap_each(every_seconds=seconds))


def start_warm_up(memory: Memory, shared: Resources, *, rarity: Callable[[str], float]) -> None:
    """Begin to load what the first calls would wait for; ``warmed`` is set when a pre-turn call would not wait."""
    first, transcriber = shared.models[Role.SUBCONSCIOUS], memory.voice.transcriber  # a person waits for the first
    others = [model for model in shared.models.values() if model is not first]
    models = (first, memory.upstream, *others, *((transcriber,) if transcriber is not None else ()))

    async def warm() -> None:
        await _warm(shared.embedder, rarity=rarity, models=models, warmed=memory.warmed)
        problem = await problem_of_embedder(shared.plain_embedder)
        if problem is not None:
            dependency = shared.telemetry.dependencies.get(EMBEDDER)
            dependency.failed(problem, part=_CONFIGURATION, stays=True, is_logged=True)
        if shared.share.is_first:
            found = [(EMBEDDER, problem)] if problem is not None else []
            _log_unusable([*found, *await _problems(shared.models, transcriber)])
        log.info("service.warmed")

    shared.background.start_daemon("warm-up", warm)


async def _warm(
    embedder: Embedder,
    *,
    rarity: Callable[[str], float],
    models: Iterable[LanguageModel | Upstream | Transcriber],
    warmed: asyncio.Event,
) -> None:
    await asyncio.sleep(_HEAD_START_SECONDS)
    try:
        await warm_client()
        await embedder.warm()
        await anyio.to_thread.run_sync(_warm_texts, rarity)
    finally:
        warmed.set()  # what could not be loaded is shown as trouble of its dependency
    await anyio.to_thread.run_sync(import_module, _TEMPLATES)
    for model in models:  # last: litellm alone takes seconds
        await model.warm()


async def _problems(models: Mapping[Role, LanguageModel], transcriber: Transcriber | None) -> list[tuple[str, str]]:
    """What is wrong with the models of roles: the role, and what to do."""
    found = [(role.value, problem) for role, model in models.items() for problem in await problems_of(model)]
    if transcriber is not None and (problem := await transcriber.problem()) is not None:
        found.append((TranscriptionRole.TRANSCRIPTION.value, problem))
    return found


def _log_unusable(found: Iterable[tuple[str, str]]) -> None:
    """Log each model that can not be asked once, with the roles that need it; ``readyz`` says it of each role."""
    roles: dict[str, list[str]] = {}
    for role, problem in found:
        roles.setdefault(problem, []).append(role)
    for problem, those in roles.items():
        log.warning("model.unusable", roles=those, reason=problem)


def _warm_texts(rarity: Callable[[str], float]) -> None:
    """What reads a message: patterns are compiled, words are stemmed, names of months are read at their first use."""
    text = "Good morning, where did I live last year?"
    count_tokens(text)
    language = detect(text)
    read_patterns(language)
    told(text, language=language)
    rarity("warm")


def log_started(memory: Memory) -> None:
    """Log what answers, which models and embedder, where data is kept, and how many keys are live; no secret."""
    settings = memory.settings
    url, database, collector = settings.falkordb_url, settings.database, settings.traces_endpoint
    log.info(
        "service.started",
        version=installed_version(),
        home=str(settings.folder),
        minds=len(memory.minds.ids()),
        graph="embedded" if url is None else shown(url.get_secret_value()),
        database="none" if database is None else shown_database(database.get_secret_value()),
        models=_models(settings),
        embedder=memory.embedder.name,
        deadline_ms=round((memory.deadline_seconds or 0) * 1000),
        keys=memory.authenticator.live_keys(),
        spans="none" if collector is None else shown_collector(collector),
    )

    if memory.minds.share.is_whole and settings.workers > 1:
        log.warning("workers.not_started", workers=settings.workers)


def log_stopping() -> None:
    """Log that no call is answered any more."""
    log.info("service.stopping")


def _models(settings: Settings) -> dict[str, str] | str:
    """The first model of each role; one word where all have the same."""
    chosen = {role.value: found[0].model if found else _NO_MODEL for role, found in choose(settings).items()}
    names = set(chosen.values())
    return names.pop() if len(names) == 1 else chosen
