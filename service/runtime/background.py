"""
The one place where work outlives a request: named jobs, drained and then cancelled when the service stops.

A job that fails is logged and never stops another; a daemon that fails is begun again. Jobs of one *owner*, which is a
mind's id, can be stopped together.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from contextvars import Context
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import anyio
import structlog

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
    from types import TracebackType

log = structlog.get_logger()

_LOOK_AGAIN_SECONDS = 1.0
_FIRST_PAUSE_SECONDS, _MOST_PAUSE_SECONDS = 1.0, 300.0  # before a daemon that failed is begun again


class Background:
    """
    An async context: jobs may be started inside it.

    Leaving it cancels the daemons, and gives the other jobs *drain_seconds* to end by themselves. Jobs that begin
    meanwhile have what is left of it. Then all are cancelled.
    """

    def __init__(self, *, drain_seconds: float) -> None:
        self._drain_seconds = drain_seconds
        self._tasks: set[asyncio.Task[object]] = set()
        self._daemons: set[asyncio.Task[object]] = set()
        self._awaited: set[asyncio.Future[None]] = set()
        self._owners: dict[asyncio.Task[object], str] = {}
        self._begun: dict[asyncio.Task[object], anyio.CancelScope] = {}
        self._stopping = asyncio.Event()

    @property
    def is_stopping(self) -> bool:
        """Whether the service is stopping: nothing long should begin."""
        return self._stopping.is_set()

    def start_daemon(self, name: str, job: Callable[[], Coroutine[object, object, None]]) -> None:
        """
        Run a job that never ends by itself. The end of the service does not wait for it.

        One that fails all the same is begun again, after a pause that is longer each time, until it runs for a while.
        """
        self._daemons.add(self.start(name, partial(self._outlive, name, job)))

    def start[T](
        self,
        name: str,
        job: Callable[[], Coroutine[object, object, T]],
        *,
        owner: str | None = None,
        in_caller_context: bool = False,
    ) -> asyncio.Task[T | None]:
        """
        Run *job* beside everything else. The task ends with its result, or with None after a failure or a stop.

        Its logs and spans are its own, not those of the request that started it, unless it is *in_caller_context*.
        """
        context = None if in_caller_context else Context()
        task = asyncio.create_task(self._guarded(name, job), name=name, context=context)
        self._tasks.add(task)
        if owner is not None:
            self._owners[task] = owner
        task.add_done_callback(self._forget)
        return task

    @contextmanager
    def awaiting_jobs(self) -> Iterator[None]:
        """Have the end of the service wait for what is inside as for a job: it will start one when it ends."""
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited.add(ended)
        try:
            yield
        finally:
            self._awaited.discard(ended)
            ended.set_result(None)

    def is_at_work(self, owner: str) -> bool:
        """Whether a job of *owner* has not ended."""
        return owner in self._owners.values()

    async def drain(self, owner: str, *, seconds: float) -> None:
        """Give every job of *owner* so long to end by itself."""
        if tasks := [task for task, of in self._owners.items() if of == owner]:
            await asyncio.wait(tasks, timeout=seconds)

    async def stop(self, owner: str, *, prefixes: tuple[str, ...] = ("",)) -> None:
        """
        Cancel every job of *owner* whose name begins with one of *prefixes*, and return when all have ended.

        A thread in which one of them works has ended then, too: it writes nothing afterwards. What a job awaits to
        clean up is cancelled as well, unless it is shielded. The job that calls this is left alone.
        """
        while tasks := self._owned_by(owner, prefixes):
            begun = self._begun.keys() & tasks  # a job that never began could not clean up behind itself
            for task in begun:
                self._begun[task].cancel()  # unlike the task's own `cancel`, it waits for a thread
            await (asyncio.wait(begun, timeout=_LOOK_AGAIN_SECONDS) if begun else asyncio.sleep(0))

    async def pause(self, seconds: float, *, unless: asyncio.Event | None = None) -> bool:
        """Wait, but not beyond the event *unless* nor beyond the moment the service stops; False when it does."""
        ends = [asyncio.ensure_future(event.wait()) for event in (self._stopping, unless) if event is not None]
        try:
            await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in ends:
                end.cancel()
        return not self.is_stopping

    async def until_stopping(self, tasks: Iterable[asyncio.Task[Any]]) -> None:
        """Return when all *tasks* have ended, or the service stops."""
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            left = set(tasks)
            while left and not self.is_stopping:
                done, _ = await asyncio.wait({*left, stopping}, return_when=asyncio.FIRST_COMPLETED)
                left -= done
        finally:
            stopping.cancel()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        for task in self._daemons:
            task.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._drain_seconds):
                while self._tasks or self._awaited:
                    left: set[asyncio.Future[Any]] = {*self._tasks, *self._awaited}
                    await asyncio.wait(left)
        while self._tasks:
            for task in self._tasks:
                task.cancel()
            await asyncio.wait(set(self._tasks))

    async def _outlive(self, name: str, job: Callable[[], Awaitable[None]]) -> None:
        seconds, clock = _FIRST_PAUSE_SECONDS, asyncio.get_running_loop().time
        while True:
            began = clock()
            try:
                return await job()
            except Exception:
                log.exception("job.failed", job=name)
            if clock() - began > _MOST_PAUSE_SECONDS:  # it was well meanwhile
                seconds = _FIRST_PAUSE_SECONDS
            if not await self.pause(seconds):
                return None
            seconds = min(2 * seconds, _MOST_PAUSE_SECONDS)

    def _owned_by(self, owner: str, prefixes: tuple[str, ...]) -> list[asyncio.Task[object]]:
        present = asyncio.current_task()
        found = (task for task, of in self._owners.items() if of == owner and task.get_name().startswith(prefixes))
        return [task for task in found if task is not present]

    def _forget(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        self._begun.pop(task, None)
        self._owners.pop(task, None)

    async def _guarded[T](self, name: str, job: Callable[[], Awaitable[T]]) -> T | None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - start made it
        with anyio.CancelScope() as scope:
            self._begun[task] = scope
            try:
                return await job()
            except Exception:
                log.exception("job.failed", job=name)
        return None
