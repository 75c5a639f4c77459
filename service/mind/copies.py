"""
Brings minds up to what other machines wrote to them, where several machines share a home.

An open mind reads on what came into its copy. Where something of it was erased elsewhere, it is closed and its copy is
made anew. While the database is away or slow, an open mind goes on as it is, unless others may have erased something
without waiting for this machine.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import anyio.to_thread

from consolidation.kernel.errors import HomeFault
from consolidation.kernel.sharing_errors import ChangedElsewhere, DatabaseUnavailable
from service.mind.story_progress import read_progress
from service.mind.trace_files import day_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from consolidation.workspace import Workspace
    from service.mind.minds import Mind
    from service.ports.shared_home import Arrived, SharedHome

_PATIENCE_SECONDS = 0.2  # with a database that is slow to say what is new, where an earlier copy is at hand
COPY_SECONDS = 5.0  # for a copy that is made or brought up to date, where there is no other one
_COPY_SHARE = 0.5  # of a deadline; the database may be late by half a second
DATABASE_UNAVAILABLE = "database_unavailable"  # the rung of an answer from a copy that may be old
_REST_SECONDS = 1.0  # for which a database that did not answer is not asked again, where an earlier copy will do


def copy_seconds(deadline_seconds: float | None) -> float:
    """How long an answer within a deadline may wait for the copy of a mind that is not open."""
    return COPY_SECONDS if deadline_seconds is None else min(COPY_SECONDS, deadline_seconds * _COPY_SHARE)


def outage(copies: MindCopies | None) -> tuple[str, ...]:
    """The rung of an answer from a mind that was just found and may lack what other machines wrote, if it may."""
    return (DATABASE_UNAVAILABLE,) if copies is not None and copies.may_be_old else ()


class MindCopies:
    """The copies of a shared home's minds on this machine."""

    def __init__(
        self, home: SharedHome, *, drop: Callable[[Mind], Awaitable[None]], monotonic: Callable[[], float]
    ) -> None:
        """*drop* closes a mind that is open."""
        self._monotonic = monotonic
        self._rests_until = 0.0
        self._went_on_at: float | None = None
        self.home = home
        self._drop = drop
        self._locks = WeakValueDictionary[str, asyncio.Lock]()  # each while somebody holds it or waits for it
        self._renewed: set[str] = set()  # their copies are being made anew
        self._unused_since: dict[str, float] = {}
        self._is_trusted = True
        self._hold: Callable[[Mind], AbstractAsyncContextManager[None]] = lambda _: nullcontext()
        self._tell: Callable[[Mind], None] = lambda _: None

    def hold_with(self, hold: Callable[[Mind], AbstractAsyncContextManager[None]]) -> None:
        """Enter *hold* while a mind is closed, so that no background work of it runs."""
        self._hold = hold

    def when_news(self, tell: Callable[[Mind], None]) -> None:
        """Call *tell* with each mind to which another machine has written, or that is opened from the database."""
        self._tell = tell

    def opened(self, mind: Mind) -> None:
        """Note that a mind was opened: what each machine makes of its copy is to be made yet."""
        mind.health.news += bool(mind.transcript.positions.last)  # one that has just begun has nothing of others
        self._tell(mind)

    def distrust(self) -> None:
        """Answer from no open mind while the database does not answer: something of it may have been erased."""
        self._is_trusted = False

    def trust(self) -> None:
        """Answer from open minds again: they have nothing of what was erased while nobody could say so."""
        self._is_trusted = True

    @property
    def may_be_old(self) -> bool:
        """Whether a mind that was just followed may lack what others wrote, since the database did not answer."""
        return self._monotonic() < self._rests_until

    def went_on_without_database(self, *, since: float) -> bool:
        """Whether some mind has been answered from as it was, *since* a time, for the database did not answer."""
        return self._went_on_at is not None and self._went_on_at >= since

    @asynccontextmanager
    async def followed(
        self, mind_id: str, get: Callable[[str], Mind | None], *, seconds: float = COPY_SECONDS
    ) -> AsyncIterator[bool]:
        """
        Bring a mind's copy up to date, and the mind with it, which *get* finds if it is open; False: no such mind.

        Inside, nobody else makes or deletes the copy of a mind that is not open: it may be opened there. With fewer
        *seconds* than the default, an open mind goes on as it is where that takes longer than a moment. Raises
        DatabaseUnavailable where it is not open, or must not go on, after *seconds*, and HomeFault.
        """
        # Who holds the lock may wait for longer than this call may.
        hasty = _PATIENCE_SECONDS if self._may_go_on(mind_id, get) else seconds
        lock = self._locks.setdefault(mind_id, asyncio.Lock())
        if await _acquired(lock, seconds=hasty if seconds < COPY_SECONDS else None):
            try:
                yield await self._bring_up(mind_id, get, seconds=seconds)
            finally:
                lock.release()
        elif self._may_go_on(mind_id, get):
            self._went_on_at = self._monotonic()
            yield True
        else:
            raise DatabaseUnavailable(f"the copy of {mind_id!r} on this machine is being made")

    async def follow(self, mind_id: str, get: Callable[[str], Mind | None], *, seconds: float) -> None:
        """Bring a mind's copy up to date as ``followed`` does. An open mind goes on as it is after a moment."""
        within = copy_seconds(seconds) if self._may_go_on(mind_id, get) else seconds
        async with self.followed(mind_id, get, seconds=within):
            pass

    def _may_go_on(self, mind_id: str, get: Callable[[str], Mind | None]) -> bool:
        """Whether a mind is open and may be answered from as it is."""
        return self._is_trusted and get(mind_id) is not None and mind_id not in self._renewed

    async def _bring_up(self, mind_id: str, get: Callable[[str], Mind | None], *, seconds: float) -> bool:
        is_open = self._is_trusted and get(mind_id) is not None
        if is_open and self.may_be_old:
            self._went_on_at = self._monotonic()
            return True
        bring_up = partial(self.home.bring_up, seconds=_PATIENCE_SECONDS if is_open else seconds)
        try:
            arrived = await anyio.to_thread.run_sync(bring_up, mind_id)
        except DatabaseUnavailable:
            self._rests_until = self._monotonic() + _REST_SECONDS
            if is_open:
                self._went_on_at = self._monotonic()
                return True
            raise
        except OSError as error:
            raise _unwritable(mind_id, error) from error
        self._rests_until = 0.0
        mind = get(mind_id)
        if arrived is None or arrived.is_anew:
            await self._renew(mind_id, mind)
        elif mind is not None and (arrived.files or arrived.has_turns):
            await _read_on(mind, arrived)
            self._tell(mind)
        return arrived is not None

    async def _renew(self, mind_id: str, mind: Mind | None) -> None:
        self._renewed.add(mind_id)
        try:
            if mind is not None:
                async with self._hold(mind):
                    await self._drop(mind)
            await anyio.to_thread.run_sync(self.home.renew, mind_id)
        except OSError as error:
            raise _unwritable(mind_id, error) from error
        finally:
            self._renewed.discard(mind_id)

    async def let_go_unused(self, is_used: Callable[[str], bool], *, seconds: float) -> None:
        """Delete the copies of minds that nobody has used for so long. Whoever uses one again makes its copy anew."""
        now, known = self._monotonic(), self._unused_since
        self._unused_since = {one: known.get(one, now) for one in self.home.copied() if not is_used(one)}
        for mind_id in [one for one, since in self._unused_since.items() if now - since >= seconds]:
            lock = self._locks.setdefault(mind_id, asyncio.Lock())
            if not lock.locked() and not is_used(mind_id):
                async with lock:
                    await anyio.to_thread.run_sync(self.home.let_go, mind_id)

    async def create(self, workspace: Workspace, mind_id: str) -> None:
        """Make the files of a new mind; a copy of one that exists has its own. Raises OSError, DatabaseUnavailable."""

        def make() -> None:
            workspace.create(is_new=not (workspace.folder.is_dir() and any(workspace.folder.iterdir())))

        try:
            await anyio.to_thread.run_sync(make)
        except ChangedElsewhere:  # another machine makes them at the same moment
            await anyio.to_thread.run_sync(partial(self.home.bring_up, seconds=COPY_SECONDS), mind_id)
            await anyio.to_thread.run_sync(workspace.create)

    async def admit(self, mind_id: str, folder: Path) -> None:
        """Store a whole mind, as it is in *folder*. Raises MindExists, DatabaseUnavailable."""
        await anyio.to_thread.run_sync(self.home.admit, mind_id, folder)


def _unwritable(mind_id: str, error: OSError) -> HomeFault:
    return HomeFault(f"the copy of {mind_id!r} can not be written: {error.strerror}")


async def _acquired(lock: asyncio.Lock, *, seconds: float | None) -> bool:
    try:
        async with asyncio.timeout(seconds):
            return await lock.acquire()
    except TimeoutError:
        return False


async def _read_on(mind: Mind, arrived: Arrived) -> None:
    """Take in what is in the files already. Raises OSError."""
    if arrived.has_turns:
        known = mind.transcript.positions.last
        await mind.transcript.follow()
        mind.health.news += mind.transcript.positions.last > known  # else they are turns that were taken here
    workspace, names = mind.workspace, arrived.files
    if workspace.outcomes.name in names:
        mind.outcomes.read_again()
    if workspace.corrections.name in names:
        mind.corrections.read_again()
    if any(day_of(name) is not None for name in names):
        await anyio.to_thread.run_sync(mind.trace_log.read_again)
    if workspace.published.relative_to(workspace.folder).as_posix() in names:
        told = await anyio.to_thread.run_sync(lambda: read_progress(workspace, now=0.0))
        mind.story.sequence, mind.story.is_checked = told.sequence, False
