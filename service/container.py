"""The composition root: the only place that reads settings and chooses implementations. Importing it starts nothing."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.discretion import Discretion
from consolidation.kernel.errors import HomeLocked
from consolidation.kernel.files import FolderLock
from consolidation.kernel.ports import Role
from consolidation.workspace import minds_of
from service.adapters.graph.connection import Connection
from service.adapters.graph.emptying import Emptying
from service.adapters.graph.erasing import FalkorErasing
from service.adapters.graph.falkor_graph import FalkorGraph
from service.adapters.graph.naming import episode_uuid
from service.adapters.graph.server import EmbeddedServer
from service.adapters.rarity import Rarity
from service.audit import Audit
from service.background import Background
from service.digestion.saving import Saving
from service.doorkeeping import build_doorkeeper
from service.embedders import choose_embedder, identify, refuse_strangers
from service.erasing.part import Tools
from service.erasures import build_erasing
from service.fence import Fence
from service.minds import Minds
from service.models import open_models
from service.paths import Outside, build_digestion, build_pipeline
from service.recall.embedding_cache import EmbeddingCache
from service.recall.remember import Remembering
from service.resonance.afterthoughts import Afterthoughts
from service.resonance.retrieval import Switches
from service.resonance.stable import Stable
from service.stories import build_stories
from service.usage import UsageLedger
from service.warming import warm

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from pathlib import Path

    from consolidation.kernel.ports import Clock, LanguageModel, Usage
    from service.access.doorkeeper import Doorkeeper
    from service.digestion.digest import Digestion
    from service.erasing.erasing import Erasing
    from service.ports import Embedder, EpisodicGraph, Identity
    from service.resonance.pipeline import Pipeline
    from service.settings import Settings
    from service.stories import Stories

_DRAIN_SECONDS = 5
_LOADING_SECONDS = 1.0  # that a start waits for a graph it has to look at; a large one loads beside everything else


@dataclass(frozen=True, slots=True)
class Memory:
    """Everything a door may ask for, already built."""

    settings: Settings
    clock: Clock
    discretion: Discretion
    minds: Minds
    digestion: Digestion
    stories: Stories
    pipeline: Pipeline
    remembering: Remembering
    erasing: Erasing
    graph: EpisodicGraph
    models: Mapping[Role, LanguageModel]
    embedder: Embedder
    identity: Callable[[], Awaitable[Identity]]
    ledger: UsageLedger
    doorkeeper: Doorkeeper
    audit: Audit


@asynccontextmanager
async def open_memory(
    settings: Settings,
    *,
    clock: Clock | None = None,
    switches: Switches | None = None,
    embedder: Embedder | None = None,
    is_reindexing: bool = False,
) -> AsyncIterator[Memory]:
    """
    Build the memory, lend it, and close what was opened in reverse order.

    *embedder* takes the place of the configured one. *is_reindexing* opens graphs that another embedder made, and
    digests nothing. Raises HomeLocked, KeysUnreadable, ConfigurationFault, EmbedderMismatch: what is wrong is said
    now, not at the first turn.
    """
    clock = clock or SystemClock()
    home = settings.folder
    async with AsyncExitStack() as stack:
        _own(home, stack)
        server = await _embedded(home, stack, waits=bool(minds_of(home))) if settings.falkordb_url is None else None
        url = server.url if server is not None else _address(settings)
        ledger = UsageLedger()
        models = await stack.enter_async_context(open_models(settings, clock=clock, ledger=ledger))
        minds = Minds(home, clock=clock, fence=Fence())
        stack.push_async_callback(minds.close)
        connection = Connection(url)
        stack.push_async_callback(connection.close)
        # Entered last, so left first: nothing runs any more when what it uses is closed.
        background = await stack.enter_async_context(Background(drain_seconds=_DRAIN_SECONDS))
        doorkeeper = build_doorkeeper(settings, clock=clock, background=background)
        plain_embedder = choose_embedder(settings) if embedder is None else embedder
        embedder = cache = EmbeddingCache(plain_embedder)

        def spent(mind_id: str, usage: Usage) -> None:
            for mind in minds.opened():
                if mind.mind_id == mind_id:
                    mind.health.usage += usage

        graph = FalkorGraph(
            connection,
            prefix=settings.graph_prefix,
            model=models[Role.EXTRACTION],
            embedder=embedder,
            overrides=lambda mind_id: minds.workspace(mind_id).prompts,
            spent=spent,
        )
        discretion = Discretion(settings.redact_secrets, settings.off_the_record_markers)
        outside = Outside(clock, background, minds, graph, models[Role.SUBCONSCIOUS], embedder, discretion)
        identity = identify(settings, plain_embedder)
        saving = Saving(graph, embedder=embedder, identity=identity, uuid_of=episode_uuid)
        digestion = build_digestion(settings, outside, saving=saving)
        if server is not None:
            background.watch("embedded graph", server.watch)
        stories = build_stories(
            settings,
            clock=clock,
            background=background,
            minds=minds,
            digestion=digestion,
            models=models,
            discretion=discretion,
        )
        afterthoughts, stable = Afterthoughts(), Stable(story_tokens=settings.resonance.story_tokens)

        def forget(mind_id: str) -> None:
            cache.clear()
            afterthoughts.forget(mind_id)
            stable.forget(minds.workspace(mind_id))

        emptying = Emptying(connection, folder=home / "graph" if server is not None else None)
        erasable = FalkorErasing(connection, prefix=settings.graph_prefix, emptying=emptying)
        tools = Tools(minds, background, clock, saving, stories.telling, graph, erasable, episode_uuid, forget)
        erasing = build_erasing(settings, tools, digestion=digestion, stories=stories)
        if not is_reindexing:
            erasing.resume()
            is_loading = server is not None and not server.has_answered
            await refuse_strangers(graph, () if is_loading else minds.ids(), embedder=plain_embedder)
            background.watch("sweep", digestion.sweep)
            background.watch("story sweep", stories.telling.sweep)
            background.start("session files", stories.syncing.at_start)
        rarity = Rarity()
        background.watch("warming", lambda: warm(plain_embedder, rarity=rarity, models=(outside.model,)))
        yield Memory(
            settings=settings,
            clock=clock,
            discretion=discretion,
            minds=minds,
            digestion=digestion,
            stories=stories,
            pipeline=build_pipeline(
                settings,
                outside,
                rarity=rarity,
                switches=switches or Switches(),
                afterthoughts=afterthoughts,
                stable=stable,
            ),
            remembering=Remembering(graph, embedder=embedder),
            erasing=erasing,
            graph=graph,
            models=models,
            embedder=embedder,
            identity=identity,
            ledger=ledger,
            doorkeeper=doorkeeper,
            audit=Audit(home, clock=clock),
        )


def _own(home: Path, stack: AsyncExitStack) -> None:
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = FolderLock(home)
    if not lock.take():
        raise HomeLocked(f"{home} is in use by another mind-memory; stop it, or set MIND_MEMORY_HOME to another folder")
    stack.callback(lock.release)


async def _embedded(home: Path, stack: AsyncExitStack, *, waits: bool) -> EmbeddedServer:
    server = EmbeddedServer(home / "graph")
    await server.start()
    stack.push_async_callback(server.stop)
    if waits:
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOADING_SECONDS):
                await server.wait_until_ready()
    return server


def _address(settings: Settings) -> str:
    assert settings.falkordb_url is not None  # noqa: S101 - else the server is our own
    return settings.falkordb_url.get_secret_value()
