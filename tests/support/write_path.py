"""The write path without doors: minds in a folder, the graph's twin in memory, and the lanes, for tests of their rules."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.turns import Message, Speaker, Turn
from service.adapters.memory_graph.graphs import MemoryGraphs
from service.ingest.backoff import Backoff
from service.ingest.extraction_lane import ExtractionLane
from service.ingest.indexing_lane import IndexingLane
from service.ingest.ingestion import Ingestion
from service.ingest.lane_telemetry import LaneTelemetry
from service.ingest.outage_retries import OutageRetries
from service.ingest.saving_lane import SavingLane
from service.mind.events import MindEvents
from service.mind.mind_gate import MindGate
from service.mind.minds import Minds
from service.observability.counters import Tally
from service.observability.dependency_health import Dependencies
from service.ports.spans import NoopSpans
from service.ingest.parking import is_over
from service.runtime.background import Background
from service.runtime.foreground import Foreground
from tests.support.graphs import EMBEDDER, Bench

MOST_ATTEMPTS = 5
SECONDS = 60  # that a test waits for what must come


@dataclass
class WritePath:
    """What a test may look at, and ``reader``, whose rules say how a model answers."""

    minds: Minds
    graphs: MemoryGraphs
    ingestion: Ingestion
    background: Background
    reader: object
    tally: Tally

    async def store(self, mind_id, *contents, session_id="s1"):
        """Append a turn for each content, and wake nobody."""
        mind = await self.minds.find_or_create(mind_id)
        for content in contents:
            number = mind.transcript.positions.last + 1
            await mind.transcript.append(Turn(f"t{number}", session_id, (Message(Speaker.USER, content),)), tokens=1)
        return mind

    async def until(self, is_so):
        """Return when *is_so* is true."""
        async with asyncio.timeout(SECONDS):
            while not is_so():
                await asyncio.sleep(0.005)

    async def until_extracted(self, mind):
        """Return when a model has read every turn of *mind*, or the turn is parked, and full text knows of it."""
        async with asyncio.timeout(SECONDS):
            while (await mind.graph.progress()).extracted < mind.transcript.positions.last or self.background_jobs():
                await asyncio.sleep(0.005)

    def waits_for_next_reading(self, mind):
        """Whether each parked turn of *mind* was tried after the last turn that a model read."""
        read_at = self.ingestion._extraction_lane.read_at
        return not any(is_over(one, read_at=read_at) for one in mind.health.parked)

    def background_jobs(self):
        """The names of the jobs that run, but for those that never end."""
        return sorted(task.get_name() for task in self.background._tasks - self.background._daemons)


@asynccontextmanager
async def write_path(home, *, sweep_seconds=60.0, sweeps=False, probe_seconds=None):
    """
    All of it in *home*; a step that failed is tried again after a millisecond.

    What an outage parked is tried again by itself, after so many seconds, only where *probe_seconds* are given.
    """
    bench, tally, clock = Bench("memory"), Tally(), SystemClock()
    graphs = MemoryGraphs(readers=bench.readers, embedder=EMBEDDER)
    disk = Dependencies(monotonic=clock.monotonic).get("disk")
    minds = Minds(home, clock=clock, disk=disk, gate=MindGate(), graph_of=graphs.of)
    telemetry = LaneTelemetry(tally=tally, spans=NoopSpans(), monotonic=clock.monotonic)
    try:
        async with Background(drain_seconds=0) as background:
            indexing = IndexingLane(telemetry=telemetry)
            extraction = ExtractionLane(
                clock=clock,
                most_attempts=MOST_ATTEMPTS,
                turn_seconds=SECONDS,
                telemetry=telemetry,
                publish=MindEvents(clock).publish,
            )
            ingestion = Ingestion(
                minds,
                indexing=indexing,
                saving=SavingLane(
                    embedder=EMBEDDER, indexing=indexing, adopt_graph=_nothing_to_adopt, telemetry=telemetry
                ),
                extraction=extraction,
                telemetry=telemetry,
                background=background,
                foreground=Foreground(),
                new_backoff=lambda: Backoff(first_seconds=0.001, most_seconds=0.001, chance=lambda: 0),
                sweep_seconds=sweep_seconds,
            )
            if sweeps:
                background.start_daemon("sweep", ingestion.sweep)
            if probe_seconds is not None:
                retries = OutageRetries(
                    minds,
                    lane=extraction,
                    try_again=ingestion.try_after_outage,
                    clock=clock,
                    background=background,
                    backoff=Backoff(first_seconds=probe_seconds, most_seconds=probe_seconds, chance=lambda: 0),
                    look_seconds=0.01,
                )
                background.start_daemon("retries after outages", retries.run)
            yield WritePath(minds, graphs, ingestion, background, bench.reader, tally)
    finally:
        await minds.close()


async def _nothing_to_adopt(_workspace):
    pass
