"""
What a mind was shown, and why: the traces of its pre-turn calls, a line each, in a file a day, and an index of them.

The echo filter is fed from the same lines, so that a restart forgets nothing. So are the thoughts of agents, which wait
here until an answer says them, and count as shown from then on. A damaged line is passed over. The index only helps: a
trace is written first, and what the index lacks is read on from its cursors.
"""

from __future__ import annotations

import re
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import batched, islice
from typing import TYPE_CHECKING

from consolidation.kernel.errors import IndexUnusable, InvalidRequest
from consolidation.kernel.files import append_synced
from consolidation.kernel.links import open_regular
from service.index.trace_index import CallFilter, IndexedCall, TraceIndex
from service.mind import call_figures
from service.mind.trace_document import Delivery, PhasesTrace
from service.mind.trace_files import TraceFiles, TracePlace, oldest_kept

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from consolidation.kernel.ports import Clock
    from service.index.trace_index import CallSpan, Use
    from service.mind.call_figures import CallFigures, DayOfFile
    from service.mind.trace_document import TraceDocument
    from service.mind.trace_files import TraceLine

FIGURES = "calls-by-day.jsonl"  # what stays of traces that are kept no longer: figures, and nobody's words
_TAIL_BYTES = 4 * 1024 * 1024
_REMEMBERED_TRACES = 200
_REMEMBERED_ECHOES = 1_000  # of one session; more turns than anyone keeps a memory back for
_LINES_A_STEP = 50  # a call that is noted meanwhile waits for as long as these take
_NO_PHASES = PhasesTrace()
_NO_TURN = 0  # of a thought that no answer says any more
_MOST_DAYS, _MOST_BYTES = 2**22, 2**40


@dataclass(frozen=True, slots=True)
class Echoes:
    """
    What one session was shown lately: fragment ids, and the turns they rest on.

    ``at`` and ``trace_id`` are of what one call alone showed.
    """

    fragments: frozenset[str] = frozenset()
    sequences: frozenset[int] = frozenset()
    at: datetime | None = None
    trace_id: str | None = None

    def include(self, fragment_id: str, sequences: frozenset[int]) -> bool:
        """Whether a fragment, or all the turns it rests on, is among what was shown."""
        return fragment_id in self.fragments or (bool(sequences) and sequences <= self.sequences)


@dataclass(frozen=True, slots=True)
class PreTurnCalls:
    """The newest pre-turn calls: how many, and in how many something surfaced; when the last was, and whether in it."""

    calls: int
    surfaced: int
    last_at: datetime | None
    last_surfaced: bool | None


@dataclass(frozen=True, slots=True)
class TracePage:
    """Traces, newest first, and where the next page begins; None at the end."""

    traces: tuple[TraceDocument, ...]
    next_cursor: str | None


