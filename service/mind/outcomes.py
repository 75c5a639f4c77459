"""
What became of a mind's memories once they were shown: a log of outcomes, and what they come to.

The log is ``outcomes.jsonl``, a line each, synced before anybody is answered. It holds ids and no words. What the
outcomes come to is a projection with a cursor into the log: a process that dies between the two loses neither.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AwareDatetime, ConfigDict, Field, TypeAdapter, ValidationError

from consolidation.kernel.files import append_synced, replace_text
from consolidation.kernel.links import open_regular
from consolidation.kernel.shared_files import stamp_of
from consolidation.transcript.recovery import seal_end
from service.index.outcome_index import OutcomeIndex, Weighted
from service.index.salience import Outcome  # noqa: TC001 - pydantic reads it

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from service.index.outcome_index import StandingOutcome
    from service.index.salience import Salience

_RESTING = ("fact:", "observation:")  # memories that were made of turns
_TURN_SHARE = 0.5  # of their outcome, for the turns that they come from
_LINES_A_STEP = 2_000
_MOST_CONTRADICTED = 2_000  # memories that are looked at where any of them may be meant


@dataclass(frozen=True, slots=True)
class OutcomeRecord:
    """
    One line of the log: what became of the memory ``id``, which the trace showed, and which rests on ``sequences``.

    ``trace_id`` is None for a memory that a person judged without a trace. ``reporter`` is ``caller``, or ``noticed``
    where the service saw it by itself. ``newest`` was the last sequence of the mind.
    """

    __pydantic_config__ = ConfigDict(extra="ignore")

    at: AwareDatetime
    trace_id: str | None
    session_id: str | None
    id: str
    outcome: Outcome
    reporter: Literal["caller", "noticed"] = "caller"
    sequences: Annotated[tuple[int, ...], Field(max_length=10_000)] = field(default=())
    newest: int = 0

    def encoded(self) -> str:
        """It as one line of the file, without the newline."""
        return _RECORD.dump_json(self).decode()

    def weighted(self) -> Weighted:
        """It with all that it counts for: the memory, and half for each turn of a fact."""
        turns = _turn_ids(self.sequences) if self.id.startswith(_RESTING) else ()
        memories = {**dict.fromkeys(turns, _TURN_SHARE), self.id: 1.0}
        return Weighted(self.trace_id or "", self.id, self.outcome, self.reporter, self.at, self.newest, memories)


_RECORD = TypeAdapter(OutcomeRecord)


class Outcomes:
    """The outcomes of one mind; safe to use from several threads. Methods that read raise IndexUnusable and OSError."""

    def __init__(self, file: Path, *, index: Path) -> None:
        """The log is *file*, and the projection *index*; neither need exist."""
        self._file = file
        self._index = OutcomeIndex(index)
        self._mutex = threading.Lock()
        self._is_read = False

    def add(self, records: Sequence[OutcomeRecord]) -> tuple[OutcomeRecord, ...]:
        """
        Append the records that say something new, and return them; they are on disk then.

        The same outcome of the same memory of the same trace is not new. Another one takes its place. Without a trace,
        the same one is new where other reports changed what holds of the memory since. What we noticed by ourselves
        never takes the place of what a caller reported. Raises OSError; then none is kept.
        """
        with self._mutex:
            self._catch_up()
            standing: dict[str, dict[str, StandingOutcome]] = {}
            new: dict[tuple[str | None, str], OutcomeRecord] = {}
            noticed: list[OutcomeRecord] = []  # a caller reported the same memory; these say which answer used it
            for record in records:
                trace_id = record.trace_id or ""
                if trace_id not in standing:
                    standing[trace_id] = {one.memory: one for one in self._index.of_trace(trace_id)}
                known = standing[trace_id].get(record.id)
                if known is None or _says_more(record, known) or self._reverses(record):
                    new[record.trace_id, record.id] = record
                elif known.reporter == "caller" and record.reporter == "noticed" and record.outcome == "used":
                    noticed.append(record)
            if new or noticed:
                lines = "".join(f"{one.encoded()}\n" for one in (*new.values(), *noticed))
                append_synced(self._file, lines.encode())
                self._catch_up(is_longer=True)
            return tuple(new.values())

    def _reverses(self, record: OutcomeRecord) -> bool:
        """Whether a report without a trace holds back a memory that came up so far, or brings one back."""
        known = None if record.trace_id else self._index.salience([record.id]).get(record.id)
        if known is None:
            return False
        is_brought_back = record.outcome == "acted" and known.is_wrong
        return is_brought_back or (record.outcome == "contradicted" and not known.is_held_back(record.sequences))

    def salience(self, memories: Sequence[str], *, statements: Collection[str] = ()) -> Mapping[str, Salience]:
        """
        What is known of *memories*, by id; those without an outcome are left out.

        What was but noticed says nothing of *statements*, which people made: only who calls them wrong does.
        """
        with self._mutex:
            if not self._catch_up():
                return {}
            known = self._index.salience(memories)
            noticed = [one for one in known if one in statements]
            told = self._index.salience_by(None, noticed, is_told=True)
            return {key: one for key, one in known.items() if key not in noticed} | told

    def salience_by(
        self, instant: datetime, memories: Sequence[str], *, statements: Collection[str] = ()
    ) -> Mapping[str, Salience]:
        """The same by *instant*."""
        with self._mutex:
            if not self._catch_up():
                return {}
            others = [one for one in memories if one not in statements]
            told = self._index.salience_by(instant, [*statements], is_told=True)
            return self._index.salience_by(instant, others) | told

    def held_back(self, memories: Mapping[str, Sequence[int]], *, statements: Collection[str] = ()) -> frozenset[str]:
        """
        Which of *memories* were found wrong and not said again; by id, each with the turns that it rests on.

        What was made of turns is wrong where all of these were found wrong, too.
        """
        turns = {key: _turn_ids(rests_on) for key, rests_on in memories.items() if key.startswith(_RESTING)}
        every = dict.fromkeys((*memories, *(turn for found in turns.values() for turn in found)))
        known = self.salience(tuple(every), statements=statements)

        def is_wrong(memory: str, of: str) -> bool:
            return memory in known and known[memory].is_held_back(memories[of])

        told_wrong = {key for key, found in turns.items() if found and all(is_wrong(turn, key) for turn in found)}
        return frozenset(key for key in memories if key in told_wrong or is_wrong(key, key))

    def contradicted_facts(self, turns: Sequence[str]) -> Mapping[str, frozenset[str]]:
        """By turn (``episode:<sequence>``), the ids of its facts that were contradicted."""
        with self._mutex:
            return self._index.contradicted_facts(turns) if self._catch_up() else {}

    def ever_contradicted(self) -> tuple[str, ...]:
        """The ids of memories that were ever contradicted, the latest first; ``held_back`` says which are wrong now."""
        with self._mutex:
            return self._index.ever_contradicted(limit=_MOST_CONTRADICTED) if self._catch_up() else ()

    def used_by(self, sequences: Sequence[int]) -> Mapping[int, frozenset[str]]:
        """By turn, the ids of the memories that its answer was seen to use."""
        with self._mutex:
            return self._index.used_by(sequences) if self._catch_up() else {}

    def of_trace(self, trace_id: str) -> tuple[StandingOutcome, ...]:
        """The outcomes that stand for what a trace showed."""
        with self._mutex:
            return self._index.of_trace(trace_id) if self._catch_up() else ()

    def counts(self, *, since: datetime | None = None, before: datetime | None = None) -> Counter[str]:
        """How many reports of each outcome stand, from *since* on and *before* a time; None sets no limit."""
        with self._mutex:
            return self._index.counts(since=since, before=before) if self._catch_up() else Counter()

    def has(self, is_wanted: Callable[[OutcomeRecord], bool]) -> bool:
        """Whether a record of the log is wanted. Reads all of it."""
        with self._mutex:
            if not self._file.exists():
                return False
            return any(is_wanted(one) for records, _ in _steps(self._file, start=0) for one in records)

    def forget(self, is_doomed: Callable[[OutcomeRecord], bool]) -> int:
        """
        Drop the records that are doomed, from the log and the projection, and return how many lines went.

        A line that is not a record goes with them. Raises OSError, IndexUnusable.
        """
        with self._mutex:
            if not self._file.exists():
                return 0
            seen = stamp_of(self._file)
            with open_regular(self._file) as lines:
                found = [_decoded(line) for line in lines]
            staying = [one for one in found if one is not None and not is_doomed(one)]
            if len(staying) < len(found):
                self._drop()  # first: a projection that lives longer than its log would never be made again
                replace_text(self._file, "".join(f"{one.encoded()}\n" for one in staying), seen=seen)
            return len(found) - len(staying)

    def reset(self) -> None:
        """Delete the projection; it is made again from the log at its next use. Raises IndexUnusable."""
        with self._mutex:
            self._drop()

    def read_again(self) -> None:
        """Read the log on at its next use: another machine has appended to it."""
        with self._mutex:
            self._is_read = False

    def close(self) -> None:
        """Close the projection's file."""
        self._index.close()

    def _drop(self) -> None:
        self._index.drop()
        self._is_read = False

    def _catch_up(self, *, is_longer: bool = False) -> bool:
        """Read the log on from the cursor of the projection; False where there is no log, and so nothing to read."""
        if not self._file.exists():
            return False
        if self._is_read and not is_longer:
            return True
        if not self._is_read:
            seal_end(self._file)  # a kill tore the last line: the next record begins a line of its own
        cursor = self._index.cursor()
        if cursor > self._file.stat().st_size:  # another log is in its place
            self._index.drop()
            cursor = 0
        for records, read in _steps(self._file, start=cursor):
            self._index.add([one.weighted() for one in records], cursor=read)
        self._is_read = True
        return True


