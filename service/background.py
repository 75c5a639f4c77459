"""
The one place where work outlives a request: named jobs in one task group, ended in order at shutdown.

A job that fails is logged and never takes another with it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

import structlog

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from types import TracebackType

log = structlog.get_logger()


class Background:
    """An async context: jobs may be started inside it; leaving it drains, then cancels."""

    def __init__(self, *, drain_seconds: float) -> None:
        """Give running jobs *drain_seconds* to finish at shutdown."""
        self._drain_seconds = drain_seconds
        self._tasks: set[asyncio.Task[object]] = set()
        self._endless: set[asyncio.Task[object]] = set()
        self._stopping = asyncio.Event()

    @property
    def is_stopping(self) -> bool:
        """Whether the service is going down: begin nothing long."""
        return self._stopping.is_set()

    def watch(self, name: str, job: Callable[[], Coroutine[object, object, None]]) -> None:
        """Run a job that never ends by itself: shutdown does not wait for it."""
        self._endless.add(self.start(name, job))

    def start[T](self, name: str, job: Callable[[], Coroutine[object, object, T]]) -> asyncio.Task[T | None]:
        """Run *job* beside everything else; the task ends with its result, or None after a failure."""
        task = asyncio.create_task(self._watched(name, job), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def pause(self, seconds: float, *, unless: asyncio.Event | None = None) -> bool:
        """Wait, but not beyond *unless*, nor the beginning of shutdown; False when that has begun."""
        ends = [asyncio.ensure_future(event.wait()) for event in (self._stopping, unless) if event is not None]
        try:
            await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in ends:
                end.cancel()
        return not self.is_stopping

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        for task in self._endless:
            task.cancel()
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=self._drain_seconds)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(set(self._tasks))

    async def _watched[T](self, name: str, job: Callable[[], Awaitable[T]]) -> T | None:
        try:
            return await job()
        except Exception:
            log.exception("job.failed", job=name)
            return None
