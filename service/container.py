"""The composition root: the only place that reads settings and chooses implementations. Importing it starts nothing."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.discretion import Discretion
from consolidation.kernel.ports import Role
from consolidation.workspace import minds_of
from service.adapters.graph.falkor_graph import FalkorGraph
from service.adapters.graph.naming import episode_uuid
from service.adapters.rarity import Rarity
from service.audit import Audit
from service.background import Background
from service.dependency import DISK, Dependencies
from service.digestion.saving import Saving
from service.doorkeeping import build_doorkeeper
from service.embedders import choose_embedder, identify, refuse_strangers
from service.erasures import build_erasing
from service.fence import Fence
from service.journals import build_journal
from service.minds import Minds
from service.models import open_models
from service.moves import build_moves, open_sites
from service.paths import Outside, build_digestion, build_pipeline
from service.recall.embedding_cache import EmbeddingCache
from service.recall.remember import Remembering
from service.resonance.afterthoughts import Afterthoughts
from service.resonance.retrieval import Switches
from service.resonance.stable import Stable
from service.stories import build_stories
from service.taking import address, embedded, own
from service.tally import Tally
from service.ties import accounting, forgetting, sweep
from service.tracing import open_spans
from service.upstreams import open_upstream
from service.usage import UsageLedger
from service.warming import warm
from service.watched import Watched

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from datetime import datetime

    from consolidation.kernel.ports import Clock, LanguageModel
    from service.access.doorkeeper import Doorkeeper
    from service.digestion.digest import Digestion
    from service.erasing.erasing import Erasing
    from service.journal.journal import Journal
    from service.moves import Moves
    from service.ports import Embedder, EpisodicGraph, Identity
    from service.resonance.pipeline import Pipeline
    from service.settings import Settings
    from service.spans import Spans
    from service.stories import Stories
    from service.upstream import Upstream

_DRAIN_SECONDS = 5


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
    journal: Journal
    erasing: Erasing
    graph: EpisodicGraph
    models: Mapping[Role, LanguageModel]
    embedder: Embedder
    identity: Callable[[], Awaitable[Identity]]
    ledger: UsageLedger
    dependencies: Dependencies
    tally: Tally
    spans: Spans
    started_at: datetime
    doorkeeper: Doorkeeper
    audit: Audit
    moves: Moves
    background: Background
    upstream: Upstream


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
        own(home, stack)
        server = await embedded(home, stack, waits=bool(minds_of(home))) if settings.falkordb_url is None else None
        url = server.url if server is not None else address(settings)
        ledger = UsageLedger()
        tally, dependencies = Tally(), Dependencies(monotonic=clock.monotonic)
        spans = await stack.enter_async_context(open_spans(settings, counts=tally.spans))
        background = Background(drain_seconds=_DRAIN_SECONDS)
        watched = Watched(settings, dependencies=dependencies, background=background)
        models = await stack.enter_async_context(
            open_models(settings, clock=clock, ledger=ledger, dependencies=dependencies)
        )
        minds = Minds(home, clock=clock, disk=dependencies.named(DISK), fence=Fence())
        stack.push_async_callback(minds.close)
        connection = watched.connection(url)
        stack.push_async_callback(connection.close)
        # Entered last, so left first: nothing runs any more when what it uses is closed.
        await stack.enter_async_context(background)
        doorkeeper = build_doorkeeper(settings, clock=clock, background=background)
        plain_embedder = choose_embedder(settings, breaker=watched.embedder) if embedder is None else embedder
        embedder = cache = EmbeddingCache(plain_embedder, counts=tally.texts)

        graph = FalkorGraph(
            connection,
            prefix=settings.graph_prefix,
            model=models[Role.EXTRACTION],
            embedder=embedder,
            overrides=lambda mind_id: minds.workspace(mind_id).prompts,
            spent=accounting(minds),
        )
        discretion = Discretion(settings.redact_secrets, settings.off_the_record_markers)
        model = models[Role.SUBCONSCIOUS]
        outside = Outside(clock, background, minds, graph, model, embedder, discretion, tally, spans)
        identity = identify(settings, plain_embedder)
        sites = open_sites(settings, connection)
        saving = Saving(
            graph,
            embedder=embedder,
            identity=identity,
            uuid_of=episode_uuid,
            arriving=sites.arriving.settle,
            steps=outside.steps,
        )
        digestion = build_digestion(settings, outside, saving=saving)
        dependencies.on_recovery(digestion.hope)
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
            tally=tally,
            spans=spans,
        )
        moves = build_moves(
            settings, clock=clock, minds=minds, digestion=digestion, sites=sites, embedder=embedder, identity=identity
        )
        journal = build_journal(settings, outside, embedder=plain_embedder, identity=identity)
        afterthoughts, stable = Afterthoughts(), Stable(story_tokens=settings.resonance.story_tokens)
        erasing = build_erasing(
            settings,
            outside,
            connection=connection,
            saving=saving,
            digestion=digestion,
            stories=stories,
            forget=forgetting(minds, cache, afterthoughts, stable),
        )
        if not is_reindexing:
            moves.begin(background)
            erasing.resume()
            is_loading = server is not None and not server.has_answered
            await refuse_strangers(graph, () if is_loading else minds.ids(), embedder=plain_embedder)
            journal.begin(background)
            sweep(background, digestion=digestion, stories=stories)
        rarity, upstream = Rarity(), open_upstream(settings)
        warmed = (outside.model, upstream)
        background.watch("warming", lambda: warm(plain_embedder, rarity=rarity, models=warmed))
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
                journal=journal.arm,
            ),
            remembering=Remembering(graph, embedder=embedder),
            journal=journal.journal,
            erasing=erasing,
            graph=graph,
            models=models,
            embedder=embedder,
            identity=identity,
            ledger=ledger,
            dependencies=dependencies,
            tally=tally,
            spans=spans,
            started_at=clock.now(),
            doorkeeper=doorkeeper,
            audit=Audit(home, clock=clock),
            moves=moves,
            background=background,
            upstream=upstream,
        )
