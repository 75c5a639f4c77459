"""
Who may enter a mind, who is inside, and how much of its background work is paused, while something of it is erased.

A *closed* mind does not exist for anybody. Background work that is *paused* rests, while requests go on. Whoever works
on a mind *enters* it. An erasure waits until all who entered before it have left, since they may hold erased words.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING

from consolidation.kernel.errors import MindErasing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator


class Paused(IntEnum):
    """How much of a mind's background work is paused: nothing, what uses its graph, or all of it."""

    NOTHING = 0
    GRAPH = 1
    ALL = 2


class Visit:
    """Somebody's work inside of a mind, of which something may be erased meanwhile."""

    def __init__(self) -> None:
        self.left = asyncio.Event()
        self._erased: set[str | None] = set()  # sessions; None is the whole mind
        self._waiting: dict[asyncio.Timeout, str] = {}

    @asynccontextmanager
    async def unless_erased(self, session_id: str) -> AsyncIterator[None]:
        """
        Wait for a model inside the block, for words that are to be stored in a session.

        Raises MindErasing once the session or its mind is erased, or was since the visit began.
        """
        limit = asyncio.timeout(0 if self._concerns(session_id) else None)
        try:
            async with limit:
                self._waiting[limit] = session_id
                yield
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise MindErasing("it was erased before what was said in it was understood") from error
        finally:
            self._waiting.pop(limit, None)

    def erase(self, session_id: str | None) -> None:
        """A session, or the whole mind (None), is being erased: nothing that is made ready now is stored in it."""
        self._erased.add(session_id)
        for limit, waiting in self._waiting.items():
            if self._concerns(waiting):
                limit.reschedule(0)

    def _concerns(self, session_id: str) -> bool:
        return not self._erased.isdisjoint({None, session_id})


class MindGate:
    """The gates of all minds, in one event loop."""

    def __init__(self) -> None:
        self._closed: set[str] = set()
        self._paused: dict[str, Paused] = {}
        self._resumed: dict[str, asyncio.Event] = {}
        self._visits: dict[str, set[Visit]] = {}
        self._on_closed: list[Callable[[str], None]] = []

    def close(self, mind_id: str) -> None:
        """From now on this mind does not exist for anybody."""
        self._closed.add(mind_id)
        self.erase_from_visits(mind_id)
        for tell in self._on_closed:
            tell(mind_id)

    def erase_from_visits(self, mind_id: str, *, session_id: str | None = None) -> None:
        """Let nobody who is inside now wait for words of a session, or of the whole mind, and then store them."""
        for visit in self._visits.get(mind_id, ()):
            visit.erase(session_id)

    def when_closed(self, tell: Callable[[str], None]) -> None:
        """Call *tell* with the id of each mind that is closed."""
        self._on_closed.append(tell)

    def reopen(self, mind_id: str) -> None:
        """Allow a mind of this id to begin again."""
        self._closed.discard(mind_id)

    def is_closed(self, mind_id: str) -> bool:
        """Whether the whole mind is being erased."""
        return mind_id in self._closed

    def check_open(self, mind_id: str) -> None:
        """Return unless the whole mind is being erased. Raises MindErasing."""
        if mind_id in self._closed:
            raise MindErasing(f"{mind_id!r} is being erased; its next turn, or an import, after that begins a new mind")

    @property
    def closed(self) -> frozenset[str]:
        """The minds that are being erased as a whole."""
        return frozenset(self._closed)

    def set_paused(self, mind_id: str, paused: Paused) -> None:
        """Pause so much of a mind's background work, and let the rest go on."""
        self._paused[mind_id] = paused
        resumed = self._resumed.setdefault(mind_id, asyncio.Event())
        resumed.clear() if paused is Paused.ALL else resumed.set()
        if paused is Paused.NOTHING:
            del self._paused[mind_id], self._resumed[mind_id]

    def paused(self, mind_id: str) -> Paused:
        """How much is paused now."""
        return self._paused.get(mind_id, Paused.NOTHING)

    async def until_resumed(self, mind_id: str) -> None:
        """Return when not all of a mind's background work is paused."""
        while self.paused(mind_id) is Paused.ALL:
            await self._resumed[mind_id].wait()

    @contextmanager
    def enter(self, mind_id: str) -> Iterator[Visit]:
        """
        Work on a mind inside the block; an erasure waits for its end, but not for long.

        Who is to store what a model makes of something waits for it in ``Visit.unless_erased``.
        """
        visit = Visit()
        self._visits.setdefault(mind_id, set()).add(visit)
        try:
            yield visit
        finally:
            visit.left.set()
            self._visits[mind_id].discard(visit)
            if not self._visits[mind_id]:
                del self._visits[mind_id]

    def is_entered(self, mind_id: str) -> bool:
        """Whether anybody is inside, or something of the mind is being erased."""
        return mind_id in self._visits or mind_id in self._paused or mind_id in self._closed

    async def until_left(self, mind_id: str, *, seconds: float) -> bool:
        """Return True when all who are inside now have left, False when that takes longer than *seconds*."""
        try:
            async with asyncio.timeout(seconds):
                for visit in tuple(self._visits.get(mind_id, ())):
                    await visit.left.wait()
        except TimeoutError:
            return False
        return True