class OutcomesAsOf(Outcomes):
    """The outcomes of a mind that had been reported by *instant*. Only reading is meant for it."""

    def __init__(self, outcomes: Outcomes, *, instant: datetime) -> None:
        self._whole = outcomes
        self._instant = instant

    def salience(self, memories: Sequence[str], *, statements: Collection[str] = ()) -> Mapping[str, Salience]:
        """What was known of *memories*, by id; those without an outcome are left out."""
        return self._whole.salience_by(self._instant, memories, statements=statements)

    def contradicted_facts(self, turns: Sequence[str]) -> Mapping[str, frozenset[str]]:
        """By turn, the ids of its facts that were ever contradicted; ``salience`` knows which were by then."""
        return self._whole.contradicted_facts(turns)

    def ever_contradicted(self) -> tuple[str, ...]:
        """The ids of memories that were ever contradicted; ``held_back`` says which were wrong by then."""
        return self._whole.ever_contradicted()

    def used_by(self, sequences: Sequence[int]) -> Mapping[int, frozenset[str]]:
        """By turn, the ids of the memories that its answer was seen to use."""
        return self._whole.used_by(sequences)


def _turn_ids(sequences: Iterable[int]) -> tuple[str, ...]:
    return tuple(f"episode:{sequence}" for sequence in sequences)


def _says_more(record: OutcomeRecord, known: StandingOutcome) -> bool:
    """Whether *record* takes the place of what is known: a caller's of what was noticed, never the other way round."""
    if record.reporter == "caller":
        return (known.outcome, known.reporter) != (record.outcome, "caller")
    return known.reporter == "noticed" and known.outcome != record.outcome


def _steps(file: Path, *, start: int) -> Iterator[tuple[list[OutcomeRecord], int]]:
    """The records after *start* bytes, some at a time, each time with the bytes read so far."""
    with open_regular(file) as lines:
        lines.seek(start)
        at, records, read = start, [], 0
        for line in lines:
            at, read = at + len(line), read + 1
            record = _decoded(line)
            if record is not None:
                records.append(record)
            if read % _LINES_A_STEP == 0:
                yield records, at
                records = []
        if at > start:
            yield records, at


def _decoded(line: bytes) -> OutcomeRecord | None:
    """One line of the log; None for what is not a record: it was torn, damaged, or edited into another shape."""
    try:
        return _RECORD.validate_json(line)
    except ValidationError:
        return None