class TraceLog:
    """
    Appends traces, remembers the newest, and finds all; safe to use from several threads.

    Methods that search raise IndexUnusable and OSError.
    """

    def __init__(self, folder: Path, *, index: Path, clock: Clock, keep_days: int = 0) -> None:
        """Traces are files of *folder*, kept for *keep_days* days (0: for ever); *index* is a file of derived data."""
        self._files = TraceFiles(folder)
        self._figures = folder / FIGURES
        self._index = TraceIndex(index)
        self._clock = clock
        self._keep_days = keep_days
        # Taken in this order: by what reads files on into the index, by what writes files, by what is in memory.
        self._reading, self._writing, self._mutex = threading.Lock(), threading.Lock(), threading.Lock()
        self._traces: deque[TraceDocument] = deque(maxlen=_REMEMBERED_TRACES)  # without phases: these are most of it
        self._unwritten: deque[TraceDocument] = deque(maxlen=_REMEMBERED_TRACES)
        self._shown: dict[str, deque[Echoes]] = {}
        # Thoughts that no answer has said yet, oldest first; and of each session the last one, with the turn answered.
        self._waiting: dict[str, TraceDocument] = {}
        self._said: dict[str, tuple[int, TraceDocument]] = {}
        with suppress(OSError):  # what can not be read was a help, not the truth
            self._files.seal()  # a kill tore the last line: the next trace begins a line of its own
            self._read_newest()

    def add(self, trace: TraceDocument) -> None:
        """
        Append a trace; it has reached the operating system when this returns.

        Raises OSError. Then it is remembered, and written before the next one.
        """
        self.remember(trace)
        self.write()

    def remember(self, trace: TraceDocument) -> None:
        """Let a trace count from now on; ``write`` writes it. Touches no file."""
        with self._mutex:
            self._remember(trace)
            self._unwritten.append(trace)

    def write(self) -> None:
        """Write what is only remembered, in its order. Raises OSError; then it stays so until the next call."""
        with self._writing:
            while self._unwritten:
                trace = self._unwritten[0]
                self._append(trace)
                with self._mutex:
                    if self._unwritten[0] is trace:  # not dropped meanwhile, as the oldest of too many
                        self._unwritten.popleft()

    def is_waiting(self, session_id: str) -> bool:
        """Whether a session has a thought that no answer has said yet."""
        return any(one.session_id == session_id for one in tuple(self._waiting.values()))

    def said(self, session_id: str, *, turn: int) -> TraceDocument | None:
        """The thought that the answer to an action said, where it is the last of its session."""
        answered, thought = self._said.get(session_id, (0, None))
        return thought if answered == turn else None

    def deliver(
        self, session_id: str, *, turn: int, is_outdated: Callable[[TraceDocument], bool] = lambda _: False
    ) -> TraceDocument | None:
        """
        The oldest thought of a session that no answer has said yet. The one to the action of turn *turn* does.

        No answer says one that *is_outdated*. Raises OSError, and what that raises; then the thought waits on.
        """
        with self._writing:
            for one in tuple(self._waiting.values()):
                if one.session_id == session_id:
                    is_over = is_outdated(one)
                    self._deliver(one, turn=_NO_TURN if is_over else turn)
                    if not is_over:
                        return one
            return None

    def _deliver(self, thought: TraceDocument, *, turn: int) -> None:
        delivery = Delivery(thought.trace_id, turn)
        place, end = self._files.append(delivery, today=self._clock.now().date())
        with suppress(IndexUnusable):
            self._index.add(place.day, (), start=place.offset, end=end)
        with self._mutex:
            self._say(thought, delivery)

    def echoes(
        self, session_id: str, *, turns: int, before: datetime | None = None, but_for: Container[str] = ()
    ) -> Echoes:
        """
        What *session_id* was shown in its last *turns* pre-turn calls; or in the last *before* a time.

        *but_for* are the traces of calls that do not count.
        """
        with self._mutex:
            known = self._shown.get(session_id, ())
            shown = [one for one in known if before is None or one.at is None or one.at < before]
            shown = [one for one in shown if one.trace_id not in but_for]
            lately = shown[-turns:] if turns else []
            return Echoes(
                frozenset().union(*(echo.fragments for echo in lately)),
                frozenset().union(*(echo.sequences for echo in lately)),
            )

    def find(self, trace_id: str) -> TraceDocument | None:
        """A trace by its id. Raises OSError."""
        if (unwritten := self._not_in_files().get(trace_id)) is not None:
            return unwritten
        try:
            with self._reading:
                self._catch_up()
                place = self._index.place_of(trace_id)
            found = self._files.read(TracePlace(*place)) if place is not None else None
        except IndexUnusable:
            lines = (line for day in reversed(self._files.days()) for line in self._files.lines(day))
            found = next((line.trace for line in lines if _is(line, trace_id)), None)
        return found if found is not None and found.trace_id == trace_id else None

    def summary(self) -> PreTurnCalls:
        """The traces in memory, counted."""
        with self._mutex:
            traces = tuple(self._traces)
        newest = traces[-1] if traces else None
        return PreTurnCalls(
            calls=len(traces),
            surfaced=sum(one.surfaced for one in traces),
            last_at=newest.at if newest is not None else None,
            last_surfaced=newest.surfaced if newest is not None else None,
        )

    def recent(self, *, limit: int) -> tuple[TraceDocument, ...]:
        """The newest traces, newest first, without their phases. Reads no file."""
        with self._mutex:
            return tuple(reversed(self._traces))[:limit]

    def page(self, wanted: CallFilter, *, limit: int, cursor: str | None = None) -> TracePage:
        """The newest *limit* traces of a kind, of all that are kept, or those that follow. Raises InvalidRequest."""
        below = _read_cursor(cursor)
        try:
            with self._reading:
                self._catch_up()
                found = self._index.places(wanted, below=below, limit=limit + 1)
                traces = [self._files.read(TracePlace(*place)) for place in found[:limit]]
        except IndexUnusable:
            if below is not None or wanted != CallFilter():
                raise
            return TracePage(self._newest(limit=limit), None)  # a full disk hides nothing
        more = f"{found[limit - 1][0]}.{found[limit - 1][1]}" if len(found) > limit else None
        return TracePage(tuple(one for one in traces if one is not None), more)

    def days(self) -> tuple[int, ...]:
        """The days of which there are traces, oldest first; 0 and 1 are of earlier versions. Raises OSError."""
        return self._files.days()

    def written(self, day: int, *, start: int = 0) -> Iterator[TraceLine]:
        """What was written into the file of a day from a byte on, in the order of writing. Raises OSError."""
        return self._files.lines(day, start=start)

    def calls_in(self, spans: Sequence[CallSpan], *, most: int) -> list[tuple[TraceDocument, ...]]:
        """Of each span the *most* newest traces, newest first; without an index, of those in memory."""
        try:
            with self._reading:
                self._catch_up()
                unwritten = self._not_in_files()
                return [tuple(self._read_in(span, unwritten, most)) for span in spans]
        except IndexUnusable:
            newest = self._newest(limit=_REMEMBERED_TRACES)
            return [tuple(islice((one for one in newest if _is_in(one, span)), most)) for span in spans]

    def _not_in_files(self) -> dict[str, TraceDocument]:
        """What waits for room on the disk, newest last."""
        return {one.trace_id: one for one in tuple(self._unwritten)}

    def _newest(self, *, limit: int) -> tuple[TraceDocument, ...]:
        """The newest traces, newest first, whole: what files and memory hold, without the index. Raises OSError."""
        lines = self._files.newest(most=limit, most_bytes=_TAIL_BYTES)
        written = (line.trace for line in lines if line.trace is not None)
        found = {one.trace_id: one for one in written} | self._not_in_files()
        return tuple(islice(reversed(found.values()), limit))

    def _read_in(self, span: CallSpan, unwritten: Mapping[str, TraceDocument], most: int) -> Iterator[TraceDocument]:
        for place, trace_id in self._index.newest_in(span, limit=most):
            found = unwritten.get(trace_id) or self._files.read(TracePlace(*place))
            if found is not None:
                yield found

    def count(self, wanted: CallFilter) -> int:
        """How many traces of a kind are kept."""
        with self._reading:
            self._catch_up()
            return self._index.count(wanted)

    def surfaced(self, memories: Sequence[str]) -> Mapping[str, Use]:
        """
        How often each of *memories* surfaced, when last, and its newest traces, by id; without those that never did.

        A turn (``episode:<sequence>``) surfaces with everything that rests on it.
        """
        with self._reading:
            self._catch_up()
            return self._index.surfaced(memories)

    def figures(self, *, since: date, until: date) -> dict[date, CallFigures]:
        """The figures of all calls by day (UTC), from *since* to *until*, also of traces that are kept no longer."""
        first, end = (datetime.combine(day, time(), UTC) for day in (since, until + timedelta(days=1)))
        with self._reading:
            self._catch_up()
            found = call_figures.figures_of(self._index.rows(since=first, before=end))
            for (_, day), figures in self._dropped().items():
                if since <= day <= until:
                    found[day] = found[day] + figures if day in found else figures
        return found

    def _dropped(self) -> dict[DayOfFile, CallFigures]:
        """The figures of the files that were dropped; of each, what was written last."""
        found = {}
        with suppress(FileNotFoundError), open_regular(self._figures) as lines:
            for line in lines:
                known = call_figures.decoded(line)
                if known is not None:
                    found[known[0]] = known[1]
        there = set(self._files.days())
        return {key: figures for key, figures in found.items() if key.file not in there}

    def forget(self, is_doomed: Callable[[TraceDocument], bool]) -> int:
        """
        Drop the traces that are doomed, from the files, the index and memory, and return how many lines went.

        A line that is not a trace goes with them: nobody knows what it holds.
        """
        with self._reading:
            doomed = self._doomed(is_doomed)
            with self._writing:
                days = self._files.days()
                self._index.drop()  # first: no byte of it is left, and it is made again from what stays
                self._forget_remembered(doomed)
            gone = sum(self._files.rewrite(day, is_doomed, writing=self._writing) for day in days)
            if gone:
                self.read_again()
            return gone

    def _doomed(self, is_doomed: Callable[[TraceDocument], bool]) -> frozenset[str]:
        """The ids of what is remembered and doomed. It takes long: no lock is held for it."""
        with self._mutex:
            said = (thought for _, thought in self._said.values())
            known = (*self._traces, *self._unwritten, *self._waiting.values(), *said)
        return frozenset(one.trace_id for one in known if is_doomed(one))

    def _forget_remembered(self, doomed: Container[str]) -> None:
        with self._mutex:
            unwritten = [one for one in self._unwritten if one.trace_id not in doomed]
            self._unwritten = deque(unwritten, maxlen=_REMEMBERED_TRACES)
            traces = [one for one in self._traces if one.trace_id not in doomed]
            self._traces = deque(traces, maxlen=_REMEMBERED_TRACES)
            self._waiting = {key: one for key, one in self._waiting.items() if key not in doomed}
            self._said = {key: one for key, one in self._said.items() if one[1].trace_id not in doomed}

    def count_doomed(self, is_doomed: Callable[[TraceDocument], bool]) -> tuple[int, tuple[str, ...]]:
        """How many traces are doomed, and the names of the files that hold them. Reads every file. Raises OSError."""
        counts = {day: self._files.count(day, is_doomed) for day in self._files.days()}
        return sum(counts.values()), tuple(self._files.name_of(day) for day, count in counts.items() if count)

    def drop_old(self) -> int:
        """Delete the traces that are kept no longer, and return of how many days they were."""
        with self._reading:
            old = self._old()
            if old:
                self._catch_up()
            for day in old:
                lines = call_figures.encoded(day, call_figures.figures_of(self._index.rows_of(day)))
                with self._writing:
                    append_synced(self._figures, lines)  # first: what a kill leaves in both counts once
                    self._files.drop(day)
            self._catch_up()
            return len(old)

    def read_again(self) -> None:
        """Read the newest traces anew: another machine has appended some. Raises OSError."""
        with self._writing:
            self._read_newest()

    def close(self) -> None:
        """Close the index's file."""
        self._index.close()

    def _append(self, trace: TraceDocument) -> None:
        place, end = self._files.append(trace, today=self._clock.now().date())
        with suppress(IndexUnusable):  # it is read on from its cursor later
            self._index.add(place.day, (_indexed(place.offset, trace),), start=place.offset, end=end)

    def _old(self) -> tuple[int, ...]:
        first = oldest_kept(self._clock.now().date(), days=self._keep_days)
        return self._files.before(first) if first is not None else ()

    def _catch_up(self) -> None:
        """Read every file on from its cursor, and forget what was of files that are gone, or are others now."""
        days, cursors = self._files.days(), self._index.cursors()
        stale = {day for day, end in cursors.items() if day not in days or end > self._files.size(day)}
        if stale:
            self._index.forget(stale)
        for day in days:
            start = 0 if day in stale else cursors.get(day, 0)
            if self._files.size(day) > start:
                self._read_on(day, start)

    def _read_on(self, day: int, start: int) -> None:
        for lines in batched(self._files.lines(day, start=start), _LINES_A_STEP):
            calls = [_indexed(line.offset, line.trace) for line in lines if line.trace is not None]
            if not self._index.add(day, calls, start=start, end=lines[-1].end):
                return  # a call that was just added moved the cursor: there is nothing to read on
            start = lines[-1].end

    def _read_newest(self) -> None:
        """Remember what the files tell and what waits for room in them, and nothing else."""
        lines = self._files.newest(most=_REMEMBERED_TRACES, most_bytes=_TAIL_BYTES)
        delivered = {line.delivery.delivered: line.delivery for line in lines if line.delivery is not None}
        with self._mutex:  # not while the files are read: calls ask on the event loop what they were shown
            for memory in (self._traces, self._shown, self._waiting, self._said):
                memory.clear()
            for line in lines:
                if line.trace is not None:
                    self._remember(line.trace, delivered.get(line.trace.trace_id))
            for trace in self._unwritten:
                self._remember(trace, delivered.get(trace.trace_id))

    def _remember(self, whole: TraceDocument, delivery: Delivery | None = None) -> None:
        trace = replace(whole, phases=_NO_PHASES)
        self._traces.append(trace)
        if delivery is not None:
            self._say(trace, delivery)
        elif trace.thought:
            self._waiting[trace.trace_id] = trace
        else:
            self._show(trace)

    def _say(self, thought: TraceDocument, delivery: Delivery) -> None:
        self._waiting.pop(thought.trace_id, None)
        self._said[thought.session_id] = (delivery.turn, thought)
        self._show(thought)

    def _show(self, trace: TraceDocument) -> None:
        shown = {(trace.session_id, one.id) for one in trace.shown}
        for waiting in [*self._waiting.values()] if shown else ():
            if not shown.isdisjoint((waiting.session_id, one.id) for one in waiting.shown):
                del self._waiting[waiting.trace_id]  # it was said otherwise
        echoes = self._shown.setdefault(trace.session_id, deque(maxlen=_REMEMBERED_ECHOES))
        echoes.append(
            Echoes(
                frozenset(one.id for one in trace.shown),
                frozenset(sequence for one in trace.shown for sequence in one.sequences),
                trace.at,
                trace.trace_id,
            )
        )


