"""Lets background work give way while somebody waits for an answer: one process has one event loop for both."""

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
