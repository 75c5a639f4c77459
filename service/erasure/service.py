"""
Erasing as the API offers it: plan, store the plan, erase in the background, search, answer with a receipt.

A mind has at most one erasure at a time. While the graph is unavailable, an erasure tries again until it is done, also
after a restart. A repeated request waits for the erasure that is under way.
"""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import HomeFault, MemoryFault, MindErasing, MindNotFound
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from consolidation.story.triggers import Trigger
from consolidation.workspace import no_such_mind
from service.erasure.receipt import ErasedCounts, Receipt, receipt_of
from service.erasure.receipt_log import kept_receipt, kind_of, part_of
from service.mind.mind_gate import Paused

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from datetime import datetime

    from service.erasure.erase_mind import MindEraser
    from service.erasure.erase_turns import ErasureContext, TurnEraser
    from service.erasure.pending import ErasurePlan, PendingErasures
    from service.erasure.ports import Rewritten
    from service.erasure.preview import ErasurePreviewer
    from service.erasure.receipt import ErasureRequest
    from service.erasure.receipt_log import ReceiptLog
    from service.ingest.backoff import Backoff
    from service.ingest.ingestion import Ingestion
    from service.story.scheduler import StoryScheduler

log = structlog.get_logger()

_WAIT_SECONDS = 45.0  # less than clients wait
_MOST_SEARCHES = 5
_PAUSE_SECONDS = 0.3
_ADOPT_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Unfinished:
    """An erasure that goes on by itself: since when, and what it waits for."""

    request: ErasureRequest
    began_at: datetime
    waiting_for: str


@dataclass(slots=True)
class _Job:
    plan: ErasurePlan
    counts: ErasedCounts = field(default_factory=ErasedCounts)
    blocked: asyncio.Event = field(default_factory=asyncio.Event)
    waiting_for: str = "the erasure is running"
    has_erased_files: bool = False
    has_tried_graph: bool = False
    has_erased_graph: bool = False
    rewritten: Rewritten | None = None
    is_resumed: bool = False
    task: asyncio.Task[Receipt | None] | None = None


