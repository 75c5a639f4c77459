"""
Loads the example life into the mind ``example``: turns by the one way in, pre-turn calls as they would have been.

Nothing of it asks a hosted model. A load that a stop interrupted goes on at the next start; what is there is not made
twice.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, timedelta
from itertools import groupby
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.corrections.record import What
from consolidation.kernel.errors import MemoryFault, MindExists, MindNotFound, TurnErased
from consolidation.story.triggers import Trigger
from consolidation.workspace import no_such_mind
from service.corrections.desk import Decision
from service.corrections.targets import Meant
from service.example.life import read_life, read_names
from service.example.progress import Progress, read_progress, write_progress
from service.mind.health import LaneName
from service.retrieval.moment import ResonanceRequest

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterable

    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import Message
    from service.corrections.desk import CorrectionDesk
    from service.example.life import Exchange
    from service.example.progress import State
    from service.ingest.intake import Intake
    from service.mind.minds import Mind, Minds
    from service.resonance.pipeline import Pipeline
    from service.runtime.background import Background
    from service.story.scheduler import StoryScheduler

EXAMPLE = "example"

_ASKED_DAYS = 149  # of the life's end: in their sessions, pre-turn calls are made …
_FIRST, _ALL_DAYS = 2, 40  # … before the first messages, and before each message of the last days
_POLL_SECONDS, _STUCK_SECONDS = 0.02, 120.0
_DECISIONS = (
    Decision(
        What.EDIT,
        Meant("fact", text="Harold Tovey wrote to the seed library every year from Clevedon, from 1951 on."),
        to="Harold Tovey wrote to the seed library every year from Clevedon, from 1953 on.",
        reason="His granddaughter knew it.",
    ),
    Decision(What.MERGE, Meant("entity", text="Mum"), to="Ingrid", reason="Mum is Ingrid."),
    Decision(What.MUTE, Meant("turn", turn_ids=("example-001",)), reason="Everybody knows how we met."),
)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Limits:
    """What a pre-turn call may show where a caller names nothing, as `ResonanceRequest` has it."""

    max_fragments: int
    max_tokens: int
    relevance: float


@dataclass(frozen=True, slots=True)
class Loaded:
    """How far the example is loaded: ``turns`` of the life's ``of``; ready when its story is told, too."""

    state: State
    turns: int
    of: int


