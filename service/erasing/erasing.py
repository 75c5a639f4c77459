"""
Erasing, as doors ask for it: planned, written down, done in the background, finished after a kill; then the receipt.

One erase a mind at a time. What the graph holds up goes on by itself until it is done; whoever asks again, waits for it
again.
"""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import HomeFault, MemoryFault, MindNotFound
from service.erasing.receipt import Receipt, Tally, receipt_of
from service.fence import Hold, MindErasing

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from datetime import datetime

    from service.digestion.digest import Digestion
    from service.digestion.patience import Patience
    from service.erasing.part import Part, Tools
    from service.erasing.plans import Plan, Plans
    from service.erasing.receipt import Wish
    from service.erasing.whole import Whole

log = structlog.get_logger()

_WAIT_SECONDS = 45.0  # less than clients wait
_SEARCHES = 5
_PAUSE_SECONDS = 0.3


@dataclass(frozen=True, slots=True)
class Unfinished:
    """An erase that goes on by itself, since when, and what it waits for."""

    wish: Wish
    began_at: datetime
    waiting_for: str


@dataclass(slots=True)
class _Job:
    plan: Plan
    tally: Tally = field(default_factory=Tally)
    waits: asyncio.Event = field(default_factory=asyncio.Event)
    waiting_for: str = "it goes on"
    is_here_done: bool = False
    was_there: bool = False
    task: asyncio.Task[Receipt | None] | None = None