class ErasureService:
    """The erasures of all minds."""

    def __init__(
        self,
        context: ErasureContext,
        *,
        pending: PendingErasures,
        mind_eraser: MindEraser,
        turn_eraser: TurnEraser,
        previewer: ErasurePreviewer,
        receipts: ReceiptLog,
        ingestion: Ingestion,
        scheduler: StoryScheduler,
        backoff: Callable[[], Backoff],
    ) -> None:
        """*backoff* is called once for each erasure."""
        self._context = context
        self._pending = pending
        self._mind_eraser = mind_eraser
        self._turn_eraser = turn_eraser
        self.preview = previewer.preview
        self.receipts = receipts
        self._ingestion = ingestion
        self._scheduler = scheduler
        self._backoff = backoff
        self._jobs: dict[str, _Job] = {}
        self._starting: dict[str, asyncio.Lock] = {}

    async def erase(self, request: ErasureRequest, *, by: str) -> Receipt | Unfinished:
        """
        Erase, and wait at most 45 s for the receipt. *by* is who asks for it.

        Raises InvalidMindId, MindElsewhere, NotFound, Erased, MemoryFault.
        """
        self._context.minds.share.check(request.mind_id)
        async with self._starting.setdefault(request.mind_id, asyncio.Lock()):
            job = await self._running(request) or await self._begin(request, by=by)
        assert job.task is not None  # noqa: S101 - started
        blocked = asyncio.ensure_future(job.blocked.wait())
        try:
            await asyncio.wait({job.task, blocked}, timeout=_WAIT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            blocked.cancel()
        receipt = job.task.result() if job.task.done() and not job.task.cancelled() else None
        await self._note(request, by=by, is_done=receipt is not None)
        return receipt or Unfinished(request, job.plan.began_at, job.waiting_for)

    async def _note(self, request: ErasureRequest, *, by: str, is_done: bool) -> None:
        part = part_of(request)
        details = {"part": part} if part is not None else {}  # the audit log does not name what was erased
        action = f"{kind_of(request)}.erased"
        await self._context.audit_log.note(action, by=by, mind_id=request.mind_id, is_done=is_done, **details)

    def resume(self) -> None:
        """
        Continue every erasure that an earlier start left unfinished.

        When this returns, their minds are closed or their background work is held.
        """
        for plan in self._pending.all():
            self._resume(plan)

    def _resume(self, plan: ErasurePlan) -> None:
        if plan.request.is_whole:
            self._context.minds.gate.close(plan.request.mind_id)
        self._context.minds.gate.set_paused(plan.request.mind_id, Paused.ALL)
        job = self._start(plan)
        job.has_tried_graph = job.is_resumed = True  # nobody knows how far it came

    async def adopt(self) -> None:
        """
        Continue erasures that other processes left unfinished and cannot go on with, now and then. Never returns.

        Only where several machines share the home.
        """
        custodian, copies = self._context.minds.custodian, self._context.minds.copies
        while await self._context.background.pause(_ADOPT_SECONDS):
            if copies is not None:
                with suppress(DatabaseUnavailable, OSError):
                    await anyio.to_thread.run_sync(copies.home.end_erasures, self._pending.has_whole)
            for plan in self._pending.all():
                mind_id = plan.request.mind_id
                with suppress(DatabaseUnavailable):
                    if custodian is not None and mind_id not in self._jobs and await custodian.claims(mind_id):
                        self._resume(plan)

    async def _running(self, request: ErasureRequest) -> _Job | None:
        """
        The erasure under way for the same request.

        A different erasure of the same mind is waited for. If the whole mind shall go, a smaller erasure is cancelled.
        """
        job = self._jobs.get(request.mind_id)
        if job is None or job.plan.request == request:
            return job
        assert job.task is not None  # noqa: S101 - started
        if job.plan.request.is_whole:
            raise no_such_mind(request.mind_id)
        if request.is_whole:
            job.task.cancel()
        done, _ = await asyncio.wait({job.task}, timeout=_WAIT_SECONDS)
        if not done:
            raise MindErasing(f"another erasure of this mind is under way and waits: {job.waiting_for}")
        return None

    async def _begin(self, request: ErasureRequest, *, by: str) -> _Job:
        gate = self._context.minds.gate
        unfinished = [plan for plan in self._pending.all() if plan.request.mind_id == request.mind_id]
        interrupted = next((plan for plan in unfinished if plan.request == request), None)
        if interrupted is not None:
            job = self._start(interrupted)
            job.has_tried_graph = True  # nobody knows how far it came
            return job
        if any(plan.request.is_whole for plan in unfinished):
            raise no_such_mind(request.mind_id)
        if unfinished and not request.is_whole:  # a mind has one plan for a part of it, and another process follows it
            raise MindErasing("another erasure of this mind is under way at another process; ask again after it")
        await self._context.minds.take_over(request.mind_id)
        with gate.enter(request.mind_id):
            mind = await self._context.minds.find(request.mind_id)
            plan = await (
                self._mind_eraser.plan(mind, request) if request.is_whole else self._turn_eraser.plan(mind, request)
            )
        plan = replace(plan, by=by)
        try:
            await anyio.to_thread.run_sync(self._pending.write, plan)
            for other in self._pending.all() if request.is_whole else ():  # a part of it goes with it
                if other.request.mind_id == request.mind_id and not other.request.is_whole:
                    await anyio.to_thread.run_sync(self._pending.drop, other)
        except OSError as error:
            raise HomeFault(f"the erasure could not be started: {error.strerror}") from error
        return self._start(plan)

    def _start(self, plan: ErasurePlan) -> _Job:
        job = self._jobs[plan.request.mind_id] = _Job(plan)
        job.task = self._context.background.start(f"erase {plan.request.mind_id}", lambda: self._run(job))
        return job

    async def _run(self, job: _Job) -> Receipt | None:
        """Try until it is done. None if the service stops first, or if another process took it over and finishes it."""
        mind_id, backoff = job.plan.request.mind_id, self._backoff()
        try:
            while not self._context.background.is_stopping:
                try:
                    if not await self._is_ours(job):
                        return None
                    with self._context.minds.held(mind_id):
                        receipt = await (self._erase_mind(job) if job.plan.request.is_whole else self._erase_turns(job))
                except Exception as error:  # noqa: BLE001 - an erasure outlives what nobody foresaw
                    self._report_failure(job, error)
                else:
                    if job.is_resumed:  # whoever asked for it was not answered, so nothing is noted
                        await self._note(job.plan.request, by=job.plan.by, is_done=True)
                    return receipt
                await self._context.background.pause(backoff.next_seconds())
            return None
        finally:
            if self._jobs.get(mind_id) is job:
                del self._jobs[mind_id]

    def _report_failure(self, job: _Job, error: Exception) -> None:
        """Say what the erasure waits for. An unforeseen error may quote anybody's words, so it is in the log alone."""
        is_foreseen = isinstance(error, (MemoryFault, OSError, sqlite3.Error))
        name = type(error).__name__
        reason = f"{name}: {error}" if is_foreseen else f"{name}: an unforeseen error; it is logged"
        if reason != job.waiting_for:
            unforeseen = None if is_foreseen else error
            log.warning("erasure.blocked", mind_id=job.plan.request.mind_id, reason=reason, exc_info=unforeseen)
        job.waiting_for = reason
        job.blocked.set()

    async def _is_ours(self, job: _Job) -> bool:
        """Whether it is not finished, and no other living process does it; else the mind is open again here."""
        gate, custodian, mind_id = self._context.minds.gate, self._context.minds.custodian, job.plan.request.mind_id
        if custodian is None:
            return True
        is_unfinished = await anyio.to_thread.run_sync(self._pending.is_unfinished, job.plan)
        if is_unfinished and await custodian.claims(mind_id):
            return True
        job.waiting_for = "another process erases it"
        gate.reopen(mind_id)
        gate.set_paused(mind_id, Paused.NOTHING)
        return False

    async def _erase_mind(self, job: _Job) -> Receipt:
        mind_id = job.plan.request.mind_id
        if not job.has_erased_files:
            await self._mind_eraser.erase_files(job.plan, job.counts)
            self._ingestion.forget(mind_id)
            self._context.story_writer.forget(mind_id)
            job.has_erased_files = True

        async def erase_graph() -> None:
            await self._mind_eraser.erase_graph(job.plan, job.counts)

        receipt = await self._erase_until_gone(job, erase_graph, search=lambda: self._mind_eraser.search(job.plan))
        await self._mind_eraser.end(job.plan)
        self._context.minds.gate.reopen(mind_id)
        self._context.minds.gate.set_paused(mind_id, Paused.NOTHING)
        return receipt

    async def _erase_turns(self, job: _Job) -> Receipt | None:
        mind_id, eraser = job.plan.request.mind_id, self._turn_eraser
        try:
            mind = await self._context.minds.find(mind_id)
        except MindNotFound:
            await anyio.to_thread.run_sync(self._pending.drop, job.plan)
            return None
        if not job.has_erased_files:
            await eraser.erase_files(mind, job.plan, job.counts)
            job.has_erased_files = True
            self._tell(job.plan.request, is_done=False)
            self._ingestion.wake(mind)
            if mind.story.owed.turns:  # what their chapters told besides is told again at once
                self._scheduler.begin(mind, trigger=Trigger.MANUAL)
            await self._context.dream_again(mind)

        async def erase_graph() -> None:
            is_repeated, job.has_tried_graph = job.has_tried_graph, True
            await eraser.erase_graph(mind, job.plan, job.counts, is_repeated=is_repeated)

        receipt = await self._erase_until_gone(
            job, erase_graph, search=lambda: eraser.search(mind, job.plan, job.counts)
        )
        self._context.minds.gate.set_paused(mind_id, Paused.NOTHING)
        self._ingestion.wake(mind)
        self._tell(job.plan.request, is_done=True)
        return receipt

    def _tell(self, request: ErasureRequest, *, is_done: bool) -> None:
        """Tell who listens to the mind that what they hold of it should be read anew."""
        ids = {"session_id": request.session_id, "turn_id": request.turn_id}
        about = {name: one for name, one in ids.items() if one}
        self._context.publish(request.mind_id, "memory.erased", **about, is_done=is_done)

    async def _erase_until_gone(
        self,
        job: _Job,
        erase_graph: Callable[[], Coroutine[None, None, None]],
        *,
        search: Callable[[], Coroutine[None, None, tuple[str, ...]]],
    ) -> Receipt:
        """
        Erase from the graph, have its server rewrite its files, and search; again while something is found.

        After a step that fails, the next attempt goes on with that step.
        """
        request, searches, custodian = job.plan.request, 0, self._context.minds.custodian
        unreached = await custodian.until_others_forgot() if custodian is not None else ()
        while True:
            if not job.has_erased_graph:
                await erase_graph()
                job.has_erased_graph = True
            if job.rewritten is None:
                job.rewritten = await self._context.graph_of(request.mind_id).rewrite_files()
            rewritten, found = job.rewritten, await search()
            searches += 1
            if not found or searches == _MOST_SEARCHES:
                break
            job.has_erased_graph, job.rewritten = False, None
            await asyncio.sleep(_PAUSE_SECONDS)  # a server records late which statements it ran
        found = (*found, *map(_perhaps, unreached))
        receipt = receipt_of(request, job.counts, erased_at=self._context.clock.now(), rewritten=rewritten, found=found)
        await anyio.to_thread.run_sync(self.receipts.add, kept_receipt(job.plan, receipt))  # before the plan goes
        await anyio.to_thread.run_sync(self._pending.drop, job.plan)
        log.info(
            "erasure.finished",
            mind_id=request.mind_id,
            whole=request.is_whole,
            found=found,
            server=rewritten.append_only_file,
        )
        return receipt


def _perhaps(alive_at: datetime) -> str:
    at = alive_at.astimezone(UTC)
    return f"perhaps a service that is out of reach and was alive last at {at:%Y-%m-%dT%H:%M:%SZ}"
