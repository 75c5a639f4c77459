"""
Places for work that shares a processor: a few pieces at once, the others wait in the order in which they came.

What has too little time left lets the rest pass. Where more comes than can be done, each piece would otherwise start
just too late, and nobody would be served.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

_NEW_SHARE = 0.1  # of the last piece, in how long one takes
_AMPLE = 2.0  # times as long as a piece takes: some take longer than others


@dataclass(eq=False, slots=True)
class _Waiting:
    """Who waits, and when what it waits for is too late to be of use; None: never."""

    until: float | None
    granted: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Places:
    """At most *most* are inside at once. *monotonic* is a clock, in seconds."""

    def __init__(self, most: int, *, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._free = most
        self._queue: list[_Waiting] = []
        self._seconds = 0.0  # that a piece takes, of late

    @asynccontextmanager
    async def place(self, *, seconds: float | None) -> AsyncIterator[None]:
        """Wait for a place, and hold it inside. The work is of use within *seconds* from now; None: whenever."""
        await self._wait(None if seconds is None else self._monotonic() + seconds)
        began = self._monotonic()
        try:
            yield
        finally:
            self._seconds += _NEW_SHARE * (self._monotonic() - began - self._seconds)
            self._leave()

    async def _wait(self, until: float | None) -> None:
        if self._free:
            self._free -= 1
            return
        waiting = _Waiting(until)
        self._queue.append(waiting)
        try:
            await waiting.granted
        except asyncio.CancelledError:
            if not waiting.granted.cancelled():  # the place came as they gave up
                self._leave()
            raise
        finally:
            self._queue.remove(waiting)

    def _leave(self) -> None:
        """Give the place to whoever is next. Who has one by now, or gave up, may still be in the queue."""
        queue = [one for one in self._queue if not one.granted.done()]
        if not queue:
            self._free += 1
            return
        over = self._monotonic() + _AMPLE * self._seconds
        in_time = (one for one in queue if one.until is None or one.until >= over)
        next(in_time, queue[-1]).granted.set_result(None)
