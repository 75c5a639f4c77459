"""
A lane, and how it is run: from a wake-up, through steps and pauses, to the wake-up of the next lane.

A lane moves one cursor of each mind towards the end of the mind's transcript. There is no queue: the transcript is what
must be done, the cursor is what is done, and a lane that is woken takes steps until the two meet. A step that fails, of
whatever, is tried again after a pause, which is as long as a provider asks for, or else ends early when a dependency
works again. Only where another service has claimed the mind, the lane ends, until it is woken. A lane never dies, and
the lanes of one mind, or of several, do not stop each other.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Protocol

import structlog

from consolidation.kernel.errors import (
    EmbedderUnavailable,
    GraphUnavailable,
    HomeFault,
    MemoryFault,
    ModelUnavailable,
)
from consolidation.kernel.sharing_errors import Fenced
from service.mind.mind_gate import Paused

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.ingest.backoff import Backoff
    from service.ingest.lane_telemetry import LaneTelemetry
    from service.mind.health import LaneName
    from service.mind.mind_gate import MindGate
    from service.mind.minds import Mind
    from service.runtime.background import Background
    from service.runtime.foreground import Foreground

log = structlog.get_logger()

_MOST_AT_ONCE = 8  # minds of which one lane takes a step
_GIVES_WAY_SECONDS = 0.5  # at most, before each step

_SHARED_FAULTS = (GraphUnavailable, EmbedderUnavailable, ModelUnavailable, HomeFault)  # all minds meet them at once


class Lane(Protocol):
    """What a lane does with the next turns of a mind."""

    name: LaneName
    uses_graph: bool

    async def step(self, mind: Mind) -> bool:
        """Take the next turns and move the lane's cursor behind them. True while there is more to do."""
        ...


class LaneRunner:
    """Runs one lane for every mind: one background job a mind, only while the mind has work."""

    def __init__(
        self,
        lane: Lane,
        *,
        following: LaneRunner | None,
        gate: MindGate,
        background: Background,
        foreground: Foreground,
        telemetry: LaneTelemetry,
        new_backoff: Callable[[], Backoff],
    ) -> None:
        """*following* runs the next lane, which is woken after each step. Steps give way to who is in *foreground*."""
        self._foreground = foreground
        self._places = asyncio.Semaphore(_MOST_AT_ONCE)
        self.lane = lane
        self._following = following
        self._gate = gate
        self._background = background
        self._telemetry = telemetry
        self._new_backoff = new_backoff
        self._jobs: dict[str, asyncio.Task[None]] = {}
        self._woken: set[str] = set()  # minds that were woken while their job ran: it looks again before it ends
        self._suspended = Counter[str]()
        self._recovery = asyncio.Event()

    def wake(self, mind: Mind) -> None:
        """Begin to work on *mind*, which may have something to do, unless its work is on hold. Returns at once."""
        mind_id = mind.mind_id
        if mind_id in self._jobs:
            self._woken.add(mind_id)
        elif self._may_run(mind_id):
            name = self._name_of_job(mind_id)
            self._jobs[mind_id] = self._background.start(name, lambda: self._run(mind), owner=mind_id)

    async def _run(self, mind: Mind) -> None:
        backoff, has_more = self._new_backoff(), True
        try:
            while (has_more or mind.mind_id in self._woken) and self._may_run(mind.mind_id):
                self._woken.discard(mind.mind_id)
                recovery = self._recovery  # taken before the step: what recovers during it counts
                try:
                    has_more = await self._take_step(mind)
                except Fenced:  # who has claimed the mind goes on with it
                    log.info("lane.fenced", lane=self.lane.name, mind_id=mind.mind_id)
                    return
                except Exception as error:  # noqa: BLE001 - a lane outlives what nobody foresaw
                    has_more = True
                    self._report_failure(mind, error)
                    wished: float = getattr(error, "retry_after", 0.0)
                    seconds = max(backoff.next_seconds(), wished)
                    await self._background.pause(seconds, unless=None if wished else recovery)
                else:
                    backoff.reset()
                    self._report_success(mind)
                    if self._following is not None:
                        self._following.wake(mind)
        finally:
            self._forget_job(mind.mind_id)

    async def _take_step(self, mind: Mind) -> bool:
        """
        Take a step of the lane.

        One that asks the graph gives way to calls that somebody waits for, and is taken for a few minds at a time: a
        hundred at once would leave no time for a call between them.
        """
        if not self.lane.uses_graph:
            return await self.lane.step(mind)
        async with self._places:
            await self._foreground.until_free(seconds=_GIVES_WAY_SECONDS)
            return await self.lane.step(mind)

    def retry_now(self) -> None:
        """End every pause: a dependency works again."""
        self._recovery.set()
        self._recovery = asyncio.Event()

    def suspend(self, mind_id: str) -> None:
        """Begin nothing for a mind until as many calls of ``resume``."""
        self._suspended[mind_id] += 1

    async def give_up(self, mind_id: str) -> None:
        """Give up what is under way for a suspended mind, as in a crash. No thread of it writes anything afterwards."""
        await self._background.stop(mind_id, prefixes=(self._name_of_job(mind_id),))

    def resume(self, mind_id: str) -> None:
        """Allow work again; it begins at the next wake-up."""
        self._suspended[mind_id] -= 1

    def _may_run(self, mind_id: str) -> bool:
        hold = self._gate.paused(mind_id)
        is_held = hold is Paused.ALL or (hold is Paused.GRAPH and self.lane.uses_graph)
        return not (is_held or self._suspended[mind_id] or self._background.is_stopping)

    def _name_of_job(self, mind_id: str) -> str:
        return f"{self.lane.name} {mind_id}"

    def _forget_job(self, mind_id: str) -> None:
        self._jobs.pop(mind_id, None)
        self._woken.discard(mind_id)

    def _report_success(self, mind: Mind) -> None:
        state = mind.health.lanes[self.lane.name]
        if state.waiting_for is not None:
            log.debug("lane.recovered", lane=self.lane.name, mind_id=mind.mind_id)
        state.waiting_for = None
        mind.disk.worked(part=self._disk_part(mind))

    def _report_failure(self, mind: Mind, error: Exception) -> None:
        """Note why the lane waits. It is logged when that begins, not each time that the step is tried."""
        self._telemetry.failed(self.lane.name)
        state = mind.health.lanes[self.lane.name]
        known, state.waiting_for = state.waiting_for, _reason(error)
        if isinstance(error, HomeFault):
            mind.disk.failed(str(error), part=self._disk_part(mind))
        else:
            mind.disk.worked(part=self._disk_part(mind))
        if known is None or known.partition(":")[0] != type(error).__name__:
            fields = {"lane": self.lane.name, "mind_id": mind.mind_id, "reason": state.waiting_for}
            if isinstance(error, _SHARED_FAULTS):  # logged once for all minds, by its Dependency
                log.debug("lane.waiting", **fields)
            else:
                log.warning("lane.waiting", **fields, exc_info=None if isinstance(error, MemoryFault) else error)

    def _disk_part(self, mind: Mind) -> str:
        return self._name_of_job(mind.mind_id)


def _reason(error: Exception) -> str:
    """For whoever runs the service; an unforeseen error may quote anybody's words, so it is in the log alone."""
    name = type(error).__name__
    return f"{name}: {error}" if isinstance(error, MemoryFault) else f"{name}: an unforeseen error; it is logged"
