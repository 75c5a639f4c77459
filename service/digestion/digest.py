"""
The background half of the write path: what the transcript holds and the projections do not, closed.

Three lanes a mind, each in order, each its own cursor, each waking the next: *indexing* makes a turn findable by its
words, *saving* by its meaning (graph and vectors), *extracting* lets a model read it. There is no queue: a lane is
awake while its cursor is behind the transcript, and a slow sweep wakes what a lost wake-up left asleep.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from consolidation.kernel.errors import MemoryFault
from service.fence import Hold

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from service.background import Background
    from service.digestion.extracting import Extracting
    from service.digestion.patience import Patience
    from service.digestion.saving import Saving
    from service.minds import Mind, Minds

log = structlog.get_logger()

_NEXT = {"indexing": "saving", "saving": "extracting", "extracting": None}


class Digestion:
    """Keeps every mind's lanes running; one task per lane and mind, only while there is work."""

    def __init__(
        self,
        minds: Minds,
        *,
        saving: Saving,
        extracting: Extracting,
        background: Background,
        patience: Callable[[], Patience],
        sweep_seconds: float,
    ) -> None:
        """Bind to the lanes; *patience* makes a fresh backoff for each."""
        self._minds = minds
        self._saving = saving
        self._extracting = extracting
        self._background = background
        self._patience = patience
        self._sweep_seconds = sweep_seconds
        self._awake: dict[tuple[str, str], bool] = {}

    def wake(self, mind: Mind) -> None:
        """Say that *mind* may have work; returns at once."""
        self._wake_lane("indexing", mind)

    def retry(self, mind: Mind) -> None:
        """Say that parked turns of *mind* may be tried again."""
        self._extracting.retry(mind.mind_id)
        self._wake_lane("extracting", mind)

    def forget(self, mind_id: str) -> None:
        """Know a mind no more: it was erased."""
        self._extracting.forget(mind_id)
        self._saving.forget(mind_id)

    async def sweep(self) -> None:
        """For ever: open every mind there is and wake it, now and after each pause."""
        while not self._background.is_stopping:
            for mind_id in self._minds.ids():
                try:
                    with self._minds.fence.inside(mind_id):
                        self.wake(await self._minds.find(mind_id))
                except MemoryFault as error:
                    log.warning("mind.unreadable", mind_id=mind_id, error=str(error))
            await self._background.pause(self._sweep_seconds)

    def _wake_lane(self, lane: str, mind: Mind) -> None:
        key = (lane, mind.mind_id)
        if key in self._awake:
            self._awake[key] = True  # it looks again before it sleeps
            return
        hold = self._minds.fence.held(mind.mind_id)
        if self._background.is_stopping or hold is Hold.ALL or (hold is Hold.GRAPH and lane != "indexing"):
            return
        self._awake[key] = True
        self._background.start(f"{lane} {mind.mind_id}", lambda: self._run(lane, mind), of=mind.mind_id)

    async def _run(self, lane: str, mind: Mind) -> None:
        step = {"indexing": self._saving.index, "saving": self._saving.step}.get(lane, self._extracting.step)
        key = (lane, mind.mind_id)
        try:
            while self._awake[key] and not self._background.is_stopping:
                self._awake[key] = False
                await self._until_done(lane, mind, step)
                self._wake_next(lane, mind)
        finally:
            del self._awake[key]

    async def _until_done(self, lane: str, mind: Mind, step: Callable[[Mind], Awaitable[bool]]) -> None:
        patience = self._patience()
        while not self._background.is_stopping and self._minds.fence.held(mind.mind_id) is not Hold.ALL:
            try:
                has_more = await step(mind)
            except MemoryFault as error:
                self._tell(lane, mind, error)
                await self._background.pause(patience.next_seconds())
                continue
            patience.reset()
            self._tell(lane, mind, None)
            if not has_more:
                return
            self._wake_next(lane, mind)

    def _wake_next(self, lane: str, mind: Mind) -> None:
        following = _NEXT[lane]
        if following is not None:
            self._wake_lane(following, mind)

    def _tell(self, lane: str, mind: Mind, error: MemoryFault | None) -> None:
        """Note why a lane is behind; logged when it changes, not each time it is tried."""
        reason = None if error is None else f"{type(error).__name__}: {error}"
        if getattr(mind.health, lane) == reason:
            return
        setattr(mind.health, lane, reason)
        if reason is None:
            log.info("digestion.recovered", lane=lane, mind_id=mind.mind_id)
        else:
            log.warning("digestion.waiting", lane=lane, mind_id=mind.mind_id, reason=reason)
