"""
Which minds are being erased, and who is at work in a mind: so that what is erased is seen by nobody any more.

A *closed* mind is there for nobody. A *held* one goes on, but for its background work. Whoever works in a mind is
*inside*; an erase waits until all who came in before it have gone, and may hold its words, have gone.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING

from consolidation.kernel.errors import MemoryFault

if TYPE_CHECKING:
    from collections.abc import Iterator


class MindErasing(MemoryFault):
    """This mind is being erased; it keeps nothing until that has ended."""


class Hold(IntEnum):
    """What of a mind's background work rests."""

    NOTHING = 0
    GRAPH = 1
    ALL = 2


class Fence:
    """The fences of all minds, in one event loop."""

    def __init__(self) -> None:
        """Begin with nobody inside and nothing held."""
        self._closed: set[str] = set()
        self._held: dict[str, Hold] = {}
        self._free: dict[str, asyncio.Event] = {}
        self._inside: dict[str, set[asyncio.Event]] = {}

    def close(self, mind_id: str) -> None:
        """From now on this mind is there for nobody."""
        self._closed.add(mind_id)

    def reopen(self, mind_id: str) -> None:
        """A mind of this id may begin again."""
        self._closed.discard(mind_id)

    def is_closed(self, mind_id: str) -> bool:
        """Whether this mind is being erased."""
        return mind_id in self._closed

    def hold(self, mind_id: str, hold: Hold) -> None:
        """Let so much of a mind's background work rest, and no more."""
        self._held[mind_id] = hold
        free = self._free.setdefault(mind_id, asyncio.Event())
        free.clear() if hold is Hold.ALL else free.set()
        if hold is Hold.NOTHING:
            del self._held[mind_id], self._free[mind_id]

    def held(self, mind_id: str) -> Hold:
        """What rests by now."""
        return self._held.get(mind_id, Hold.NOTHING)

    async def until_free(self, mind_id: str) -> None:
        """Return when not all of a mind's background work rests."""
        while self.held(mind_id) is Hold.ALL:
            await self._free[mind_id].wait()

    @contextmanager
    def inside(self, mind_id: str) -> Iterator[None]:
        """Be at work in a mind."""
        gone = asyncio.Event()
        self._inside.setdefault(mind_id, set()).add(gone)
        try:
            yield
        finally:
            gone.set()
            self._inside[mind_id].discard(gone)
            if not self._inside[mind_id]:
                del self._inside[mind_id]

    async def emptied(self, mind_id: str, *, seconds: float) -> bool:
        """Return when all who are inside now have gone; False when that takes longer."""
        try:
            async with asyncio.timeout(seconds):
                for gone in tuple(self._inside.get(mind_id, ())):
                    await gone.wait()
        except TimeoutError:
            return False
        return True
