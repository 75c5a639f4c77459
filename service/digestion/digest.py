"""
The background half of the write path: what the transcript holds and the projections do not, closed.

Three lanes a mind, each in order, each its own cursor, each waking the next: *indexing* makes a turn findable by its
words, *saving* by its meaning (graph and vectors), *extracting* lets a model read it. There is no queue: a lane is
awake while its cursor is behind the transcript, and a slow sweep wakes what a lost wake-up left asleep. A lane that
fails, of whatever, waits and tries again; what it stands on working again ends its pause.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import structlog

from consolidation.kernel.errors import (
    EmbedderUnavailable,
    GraphUnavailable,
    HomeFault,
    MemoryFault,
    ModelUnavailable,
)
from service.fence import Hold

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from service.background import Background
    from service.digestion.extracting import Extracting
    from service.digestion.patience import Patience
    from service.digestion.saving import Saving
    from service.digestion.steps import Steps
    from service.minds import Mind, Minds

log = structlog.get_logger()

_SHARED = (GraphUnavailable, EmbedderUnavailable, ModelUnavailable, HomeFault)
_NEXT = {"indexing": "saving", "saving": "extracting", "extracting": None}


class Digestion:
    """Keeps every mind's lanes running; one task per lane and mind, only while there is work."""

    def __init__(
        self,
        minds: Minds,
        *,
        saving: Saving,
        extracting: Extracting,
        steps: Steps,
        background: Background,
        patience: Callable[[], Patience],
        sweep_seconds: float,
    ) -> None:
        """Bind to the lanes; *patience* makes a fresh backoff for each; what is done is told to *steps*."""
        self.steps = steps
        self._minds = minds
        self._saving = saving
        self._extracting = extracting
        self._background = background
        self._patience = patience
        self._sweep_seconds = sweep_seconds
        self._awake: dict[tuple[str, str], bool] = {}
        self._running: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._halted = Counter[str]()
        self._hope = asyncio.Event()
        self._unreadable: set[str] = set()

    def wake(self, mind: Mind) -> None:
        """Say that *mind* may have work; returns at once."""
        self._wake_lane("indexing", mind)

    def retry(self, mind: Mind) -> None:
        """Say that parked turns of *mind* may be tried again."""
        self._extracting.retry(mind.mind_id)
        self._wake_lane("extracting", mind)

    @asynccontextmanager
    async def halted(self, mind: Mind) -> AsyncIterator[None]:
        """
        No lane of *mind* runs inside: what is under way is given up, as in a crash, and begun again afterwards.

        Turns are accepted all the while.
        """
        self._halted[mind.mind_id] += 1
        try:
            under_way = [task for (_, mind_id), task in self._running.items() if mind_id == mind.mind_id]
            for task in under_way:
                task.cancel()
            if under_way:
                await asyncio.wait(under_way)
            for lane in _NEXT:  # one that was cancelled before it began could not take itself off the list
                self._forget((lane, mind.mind_id))
            yield
        finally:
            self._halted[mind.mind_id] -= 1
            self.wake(mind)

    def hope(self) -> None:
        """Say that something works again: lanes that wait try now."""
        self._hope.set()
        self._hope = asyncio.Event()

    def forget(self, mind_id: str) -> None:
        """Know a mind no more: it was erased."""
        self._extracting.forget(mind_id)
        self._saving.forget(mind_id)

    async def sweep(self) -> None:
        """For ever: open every mind there is and wake it, now and after each pause."""
        while not self._background.is_stopping:
            try:
                for mind_id in self._minds.ids():
                    await self._look(mind_id)
            except OSError as error:
                self._minds.disk.failed(f"the home can not be read: {error.strerror}", part="home")
            else:
                self._minds.disk.worked(part="home")
            await self._background.pause(self._sweep_seconds)

    async def _look(self, mind_id: str) -> None:
        """Wake a mind; one that can not be opened is told of once, and keeps no other from its turn."""
        try:
            with self._minds.fence.inside(mind_id):
                self.wake(await self._minds.find(mind_id))
        except MemoryFault as error:
            if mind_id not in self._unreadable:
                log.warning("mind.unreadable", mind_id=mind_id, error=str(error))
            self._unreadable.add(mind_id)
            self._minds.disk.failed("a mind can not be opened; the log says which", part=f"opening {mind_id}")
        else:
            self._unreadable.discard(mind_id)
            self._minds.disk.worked(part=f"opening {mind_id}")

    def _wake_lane(self, lane: str, mind: Mind) -> None:
        key = (lane, mind.mind_id)
        if key in self._awake:
            self._awake[key] = True  # it looks again before it sleeps
            return
        hold = self._minds.fence.held(mind.mind_id)
        is_halted = self._background.is_stopping or self._halted[mind.mind_id]
        if is_halted or hold is Hold.ALL or (hold is Hold.GRAPH and lane != "indexing"):
            return
        self._awake[key] = True
        name, mind_id = f"{lane} {mind.mind_id}", mind.mind_id
        self._running[key] = self._background.start(name, lambda: self._run(lane, mind), of=mind_id)

    async def _run(self, lane: str, mind: Mind) -> None:
        step = {"indexing": self._saving.index, "saving": self._saving.step}.get(lane, self._extracting.step)
        key = (lane, mind.mind_id)
        try:
            while self._awake[key] and not self._background.is_stopping:
                self._awake[key] = False
                await self._until_done(lane, mind, step)
                self._wake_next(lane, mind)
        finally:
            self._forget(key)

    def _forget(self, key: tuple[str, str]) -> None:
        self._awake.pop(key, None)
        self._running.pop(key, None)

    async def _until_done(self, lane: str, mind: Mind, step: Callable[[Mind], Awaitable[bool]]) -> None:
        patience = self._patience()
        while not self._background.is_stopping and self._minds.fence.held(mind.mind_id) is not Hold.ALL:
            hope = self._hope
            try:
                has_more = await step(mind)
            except Exception as error:  # noqa: BLE001 - a lane outlives what nobody foresaw
                self.steps.failed(lane)
                self._tell(lane, mind, error)
                await self._background.pause(patience.next_seconds(), unless=hope)
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

    def _tell(self, lane: str, mind: Mind, error: Exception | None) -> None:
        """Note why a lane is behind; logged when it begins and when it ends, not each time it is tried."""
        known, reason = getattr(mind.health, lane), None if error is None else _reason(error)
        setattr(mind.health, lane, reason)
        if isinstance(error, HomeFault):
            mind.disk.failed(str(error), part=f"{lane} {mind.mind_id}")
        else:
            mind.disk.worked(part=f"{lane} {mind.mind_id}")
        if error is None and known is not None:
            log.debug("digestion.recovered", lane=lane, mind_id=mind.mind_id)
        elif error is not None and (known is None or known.partition(":")[0] != type(error).__name__):
            # What all minds stand on is told of once, by its Dependency.
            tell = log.debug if isinstance(error, _SHARED) else log.warning
            traceback = None if isinstance(error, MemoryFault) else error
            tell("digestion.waiting", lane=lane, mind_id=mind.mind_id, reason=reason, exc_info=traceback)


def _reason(error: Exception) -> str:
    """For whoever runs the service; what nobody foresaw may hold anybody's words, and is in the log alone."""
    name = type(error).__name__
    return f"{name}: {error}" if isinstance(error, MemoryFault) else f"{name}: an unforeseen error; it is logged"