class ExampleLoader:
    """Loads the example once, and says how far it is."""

    def __init__(
        self,
        minds: Minds,
        *,
        intake: Intake,
        pipeline: Pipeline,
        corrections: CorrectionDesk,
        scheduler: StoryScheduler,
        background: Background,
        clock: Clock,
        limits: Limits,
    ) -> None:
        """*pipeline* must not ask a hosted model."""
        self._minds = minds
        self._intake = intake
        self._pipeline = pipeline
        self._corrections = corrections
        self._scheduler = scheduler
        self._background = background
        self._clock = clock
        self._limits = limits
        self._loading: asyncio.Task[None] | None = None

    async def begin(self) -> tuple[Loaded, bool]:
        """
        Begin to load, unless that was done; whether it was begun now. Returns at once.

        Raises MindExists where a mind has the name that is not the example, MindErasing, HomeFault.
        """
        workspace = self._minds.workspace(EXAMPLE)
        progress = await self._progress()
        if progress is None and EXAMPLE in self._minds.ids():
            raise MindExists(f"there is a mind {EXAMPLE!r} already, which is not the example: erase it first")
        is_new = progress is None or EXAMPLE not in self._minds.ids()
        if progress is None:
            last_day = (self._clock.now() - timedelta(days=1)).date()
            await anyio.to_thread.run_sync(write_progress, workspace, Progress(last_day))
        await self._minds.find_or_create(EXAMPLE)
        await self.resume()
        return await self.read(), is_new

    async def read(self) -> Loaded:
        """How far it is. Raises MindNotFound where there is no example."""
        progress = await self._progress()
        if progress is None:
            raise no_such_mind(EXAMPLE)
        mind = await self._minds.find(EXAMPLE)
        life = await anyio.to_thread.run_sync(read_life)
        turns = sum(mind.transcript.positions.sequence_of(one.turn_id) is not None for one in life)
        return Loaded(progress.state, turns, len(life))

    async def resume(self) -> None:
        """Go on with a load that is not at its end, in the background."""
        progress = await anyio.to_thread.run_sync(read_progress, self._minds.workspace(EXAMPLE))
        is_unfinished = progress is not None and progress.state == "loading" and EXAMPLE in self._minds.ids()
        if progress is not None and is_unfinished and (self._loading is None or self._loading.done()):
            self._loading = self._background.start("example", lambda: self._load(progress), owner=EXAMPLE)

    async def _progress(self) -> Progress | None:
        with suppress(MindNotFound):
            await self._minds.find(EXAMPLE)  # where it is in a database, its copy is here now
        return await anyio.to_thread.run_sync(read_progress, self._minds.workspace(EXAMPLE))

    async def _load(self, progress: Progress) -> None:
        """Load what is missing. Where the service stops, or the graph does not answer, the rest is loaded later."""
        mind, began = await self._minds.find(EXAMPLE), self._clock.monotonic()
        await self._set_kinds(mind)
        for _, exchanges in groupby(await anyio.to_thread.run_sync(read_life), lambda one: one.session_id):
            await self._load_session(mind, tuple(exchanges), progress)
        if not await self._until_done(mind, tuple(LaneName)):
            return
        await self._decide(mind)
        await self._scheduler.begin(mind, trigger=Trigger.MANUAL)
        await anyio.to_thread.run_sync(write_progress, mind.workspace, replace(progress, state="ready"))
        log.info("example.loaded", seconds=round(self._clock.monotonic() - began, 1))

    async def _set_kinds(self, mind: Mind) -> None:
        """Let the mind tell the kinds of entities apart that its notes name."""
        kinds = [{"name": kind} for kind in await anyio.to_thread.run_sync(read_names)]
        await anyio.to_thread.run_sync(lambda: mind.settings.change({"entity_kinds": kinds}, expected="*"))

    async def _load_session(self, mind: Mind, exchanges: Iterable[Exchange], progress: Progress) -> None:
        """Store the turns of a session; of a late one, ask before each what surfaces, as of its time."""
        window: tuple[Message, ...] = ()
        for at, exchange in enumerate(exchanges):
            if self._background.is_stopping:
                return
            turn = exchange.dated(progress.last_day)
            if mind.transcript.positions.sequence_of(turn.turn_id) is None:
                is_asked = exchange.days <= (_ASKED_DAYS if at < _FIRST else _ALL_DAYS)
                if is_asked and at == 0:
                    await self._until_done(mind, (LaneName.INDEXING, LaneName.SAVING))
                if is_asked:
                    await self._pipeline.resonate(mind, self._request(turn.session_id, (*window, turn.messages[0])))
                with suppress(TurnErased):  # by a person, before a load that goes on
                    await self._intake.accept(EXAMPLE, turn)
            window = (*window, *turn.messages)

    def _request(self, session_id: str, window: tuple[Message, ...]) -> ResonanceRequest:
        return ResonanceRequest(
            session_id=session_id,
            messages=window,
            now=window[-1].timestamp or self._clock.now(),
            timezone=UTC,
            deadline_seconds=None,
            max_fragments=self._limits.max_fragments,
            max_tokens=self._limits.max_tokens,
            relevance=self._limits.relevance,
            placement="tail",
        )

    async def _until_done(self, mind: Mind, lanes: tuple[LaneName, ...]) -> bool:
        """Return when *lanes* have every turn so far; False when nothing moves for long, or the service stops."""
        left, since = -1, self._clock.monotonic()
        while now := sum(mind.lag(lane) for lane in lanes):
            if now != left:
                left, since = now, self._clock.monotonic()
            is_stuck = self._clock.monotonic() - since > _STUCK_SECONDS
            if is_stuck or not await self._background.pause(_POLL_SECONDS):
                return False
        return not self._background.is_stopping

    async def _decide(self, mind: Mind) -> None:
        """Put right what a person would have; a decision that stands is not made twice."""
        for decision in _DECISIONS:
            try:
                await self._corrections.make(mind, decision, by="Ann")
            except MemoryFault as fault:
                log.warning("example.not_put_right", what=decision.what, error=str(fault))
