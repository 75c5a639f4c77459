"""
What a mind's durable stores say has happened since a position: the events that webhooks tell.

Every kind of event has a store that is written before the event is published: the transcript, the graph, the log of
corrections, the story with its ledger, the traces. So an event is read from there, whoever was killed in between, and
its key is of what is stored: the same event has the same key whenever it is read. Nothing here writes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Protocol

import anyio.to_thread

from consolidation.corrections.record import Correction
from consolidation.kernel.turns import TurnKind
from consolidation.story.anchor import without_marks
from consolidation.story.chapters import parse
from consolidation.story.ledger import read_ledger
from consolidation.story.storyfile import StoryFile
from consolidation.transcript.as_of import last_accepted
from service.ingest.parking import is_to_be_read_again
from service.mind.events import about

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from consolidation.corrections.correction_log import CorrectionLog
    from consolidation.corrections.record import Line
    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import StoredTurn
    from service.mind.minds import Mind
    from service.mind.trace_document import TraceDocument
    from service.mind.trace_log import TraceLog
    from service.webhooks.endpoint import SentKind

_PAGE = 200  # turns that are looked at in one go


@dataclass(frozen=True, slots=True)
class Happened:
    """An event as a store proves it; ``key`` names it within its mind and its kind."""

    kind: SentKind
    key: str
    at: datetime
    about: Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Read:
    """What happened after a position, the position behind it, and whether there is more."""

    events: tuple[Happened, ...]
    position: str
    is_all: bool = True


class EventSource(Protocol):
    """One store of a mind: the kinds of events that it proves, and the name of its positions in the outbox."""

    name: str
    kinds: frozenset[SentKind]

    async def after(self, mind: Mind, position: str | None, *, since: datetime) -> Read:
        """What happened after *position*; without one, after the instant *since*. Raises MemoryFault, OSError."""
        ...


class KeptTurns:
    """The transcript: a position is the sequence of a turn."""

    name = "turns"
    kinds: frozenset[SentKind] = frozenset({"turn.kept"})

    async def after(self, mind: Mind, position: str | None, *, since: datetime) -> Read:
        """Every turn that is stored and not erased."""
        cursor = int(position) if position is not None else await last_accepted(mind.transcript, since)
        sequences = mind.transcript.positions.after(cursor, limit=_PAGE)
        turns = await mind.transcript.read_many(sequences)
        events = [
            Happened("turn.kept", _key(one), one.accepted_at, about(one))
            for one in turns
            if one.turn.kind is not TurnKind.ERASED
        ]
        return Read(tuple(events), str(sequences[-1] if sequences else cursor), len(sequences) < _PAGE)


class ReadTurns:
    """The graph: a position is the last turn that was read, and which before it are parked after how many attempts."""

    name = "reading"
    kinds: frozenset[SentKind] = frozenset({"turn.read", "turn.parked"})

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def after(self, mind: Mind, position: str | None, *, since: datetime) -> Read:
        """
        Turns that were read or parked, and parked ones that were read at last. A turn is told as read once.

        A graph that is read again from the start has not come to a turn that was parked: that stays as it was.
        """
        progress = await mind.graph.progress()
        if position is None:
            done = min(progress.extracted, await last_accepted(mind.transcript, since))
            known = {one.sequence: one.attempts for one in progress.parked if one.parked_at <= since}
        else:
            done, known = _reading(position)
        sequences = mind.transcript.positions.after(done, limit=_PAGE)
        new = tuple(takewhile(lambda one: one <= progress.extracted, sequences))
        end = new[-1] if new else done
        parked = {one.sequence: one for one in progress.parked if one.sequence <= end}
        changed = [one for one in parked.values() if one.attempts != known.get(one.sequence)]
        failed = {one.sequence: one for one in changed if not is_to_be_read_again(one)}
        again = {one: attempts for one, attempts in known.items() if one > progress.extracted}
        read = {one for one in (*new, *known) if one not in parked and one not in again}
        turns = await mind.transcript.read_many(sorted(read | failed.keys()))
        events = []
        for turn in (one for one in turns if one.is_remembered):
            fault = failed.get(turn.sequence)
            if fault is None:
                events.append(Happened("turn.read", _key(turn), self._clock.now(), about(turn)))
            else:
                key = f"{_key(turn)} {fault.attempts}"
                events.append(Happened("turn.parked", key, fault.parked_at, about(turn)))
        attempts = again | {one.sequence: one.attempts for one in parked.values()}
        left = json.dumps([end, sorted(attempts.items())])
        return Read(tuple(events), left, len(new) < _PAGE)


class MadeCorrections:
    """The log of corrections: a position is its last line."""

    name = "corrections"
    kinds: frozenset[SentKind] = frozenset({"correction.made"})

    async def after(self, mind: Mind, position: str | None, *, since: datetime) -> Read:
        """Every decision, and every one that was taken back."""
        lines = await anyio.to_thread.run_sync(_lines_of_file, mind.corrections)
        made = {one.id: one for one in lines if isinstance(one, Correction)}
        last, at = _mark(position) if position is not None else ("", since)
        events = []
        for line in _lines_after(lines, last, at):
            of = line if isinstance(line, Correction) else made.get(line.of)
            if of is not None:
                told: dict[str, str | int] = {"correction_id": of.id, "what": of.what}
                events.append(Happened("correction.made", line.id, line.at, told))
        return Read(tuple(events), _position(lines[-1].id, lines[-1].at) if lines else _position(last, at))


class ToldChapters:
    """The story and its ledger: a position is when chapters of ours were told last."""

    name = "story"
    kinds: frozenset[SentKind] = frozenset({"story.told"})

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def after(self, mind: Mind, position: str | None, *, since: datetime) -> Read:
        """Chapters that stand in the story; those that were told in one go are one event."""
        last = datetime.fromisoformat(position) if position is not None else since
        return await anyio.to_thread.run_sync(self._told, mind, last)

    def _told(self, mind: Mind, last: datetime) -> Read:
        ledger = read_ledger(mind.workspace.published)
        if all(at <= last for at in ledger.told_at.values()):
            return Read((), last.isoformat())
        story = StoryFile.of(mind.workspace, clock=self._clock).read()
        batches: dict[datetime, list[str]] = {}
        for digest in {chapter.digest for chapter in parse(without_marks(story)).chapters}:
            if (at := ledger.told_at.get(digest, last)) > last:
                batches.setdefault(at, []).append(digest)
        events = []
        for at, digests in sorted(batches.items()):
            turns = {one for digest in digests if digest in ledger.turns for one in ledger.turns[digest].narrated}
            events.append(Happened("story.told", at.isoformat(), at, {"turns": len(turns), "chapters": len(digests)}))
        return Read(tuple(events), max(batches, default=last).isoformat())


class AnsweredCalls:
    """The files of traces: a position is the last line that was read of each of the two newest days."""

    name = "traces"
    kinds: frozenset[SentKind] = frozenset({"resonance.answered"})

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def after(self, mind: Mind, position: str | None, *, since: datetime) -> Read:
        """Every pre-turn call whose trace is in its file. It happened just now: a trace has the time of its caller."""
        places, now = _places(position, since=since), self._clock.now()
        return await anyio.to_thread.run_sync(_answered_after, mind.trace_log, places, now)


def sources(clock: Clock) -> tuple[EventSource, ...]:
    """Every store, in the order in which the events of a turn follow each other."""
    return KeptTurns(), ReadTurns(clock), AnsweredCalls(clock), MadeCorrections(), ToldChapters(clock)


def _key(turn: StoredTurn) -> str:
    """A mind that was erased may begin anew with the same sequences: their time tells them apart."""
    return f"{turn.sequence} {turn.accepted_at.isoformat()}"


def _reading(position: str) -> tuple[int, dict[int, int]]:
    done, parked = json.loads(position)
    return int(done), {int(sequence): int(attempts) for sequence, attempts in parked}


def _position(last: str, at: datetime) -> str:
    return json.dumps([last, at.isoformat()])


def _mark(position: str) -> tuple[str, datetime]:
    last, at = json.loads(position)
    return str(last), datetime.fromisoformat(at)


def _lines_of_file(corrections: CorrectionLog) -> tuple[Line, ...]:
    corrections.read_again()  # what other machines appended may be in the file alone
    return corrections.lines()


def _lines_after(lines: tuple[Line, ...], last: str, at: datetime) -> Iterator[Line]:
    """The lines behind the one with the id *last*; where an erasure took it, those that are newer than it was."""
    place = next((number for number, line in enumerate(lines) if line.id == last), None)
    return iter(lines[place + 1 :]) if place is not None else (line for line in lines if line.at > at)


@dataclass(frozen=True, slots=True)
class _Place:
    """The last line that was read of a file of traces: where it begins, its trace and when that call began."""

    offset: int
    trace_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class _Places:
    """What was read of each day, and since when calls are told of in a file that was not read yet."""

    by_day: Mapping[int, _Place]
    since: datetime

    def written(self) -> str:
        """As a position of the outbox."""
        newest = sorted(self.by_day)[-2:]  # around midnight, machines write into two files
        days = {
            day: [one.offset, one.trace_id, one.at.isoformat()] for day, one in self.by_day.items() if day in newest
        }
        return json.dumps({"since": self.since.isoformat(), "days": days})


def _places(position: str | None, *, since: datetime) -> _Places:
    if position is None:
        return _Places({}, since)
    found = json.loads(position)
    if isinstance(found, list):  # of earlier versions: the id of a trace, and when its call began
        at = datetime.fromisoformat(found[1])
        return _Places({at.toordinal(): _Place(-1, str(found[0]), at)} if found[0] else {}, at)
    days = {
        int(day): _Place(int(offset), str(trace_id), datetime.fromisoformat(at))
        for day, (offset, trace_id, at) in found["days"].items()
    }
    return _Places(days, datetime.fromisoformat(found["since"]))


def _answered_after(traces: TraceLog, places: _Places, now: datetime) -> Read:
    first = max(places.by_day, default=places.since.toordinal()) - 1
    by_day, events = dict(places.by_day), list[Happened]()
    for day in traces.days():
        for offset, trace in _behind(traces, day, by_day.get(day), since=places.since) if day >= first else ():
            if len(events) == _PAGE:
                return Read(tuple(events), _Places(by_day, places.since).written(), is_all=False)
            events.append(_answered(trace, now))
            by_day[day] = _Place(offset, trace.trace_id, trace.at)
    return Read(tuple(events), _Places(by_day, places.since).written())


def _behind(traces: TraceLog, day: int, last: _Place | None, *, since: datetime) -> Iterator[tuple[int, TraceDocument]]:
    """The traces of a file behind the one read *last*; where an erasure took that one, those of newer calls."""
    if last is None:
        yield from ((at, trace) for at, trace in _written(traces, day) if _may_be_after(since, trace, day))
        return
    for start in (last.offset, 0):
        found = _written(traces, day, start=start) if start >= 0 else iter(())
        if any(trace.trace_id == last.trace_id for _, trace in (islice(found, 1) if start else found)):
            yield from found
            return
    yield from ((at, trace) for at, trace in _written(traces, day) if _may_be_after(last.at, trace, day))


def _may_be_after(instant: datetime, trace: TraceDocument, day: int) -> bool:
    """
    Whether a call may have been made after *instant*, by the time that its caller gave, in the file of a *day*.

    Where one of the two times is not of about that day, they do not say which was first.
    """
    has_times = all(abs(at.toordinal() - day) <= 1 for at in (instant, trace.at))
    return not has_times or trace.at > instant


def _written(traces: TraceLog, day: int, *, start: int = 0) -> Iterator[tuple[int, TraceDocument]]:
    return ((line.offset, line.trace) for line in traces.written(day, start=start) if line.trace is not None)


def _answered(trace: TraceDocument, now: datetime) -> Happened:
    surfaced = len(trace.shown) or int(trace.surfaced)  # of a call off the record, only whether something did
    told: dict[str, str | int] = {"trace_id": trace.trace_id, "session_id": trace.session_id, "surfaced": surfaced}
    return Happened("resonance.answered", trace.trace_id, now, told)
