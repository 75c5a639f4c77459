"""
Full text as it was at an earlier time: turns that came later are not found, and facts hold as they held then.

How rare a word is, who speaks, and in which languages, is still counted over all turns: that moves scores a little.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from service.index.text_index import TextIndex
from service.index.text_ranking import ARMS_OF_TURNS
from service.index.text_store import with_placeholders

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from service.index.text_ranking import TextHit, TextQuery
    from service.index.text_store import Relation

_DEPTH = 3_000  # rows that are looked at, of which many may be later
_EPISODES, _INVALID_AT = 4, 6  # of the row of a fact
_MOST = 30_000  # values of one statement


class TextAsOf(TextIndex):
    """*index* without what was stored after the turn *last*, or occurred after *instant*. It writes nothing."""

    def __init__(self, index: TextIndex, *, last: int, instant: datetime) -> None:
        self._file = index._file  # noqa: SLF001 - another view of the same database, which has one connection
        self._last = last
        self._instant = instant.isoformat()

    def known(self, sequences: Iterable[int]) -> frozenset[int]:
        """Those of *sequences* that were known then."""
        found = [one for one in sequences if one <= self._last][:_MOST]
        query = with_placeholders("SELECT sequence FROM turns WHERE occurred_at <= ? AND sequence IN", len(found))
        with self._file.opened() as database:
            return frozenset(sequence for (sequence,) in database.execute(query, (self._instant, *found)))

    def search_all(self, queries: Sequence[TextQuery]) -> tuple[tuple[TextHit, ...], ...]:
        """The rows that were there; facts are told from later ones by their turns (``sequences``)."""
        found = super().search_all([one._replace(limit=_DEPTH) for one in queries])
        return tuple(self._then(one, hits) for one, hits in zip(queries, found, strict=True))

    def _then(self, query: TextQuery, hits: tuple[TextHit, ...]) -> tuple[TextHit, ...]:
        if query.arm not in ARMS_OF_TURNS:
            return hits
        known = self.known(hit.number for hit in hits)
        return tuple(hit for hit in hits if hit.number in known)[: query.limit]

    def turn_counts(self, stems: Sequence[str]) -> dict[str, int]:
        """How many turns contained each stem in their own words."""
        query = "SELECT count(*) FROM turn_words WHERE turn_words MATCH ? AND rowid <= ?"
        with self._file.opened() as database:
            return {stem: int(database.execute(query, (f'own : "{stem}"', self._last)).fetchone()[0]) for stem in stems}

    def denied_by(self, sequences: Sequence[int]) -> dict[int, int]:
        """Which of these turns were denied by then, and by which turn."""
        found = super().denied_by(sequences)
        known = self.known(found.values())
        return {denied: by for denied, by in found.items() if by in known}

    def relations(self, wanted: Iterable[str], *, names: Iterable[str] = ()) -> tuple[tuple[Relation, int], ...]:
        """What was told by then of these relations, or of these *names*, newest first."""
        found = super().relations(wanted, names=names)
        known = self.known(sequence for _, sequence in found)
        return tuple(one for one in found if one[1] in known)

    def instructing(self, *, limit: int) -> tuple[int, ...]:
        """The newest turns that were known and instruct, newest first."""
        found = super().instructing(limit=_DEPTH)
        known = self.known(found)
        return tuple(one for one in found if one in known)[:limit]

    def turns_between(self, first: datetime, last: datetime, *, limit: int) -> dict[int, int]:
        """The newest turns of a time that were known, and how many words each one states."""
        found = super().turns_between(first, last, limit=_DEPTH)
        known = self.known(found)
        return dict([(sequence, words) for sequence, words in found.items() if sequence in known][:limit])

    def turns_of_days(self, ranges: Sequence[tuple[str, str]], *, limit: int) -> tuple[int, ...]:
        """The newest turns of these days to come that were known."""
        found = super().turns_of_days(ranges, limit=_DEPTH)
        known = self.known(found)
        return tuple(one for one in found if one in known)[:limit]

    def facts(self, numbers: Sequence[int]) -> dict[int, tuple[object, ...]]:
        """Facts by number, as ``TextIndex.facts``; one that ended later had no end."""
        return {number: self._as_held(row) for number, row in super().facts(numbers).items()}

    def important_facts(self, *, least: float, at: datetime, limit: int) -> tuple[tuple[object, ...], ...]:
        """Facts that were known and held, as ``TextIndex.important_facts``; one that ended later had no end."""
        return self._known_then(super().important_facts(least=least, at=at, limit=_DEPTH))[:limit]

    def facts_since(self, valid_at: str) -> tuple[tuple[object, ...], ...]:
        """Facts that were known, as ``TextIndex.facts_since``; one that ended later had no end."""
        return self._known_then(super().facts_since(valid_at))

    def _known_then(self, rows: Sequence[tuple[object, ...]]) -> tuple[tuple[object, ...], ...]:
        told = [json.loads(str(row[_EPISODES])) for row in rows]
        known = self.sequences(tuple(dict.fromkeys(one for episodes in told for one in episodes))[:_MOST])
        found = [row for row, episodes in zip(rows, told, strict=True) if not known.keys().isdisjoint(episodes)]
        return tuple(map(self._as_held, found))

    def sequences(self, episodes: Sequence[str]) -> dict[str, int]:
        """Sequences of the episodes that were known, by uuid."""
        found = super().sequences(episodes)
        known = self.known(found.values())
        return {episode: sequence for episode, sequence in found.items() if sequence in known}

    def _as_held(self, row: tuple[object, ...]) -> tuple[object, ...]:
        ended = row[_INVALID_AT]
        if ended is None or str(ended) <= self._instant:
            return row
        return (*row[:_INVALID_AT], None, *row[_INVALID_AT + 1 :])
