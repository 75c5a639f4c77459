"""
Full text of some turns alone: the others are not found, nor facts and entities that only they told.

How rare a word is, who speaks, and in which languages, is still counted over all turns: that moves scores a little.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from service.index.text_index import TextIndex
from service.index.text_ranking import ARMS_OF_TURNS, ranked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from service.index.text_ranking import TextHit, TextQuery
    from service.index.text_store import Relation
    from service.index.turn_fields import TurnFilter

_DEPTH = 3_000  # rows of facts and entities that are looked at, of which many may be of other turns
_MOST_MENTIONS = 5_000
_EPISODES, _NAME = 4, 1  # of the row of a fact, and of an entity


class TextOfTurns(TextIndex):
    """*index* with only the turns that *wanted* leaves in. It writes nothing."""

    def __init__(self, index: TextIndex, *, wanted: TurnFilter) -> None:
        """It reads the file. Raises IndexUnusable."""
        self._file = index._file  # noqa: SLF001 - another view of the same database, which has one connection
        self._whole = index  # which may be a view itself
        with self._file.opened() as database:
            self._known = wanted.sequences(database)

    def known(self, sequences: Iterable[int]) -> frozenset[int]:
        """Those of *sequences* that count."""
        return self._known.intersection(sequences)

    def search_all(self, queries: Sequence[TextQuery]) -> tuple[tuple[TextHit, ...], ...]:
        """The rows that these turns made."""
        return tuple(map(self._made, queries))

    def _made(self, query: TextQuery) -> tuple[TextHit, ...]:
        arm, _, limit = query
        if arm in ARMS_OF_TURNS and type(self._whole) is TextIndex:
            with self._file.opened() as database:
                return ranked(database, (query,), among=self._known)[0]
        [hits] = self._whole.search_all((query._replace(limit=_DEPTH),))
        if arm in ARMS_OF_TURNS:
            return tuple(hit for hit in hits if hit.number in self._known)[:limit]
        rows = self.facts if arm == "facts" else self.entities
        known = rows([hit.number for hit in hits])
        return tuple(hit for hit in hits if hit.number in known)[:limit]

    def denied_by(self, sequences: Sequence[int]) -> dict[int, int]:
        """Which of these turns are denied, and by which turn, whatever turn that is."""
        return self._whole.denied_by(sequences)

    def relations(self, wanted: Iterable[str], *, names: Iterable[str] = ()) -> tuple[tuple[Relation, int], ...]:
        """What the turns that count told of these relations, or of these *names*, newest first."""
        found = self._whole.relations(wanted, names=names)
        known = self._known
        return tuple(one for one in found if one[1] in known)

    def instructing(self, *, limit: int) -> tuple[int, ...]:
        """The newest turns that count and instruct, newest first."""
        found = self._whole.instructing(limit=_DEPTH)
        return tuple(one for one in found if one in self._known)[:limit]

    def turns_between(self, first: datetime, last: datetime, *, limit: int) -> dict[int, int]:
        """The newest turns of a time that count, and how many words each one states."""
        found = self._whole.turns_between(first, last, limit=_DEPTH)
        return dict([(sequence, words) for sequence, words in found.items() if sequence in self._known][:limit])

    def turns_of_days(self, ranges: Sequence[tuple[str, str]], *, limit: int) -> tuple[int, ...]:
        """The newest turns of these days to come that count."""
        found = self._whole.turns_of_days(ranges, limit=_DEPTH)
        return tuple(one for one in found if one in self._known)[:limit]

    def turn_counts(self, stems: Sequence[str]) -> dict[str, int]:
        """How many turns contain each stem in their own words, whatever turns these are."""
        return self._whole.turn_counts(stems)

    def facts(self, numbers: Sequence[int]) -> dict[int, tuple[object, ...]]:
        """Facts by number, as ``TextIndex.facts``, that a turn told which counts."""
        rows = self._whole.facts(numbers)
        told_in = {number: json.loads(str(row[_EPISODES])) for number, row in rows.items()}
        counting = self.sequences([episode for episodes in told_in.values() for episode in episodes]).keys()
        return {number: row for number, row in rows.items() if not counting.isdisjoint(told_in[number])}

    def facts_since(self, valid_at: str) -> tuple[tuple[object, ...], ...]:
        """The facts that hold from *valid_at* on, whatever turns told them: one that counts may follow on another."""
        return self._whole.facts_since(valid_at)

    def entities(self, numbers: Sequence[int]) -> dict[int, tuple[object, ...]]:
        """Entities by number, as ``TextIndex.entities``, that these turns alone tell of."""
        rows = self._whole.entities(numbers)
        return {number: row for number, row in rows.items() if self.tells_all_of(str(row[_NAME]))}

    def tells_all_of(self, name: str) -> bool:
        """Whether every turn that tells of an entity counts: what is known of it has no other words then."""
        with self._file.opened() as database:
            rows = database.execute("SELECT sequence FROM mentions WHERE name = ?", (name,)).fetchall()
        told_in = {*(row[0] for row in rows), *self._whole.mentions(name, limit=_MOST_MENTIONS)}
        return bool(told_in) and told_in <= self._known

    def mentions(self, name: str, *, limit: int) -> tuple[int, ...]:
        """The newest turns that count and contain *name*, or that were spoken by its bearer."""
        found = self._whole.mentions(name, limit=_MOST_MENTIONS)
        return tuple(one for one in found if one in self._known)[:limit]

    def sequences(self, episodes: Sequence[str]) -> dict[str, int]:
        """Sequences of the episodes that count, by uuid."""
        found = self._whole.sequences(tuple(dict.fromkeys(episodes)))
        return {episode: sequence for episode, sequence in found.items() if sequence in self._known}
