"""Builds the write path: the one way in for turns, and the lanes behind the transcript."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from service.adapters.random_ids import jitter
from service.archive.adopt_graph import GraphAdoption
from service.ingest.backoff import Backoff
from service.ingest.conversation_import import ConversationImports
from service.ingest.extraction_lane import ExtractionLane
from service.ingest.indexing_lane import IndexingLane
from service.ingest.ingestion import Ingestion
from service.ingest.intake import Intake
from service.ingest.lane_telemetry import LaneTelemetry
from service.ingest.outage_retries import OutageRetries
from service.ingest.saving_lane import SavingLane

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from consolidation.kernel.turns import StoredTurn
    from service.composition.resources import Resources
    from service.mind.minds import Mind
    from service.runtime.background import Background
    from service.settings.settings import Settings

_MOST_PROBE_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Ingest:
    """The lanes of every mind, what has them try parked turns again, and the two that erasing uses by themselves."""

    ingestion: Ingestion
    outage_retries: OutageRetries
    indexing: IndexingLane
    saving: SavingLane


def build_ingest(settings: Settings, shared: Resources) -> Ingest:
    """The lanes; none runs yet. They try again at once when a dependency works again."""
    knobs = settings.digestion
    telemetry = LaneTelemetry(
        tally=shared.telemetry.tally, spans=shared.telemetry.spans, monotonic=shared.clock.monotonic
    )
    indexing = IndexingLane(telemetry=telemetry)
    saving = SavingLane(
        embedder=shared.embedder,
        indexing=indexing,
        adopt_graph=GraphAdoption(shared.graphs.archivable).complete,
        telemetry=telemetry,
        custody=shared.minds.custody,
    )
    extraction = ExtractionLane(
        clock=shared.clock,
        most_attempts=knobs.most_attempts,
        turn_seconds=knobs.turn_seconds,
        telemetry=telemetry,
        publish=shared.events.publish,
        custody=shared.minds.custody,
    )
    ingestion = Ingestion(
        shared.minds,
        indexing=indexing,
        saving=saving,
        extraction=extraction,
        telemetry=telemetry,
        background=shared.background,
        foreground=shared.foreground,
        new_backoff=backoff_of(settings),
        sweep_seconds=knobs.sweep_seconds,
    )
    outage_retries = OutageRetries(
        shared.minds,
        lane=extraction,
        try_again=ingestion.try_after_outage,
        clock=shared.clock,
        background=shared.background,
        backoff=Backoff(
            first_seconds=knobs.parked_retry_seconds,
            most_seconds=max(knobs.parked_retry_seconds, _MOST_PROBE_SECONDS),
            chance=jitter,
        ),
        look_seconds=knobs.sweep_seconds,
    )
    shared.telemetry.dependencies.on_recovery(ingestion.retry_now)
    shared.telemetry.dependencies.on_recovery(outage_retries.probe_soon)
    shared.minds.when_closed(ingestion.forget)
    shared.minds.when_behind(ingestion.wake)
    if shared.minds.copies is not None:
        shared.minds.copies.hold_with(partial(_closing, ingestion, shared.background))
        shared.minds.copies.when_news(ingestion.wake)
    return Ingest(ingestion, outage_retries, indexing, saving)


@asynccontextmanager
async def _closing(ingestion: Ingestion, background: Background, mind: Mind) -> AsyncIterator[None]:
    """No background work of *mind* runs inside, where it is closed."""
    async with ingestion.suspended(mind, is_closed=True):
        await background.stop(mind.mind_id)
        yield


def build_intake(
    shared: Resources,
    ingestion: Ingestion,
    *,
    on_stored: Callable[[Mind], int],
    think_ahead: Callable[[Mind, StoredTurn], None],
) -> Intake:
    """
    The one way in; *on_stored* lets the story know of a turn and returns how many tokens wait for it.

    *think_ahead* begins to think about what may follow a turn.
    """
    return Intake(
        shared.minds,
        clock=shared.clock,
        privacy_filter=shared.privacy_filter,
        tally=shared.telemetry.tally,
        spans=shared.telemetry.spans,
        wake_lanes=ingestion.wake,
        on_stored=on_stored,
        think_ahead=think_ahead,
    )


def build_imports(settings: Settings, shared: Resources, *, intake: Intake) -> ConversationImports:
    """What stores the conversations of a file that was sent."""
    return ConversationImports(
        settings.folder / "uploads",
        minds=shared.minds,
        intake=intake,
        background=shared.background,
        clock=shared.clock,
        privacy_filter=shared.privacy_filter,
        most_bytes=settings.imports.max_bytes,
        most_unpacked_bytes=settings.imports.max_unpacked_bytes,
        owns=shared.share.owns,
    )


def backoff_of(settings: Settings) -> Callable[[], Backoff]:
    """What makes a fresh backoff, as the settings want it."""
    knobs = settings.digestion
    return lambda: Backoff(
        first_seconds=knobs.first_retry_seconds, most_seconds=knobs.most_retry_seconds, chance=jitter
    )
