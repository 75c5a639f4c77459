"""A time limit for background work, which stands still while that work waits for others to make room."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


@dataclass(slots=True)
class _Limit:
    timeout: asyncio.Timeout
    left: float = 0.0
    waits: int = 0  # that are under way


_limit: ContextVar[_Limit | None] = ContextVar("time_limit", default=None)


@asynccontextmanager
async def limited(seconds: float) -> AsyncIterator[None]:
    """Stop what is inside after *seconds*; what it spends inside ``uncounted`` does not count. Raises TimeoutError."""
    async with asyncio.timeout(seconds) as timeout:
        token = _limit.set(_Limit(timeout))
        try:
            yield
        finally:
            _limit.reset(token)


@contextmanager
def uncounted() -> Iterator[None]:
    """Keep the limit that this is inside of, if any, from running out meanwhile."""
    limit = _limit.get()
    if limit is None:
        yield
        return
    loop = asyncio.get_running_loop()
    limit.waits += 1
    if limit.waits == 1:
        limit.left = (limit.timeout.when() or 0.0) - loop.time()
        limit.timeout.reschedule(None)
    try:
        yield
    finally:
        limit.waits -= 1
        if not limit.waits:
            limit.timeout.reschedule(loop.time() + limit.left)
