"""
The background half of the write path: three lanes a mind, each behind the other, each with a cursor of its own.

*Indexing* makes a turn findable by its words, *saving* by its meaning (graph and vectors), and *extracting* has a model
read it. A slow sweep wakes every mind, so that a lost wake-up loses nothing.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import structlog

from consolidation.kernel.errors import MemoryFault
from service.ingest.lane import LaneRunner

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from service.ingest.backoff import Backoff
    from service.ingest.extraction_lane import ExtractionLane
    from service.ingest.indexing_lane import IndexingLane
    from service.ingest.lane import Lane
    from service.ingest.lane_telemetry import LaneTelemetry
    from service.ingest.saving_lane import SavingLane
    from service.mind.minds import Mind, Minds
    from service.runtime.background import Background
    from service.runtime.foreground import Foreground

log = structlog.get_logger()

_ROOM_SECONDS, _CLOSE_SECONDS, _FOLLOW_SECONDS = 0.1, 2.0, 1.0
_MOST_PASSED = 10  # sweeps


class Ingestion:
    """Runs the lanes of every mind."""

    def __init__(
        self,
        minds: Minds,
        *,
        indexing: IndexingLane,
        saving: SavingLane,
        extraction: ExtractionLane,
        telemetry: LaneTelemetry,
        background: Background,
        foreground: Foreground,
        new_backoff: Callable[[], Backoff],
        sweep_seconds: float,
    ) -> None:
        """*new_backoff* makes a fresh backoff for each job; every mind is looked at each *sweep_seconds*."""
        runner = partial(
            LaneRunner,
            gate=minds.gate,
            background=background,
            foreground=foreground,
            telemetry=telemetry,
            new_backoff=new_backoff,
        )
        self._minds = minds
        self._background = background
        self._sweep_seconds = sweep_seconds
        self._indexing_lane = indexing
        self._saving_lane = saving
        self._extraction_lane = extraction
        self._extraction = runner(extraction, following=None)
        self._saving = runner(saving, following=self._extraction)
        self._indexing = runner(indexing, following=self._saving)
        self._runners = (self._indexing, self._saving, self._extraction)
        self._unreadable: set[str] = set()
        self._passed: dict[str, int] = {}  # sweeps since an open mind was looked at
        self._reached: dict[str, tuple[tuple[int, ...], int]] = {}  # how far it was, and for how long

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes, in the order in which a turn goes through them."""
        return tuple(runner.lane for runner in self._runners)

    def wake(self, mind: Mind) -> None:
        """Begin to work on *mind*, which may have something to do. Returns at once."""
        if self._minds.custodian is not None:
            self._minds.custodian.want(mind.mind_id)
        self._indexing.wake(mind)

    def retry(self, mind: Mind) -> None:
        """Try the parked turns of *mind* again."""
        self._extraction_lane.retry(mind.mind_id)
        self._extraction.wake(mind)

    def try_after_outage(self, mind: Mind, first: int) -> None:
        """Try the turns of *mind* again that an outage parked, beginning with the one of sequence *first*."""
        self._extraction_lane.try_after_outage(mind.mind_id, first=first)
        self._extraction.wake(mind)

    def retry_now(self) -> None:
        """End the pauses of all lanes: a dependency works again."""
        for runner in self._runners:
            runner.retry_now()

    @asynccontextmanager
    async def suspended(self, mind: Mind, *, is_closed: bool = False) -> AsyncIterator[None]:
        """
        No lane of *mind* runs inside: what is under way is given up, as in a crash, and begun again afterwards.

        Turns are accepted all the while. A mind that *is_closed* inside is not woken: whoever opens it again does that.
        """
        for runner in self._runners:
            runner.suspend(mind.mind_id)
        try:
            for runner in self._runners:
                await runner.give_up(mind.mind_id)
            yield
        finally:
            for runner in self._runners:
                runner.resume(mind.mind_id)
            if not is_closed:
                self.wake(mind)

    def forget(self, mind_id: str) -> None:
        """Drop what the lanes remember of a mind: it was erased or closed."""
        self._indexing_lane.forget(mind_id)
        self._saving_lane.forget(mind_id)
        self._extraction_lane.forget(mind_id)
        self._passed.pop(mind_id, None)
        self._reached.pop(mind_id, None)

    async def sweep(self) -> None:
        """
        Wake minds that may have work, now and after each pause, until the service stops.

        Those are minds that are new or whose work a stop cut short, which are opened; open ones that are behind; and,
        now and then, every open one. One that was closed had nothing to do. Where too many are open, those with work
        are waited for.
        """
        while not self._background.is_stopping:
            try:
                for mind_id in await self._minds.unlooked():
                    await self._until_there_is_room(mind_id)
                    await self._wake_if_readable(mind_id)
            except OSError as error:
                self._minds.disk.failed(f"the home can not be read: {error.strerror}", part="home")
            else:
                self._minds.disk.worked(part="home")
            for mind in self._minds.opened():
                if self._is_to_be_looked_at(mind):
                    self.wake(mind)
            await self._background.pause(self._sweep_seconds)

    async def follow(self) -> None:
        """
        Look each second how far other processes are with open minds that they work on, until the service stops.

        It is looked less and less often at one that does not go on.
        """
        while await self._background.pause(_FOLLOW_SECONDS):
            for mind in self._minds.opened():
                if not self._minds.custody.holds(mind.mind_id) and self._may_have_gone_on(mind):
                    self._saving.wake(mind)

    def _may_have_gone_on(self, mind: Mind) -> bool:
        """Whether a mind is behind, and to be looked at now: one second after a change, two, four, eight, and so on."""
        reached = (mind.transcript.positions.last, *(mind.health.lanes[lane.name].cursor for lane in self.lanes))
        known, looks = self._reached.get(mind.mind_id, ((), 0))
        looks = looks + 1 if reached == known else 1
        self._reached[mind.mind_id] = reached, looks
        return looks.bit_count() == 1 and any(mind.lag(lane.name) for lane in self.lanes)

    def _is_to_be_looked_at(self, mind: Mind) -> bool:
        """Whether an open mind is behind, or many sweeps have passed it by: its graph may have changed from outside."""
        passed = self._passed.get(mind.mind_id, _MOST_PASSED)
        is_behind = mind.health.waiting_for is not None or any(mind.lag(lane.name) for lane in self.lanes)
        is_looked_at = is_behind or passed >= _MOST_PASSED
        self._passed[mind.mind_id] = 0 if is_looked_at else passed + 1
        return is_looked_at

    async def _until_there_is_room(self, mind_id: str) -> None:
        """Return when the mind is open, or can be without one too many; after a sweep's pause at the latest."""
        waited = 0.0
        while self._minds.get(mind_id) is None and self._minds.is_full and waited < self._sweep_seconds:
            if await self._minds.close_unused(spare=1) or not await self._background.pause(_ROOM_SECONDS):
                return
            waited += _ROOM_SECONDS

    async def close_unused(self) -> None:
        """Close minds that nobody uses, again and again. Never returns."""
        while await self._background.pause(_CLOSE_SECONDS):
            await self._minds.close_unused()

    async def _wake_if_readable(self, mind_id: str) -> None:
        """Wake a mind. One that can not be opened is logged once, and the others are woken all the same."""
        part = f"opening {mind_id}"
        try:
            with self._minds.gate.enter(mind_id):
                self.wake(self._minds.get(mind_id) or await self._minds.find(mind_id))
        except MemoryFault as error:
            if mind_id not in self._unreadable:
                log.warning("mind.unreadable", mind_id=mind_id, error=str(error))
            self._unreadable.add(mind_id)
            self._minds.disk.failed("a mind can not be opened; the log says which", part=part)
        else:
            self._unreadable.discard(mind_id)
            self._minds.disk.worked(part=part)
