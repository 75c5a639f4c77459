"""
When an agent sleeps, and what it dreams then: decided here, dreamt in the background. The agent's process pauses.

Invariant: a dream that was promised is on disk before the answer, and is dreamt once, whichever process dies when. A
dream that fails is tried again like a story, and wedges nobody: the agent wakes and acts meanwhile.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, Self

import anyio.to_thread
import structlog

from consolidation.corrections.decided_since import followed, turns_of, turns_since
from consolidation.dreams.dream_files import DreamFiles
from consolidation.dreams.fatigue import FatigueLevel, fatigue_level
from consolidation.dreams.put_right import follow, put_right_in_dreams
from consolidation.dreams.sleep_decision import BeforeSleep, SleepKind, decide_sleep, kind_of_dream, pause_seconds
from consolidation.dreams.sleep_state import WOKEN, OwedDream
from consolidation.dreams.undo import redo_dream, undo_dream
from consolidation.kernel.checked_answer import UNUSABLE
from consolidation.kernel.errors import DreamFault, MemoryFault, ModelFault
from consolidation.workspace import SLEEP_STATE
from service.mind.own_settings import agent_zone_of

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from consolidation.corrections.record import Correction
    from consolidation.dreams.dream_log import DreamRecord, Dreams
    from consolidation.dreams.fatigue import FatigueThresholds
    from consolidation.dreams.sleep_decision import SleepRules
    from consolidation.dreams.sleep_state import SleepState
    from consolidation.kernel.ports import Clock
    from service.mind.minds import Mind, Minds
    from service.observability.counters import Tally
    from service.runtime.background import Background
    from service.sleep.dreaming import Dreaming

_MOST_DOUBLINGS = 6

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class SleepStatus:
    """
    How an agent is: awake, asleep or dreaming, why, and since when.

    ``actions`` counts the tool calls since its last dream, ``dreams`` all its dreams. ``waiting_for`` says why a dream
    that is owed was not dreamt yet, or a deep sleep not ended.
    """

    state: Literal["awake", "asleep", "dreaming"]
    reason: str
    wake_at: datetime | None
    cycle: int
    actions: int
    fatigue: FatigueLevel
    must_sleep: bool
    dreams: int
    last_dream_at: datetime | None
    waiting_for: str | None

    @property
    def is_asleep(self) -> bool:
        """Whether the agent is still to pause."""
        return self.state != "awake" and self.wake_at is not None


@dataclass(frozen=True, slots=True)
class SleepBegun:
    """A sleep that began: what it is, for how long to pause and until when, and the dream's id, None for a nap."""

    kind: SleepKind
    pause_seconds: float
    wake_at: datetime
    dream_id: str | None

    @classmethod
    def of(cls, state: SleepState, *, now: datetime) -> Self:
        """The sleep of *state*, as far as it lies behind *now*."""
        wake_at = state.wake_at or now
        return cls(state.kind or SleepKind.NAP, (wake_at - now).total_seconds(), wake_at, state.dream_id)


@dataclass(frozen=True, slots=True)
class _Before:
    """
    What comes before a dream that is to be promised.

    It covers the turns behind ``sequence``, and ``dreams`` count before it; the newest that is written was at
    ``last_at``. ``made`` is a promise that is kept on its own, since it is being made, ``replaced`` one whose place the
    new one takes.
    """

    sequence: int
    dreams: int
    last_at: datetime | None
    made: OwedDream | None
    replaced: OwedDream | None

    def since_dream(self, now: datetime) -> timedelta | None:
        """How long ago the newest dream was that is written."""
        return now - self.last_at if self.last_at is not None else None


@dataclass(frozen=True, slots=True)
class _Failures:
    """How many tries of a dream failed in a row, and when the last one did, on the monotonic clock."""

    number: int = 0
    at: float = 0.0