class Erasing:
    """The erases of all minds."""

    def __init__(
        self,
        tools: Tools,
        *,
        plans: Plans,
        whole: Whole,
        part: Part,
        digestion: Digestion,
        patience: Callable[[], Patience],
    ) -> None:
        """Bind to what does it; *patience* says how long to wait after a failure."""
        self._tools = tools
        self._plans = plans
        self._whole = whole
        self._part = part
        self._digestion = digestion
        self._patience = patience
        self._jobs: dict[str, _Job] = {}
        self._turnstiles: dict[str, asyncio.Lock] = {}

    async def erase(self, wish: Wish) -> Receipt | Unfinished:
        """
        Erase what is wished, and wait a while for it.

        Raises InvalidMindId, NotFound, Erased, MemoryFault.
        """
        async with self._turnstiles.setdefault(wish.mind_id, asyncio.Lock()):
            job = await self._joined(wish) or await self._begun(wish)
        assert job.task is not None  # noqa: S101 - begun
        waits = asyncio.ensure_future(job.waits.wait())
        try:
            await asyncio.wait({job.task, waits}, timeout=_WAIT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waits.cancel()
        receipt = job.task.result() if job.task.done() and not job.task.cancelled() else None
        return receipt or Unfinished(wish, job.plan.began_at, job.waiting_for)

    def resume(self) -> None:
        """Go on with what was begun before this start; its minds are closed, or rest, when this returns."""
        for plan in self._plans.all():
            if plan.wish.is_whole:
                self._tools.minds.fence.close(plan.wish.mind_id)
            self._tools.minds.fence.hold(plan.wish.mind_id, Hold.ALL)
            self._start(plan).was_there = True  # nobody knows how far it came

    async def _joined(self, wish: Wish) -> _Job | None:
        """The erase that is under way for the same; another of the same mind is waited for, or comes to an end."""
        job = self._jobs.get(wish.mind_id)
        if job is None or job.plan.wish == wish:
            return job
        assert job.task is not None  # noqa: S101 - started
        if job.plan.wish.is_whole:
            raise MindNotFound(f"no mind is called {wish.mind_id!r}; its first turn creates it")
        if wish.is_whole:
            job.task.cancel()
        done, _ = await asyncio.wait({job.task}, timeout=_WAIT_SECONDS)
        if not done:
            raise MindErasing(f"another erase is under way, and waits: {job.waiting_for}")
        return None

    async def _begun(self, wish: Wish) -> _Job:
        fence = self._tools.minds.fence
        known = next((plan for plan in self._plans.all() if plan.wish == wish), None)
        if known is not None:  # it broke off, and nobody knows where
            job = self._start(known)
            job.was_there = True
            return job
        with fence.inside(wish.mind_id):
            mind = await self._tools.minds.find(wish.mind_id)
            plan = await (self._whole.plan(mind, wish) if wish.is_whole else self._part.plan(mind, wish))
        try:
            await anyio.to_thread.run_sync(self._plans.write, plan)
            for less in (one for one in self._plans.all() if one.wish.mind_id == wish.mind_id and one.wish != wish):
                await anyio.to_thread.run_sync(self._plans.drop, less)
        except OSError as error:
            raise HomeFault(f"the erase could not be begun: {error.strerror}") from error
        return self._start(plan)

    def _start(self, plan: Plan) -> _Job:
        job = self._jobs[plan.wish.mind_id] = _Job(plan)
        job.task = self._tools.background.start(f"erase {plan.wish.mind_id}", lambda: self._run(job))
        return job

    async def _run(self, job: _Job) -> Receipt | None:
        """Until it is done; None when the service goes down first: then it is finished at its next start."""
        patience = self._patience()
        try:
            while not self._tools.background.is_stopping:
                try:
                    return await (self._erase_all(job) if job.plan.wish.is_whole else self._erase_part(job))
                except (MemoryFault, OSError, sqlite3.Error) as error:
                    reason = f"{type(error).__name__}: {error}"
                    if reason != job.waiting_for:
                        log.warning("erase.waiting", mind_id=job.plan.wish.mind_id, reason=reason)
                    job.waiting_for = reason
                    job.waits.set()
                await self._tools.background.pause(patience.next_seconds())
            return None
        finally:
            if self._jobs.get(job.plan.wish.mind_id) is job:
                del self._jobs[job.plan.wish.mind_id]

    async def _erase_all(self, job: _Job) -> Receipt:
        mind_id = job.plan.wish.mind_id
        if not job.is_here_done:
            await self._whole.here(job.plan, job.tally)
            self._digestion.forget(mind_id)
            self._tools.storytelling.forget(mind_id)
            job.is_here_done = True

        async def erase() -> None:
            await self._whole.there(job.plan, job.tally)

        receipt = await self._searched(job, erase, lambda: self._whole.search(job.plan))
        self._tools.minds.fence.reopen(mind_id)
        self._tools.minds.fence.hold(mind_id, Hold.NOTHING)
        return receipt

    async def _erase_part(self, job: _Job) -> Receipt | None:
        mind_id = job.plan.wish.mind_id
        if not self._tools.minds.workspace(mind_id).exists:
            await anyio.to_thread.run_sync(self._plans.drop, job.plan)
            return None
        mind = await self._tools.minds.find(mind_id)
        if not job.is_here_done:
            await self._part.here(mind, job.plan, job.tally)
            job.is_here_done = True
            self._digestion.wake(mind)

        async def erase() -> None:
            is_again, job.was_there = job.was_there, True
            await self._part.there(mind, job.plan, job.tally, is_again=is_again)

        receipt = await self._searched(job, erase, lambda: self._part.search(mind, job.plan, job.tally))
        self._tools.minds.fence.hold(mind_id, Hold.NOTHING)
        self._digestion.wake(mind)
        return receipt

    async def _searched(
        self,
        job: _Job,
        erase: Callable[[], Coroutine[None, None, None]],
        search: Callable[[], Coroutine[None, None, tuple[str, ...]]],
    ) -> Receipt:
        """Erase, have the server's files written anew, and search; again, while something is found."""
        wish, tries = job.plan.wish, 0
        while True:
            await erase()
            rewritten = await self._tools.erasable.rewrite(wish.mind_id)
            found = await search()
            tries += 1
            if not found or tries == _SEARCHES:
                break
            await asyncio.sleep(_PAUSE_SECONDS)  # a server notes late what it was asked
        await anyio.to_thread.run_sync(self._plans.drop, job.plan)
        log.info(
            "erase.done", mind_id=wish.mind_id, whole=wish.is_whole, found=found, server=rewritten.append_only_file
        )
        now = self._tools.clock.now()
        return receipt_of(wish, job.tally, erased_at=now, rewritten=rewritten, found=found)
