"""
The composition root: who is built of what. Importing it starts nothing.

Only this package reads settings and chooses implementations. ``open_memory`` reads from top to bottom: the resources
that all paths share, then a builder for each path, then the jobs that begin.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from consolidation.kernel.clock import SystemClock
from service.adapters.file_thread_index import FileThreadIndex
from service.composition.access import build_access
from service.composition.archive import build_archive
from service.composition.ask import build_answerer
from service.composition.catalog import build_catalog
from service.composition.erasure import build_erasure
from service.composition.example import build_example
from service.composition.ingest import build_imports, build_ingest, build_intake
from service.composition.journal import build_journal
from service.composition.resonance import build_resonance
from service.composition.resources import open_resources
from service.composition.sleep import build_sleep
from service.composition.startup import start, start_front, start_warm_up
from service.composition.story import build_narration, build_story
from service.composition.upstream import open_upstream
from service.composition.voice import build_voice
from service.composition.webhooks import open_webhooks
from service.corrections.desk import CorrectionDesk
from service.mind.events import about
from service.mind.graph_eviction import GraphEviction
from service.mind.new_minds import NEW_MIND, NewMinds
from service.resonance.arms import Switches
from service.retrieval.remember import Recall
from service.runtime.last_seen import LastSeen
from service.settings.loading import effective_settings
from service.sleep.observations import ObservationsEditor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import datetime

    from consolidation.corrections.record import Correction
    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import StoredTurn
    from consolidation.secrets.privacy_filter import PrivacyFilter
    from service.access.audit_log import AuditLog
    from service.access.authenticator import Authenticator
    from service.access.key_desk import KeyDesk
    from service.access.sign_in import SignIn
    from service.adapters.falkordb.server import EmbeddedServer
    from service.ask.answerer import Answerer
    from service.composition.archive import Archive
    from service.composition.catalog import Catalog
    from service.composition.graphs import GraphServer, OpenGraphs
    from service.composition.resources import Resources, Telemetry
    from service.composition.sleep import Sleep
    from service.composition.story import Story
    from service.composition.voice import Voice
    from service.erasure.service import ErasureService
    from service.example.loader import ExampleLoader
    from service.ingest.conversation_import import ConversationImports
    from service.ingest.ingestion import Ingestion
    from service.ingest.intake import Intake
    from service.ingest.outage_retries import OutageRetries
    from service.journal.journal import Journal
    from service.journal.mind_files import MindFiles
    from service.mind.events import MindEvents
    from service.mind.minds import Mind, Minds
    from service.mind.new_minds import CountElsewhere
    from service.ports.embedder import Embedder
    from service.ports.graph import EpochOf
    from service.ports.thread_index import ThreadIndex
    from service.ports.upstream import Upstream
    from service.resonance.outcome_reports import OutcomeReports
    from service.resonance.people_cards import PeopleCards
    from service.resonance.pipeline import Pipeline
    from service.runtime.background import Background
    from service.settings.loading import EffectiveSetting
    from service.settings.settings import Settings
    from service.webhooks.sender import Webhooks
    from service.workers.fleet import Fleet

_MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Memory:
    """What the doors (HTTP, proxy, MCP, command line) may call, a field for each path; and what they need beside it."""

    intake: Intake
    imports: ConversationImports
    voice: Voice
    ingestion: Ingestion
    outage_retries: OutageRetries
    eviction: GraphEviction
    pipeline: Pipeline
    deadline_seconds: float | None  # of a pre-turn call that names none
    recall: Recall
    answerer: Answerer
    outcomes: OutcomeReports
    corrections: CorrectionDesk
    cards: PeopleCards
    story: Story
    sleep: Sleep
    observations: ObservationsEditor
    journal: Journal
    files: MindFiles
    catalog: Catalog
    archive: Archive
    erasure: ErasureService
    example: ExampleLoader
    upstream: Upstream

    minds: Minds
    new_minds: NewMinds
    thread_index: ThreadIndex  # of Zep's API
    graphs: GraphServer
    embedded_graph: EmbeddedServer | None  # the server that this process runs
    embedder: Embedder
    privacy_filter: PrivacyFilter
    authenticator: Authenticator
    sign_in: SignIn
    keys: KeyDesk
    audit_log: AuditLog

    settings: Settings
    effective_settings: tuple[EffectiveSetting, ...]  # each with its source, as they were read
    clock: Clock
    started_at: datetime
    background: Background
    first_attempts: LastSeen  # of chats through the proxy
    telemetry: Telemetry
    events: MindEvents
    webhooks: Webhooks | None  # None where no endpoint is configured
    fleet: Fleet | None  # None where this process serves the home alone
    warmed: asyncio.Event


@asynccontextmanager
async def open_memory(
    settings: Settings,
    *,
    clock: Clock | None = None,
    switches: Switches | None = None,
    embedder: Embedder | None = None,
    graphs: OpenGraphs | None = None,
    epoch_of: EpochOf | None = None,
    is_reindexing: bool = False,
    fleet: Fleet | None = None,
) -> AsyncIterator[Memory]:
    """
    Build the memory, lend it, and close what was opened in reverse order.

    *embedder* takes the place of the configured one, and *graphs* opens other graphs than FalkorDB's. *epoch_of* is
    given where several services write to one FalkorDB. *is_reindexing* opens graphs that another embedder made, and
    starts no job that reads or writes them. *fleet* is given where several processes serve the home: it names them, and
    says which part of the minds this one has. Raises HomeLocked, HomeFault, KeysUnreadable, ConfigurationFault,
    EmbedderMismatch, InvalidMindId: what is wrong is reported now, not at the first turn.
    """
    async with AsyncExitStack() as stack:
        shared = await open_resources(
            settings,
            stack,
            clock=clock or SystemClock(),
            embedder=embedder,
            graphs=graphs,
            epoch_of=epoch_of,
            fleet=fleet,
        )

        access = build_access(settings, clock=shared.clock, background=shared.background)
        ingest = build_ingest(settings, shared)
        narration = build_narration(settings, shared)
        journal = build_journal(settings, shared)
        resonance = build_resonance(settings, shared, switches=switches or Switches(), journal=journal.arm)

        def kept(mind: Mind, stored: StoredTurn) -> None:
            shared.events.publish(mind.mind_id, "turn.kept", **about(stored))
            resonance.think_ahead.begin(mind, stored)

        intake = build_intake(shared, ingest.ingestion, on_stored=narration.scheduler.notice, think_ahead=kept)
        imports = build_imports(settings, shared, intake=intake)
        story = build_story(settings, shared, narration=narration, intake=intake)
        sleep = build_sleep(settings, shared, intake=intake, pipeline=resonance.pipeline)
        voice = build_voice(settings, shared, intake=intake)

        recall = Recall(
            turns=resonance.turns, embedder=shared.embedder, observations=journal.observations, clock=shared.clock
        )

        webhooks = await open_webhooks(settings, shared, stack)

        def forget(mind_id: str) -> None:
            resonance.forget(mind_id)
            sleep.sleeper.forget(mind_id)
            story.sources.forget(mind_id)
            imports.forget(mind_id)
            voice.transcripts.forget(mind_id)

        def put_right(mind: Mind, correction: Correction) -> None:
            resonance.forget_answers(mind.mind_id)
            shared.events.publish(mind.mind_id, "correction.made", correction_id=correction.id, what=correction.what)
            if correction.target.turn_ids or correction.target.kind == "entity":
                story.scheduler.put_right(mind)
            sleep.sleeper.put_right(mind, correction)

        desk = CorrectionDesk(
            clock=shared.clock,
            privacy_filter=shared.privacy_filter,
            is_paused=shared.minds.gate.paused,
            changed=put_right,
        )
        example = build_example(
            settings,
            shared,
            switches=switches or Switches(),
            intake=intake,
            corrections=desk,
            scheduler=story.scheduler,
        )

        memory = Memory(
            intake=intake,
            imports=imports,
            voice=voice,
            ingestion=ingest.ingestion,
            outage_retries=ingest.outage_retries,
            eviction=GraphEviction(
                shared.graphs,
                shared.minds,
                most_bytes=settings.graph.memory_mb * _MEGABYTE,
                background=shared.background,
            ),
            pipeline=resonance.pipeline,
            deadline_seconds=resonance.deadline_seconds,
            recall=recall,
            answerer=build_answerer(settings, shared, recall=recall),
            outcomes=resonance.outcomes,
            corrections=desk,
            cards=resonance.cards,
            story=story,
            sleep=sleep,
            observations=ObservationsEditor(clock=shared.clock),
            journal=journal.journal,
            files=journal.files,
            catalog=build_catalog(story),
            archive=build_archive(settings, shared, ingestion=ingest.ingestion),
            erasure=build_erasure(
                settings,
                shared,
                ingest=ingest,
                story=story,
                sleep=sleep,
                webhooks=webhooks,
                audit_log=access.audit_log,
                forget=forget,
            ),
            example=example,
            upstream=open_upstream(settings, clock=shared.clock),
            minds=shared.minds,
            new_minds=NewMinds(
                shared.minds,
                most_per_minute=settings.access.new_minds_per_minute,
                clock=shared.clock,
                count_elsewhere=_counted_in_front(shared),
            ),
            thread_index=_thread_index(shared),
            graphs=shared.graphs,
            embedded_graph=shared.graph_server,
            embedder=shared.embedder,
            privacy_filter=shared.privacy_filter,
            authenticator=access.authenticator,
            sign_in=access.sign_in,
            keys=access.keys,
            audit_log=access.audit_log,
            settings=settings,
            effective_settings=effective_settings(settings),
            clock=shared.clock,
            started_at=shared.clock.now(),
            background=shared.background,
            first_attempts=LastSeen(),
            telemetry=shared.telemetry,
            events=shared.events,
            webhooks=webhooks,
            fleet=fleet,
            warmed=asyncio.Event(),
        )

        if shared.share.is_front:
            await start_front(memory, shared)
        else:
            if shared.common_graph is not None:
                await shared.common_graph.compare()
            if not is_reindexing:
                await start(memory, shared, journal=journal)
            start_warm_up(memory, shared, rarity=resonance.rarity)
        yield memory


def _counted_in_front(shared: Resources) -> CountElsewhere | None:
    """What counts new minds where the process in front does that for all workers; None where this process does."""
    if shared.fleet is None or not shared.share.is_worker:
        return None
    return partial(shared.fleet.front.ask, NEW_MIND)


def _thread_index(shared: Resources) -> ThreadIndex:
    if shared.several is not None:
        return shared.several.thread_index
    minds = shared.minds
    return FileThreadIndex(ids=minds.ids, folder_of=lambda mind_id: minds.workspace(mind_id).folder)