class Sleeper:
    """Decides about the sleep of every mind, and begins dreams."""

    def __init__(
        self,
        dreaming: Dreaming,
        *,
        minds: Minds,
        clock: Clock,
        background: Background,
        tally: Tally,
        thresholds: FatigueThresholds,
        rules: SleepRules,
        retry_seconds: float,
        sweep_seconds: float,
    ) -> None:
        self._dreaming = dreaming
        self._minds = minds
        self._clock = clock
        self._background = background
        self._tally = tally
        self._thresholds = thresholds
        self._rules = rules
        self._retry_seconds = retry_seconds
        self._sweep_seconds = sweep_seconds
        self._locks: dict[str, asyncio.Lock] = {}
        self._running: dict[str, asyncio.Task[object]] = {}
        self._unfinished: dict[str, _Failures] = {}

    def files(self, mind: Mind) -> DreamFiles:
        """The sleep files of a mind."""
        return DreamFiles(mind.workspace, mind.dreams, clock=self._clock)

    async def status(self, mind: Mind) -> SleepStatus:
        """How the mind's agent is. Raises DreamUnwritable."""
        files, now = self.files(mind), self._clock.now()
        is_dreaming = mind.mind_id in self._running  # before the files are read: what has ended is in them
        state, dreams = await anyio.to_thread.run_sync(lambda: (files.state(), files.dreams()))
        return self._status(mind, state, dreams, now=now, is_dreaming=is_dreaming)

    async def zone(self, mind: Mind) -> tzinfo:
        """The agent's time zone, which is the mind's own until it names one."""
        return await anyio.to_thread.run_sync(agent_zone_of, mind)

    def _status(
        self, mind: Mind, state: SleepState, dreams: Dreams, *, now: datetime, is_dreaming: bool
    ) -> SleepStatus:
        actions = mind.transcript.positions.tool_calls_after(dreams.cursor)
        fatigue = fatigue_level(actions, self._thresholds)
        is_asleep = state.is_asleep(now)
        return SleepStatus(
            state="dreaming" if is_dreaming else "asleep" if is_asleep else "awake",
            reason=state.reason,
            wake_at=state.wake_at if is_asleep else None,
            cycle=state.cycle_at(now),
            actions=actions,
            fatigue=fatigue,
            must_sleep=fatigue is FatigueLevel.EXHAUSTED and not state.may_go_on_exhausted,
            dreams=len(dreams.records),
            last_dream_at=dreams.last.t if dreams.last is not None else None,
            waiting_for=(state.owed.error if state.owed is not None else "") or state.error or None,
        )

    async def sleep(self, mind: Mind, *, seconds: float, session_id: str, timezone: str | None) -> SleepBegun:
        """
        Let the mind's agent sleep: decide what the sleep is, write it down, and begin to dream if it consolidates.

        Where it dreams already and did nothing since, that sleep goes on. With *timezone* None, the agent's zone stays.
        Raises DreamUnwritable.
        """
        await self._minds.take_over(mind.mind_id)
        async with self._only(mind.mind_id):
            files, now = self.files(mind), self._clock.now()
            state, dreams = await anyio.to_thread.run_sync(lambda: (files.state(), files.dreams()))
            has_acted = mind.transcript.positions.tool_calls_after(state.last_sequence) > 0
            longer = state.prolonged(seconds, now=now, has_acted=has_acted)
            if longer is not None:
                asleep = longer
            else:
                before = await self._before(mind, files, state, dreams)
                must = self._status(mind, state, dreams, now=now, is_dreaming=False).must_sleep
                asleep = self._asleep(mind, state, before, must=must, seconds=seconds, session_id=session_id, now=now)
            asleep = asleep.in_zone(timezone)
            await anyio.to_thread.run_sync(files.set_state, asleep)
        begun = SleepBegun.of(asleep, now=now)
        if longer is None:
            self._note_sleep(mind, asleep, begun)
        elif asleep.owed is not None:
            self.begin(mind)
        return begun

    def _asleep(
        self,
        mind: Mind,
        state: SleepState,
        before: _Before,
        *,
        must: bool,
        seconds: float,
        session_id: str,
        now: datetime,
    ) -> SleepState:
        """The state of an agent that goes to sleep, because it *must* or not, and what is promised to it."""
        actions = mind.transcript.positions.tool_calls_after(before.sequence)
        is_forced = must or fatigue_level(actions, self._thresholds) is FatigueLevel.EXHAUSTED
        since = before.since_dream(now)
        kind = decide_sleep(BeforeSleep(seconds, actions, before.dreams, since, is_forced), self._rules)
        owed, cycle = None, state.ended(now).cycle_at(now)
        if kind is not SleepKind.NAP:
            owed = self._owed(mind, kind, before=before, now=now, cycle=cycle).model_copy(
                update={"session_id": session_id, "is_forced": is_forced}
            )
        return state.promising(owed, made=before.made).model_copy(
            update={
                "cycle": cycle,
                "asleep_at": now,
                "wake_at": now + timedelta(seconds=pause_seconds(kind, asked=seconds, rules=self._rules)),
                "woken_at": None,
                "kind": kind,
                "reason": _reason(kind, is_forced=is_forced, actions=actions),
                "dream_id": owed.dream_id if owed is not None else None,
                "last_sequence": mind.transcript.positions.last,
                "earlier": state.sleeps_before(now),
            }
        )

    def _note_sleep(self, mind: Mind, asleep: SleepState, begun: SleepBegun) -> None:
        """Count a sleep that began, and begin its dream."""
        kind, pause = begun.kind, begun.pause_seconds
        is_forced = kind is not SleepKind.NAP and asleep.promised is not None and asleep.promised.is_forced
        self._tally.slept(kind.value, is_forced=is_forced)
        log.info("sleep.began", mind_id=mind.mind_id, kind=kind.value, pause_seconds=pause, is_forced=is_forced)
        if kind is not SleepKind.NAP:
            self.begin(mind)

    async def dream_now(self, mind: Mind, *, is_deep: bool, timezone: str | None) -> OwedDream | None:
        """
        Begin a dream of what was lived, whatever the interval; None where nothing was lived since the last one.

        The agent does not sleep by it. With *is_deep*, it is a deep sleep; with *timezone* None, its zone stays. Raises
        DreamUnwritable.
        """
        await self._minds.take_over(mind.mind_id)
        async with self._only(mind.mind_id):
            files, now = self.files(mind), self._clock.now()
            state, dreams = await anyio.to_thread.run_sync(lambda: (files.state(), files.dreams()))
            positions = mind.transcript.positions
            before = await self._before(mind, files, state, dreams)
            lived = positions.remembered_after(before.sequence)
            if not lived and before.made is not None:
                state = (state.deepened() if is_deep else state).in_zone(timezone)
                await anyio.to_thread.run_sync(files.set_state, state)
                self.begin(mind)
                return state.promised
            if not lived:
                if not is_deep or dreams.last is None:
                    return None
                number = dreams.last.dream  # nothing to dream of: the last dream becomes a deep sleep
                await anyio.to_thread.run_sync(files.replace, number, _deepened)
                self.begin(mind)
                return None
            actions = max(positions.tool_calls_after(before.sequence), lived)
            kind = kind_of_dream(actions=actions, dreams=before.dreams, rules=self._rules)
            kind = SleepKind.DEEP_SLEEP if is_deep else kind
            owed = self._owed(mind, kind, before=before, now=now, cycle=state.cycle_at(now))
            promising = state.promising(owed, made=before.made).in_zone(timezone)
            await anyio.to_thread.run_sync(files.set_state, promising)
        self.begin(mind)
        return owed

    async def wake(self, mind: Mind, *, reason: str) -> SleepStatus:
        """Wake the mind's agent before its time. One that is awake stays so. Raises DreamUnwritable."""
        async with self._only(mind.mind_id):
            files, now = self.files(mind), self._clock.now()
            state = await anyio.to_thread.run_sync(files.state)
            if state.is_asleep(now):
                woken = state.model_copy(update={"woken_at": now, "reason": reason or WOKEN})
                await anyio.to_thread.run_sync(files.set_state, woken)
                log.info("sleep.ended", mind_id=mind.mind_id, was_interrupted=True)
        return await self.status(mind)

    async def undo(self, mind: Mind, number: int, *, by: str) -> DreamRecord:
        """Take a dream back. Raises DreamNotFound, DreamUnwritable."""
        files, now = self.files(mind), self._clock.now()
        await self._minds.take_over(mind.mind_id)
        async with self._only(mind.mind_id):
            return await anyio.to_thread.run_sync(lambda: undo_dream(files, number, by=by, now=now))

    async def redo(self, mind: Mind, number: int) -> DreamRecord:
        """Let a dream count again that was taken back. Raises as ``undo``."""
        files = self.files(mind)
        await self._minds.take_over(mind.mind_id)
        async with self._only(mind.mind_id):
            record = await anyio.to_thread.run_sync(lambda: redo_dream(files, number))
        await self.begin_owed(mind)  # a deep sleep that was not tidied up after
        return record

    def put_right(self, mind: Mind, correction: Correction) -> None:
        """Have what a person has just put right hold in dreams, in the background."""

        async def run() -> None:
            await self._minds.gate.until_resumed(mind.mind_id)
            try:
                await self._minds.take_over(mind.mind_id)
                lines = await anyio.to_thread.run_sync(mind.corrections.lines)
                sequences = await turns_of(mind.transcript, lines, correction_id=correction.id)
                async with self._only(mind.mind_id):  # at once: a dream that goes on may take long
                    await anyio.to_thread.run_sync(put_right_in_dreams, self.files(mind), sequences)
                await self.begin_owed(mind)
            except (MemoryFault, OSError) as error:
                log.warning("dreams.not_put_right", mind_id=mind.mind_id, error=str(error))
                self._note_try(mind.mind_id)

        self._background.start(f"put dreams right {mind.mind_id}", run, owner=mind.mind_id)

    async def _follow(self, mind: Mind, files: DreamFiles) -> None:
        """Have what people put right since it was looked at last hold in dreams."""
        lines = await anyio.to_thread.run_sync(mind.corrections.lines)
        state, dreams = await anyio.to_thread.run_sync(lambda: (files.state(), files.dreams()))
        if not lines or state.put_right == lines[-1].id:
            return
        known = followed(lines, last=state.put_right)
        sequences = await turns_since(mind.transcript, lines, known=known) if dreams.records else frozenset[int]()
        async with self._only(mind.mind_id):
            await anyio.to_thread.run_sync(lambda: follow(files, sequences, last=lines[-1].id))

    async def begin_owed(self, mind: Mind) -> None:
        """Begin what is owed to a mind, if anything is. Raises DreamUnwritable, OSError."""
        if await self.is_owed(mind):
            self.begin(mind)

    async def is_owed(self, mind: Mind) -> bool:
        """Whether anything is owed to a mind. Raises DreamUnwritable, OSError."""
        return await anyio.to_thread.run_sync(self._dreaming.is_owed, mind, self.files(mind))

    def begin(self, mind: Mind) -> asyncio.Task[object]:
        """Begin what is owed to a mind, unless it is under way; the task ends with it."""
        mind_id = mind.mind_id
        if mind_id in self._running:
            return self._running[mind_id]
        self._unfinished.setdefault(mind_id, _Failures())

        async def run() -> None:
            await self._minds.gate.until_resumed(mind_id)
            await self._dream_all(mind)

        task: asyncio.Task[object] = self._background.start(f"dream {mind_id}", run, owner=mind_id)
        self._running[mind_id] = task
        task.add_done_callback(lambda _: self._running.pop(mind_id, None))  # also where it never began
        return task

    async def until_dreamt(self, mind: Mind) -> None:
        """Return when no dream of the mind is under way."""
        while (task := self._running.get(mind.mind_id)) is not None:
            await asyncio.wait({task})

    async def resume(self) -> None:
        """Begin every dream that a stop of the service left behind."""
        for mind_id in await self._minds.those_with(lambda folder: SLEEP_STATE in folder.names):
            # A mind that can not be opened is told by its own status.
            with suppress(MemoryFault, OSError), self._minds.gate.enter(mind_id):
                await self.begin_owed(await self._minds.find(mind_id))

    async def sweep(self) -> None:
        """Try dreams that failed again and again, when it is time. Never returns."""
        while not self._background.is_stopping:
            for mind_id in sorted(self._unfinished.keys() - self._running.keys()):
                if self.is_time(mind_id):
                    with suppress(MemoryFault, OSError), self._minds.gate.enter(mind_id):
                        self.begin(await self._minds.find(mind_id))
            await self._background.pause(self._sweep_seconds)

    def forget(self, mind_id: str) -> None:
        """Drop what is known of a mind that was closed or erased. What it owes is on its disk."""
        if mind_id not in self._running:
            self._locks.pop(mind_id, None)

    def is_time(self, mind_id: str) -> bool:
        """Whether the pause after the last failure of a mind's dreams is over, if one failed."""
        failures = self._unfinished.get(mind_id, _Failures())
        wait = self._retry_seconds * 2 ** min(max(failures.number - 1, 0), _MOST_DOUBLINGS)
        return not failures.number or self._clock.monotonic() - failures.at >= wait

    def _note_try(self, mind_id: str) -> None:
        """Note that something failed, so that the sweep tries it again when it is time."""
        failures = self._unfinished.get(mind_id, _Failures()).number + 1
        self._unfinished[mind_id] = _Failures(failures, self._clock.monotonic())

    async def _dream_all(self, mind: Mind) -> None:
        """Dream what is owed, also what is promised or put right meanwhile, and tidy up after a deep sleep."""
        files, is_quoted = self.files(mind), False
        try:
            while not await self._is_complete(mind, files, is_quoted=is_quoted):
                await self._dreaming.finish(files)
                await self._follow(mind, files)
                is_quoted |= await self._dreaming.dream(mind, files)
                await self._drop_dreamt(mind, files)
                is_quoted |= await self._dreaming.tidy(mind, files, lock=self._only(mind.mind_id))
        except (MemoryFault, OSError) as error:
            self._note_try(mind.mind_id)
            await self._note_failure(mind, files, error)
        else:
            self._unfinished.pop(mind.mind_id, None)
            mind.disk.worked(part=f"dreams {mind.mind_id}")

    async def _is_complete(self, mind: Mind, files: DreamFiles, *, is_quoted: bool) -> bool:
        """Whether nothing is owed. It holds the lock: a promise made later finds no dream running, and begins one."""
        async with self._only(mind.mind_id):
            if await anyio.to_thread.run_sync(self._dreaming.is_owed, mind, files):
                return False
            state = await anyio.to_thread.run_sync(files.state)
            if (ended := state.completed(is_quoted=is_quoted)) != state:
                await anyio.to_thread.run_sync(files.set_state, ended)
            return True

    async def _note_failure(self, mind: Mind, files: DreamFiles, error: MemoryFault | OSError) -> None:
        reason = f"{type(error).__name__}: {error}"
        log.warning("dream.failed", mind_id=mind.mind_id, error=reason)
        if not isinstance(error, ModelFault | DreamFault):
            mind.disk.failed(f"a dream can not be written: {error}", part=f"dreams {mind.mind_id}")
        with suppress(DreamFault):  # a full disk: the state on it still says that the dream is owed
            async with self._only(mind.mind_id):
                if await anyio.to_thread.run_sync(files.exist):
                    await anyio.to_thread.run_sync(
                        lambda: files.set_state(files.state().failed(reason, is_refused=isinstance(error, UNUSABLE)))
                    )

    async def _drop_dreamt(self, mind: Mind, files: DreamFiles) -> None:
        """Drop promises that are kept. A dream of which a deep sleep was asked while it was made becomes one."""

        def drop() -> None:
            state, dreams = files.state(), files.dreams()
            promised, last = (state.owed, state.owed_next), dreams.last
            deep = {one.last_sequence for one in promised if one is not None and one.kind is SleepKind.DEEP_SLEEP}
            if last is not None and last.last_sequence in deep:
                files.replace(last.dream, _deepened)
            left = state.left_after(dreams.cursor)
            if left != state:
                files.set_state(left)

        async with self._only(mind.mind_id):
            await anyio.to_thread.run_sync(drop)

    async def _before(self, mind: Mind, files: DreamFiles, state: SleepState, dreams: Dreams) -> _Before:
        """What comes before a dream that is promised now. Under the lock."""
        left, last_at = state.left_after(dreams.cursor), dreams.last.t if dreams.last is not None else None
        is_made = mind.mind_id in self._running or await anyio.to_thread.run_sync(files.draft) is not None
        if left.owed is None or not (is_made or left.owed_next is not None):
            return _Before(dreams.cursor, dreams.counted, last_at, None, left.owed)
        counted = dreams.counted + (left.owed.kind is not SleepKind.LIGHTWEIGHT)
        return _Before(left.owed.last_sequence, counted, last_at, left.owed, left.owed_next)

    def _owed(self, mind: Mind, kind: SleepKind, *, before: _Before, now: datetime, cycle: int) -> OwedDream:
        """What is promised."""
        known = before.replaced
        return OwedDream(
            dream_id=known.dream_id if known is not None else self._clock.fresh_id(),
            kind=SleepKind.DEEP_SLEEP if known is not None and known.kind is SleepKind.DEEP_SLEEP else kind,
            last_sequence=mind.transcript.positions.last,
            asked_at=now,
            cycle=cycle,
            is_forced=known is not None and known.is_forced,
        )

    def _only(self, mind_id: str) -> asyncio.Lock:
        return self._locks.setdefault(mind_id, asyncio.Lock())


def _deepened(record: DreamRecord) -> DreamRecord:
    return record.model_copy(update={"deep": True, "kind": SleepKind.DEEP_SLEEP.value})


def _reason(kind: SleepKind, *, is_forced: bool, actions: int) -> str:
    if is_forced:
        return f"it had to sleep after {actions} tool calls"
    return "it took a nap" if kind is SleepKind.NAP else "it went to sleep"