def _indexed(offset: int, trace: TraceDocument) -> IndexedCall:
    retrieval = trace.phases.retrieval
    candidates = (retrieval.candidates if retrieval is not None else None) or ()
    shown = _ids((one.id, one.sequences) for one in trace.shown).union(*(one.facts or () for one in trace.shown))
    return IndexedCall(
        offset=offset,
        trace_id=trace.trace_id,
        session_id=trace.session_id,
        at=trace.at,
        surfaced=trace.surfaced,
        ms=trace.timings_ms.get("total", 0.0),
        degraded=trace.degraded,
        tokens=trace.usage.prompt_tokens + trace.usage.completion_tokens,
        cost=trace.usage.cost_usd,
        shown=shown,
        dropped=_ids((one.id, one.sequences) for one in candidates) - shown,
        is_wonder=trace.is_wonder,
    )


def _ids(memories: Iterable[tuple[str, Iterable[int]]]) -> frozenset[str]:
    """The ids of memories, and of the turns that they rest on."""
    return frozenset(one for memory, turns in memories for one in (memory, *(f"episode:{turn}" for turn in turns)))


def _is_in(trace: TraceDocument, span: CallSpan) -> bool:
    is_late_enough = span.since is None or trace.at > span.since
    return trace.session_id == span.session_id and is_late_enough and trace.at <= span.until


def _is(line: TraceLine, trace_id: str) -> bool:
    return line.trace is not None and line.trace.trace_id == trace_id


def _read_cursor(cursor: str | None) -> tuple[int, int] | None:
    if cursor is None:
        return None
    found = re.fullmatch(r"([0-9]{1,7})\.([0-9]{1,13})", cursor)
    if found is None or int(found[1]) >= _MOST_DAYS or int(found[2]) >= _MOST_BYTES:
        raise InvalidRequest("this is no `next_cursor` of an earlier page", pointer="query/cursor")
    return int(found[1]), int(found[2])
