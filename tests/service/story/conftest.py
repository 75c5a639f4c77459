"""Minds whose stories are narrated by the real parts, on a clock that a test moves: no graph, no HTTP."""

from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from consolidation.kernel.clock import FixedClock
from consolidation.kernel.errors import ModelUnavailable
from consolidation.kernel.turns import Message, Speaker, Turn
from consolidation.secrets.privacy_filter import PrivacyFilter
from consolidation.story.consolidation import ConsolidationService
from consolidation.story.narrator import Narrator
from consolidation.story.triggers import TriggerThresholds
from service.adapters.memory_graph.graphs import MemoryGraphs
from service.adapters.hashing_embedder import HashingEmbedder
from service.adapters.extractive_model import ExtractiveModel
from service.ingest.intake import Intake
from service.mind.events import MindEvents
from service.mind.mind_gate import MindGate
from service.mind.minds import Minds
from service.observability.counters import Tally
from service.observability.dependency_health import Dependency
from service.ports.spans import NoopSpans
from service.runtime.background import Background
from service.story.editor import StoryEditor
from service.story.pending_log import PendingLog
from service.story.reader import StoryReader
from service.story.run_telemetry import RunTelemetry
from service.story.scheduler import StoryScheduler
from service.story.session_files import SessionFolders
from service.story.sync import StorySync
from service.story.sources import StorySources
from service.story.writer import StoryWriter
from tests.support.waiting import until_async

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
THRESHOLDS = TriggerThresholds(threshold_tokens=100, idle_seconds=600, retry_seconds=60)
SAID = "I promised my sister Carla to visit her in Lyon in March, number {}."


class Model(ExtractiveModel):
    """The narrator that only quotes; it may be away, and it may be held until ``go`` is set."""

    is_away = False
    go = None
    asked = 0

    async def answer(self, ask, /):
        self.asked += 1
        if self.go is not None:
            await self.go.wait()
        if self.is_away:
            raise ModelUnavailable("nobody answers")
        return await super().answer(ask)


class Stage:
    """All parts of service/story on one home."""

    def __init__(self, home, background):
        self.home, self.background = home, background
        self.clock, self.model, self.tally = FixedClock(NOW), Model(), Tally()
        self.disk = Dependency("disk", monotonic=self.clock.monotonic, recovered=lambda: None)
        self.minds = Minds(
            home,
            clock=self.clock,
            disk=self.disk,
            gate=MindGate(),
            graph_of=MemoryGraphs(readers=None, embedder=None).of,
        )
        consolidation = ConsolidationService(Narrator((self.model,)), clock=self.clock)
        self.pending_log = PendingLog(background)
        self.reader = StoryReader(consolidation, clock=self.clock)
        self.sources = StorySources(
            self.reader, embedder=HashingEmbedder(), background=background, gate=self.minds.gate, clock=self.clock
        )
        self.writer = StoryWriter(
            consolidation,
            clock=self.clock,
            agent="the bot",
            pending_log=self.pending_log,
            sources=self.sources,
            telemetry=RunTelemetry(
                tally=self.tally, spans=NoopSpans(), clock=self.clock, publish=MindEvents(self.clock).publish
            ),
            minds=self.minds,
        )
        self.scheduler = StoryScheduler(
            self.writer,
            minds=self.minds,
            clock=self.clock,
            background=background,
            pending_log=self.pending_log,
            thresholds=THRESHOLDS,
            sweep_seconds=600,
        )
        self.editor = StoryEditor(self.reader, writer=self.writer, scheduler=self.scheduler, clock=self.clock)
        self.sync = StorySync(
            minds=self.minds,
            intake=Intake(
                self.minds,
                clock=self.clock,
                privacy_filter=PrivacyFilter(),
                tally=self.tally,
                spans=NoopSpans(),
                wake_lanes=lambda _: None,
                think_ahead=lambda mind, turn: None,
                on_stored=self.scheduler.notice,
            ),
            scheduler=self.scheduler,
            background=background,
            clock=self.clock,
            privacy_filter=PrivacyFilter(),
            folders=SessionFolders(None, "global-user-memory", 5),
        )

    async def store(self, mind_id="ada", *, tokens=40, text=None):
        """One more turn in the transcript, of which nobody was told."""
        mind = await self.minds.find_or_create(mind_id)
        number = mind.transcript.positions.last + 1
        message = Message(Speaker.USER, text or SAID.format(number), NOW + timedelta(seconds=number), "Ann")
        await mind.transcript.append(Turn(f"t{number}", "s1", (message,)), tokens=tokens)
        return mind

    async def store_and_notice(self, **more):
        """One more turn, as the intake stores it; the mind, and how many tokens are pending."""
        mind = await self.store(**more)
        return mind, self.scheduler.notice(mind)

    async def idle(self, mind):
        """Wait until no run of the mind is under way."""
        await until_async(lambda: not mind.story.is_running)

    def pass_time(self, seconds):
        self.clock.advance(timedelta(seconds=seconds))


@asynccontextmanager
async def staged(home):
    async with Background(drain_seconds=5) as background:
        stage = Stage(home, background)
        yield stage
    await stage.minds.close()


@pytest.fixture
async def stage(tmp_path):
    async with staged(tmp_path) as stage:
        yield stage
