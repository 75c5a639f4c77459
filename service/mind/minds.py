"""
The minds of one home. Each is opened at its first use, and closed when nobody used it for a while or too many are open.

Invariant: a mind is one object while it is open. It is closed only while nobody is inside its gate, no job of it runs,
no lane is behind, and no turn waits for the end of an outage. Its next use opens it again, behind the end of its
closing.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import structlog

from consolidation.corrections.correction_log import CorrectionLog
from consolidation.dreams.dream_log import DreamLog
from consolidation.kernel.errors import DiskFull, HomeFault, MindExists, TranscriptUnwritable
from consolidation.kernel.files import is_full, sync_folder
from consolidation.kernel.turns import TurnKind
from consolidation.transcript.log import Transcript
from consolidation.workspace import Workspace, no_such_mind, workspace_of
from service.index.journal_index import JournalIndex
from service.index.text_index import TextIndex
from service.mind.copies import COPY_SECONDS, MindCopies, copy_seconds
from service.mind.damage import warn_of_damage
from service.mind.health import Health, LaneName
from service.mind.index_lag import has_lost_text
from service.mind.mind_listing import FolderLooks, MindListing
from service.mind.open_minds import UNLIMITED
from service.mind.outcomes import Outcomes
from service.mind.own_settings import OwnSettingsFile
from service.mind.resting import RestingMinds
from service.mind.story_progress import read_progress
from service.mind.summary import summary_of, totals_of
from service.mind.trace_log import TraceLog
from service.ports.shared_home import SOLE
from service.runtime.shared_work import SharedWork

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from consolidation.kernel.ports import Clock, Usage
    from consolidation.kernel.turns import StoredTurn
    from service.mind.custodian import Custodian
    from service.mind.mind_gate import MindGate
    from service.mind.mind_listing import MindFolder
    from service.mind.open_minds import OpenMinds
    from service.mind.own_settings import OwnSettings
    from service.mind.story_progress import StoryProgress
    from service.mind.summary import MindSummary, Totals
    from service.observability.dependency_health import Dependency
    from service.ports.graph import MindGraph
    from service.ports.shared_home import Custody

log = structlog.get_logger()

_MOST_SAVED = 100  # memories that were saved between two turns


@dataclass(frozen=True, slots=True)
class Mind:
    """
    One identity's memory: its folder, transcript, graph, story, full text, journal, traces, outcomes, what people put
    right, dreams, and its own settings.

    ``disk`` is the dependency to which trouble with the mind's files is reported. Where it ``is_of_some_turns``, it is
    a view of these alone, without notes and observations. With ``as_of``, it is a view of what was known at that time.
    """

    mind_id: str
    workspace: Workspace
    transcript: Transcript
    text: TextIndex
    journal: JournalIndex
    trace_log: TraceLog
    outcomes: Outcomes
    corrections: CorrectionLog
    dreams: DreamLog
    settings: OwnSettingsFile
    disk: Dependency
    graph: MindGraph
    story: StoryProgress
    health: Health = field(default_factory=Health)
    is_of_some_turns: bool = False
    as_of: datetime | None = None

    def lag(self, lane: LaneName) -> int:
        """How many turns that are remembered a lane has still before it."""
        return self.transcript.positions.remembered_after(self.health.lanes[lane].cursor)

    async def turns_before(self, turn: StoredTurn, *, limit: int) -> tuple[StoredTurn, ...]:
        """The last remembered turns before *turn* in its session, oldest first. A saved memory stands by itself."""
        if turn.turn.kind is TurnKind.MEMORY:
            return ()
        session_id, sequence = turn.turn.session_id, turn.sequence
        earlier = await self.transcript.before_in_session(session_id, sequence, limit=limit)
        if any(one.turn.kind is TurnKind.MEMORY for one in earlier):
            earlier = await self.transcript.before_in_session(session_id, sequence, limit=limit + _MOST_SAVED)
        said = [one for one in earlier if one.is_remembered and one.turn.kind is not TurnKind.MEMORY]
        return tuple(said[-limit:])

    async def close(self) -> None:
        """Close the mind's files."""
        await self.transcript.close()
        self.text.close()
        self.outcomes.close()
        self.trace_log.close()
        self.journal.close()
        await self.graph.close()


