"""Where on disk each turn of a transcript is. It is kept in memory, about 60 bytes a turn, and does no I/O."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from heapq import nlargest
from operator import itemgetter
from typing import TYPE_CHECKING

from consolidation.kernel.turns import TurnKind
from consolidation.transcript.tombstones import id_digest, session_digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from consolidation.kernel.turns import StoredTurn

_FIRST_LOOKED_AT = 1_000


@dataclass(frozen=True, slots=True)
class Place:
    """A line's file, its first byte and its length in bytes, newline not counted."""

    file: Path
    offset: int
    length: int


class Positions:
    """Sequence → place, turn id → sequence, session → sequences, and running totals of tokens."""

    def __init__(self) -> None:
        self._files: list[Path] = []
        self._sequences = array("Q")
        self._file_numbers = array("L")
        self._offsets = array("Q")
        self._lengths = array("Q")
        self._tokens = array("Q")
        self._remembered = array("Q")
        self._tool_calls = array("Q")
        self._by_id: dict[str, int] = {}
        self._by_session: dict[str, array[int]] = {}
        self._erased: dict[str, int] = {}
        self._erased_in: dict[str, array[int]] = {}
        self._tombstones: set[int] = set()
        self._first_action: int | None = None

    def __len__(self) -> int:
        return len(self._sequences) - len(self._erased)

    @property
    def last(self) -> int:
        """The highest sequence, 0 when there is none."""
        return self._sequences[-1] if self._sequences else 0

    def add(self, kept: StoredTurn, place: Place) -> None:
        """Record where *kept* is; its sequence must be above all recorded before."""
        if not self._files or self._files[-1] != place.file:
            self._files.append(place.file)
        self._file_numbers.append(len(self._files) - 1)
        self._offsets.append(place.offset)
        self._lengths.append(place.length)
        told = kept.tokens if kept.is_remembered else 0
        self._tokens.append((self._tokens[-1] if self._tokens else 0) + told)
        self._remembered.append((self._remembered[-1] if self._remembered else 0) + kept.is_remembered)
        self._tool_calls.append((self._tool_calls[-1] if self._tool_calls else 0) + kept.is_tool_call)
        self._sequences.append(kept.sequence)
        if kept.turn.kind is TurnKind.ERASED:
            self._bury(kept)
            return
        if kept.turn.kind is TurnKind.ACTION and self._first_action is None:
            self._first_action = kept.sequence
        self._by_session.setdefault(kept.turn.session_id, array("Q")).append(kept.sequence)
        self._by_id[kept.turn.turn_id] = kept.sequence

    def erase(self, turns: Sequence[StoredTurn], tombstones: Sequence[StoredTurn]) -> None:
        """Replace *turns* by *tombstones*: their places stay; their ids, sessions and tokens are forgotten."""
        gone = {kept.sequence: kept for kept in turns}
        tokens, remembered, tool_calls = array("Q"), array("Q"), array("Q")
        fewer_tokens = fewer = fewer_calls = 0
        for at, sequence in enumerate(self._sequences):
            if sequence in gone and gone[sequence].is_remembered:
                fewer_tokens += gone[sequence].tokens
                fewer += 1
                fewer_calls += gone[sequence].is_tool_call
            tokens.append(self._tokens[at] - fewer_tokens)
            remembered.append(self._remembered[at] - fewer)
            tool_calls.append(self._tool_calls[at] - fewer_calls)
        self._tokens, self._remembered, self._tool_calls = tokens, remembered, tool_calls
        for session_id in {kept.turn.session_id for kept in turns}:
            left = array("Q", (one for one in self._by_session.pop(session_id, ()) if one not in gone))
            if left:
                self._by_session[session_id] = left
        for kept in turns:
            self._by_id.pop(kept.turn.turn_id, None)
        for tombstone in tombstones:
            self._bury(tombstone)

    def _bury(self, tombstone: StoredTurn) -> None:
        self._erased.setdefault(tombstone.turn.turn_id, tombstone.sequence)
        self._tombstones.add(tombstone.sequence)
        self._erased_in.setdefault(tombstone.turn.session_id, array("Q")).append(tombstone.sequence)

    def until(self, last: int) -> Positions:
        """A copy that ends with the sequence *last*, and does not grow. What was erased since is erased in it, too."""
        end, then = bisect_right(self._sequences, last), Positions()
        then._file_numbers = self._file_numbers[:end]
        then._files = self._files[: then._file_numbers[-1] + 1 if end else 0]
        then._sequences, then._offsets, then._lengths = self._sequences[:end], self._offsets[:end], self._lengths[:end]
        then._tokens, then._remembered = self._tokens[:end], self._remembered[:end]
        then._tool_calls = self._tool_calls[:end]
        # Each is copied before it is looked through: a turn may be added meanwhile.
        then._by_id = {turn_id: sequence for turn_id, sequence in self._by_id.copy().items() if sequence <= last}
        then._by_session = _cut(self._by_session, last)
        then._erased = {digest: sequence for digest, sequence in self._erased.copy().items() if sequence <= last}
        then._erased_in = _cut(self._erased_in, last)
        then._tombstones = {sequence for sequence in self._tombstones.copy() if sequence <= last}
        first = self._first_action
        then._first_action = first if first is not None and first <= last else None
        return then

    def place(self, sequence: int) -> Place | None:
        """Where the turn of this sequence stands, None when there is none."""
        at = bisect_left(self._sequences, sequence)
        if at == len(self._sequences) or self._sequences[at] != sequence:
            return None
        return self._place_at(at)

    def _place_at(self, at: int) -> Place:
        return Place(self._files[self._file_numbers[at]], self._offsets[at], self._lengths[at])

    def sequence_of(self, turn_id: str) -> int | None:
        """The sequence of a turn id."""
        return self._by_id.get(turn_id)

    def is_erased(self, turn_id: str) -> bool:
        """Whether a turn of this id was erased."""
        return bool(self._erased) and id_digest(turn_id) in self._erased

    def is_taken(self, turn_id: str) -> bool:
        """Whether a turn of this id is stored, or was erased."""
        return turn_id in self._by_id or self.is_erased(turn_id)

    def in_session(self, session_id: str) -> tuple[int, ...]:
        """The sequences of a session, ascending, without erased turns."""
        return tuple(self._by_session.get(session_id, ()))

    def in_sessions_like(self, beginning: str) -> tuple[int, ...]:
        """The sequences of all sessions whose ids begin so, ascending, without erased turns."""
        found = [told for session_id, told in [*self._by_session.items()] if session_id.startswith(beginning)]
        return tuple(sorted(one for told in found for one in told))

    def erased_in(self, session_id: str) -> tuple[int, ...]:
        """The sequences of a session's erased turns."""
        return tuple(self._erased_in.get(session_digest(session_id), ())) if self._erased else ()

    def within(self, file: Path, start: int, end: int) -> tuple[Place, ...]:
        """The places of the turns between two bytes of a file, in order."""
        numbers = {number for number, known in enumerate(self._files) if known == file}
        places = (
            Place(file, self._offsets[at], self._lengths[at])
            for at, number in enumerate(self._file_numbers)
            if number in numbers and start <= self._offsets[at] < end
        )
        return tuple(sorted(places, key=lambda place: place.offset))

    def after(self, sequence: int, *, limit: int) -> tuple[int, ...]:
        """The next sequences above *sequence*, ascending, at most *limit*."""
        start = bisect_right(self._sequences, sequence)
        return tuple(self._sequences[start : start + limit])

    def before_in_session(self, session_id: str, sequence: int, *, limit: int) -> tuple[int, ...]:
        """The last *limit* sequences of a session below *sequence*, ascending."""
        told = self._by_session.get(session_id, array("Q"))
        end = bisect_left(told, sequence)
        return tuple(told[max(0, end - limit) : end])

    def after_in_session(self, session_id: str, sequence: int, *, limit: int) -> tuple[int, ...]:
        """The next *limit* sequences of a session above *sequence*, ascending."""
        told = self._by_session.get(session_id, array("Q"))
        start = bisect_right(told, sequence)
        return tuple(told[start : start + limit])

    def backwards(self, sequence: int, *, session_id: str | None = None) -> Iterator[tuple[int, Place]]:
        """Every sequence from *sequence* down and its place, newest first; with *session_id*, of that session alone."""
        known = self._sequences if session_id is None else self._by_session.get(session_id, array("Q"))
        for at in range(bisect_right(known, sequence) - 1, -1, -1):
            place = self.place(known[at]) if session_id is not None else self._place_at(at)
            if place is not None:
                yield known[at], place

    def forwards(self, sequence: int, *, session_id: str | None) -> Iterator[int]:
        """Every sequence above *sequence*, oldest first; with *session_id*, of that session alone."""
        known = self._sequences if session_id is None else self._by_session.get(session_id, array("Q"))
        for at in range(bisect_right(known, sequence), len(known)):
            yield known[at]

    @property
    def tombstones(self) -> tuple[int, ...]:
        """The sequences of erased turns, ascending."""
        return tuple(sorted(self._tombstones))

    def is_tombstone(self, sequence: int) -> bool:
        """Whether the turn of this sequence was erased."""
        return sequence in self._tombstones

    def sessions_at(self, sequence: int, *, below: int, limit: int) -> tuple[tuple[str, int], ...]:
        """
        Sessions as they stood when *sequence* was the last one, each with its last sequence, the newest first.

        Only those whose last sequence is under *below*, at most *limit*.
        """
        lasts = ((session_id, bisect_right(told, sequence), told) for session_id, told in [*self._by_session.items()])
        found = [(session_id, told[end - 1]) for session_id, end, told in lasts if end and told[end - 1] < below]
        return tuple(nlargest(limit, found, key=itemgetter(1)))

    def in_session_until(self, session_id: str, sequence: int) -> tuple[int, ...]:
        """The sequences of a session up to *sequence*, ascending."""
        told = self._by_session.get(session_id, array("Q"))
        return tuple(told[: bisect_right(told, sequence)])

    def first_remembered(self, session_id: str) -> int | None:
        """The first sequence of a session that is remembered, among its first thousand; None where there is none."""
        told = self._by_session.get(session_id, array("Q"))[:_FIRST_LOOKED_AT]
        return next((one for one in told if self._is_remembered(one)), None)

    def _is_remembered(self, sequence: int) -> bool:
        return self.remembered_after(sequence - 1) > self.remembered_after(sequence)

    def tokens_after(self, sequence: int) -> int:
        """Tokens of all remembered turns above *sequence*."""
        return self._sum_after(self._tokens, sequence)

    def remembered_after(self, sequence: int) -> int:
        """How many remembered turns there are above *sequence*."""
        return self._sum_after(self._remembered, sequence)

    @property
    def first_action(self) -> int | None:
        """The sequence of the first action of an agent; None where it never acted."""
        return self._first_action

    def tool_calls_after(self, sequence: int) -> int:
        """How many tool calls of an agent there are above *sequence*."""
        return self._sum_after(self._tool_calls, sequence)

    def tool_calls(self, *, after: int) -> tuple[int, ...]:
        """The sequences of all tool calls above *after*, ascending."""
        start = bisect_right(self._sequences, after)
        before = self._tool_calls[start - 1] if start else 0
        found = []
        for at in range(start, len(self._sequences)):
            if self._tool_calls[at] > before:
                found.append(self._sequences[at])
            before = self._tool_calls[at]
        return tuple(found)

    def _sum_after(self, totals: array[int], sequence: int) -> int:
        if not totals:
            return 0
        start = bisect_right(self._sequences, sequence)
        return totals[-1] - (totals[start - 1] if start else 0)

    def sessions(self) -> int:
        """How many sessions there are."""
        return len(self._by_session)


def _cut(sessions: Mapping[str, array[int]], last: int) -> dict[str, array[int]]:
    """The sequences of each session up to *last*; a session without any is left out."""
    cut = ((key, array("Q", (one for one in told if one <= last))) for key, told in [*sessions.items()])
    return {key: kept for key, kept in cut if kept}
