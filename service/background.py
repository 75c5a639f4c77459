"""
The one place where work outlives a request: named jobs in one task group, ended in order at shutdown.

A job that fails is logged and never takes another with it. A job *of* somebody can be stopped with all that is theirs.
"""

from __future__ import annotations

import asyncio
from contextvars import Context
from typing import TYPE_CHECKING, Self

import structlog

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from types import TracebackType

log = structlog.get_logger()

_AGAIN_SECONDS = 1.0


class Background:
    """An async context: jobs may be started inside it; leaving it drains, then cancels."""

    def __init__(self, *, drain_seconds: float) -> None:
        """Give running jobs *drain_seconds* to finish at shutdown."""
        self._drain_seconds = drain_seconds
        self._tasks: set[asyncio.Task[object]] = set()
        self._endless: set[asyncio.Task[object]] = set()
        self._of: dict[asyncio.Task[object], str] = {}
        self._begun: set[asyncio.Task[object]] = set()
        self._stopped: set[asyncio.Task[object]] = set()
        self._stopping = asyncio.Event()

    @property
    def is_stopping(self) -> bool:
        """Whether the service is going down: begin nothing long."""
        return self._stopping.is_set()

    def watch(self, name: str, job: Callable[[], Coroutine[object, object, None]]) -> None:
        """Run a job that never ends by itself: shutdown does not wait for it."""
        self._endless.add(self.start(name, job))

    def start[T](
        self,
        name: str,
        job: Callable[[], Coroutine[object, object, T]],
        *,
        of: str | None = None,
        is_part: bool = False,
    ) -> asyncio.Task[T | None]:
        """
        Run *job* beside everything else; the task ends with its result, or None after a failure or a stop.

        What it logs and traces is its own matter, not that of the request which began it, unless it *is_part* of it.
        """
        context = None if is_part else Context()
        task = asyncio.create_task(self._watched(name, job), name=name, context=context)
        self._tasks.add(task)
        if of is not None:
            self._of[task] = of
        task.add_done_callback(self._forget)
        return task

    async def settle(self, of: str, *, seconds: float) -> None:
        """Give every job of *of* so long to end by itself."""
        if tasks := [task for task, owner in self._of.items() if owner == of]:
            await asyncio.wait(tasks, timeout=seconds)

    async def stop(self, of: str, *, named: tuple[str, ...] = ("",)) -> None:
        """Cancel every job of *of*, whose name begins with one of *named*, and return when all have ended."""
        while tasks := [task for task, owner in self._of.items() if owner == of and task.get_name().startswith(named)]:
            begun = self._begun.intersection(tasks)  # what never began would not clean up behind itself
            self._stopped.update(begun)
            for task in begun:
                task.cancel()
            # What swallows it is cancelled again.
            await (asyncio.wait(begun, timeout=_AGAIN_SECONDS) if begun else asyncio.sleep(0))

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

    def _forget(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        self._begun.discard(task)
        self._stopped.discard(task)
        self._of.pop(task, None)

    async def _watched[T](self, name: str, job: Callable[[], Awaitable[T]]) -> T | None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - start made it
        self._begun.add(task)
        try:
            return await job()
        except asyncio.CancelledError:
            if task in self._stopped:
                return None
            raise
        except Exception:
            log.exception("job.failed", job=name)
            return None
