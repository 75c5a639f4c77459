"""
Slots for work that runs at once: what somebody waits for goes first, and takes the slot of what nobody waits for.

What nobody waits for any longer may still be of use later. So it goes on as long as there is room.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator


class Demand:
    """Who waits for a piece of work: whoever began it, until it is released, and those inside ``waiting``."""

    def __init__(self) -> None:
        self._waits = 0
        self._is_released = False
        self._scope: asyncio.Timeout | None = None
        self.on_change: Callable[[], None] | None = None

    @property
    def is_waited_for(self) -> bool:
        """Whether anybody waits."""
        return not self._is_released or self._waits > 0

    def release(self) -> None:
        """Whoever began it does not wait any longer."""
        self._is_released = True
        self._changed()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Somebody waits while inside."""
        self._waits += 1
        self._changed()
        try:
            yield
        finally:
            self._waits -= 1
            self._changed()

    @asynccontextmanager
    async def breakable(self) -> AsyncIterator[None]:
        """Do the work inside. Raises TimeoutError where its slot was needed for what is waited for."""
        async with asyncio.timeout(None) as self._scope:
            token = _demand.set(self)
            try:
                yield
            finally:
                _demand.reset(token)

    def break_off(self) -> None:
        """End the work that is inside ``breakable``."""
        if self._scope is not None:
            self._scope.reschedule(asyncio.get_running_loop().time())

    def _changed(self) -> None:
        if self.on_change is not None:
            self.on_change()


_demand: ContextVar[Demand | None] = ContextVar("demand", default=None)


@dataclass(eq=False, slots=True)
class _Claim:
    demand: Demand
    granted: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Slots:
    """An async context for each task that works; *most* are inside at once, and the others wait in their order."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: list[_Claim] = []
        self._queue: list[_Claim] = []
        self._of_task: dict[asyncio.Task[object] | None, _Claim] = {}

    async def __aenter__(self) -> None:
        claim = _Claim(_demand.get() or Demand())
        claim.demand.on_change = self._admit
        self._queue.append(claim)
        self._admit()
        try:
            await claim.granted
        except asyncio.CancelledError:
            self._leave(claim)
            raise
        self._of_task[asyncio.current_task()] = claim

    async def __aexit__(self, *_: object) -> None:
        self._leave(self._of_task.pop(asyncio.current_task()))

    def _admit(self) -> None:
        """Give free slots away; for what is waited for, the oldest work that nobody waits for makes room."""
        self._queue = [one for one in self._queue if not one.granted.cancelled()]  # who was cancelled leaves soon
        while self._queue:
            claim = next((one for one in self._queue if one.demand.is_waited_for), self._queue[0])
            if len(self._held) >= self._most:
                idle = next((one for one in self._held if not one.demand.is_waited_for), None)
                if idle is None or not claim.demand.is_waited_for:
                    return
                self._held.remove(idle)  # before it has ended: what ends it may take its time
                idle.demand.break_off()
            self._queue.remove(claim)
            self._held.append(claim)
            claim.granted.set_result(None)

    def _leave(self, claim: _Claim) -> None:
        claim.demand.on_change = None
        for claims in (self._queue, self._held):
            if claim in claims:
                claims.remove(claim)
        self._admit()
