"""
Keeps the custody of minds where several machines share a home: who works on which mind in the background.

Every second it renews the lease of this process. Beside that, it claims minds that have work and no living owner, and
looks whether others have written to those it has. A mind with nothing left to do is given back. Nothing that is right
depends on it: each write of background work proves by itself that it may be made.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import IndexUnusable, MemoryFault, MindErasing
from consolidation.kernel.sharing_errors import DatabaseUnavailable, NotInCustody
from service.mind.mind_gate import Paused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

    from service.mind.full_text_snapshots import FullTextSnapshots
    from service.mind.minds import Mind, Minds
    from service.ports.shared_home import CustodyDesk
    from service.runtime.background import Background

log = structlog.get_logger()

_TURN_SECONDS = 1.0
_LOOK_SECONDS, _MOST_LOOKS = 0.2, 200
_LEAVE_SECONDS = 30.0  # longer than any request takes, unless it asked to wait
_LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
_MOST_CLAIMED = 8  # at once, so that several machines share what a dead one leaves
_LOOKS_EVERY, _MOST_OPENED = 10, 8  # turns between two looks at minds of ours that are not open; minds of one look
_STORY_SECONDS = 0.5  # between two looks whether another process has written a story
_RESTS_AFTER = 5  # turns in a row in which a mind had nothing to do


class Custodian:
    """Claims minds for this process, and begins to work on them."""

    def __init__(
        self,
        desk: CustodyDesk,
        *,
        minds: Minds,
        background: Background,
        behind: Callable[[], Iterable[str]],
        chores: Callable[[], None],
        work: Callable[[Mind], None],
        has_work: Callable[[Mind], Awaitable[bool]],
        version_done: Callable[[str], int | None],
        snapshots: FullTextSnapshots,
    ) -> None:
        """
        *behind* says which of our minds others have written to, and *chores* are done in each turn; both block. *work*
        begins the background work of a mind that is now ours, or has news; *has_work* says whether something is left.
        *version_done* says up to which version of a mind nothing is left to do; what is written after it may be work.
        """
        self._behind = behind
        self._chores = chores
        self._desk = desk
        self._minds = minds
        self._background = background
        self._work = work
        self._has_work = has_work
        self._version_done = version_done
        self._snapshots = snapshots
        self._wanted: set[str] = set()
        self._is_wanted = asyncio.Event()
        self._idle: dict[str, int] = {}
        self._turns = 0
        self._looked_up_to = ""
        self._clean_since = _LONG_AGO

    def want(self, mind_id: str) -> None:
        """Claim a mind soon, unless another process has it. Returns at once."""
        if not self._desk.holds(mind_id):
            self._wanted.add(mind_id)
            self._is_wanted.set()

    async def take(self, mind_id: str) -> None:
        """Claim a mind, whoever has it: somebody asked this process for its background work."""
        if not self._desk.holds(mind_id):
            await anyio.to_thread.run_sync(self._desk.take, mind_id)

    @asynccontextmanager
    async def narrating(self, mind_id: str, *, waits: Callable[[], None]) -> AsyncIterator[None]:
        """
        Claim a mind, and let no other process write its story inside the block. *waits* is called where one does now.

        The block begins when that has ended. Raises DatabaseUnavailable, and NotInCustody if the service stops first.
        """
        while not await anyio.to_thread.run_sync(self._desk.begin_story, mind_id):
            waits()
            if not await self._background.pause(_STORY_SECONDS):
                raise NotInCustody("another service writes this story, and this one stops")
        try:
            yield
        finally:
            with suppress(DatabaseUnavailable), anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._desk.end_story, mind_id)

    async def claims(self, mind_id: str) -> bool:
        """Claim a mind unless another living process has it; whether it is ours now."""
        return await anyio.to_thread.run_sync(self._desk.claim_one, mind_id) is not None

    async def forget_what_was_erased(self) -> None:
        """
        Drop the copies of minds of which others erased something, and tell them, again and again.

        It is told once nobody is inside who came before. Never returns.
        """
        while await self._background.pause(_TURN_SECONDS):
            await self._outlived(self._forget_erased)

    async def _forget_erased(self) -> None:
        assert self._minds.copies is not None  # noqa: S101 - else nobody is there to erase anything
        home = self._minds.copies.home
        at, erased = await anyio.to_thread.run_sync(self._desk.erased, self._clean_since)
        await anyio.to_thread.run_sync(home.drop_old_snapshots, erased)
        copied = home.copied()  # what is copied from now on does not have it any more
        for mind_id in erased:
            if mind_id in copied:
                async with self._minds.copies.followed(mind_id, self._minds.get):
                    pass  # its copy was dropped
            if not await self._minds.gate.until_left(mind_id, seconds=_LEAVE_SECONDS):
                return
        await anyio.to_thread.run_sync(self._desk.is_clean, at)
        self._clean_since = at
        self._minds.copies.trust()

    async def until_others_forgot(self) -> tuple[datetime, ...]:
        """
        Return once no other living process has anything left of what was erased until now. Raises MindErasing.

        Processes that are out of reach may have something left: it returns when each of these was last alive.
        """
        at, _ = await anyio.to_thread.run_sync(self._desk.erased, self._clean_since)
        for _ in range(_MOST_LOOKS):
            if await anyio.to_thread.run_sync(self._desk.are_others_clean, at):
                return await anyio.to_thread.run_sync(self._desk.unreached, at)
            await asyncio.sleep(_LOOK_SECONDS)
        raise MindErasing("another process still answers calls that began before; it is waited for")

    async def stay_alive(self) -> None:
        """Renew the lease, again and again, however long a turn takes. Never returns."""
        assert self._minds.copies is not None  # noqa: S101 - a lease is for a shared home
        while await self._background.pause(_TURN_SECONDS):
            await self._outlived(self._renew)
            if self._desk.is_forgotten():
                self._minds.copies.distrust()

    async def _renew(self) -> None:
        assert self._minds.copies is not None  # noqa: S101 - the same
        if not await anyio.to_thread.run_sync(self._desk.renew):
            self._minds.copies.distrust()
            log.warning("custody.lost")

    async def run(self) -> None:
        """Take turn after turn, until the service stops."""
        while not self._background.is_stopping:
            await self._outlived(self._take_turn)
            with suppress(TimeoutError):
                async with asyncio.timeout(_TURN_SECONDS):
                    await self._is_wanted.wait()

    async def _outlived(self, turn: Callable[[], Awaitable[None]]) -> None:
        """Take a *turn* that may fail: the next one follows all the same, since else nobody works on these minds."""
        try:
            await turn()
        except DatabaseUnavailable:  # logged once, by its Dependency
            pass
        except Exception as error:
            log.warning("custody.failed", reason=str(error), exc_info=None if isinstance(error, MemoryFault) else error)

    async def _take_turn(self) -> None:
        self._is_wanted.clear()
        wanted, self._wanted = self._wanted, set()
        claimed = [one for one in wanted if await anyio.to_thread.run_sync(self._desk.claim_one, one) is not None]
        claimed += await anyio.to_thread.run_sync(self._desk.claim, _MOST_CLAIMED)
        for mind_id in {*claimed, *await anyio.to_thread.run_sync(self._behind), *self._closed()}:
            await self._begin(mind_id)
        await anyio.to_thread.run_sync(self._chores)
        opened = self._minds.opened()
        self._snapshots.forget_all_but([mind.mind_id for mind in opened])
        for mind in opened:
            await self._keep_full_text(mind)
            await self._give_back_if_idle(mind)

    async def _keep_full_text(self, mind: Mind) -> None:
        """Store a snapshot of it where one is due. An erasure waits for that, and none is made during one."""
        is_paused = self._minds.gate.paused(mind.mind_id) is not Paused.NOTHING
        if not is_paused and self._desk.holds(mind.mind_id) and self._snapshots.is_due(mind):
            with self._minds.gate.enter(mind.mind_id), suppress(IndexUnusable):
                await anyio.to_thread.run_sync(self._snapshots.keep, mind)

    def _closed(self) -> list[str]:
        """Some of our minds that are not open, in turn, now and then: somebody has to see what they have left to do."""
        self._turns += 1
        if self._turns % _LOOKS_EVERY:
            return []
        closed = sorted(mind_id for mind_id in self._desk.held() if self._minds.get(mind_id) is None)
        some = ([one for one in closed if one > self._looked_up_to] or closed)[:_MOST_OPENED]
        self._looked_up_to = some[-1] if some else ""
        return some

    async def _begin(self, mind_id: str) -> None:
        self._idle.pop(mind_id, None)
        try:
            with self._minds.gate.enter(mind_id):
                self._work(await self._minds.find(mind_id))
        except MemoryFault as error:
            log.warning("mind.unreadable", mind_id=mind_id, error=str(error))

    async def _give_back_if_idle(self, mind: Mind) -> None:
        mind_id = mind.mind_id
        last, version = mind.transcript.positions.last, self._version_done(mind_id)
        if not self._desk.holds(mind_id) or await self._has_work(mind):
            self._idle.pop(mind_id, None)
            return
        self._idle[mind_id] = self._idle.get(mind_id, 0) + 1
        if self._idle[mind_id] >= _RESTS_AFTER:
            del self._idle[mind_id]
            await anyio.to_thread.run_sync(lambda: self._desk.rest(mind_id, last=last, version=version))
