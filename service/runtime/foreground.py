"""
Knows the calls that somebody waits for: background work gives way, since one process has one event loop for both.

When the service stops, those that can be cut short are, while there is still time to answer them.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Foreground:
    """How many calls are under way that somebody waits for."""

    def __init__(self) -> None:
        self._calls = 0
        self._is_free = asyncio.Event()
        self._is_free.set()
        self._limits: set[asyncio.Timeout] = set()
        self._end: float | None = None  # on the loop's clock, when the service stops

    @contextmanager
    def call(self) -> Iterator[None]:
        """Somebody waits inside the block."""
        self._calls += 1
        self._is_free.clear()
        try:
            yield
        finally:
            self._calls -= 1
            if not self._calls:
                self._is_free.set()

    async def until_free(self, *, seconds: float) -> None:
        """Return once nobody waits, and after *seconds* at the latest: background work gives way, and does not stop."""
        if self._is_free.is_set():
            return
        try:
            async with asyncio.timeout(seconds):
                await self._is_free.wait()
        except TimeoutError:
            return

    @contextmanager
    def cut_short(self, limit: asyncio.Timeout) -> Iterator[None]:
        """Have *limit*, which the block is inside of, come sooner when the service stops."""
        self._limits.add(limit)
        self._hasten(limit)
        try:
            yield
        finally:
            self._limits.discard(limit)

    def stop(self, *, seconds: float) -> None:
        """The service stops: what can be cut short has *seconds* to end by itself."""
        self._end = asyncio.get_running_loop().time() + seconds
        for limit in self._limits:
            self._hasten(limit)

    def was_cut_short(self, limit: asyncio.Timeout) -> bool:
        """Whether *limit* came because the service stops, and not because its own time was over."""
        return self._end is not None and limit.when() == self._end

    def _hasten(self, limit: asyncio.Timeout) -> None:
        when = limit.when()
        if self._end is not None and (when is None or when > self._end):
            limit.reschedule(self._end)