class Minds:
    """
    Opens and closes minds. Asking for one that does not exist creates nothing.

    Where several processes serve the home, each opens those of its share, and background work is for these alone.
    """

    def __init__(
        self,
        home: Path,
        *,
        clock: Clock,
        disk: Dependency,
        gate: MindGate,
        graph_of: Callable[[str], MindGraph],
        linked_folders: tuple[Path, ...] = (),
        limits: OpenMinds = UNLIMITED,
        is_at_work: Callable[[str], bool] = lambda _: False,
        keep_traces_days: int = 0,
    ) -> None:
        """
        This process must own *home*. A mind that *gate* has closed does not exist. STORY.md and SOUL.md of a mind may
        be links into *linked_folders*. *is_at_work* says whether a job of a mind runs, so that it stays open. Traces
        are kept for *keep_traces_days* days (0: for ever).
        """
        several = limits.several
        self.custody: Custody = several.custody if several is not None else SOLE
        self.custodian: Custodian | None = None  # set once background work can begin
        self.copies = (
            MindCopies(several.home, drop=self._drop, monotonic=clock.monotonic) if several is not None else None
        )
        self.disk = disk
        self.gate = gate
        self.share = limits.share
        self._home = home
        self._clock = clock
        self._graph_of = graph_of
        self._linked_folders = linked_folders
        self._limits = limits
        self._is_at_work = is_at_work
        self._keep_traces_days = keep_traces_days
        self._open: dict[str, Mind] = {}  # the least recently used first
        self._used_at: dict[str, float] = {}
        self._listing = MindListing(home, now_ns=lambda: int(clock.now().timestamp() * 1e9))
        self._resting = RestingMinds(home, clock=clock, thresholds=limits.story, disk=disk, share=limits.share)
        self._held = Counter[str]()
        self._on_behind: list[Callable[[Mind], None]] = []
        self._on_closed: list[Callable[[str], None]] = []
        self._opening = asyncio.Lock()
        self._openings = SharedWork[tuple[str, float], Mind]()
        self._looks = FolderLooks(home, ids=self._looked_at)

    def ids(self) -> tuple[str, ...]:
        """The ids of all minds that exist, sorted, whichever process has them."""
        ids, closed = self._listing.ids() if self.copies is None else self.copies.home.ids(), self.gate.closed
        return tuple(mind_id for mind_id in ids if mind_id not in closed) if closed else ids

    def known(self) -> frozenset[str]:
        """The same ids, in no order."""
        known, closed = self._listing.known() if self.copies is None else self.copies.home.known(), self.gate.closed
        return known - closed if closed else known

    async def unlooked(self) -> tuple[str, ...]:
        """
        The ids of minds that are not open and may have something to do: new, or at work when the service died.

        None where the home is shared: there, whoever takes custody of a mind opens it.
        """
        if self.copies is not None:
            return ()
        resting = await self._resting.ids()
        self._listing.assume(resting)
        known = await anyio.to_thread.run_sync(self.known)
        return tuple(sorted(filter(self.share.owns, known.difference(resting, self._open))))

    async def those_with(self, is_so: Callable[[MindFolder], object]) -> tuple[str, ...]:
        """
        The ids of our minds of whose folders *is_so* is true; it is called in a thread, and no mind is opened.

        Whoever asks while others wait shares one look at all folders with them.
        """

        async def prepare() -> None:
            self._listing.assume(await self._resting.ids())

        return await self._looks.those_with(is_so, prepare=prepare)

    def workspace(self, mind_id: str) -> Workspace:
        """A mind's folder, whether it exists or not. Raises InvalidMindId."""
        return workspace_of(self._home, mind_id, linked_folders=self._linked_folders)

    async def own_settings(self, mind_id: str, *, seconds: float = COPY_SECONDS) -> OwnSettings:
        """The settings of a mind, which need not exist, as they are for all, in *seconds*. Raises as ``find``."""
        if self.copies is not None and not self.gate.is_closed(mind_id):
            await self.copies.follow(mind_id, self.get, seconds=seconds)
        mind = self._open.get(mind_id)
        file = mind.settings if mind is not None else OwnSettingsFile(self.workspace(mind_id).settings)
        return (await anyio.to_thread.run_sync(file.read, abandon_on_cancel=True)).own

    async def find(self, mind_id: str, *, seconds: float = COPY_SECONDS) -> Mind:
        """A mind that exists, found in *seconds*. Raises InvalidMindId, MindElsewhere, MindNotFound, HomeFault."""
        workspace = self.workspace(mind_id)
        self.share.check(mind_id)
        if self.gate.is_closed(mind_id):
            raise no_such_mind(mind_id)
        if self.copies is not None:
            async with self.copies.followed(mind_id, self.get, seconds=seconds) as exists:
                if not exists:
                    raise no_such_mind(mind_id)
                return await self._opened(mind_id)
        if mind_id not in self._open and not await anyio.to_thread.run_sync(lambda: workspace.exists):
            raise no_such_mind(mind_id)
        return await self._opened(mind_id)

    async def find_in_time(self, mind_id: str, *, seconds: float | None) -> Mind:
        """``find`` in *seconds*; to open a long mind may go on after them. Raises TimeoutError, and as ``find``."""
        patience = copy_seconds(seconds)
        find = partial(self.find, mind_id, seconds=patience)

        async def opened() -> Mind:
            with self.gate.enter(mind_id):  # who asked may have left, and nobody erases what is being opened
                return await find()

        if mind_id not in self._open:
            await self._openings.wait((mind_id, patience), opened, seconds=seconds)
        return await find()

    async def find_or_create(self, mind_id: str) -> Mind:
        """
        A mind, made from the template at its first turn.

        Raises InvalidMindId, MindElsewhere, MindErasing, HomeFault.
        """
        self.share.check(mind_id)
        self.gate.check_open(mind_id)
        if self.copies is not None:
            async with self.copies.followed(mind_id, self.get):
                return await self._opened(mind_id)
        return await self._opened(mind_id)

    async def admit(self, mind_id: str, folder: Path) -> Mind:
        """
        Move *folder*, which is complete and on the same disk, into the mind's place, in one rename.

        From then on the mind exists, whatever is killed. Raises MindErasing, MindExists, HomeFault, and as ``find``.
        """
        workspace = self.workspace(mind_id)
        self.share.check(mind_id)
        try:
            if self.copies is not None:
                self.gate.check_open(mind_id)
                await self.copies.admit(mind_id, folder)
                await anyio.to_thread.run_sync(shutil.rmtree, folder)
            else:
                async with self._opening:
                    self.gate.check_open(mind_id)
                    await anyio.to_thread.run_sync(_move, folder, workspace.folder)
        except OSError as error:
            raise HomeFault(f"{workspace.folder}: {error.strerror}") from error
        return await self.find(mind_id)

    def get(self, mind_id: str) -> Mind | None:
        """The mind if it is open, else None."""
        return self._open.get(mind_id)

    def is_resting(self, mind_id: str) -> bool:
        """Whether a mind was closed, with nothing to do but, maybe, a story."""
        return mind_id in self._resting

    async def wake(self, mind_id: str) -> None:
        """Let the next start open a mind, if it rests: something of it has changed that it has to follow."""
        await self._resting.wake(mind_id)

    async def due(self, *, limit: int) -> tuple[str, ...]:
        """The ids of resting minds whose story is due, the longest due first."""
        return await self._resting.due(limit=limit)

    async def least_used(self, mind_ids: frozenset[str], *, limit: int) -> tuple[str, ...]:
        """Those of *mind_ids* that are resting, the least recently used first."""
        return await self._resting.least_used(mind_ids, limit=limit)

    async def of_other_embedders(self, embedder: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        """The ids of minds whose embedder is not known; and, with its name, of those with another one."""
        unknown, others = await self._resting.of_other_embedders(embedder)
        return (*await self.unlooked(), *unknown), others

    async def summary(self, mind_id: str) -> MindSummary:
        """The summary of a mind, which is opened only if it never was. Raises as ``find``."""
        if not self.gate.is_closed(mind_id) and (found := (await self._resting.summaries((mind_id,))).get(mind_id)):
            return found
        return summary_of(self._open.get(mind_id) or await self.find(mind_id))

    async def summaries(self, mind_ids: Sequence[str]) -> dict[str, MindSummary]:
        """The summaries, by id, of those of at most 500 minds that are open or resting."""
        resting = await self._resting.summaries(mind_ids)
        return resting | {mind_id: summary_of(self._open[mind_id]) for mind_id in mind_ids if mind_id in self._open}

    async def totals(self) -> Totals:
        """Sums over the minds that are open or resting."""
        resting = await self._resting.totals()
        return totals_of(map(summary_of, self._open.values()), resting)

    def add_usage(self, mind_id: str, usage: Usage) -> None:
        """Add what a model call cost to a mind's account. A mind that was never open has none."""
        if (mind := self._open.get(mind_id)) is not None:
            mind.health.usage += usage
        else:
            self._resting.add_usage(mind_id, usage)

    @contextmanager
    def held(self, mind_id: str) -> Iterator[None]:
        """Keep a mind open inside the block, for work that nobody waits for at the gate."""
        self._held[mind_id] += 1
        try:
            yield
        finally:
            self._held[mind_id] -= 1
            if not self._held[mind_id]:
                del self._held[mind_id]

    def when_closed(self, tell: Callable[[str], None]) -> None:
        """Call *tell* with the id of each mind that is closed, so that what is remembered of it can go."""
        self._on_closed.append(tell)

    def when_behind(self, tell: Callable[[Mind], None]) -> None:
        """Call *tell* with each mind that is opened from its rest and has something to do after all."""
        self._on_behind.append(tell)

    @property
    def is_full(self) -> bool:
        """Whether as many minds are open as may be."""
        return bool(self._limits.most) and len(self._open) >= self._limits.most

    async def close_unused(self, *, spare: int = 0, idle_seconds: float | None = None) -> bool:
        """
        Close minds that nobody uses: those not used for *idle_seconds* or as the limits say, and until *spare* more may
        be opened; whether so many more may be. Copies of minds that were closed for as long go, too.
        """
        async with self._opening:
            await self._close_unused(spare=spare, idle_seconds=idle_seconds)
        if self.copies is not None and (idle := self._limits.idle_seconds):
            await self.copies.let_go_unused(lambda one: one in self._open or self._is_in_use(one), seconds=idle)
        return not self._limits.most or len(self._open) + spare <= self._limits.most

    def opened(self) -> tuple[Mind, ...]:
        """All minds that are open."""
        return tuple(self._open.values())

    async def forget(self, mind_id: str) -> None:
        """Close a mind, so that nothing of it is left in memory. Nobody may be at work on it."""
        await self._resting.forget(mind_id)
        self._listing.forget(mind_id)
        self._used_at.pop(mind_id, None)
        mind = self._open.pop(mind_id, None)
        if mind is not None:
            await mind.close()

    async def close(self) -> None:
        """Close every mind. One with nothing left to do rests until somebody uses it; others the next start opens."""
        await self._openings.end()
        for mind in self._open.values():
            if self._may_close(mind) and mind.story.is_checked and not mind.story.owed.turns:
                await self._rest(mind)
            await mind.close()
        self._open.clear()
        self._resting.close()

    async def take_over(self, mind_id: str) -> None:
        """Take custody of a mind, whoever has it: work in the background was asked for. Raises DatabaseUnavailable."""
        if self.custodian is not None:
            await self.custodian.take(mind_id)

    async def _drop(self, mind: Mind) -> None:
        """Close a mind of which something was erased elsewhere: its copy is made anew."""
        self._open.pop(mind.mind_id, None)
        await self._resting.forget(mind.mind_id)
        for tell in self._on_closed:
            tell(mind.mind_id)
        await mind.close()

    async def _opened(self, mind_id: str) -> Mind:
        if mind_id not in self._open:
            await self._open_one(mind_id)
        mind = self._open[mind_id] = self._open.pop(mind_id)  # now the most recently used
        self._used_at[mind_id] = self._clock.monotonic()
        return mind

    async def _open_one(self, mind_id: str) -> None:
        self.share.check(mind_id)
        workspace = self.workspace(mind_id)
        async with self._opening:
            await self._close_unused(spare=1)
            if mind_id not in self._open:
                known = await self._resting.wake(mind_id)
                try:
                    await anyio.to_thread.run_sync(workspace.check_folders)
                    if self.copies is not None:
                        await self.copies.create(workspace, mind_id)
                    else:
                        await anyio.to_thread.run_sync(workspace.create)
                    turns = self.copies.home.turns_of(mind_id) if self.copies is not None else None
                    transcript = await Transcript(workspace.transcript, clock=self._clock, shared=turns).open()
                    dreams = DreamLog(workspace.dreams)
                    with suppress(OSError):  # whoever needs them is told
                        await anyio.to_thread.run_sync(dreams.read)
                    trace_log = await anyio.to_thread.run_sync(self._trace_log, workspace)
                    told = await anyio.to_thread.run_sync(lambda: read_progress(workspace, now=self._clock.monotonic()))
                except OSError as error:
                    kind = DiskFull if is_full(error) else TranscriptUnwritable
                    raise kind(f"{error.filename or workspace.folder}: {error.strerror}") from error
                self._open[mind_id] = mind = Mind(
                    mind_id=mind_id,
                    workspace=workspace,
                    transcript=transcript,
                    text=TextIndex(workspace.text_index),
                    journal=JournalIndex(workspace.journal_index),
                    trace_log=trace_log,
                    outcomes=Outcomes(workspace.outcomes, index=workspace.outcome_index),
                    corrections=CorrectionLog(workspace.corrections, torn=workspace.torn),
                    dreams=dreams,
                    settings=OwnSettingsFile(workspace.settings),
                    disk=self.disk,
                    graph=self._graph_of(mind_id),
                    story=told,
                    health=Health(),
                )
                await anyio.to_thread.run_sync(warn_of_damage, mind)
                if known is not None:
                    self._resting.restore(mind, known)
                    if await has_lost_text(mind) or mind.lag(LaneName.SAVING):
                        for tell in self._on_behind:
                            tell(mind)
                if self.copies is not None:
                    self.copies.opened(mind)

    def _looked_at(self) -> Iterable[str]:
        ids = self.ids() if self.copies is None else filter(self.custody.holds, self._listing.ids())
        return filter(self.share.owns, ids)

    def _trace_log(self, of: Workspace) -> TraceLog:
        return TraceLog(of.folder, index=of.trace_index, clock=self._clock, keep_days=self._keep_traces_days)

    async def _close_unused(self, *, spare: int, idle_seconds: float | None = None) -> None:
        most, idle = self._limits.most, self._limits.idle_seconds if idle_seconds is None else idle_seconds
        now, too_many = self._clock.monotonic(), len(self._open) + spare - most if most else 0
        for mind in tuple(self._open.values()):
            is_idle = idle and now - self._used_at.get(mind.mind_id, now) >= idle
            if not is_idle and too_many <= 0:
                return
            if self._may_close(mind):
                del self._open[mind.mind_id]
                await self._rest(mind)
                for tell in self._on_closed:
                    tell(mind.mind_id)
                too_many -= 1
                log.debug("mind.closed", mind_id=mind.mind_id, is_idle=bool(is_idle), open=len(self._open))
                await mind.close()

    async def _rest(self, mind: Mind) -> None:
        since = self._clock.monotonic() - self._used_at.pop(mind.mind_id, self._clock.monotonic())
        await self._resting.rest(mind, unused_seconds=since)

    def _may_close(self, mind: Mind) -> bool:
        is_behind = mind.health.awaits_end_of_outage or any(mind.lag(lane) for lane in LaneName)
        return not (self._is_in_use(mind.mind_id) or mind.story.is_running or is_behind)

    def _is_in_use(self, mind_id: str) -> bool:
        return self.gate.is_entered(mind_id) or self._is_at_work(mind_id) or mind_id in self._held


def _move(folder: Path, target: Path) -> None:
    target.parent.mkdir(mode=0o700, exist_ok=True)
    if os.path.lexists(target):
        raise MindExists(f"there is a mind {target.name!r} already: import under another id, or erase it first")
    folder.rename(target)
    sync_folder(target.parent)
