"""
Entities as people split them: those that were split off, each with its facts, and what is left of those they were.

A split names turns: a fact is of the other entity where all the turns that told it are of the split. The graph knows
nothing of it, so that the rows are reckoned from full text, in the view of the file that the list itself is read in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from consolidation.corrections.wording import Wording
from consolidation.text.language import detect
from consolidation.text.names import name_key
from consolidation.text.sentences import sentences
from service.index.text_knowledge import EntityRow, neighbours_of, sequences_of
from service.index.text_splits import (
    entities_with_keys,
    facts_joining,
    facts_told_first_in,
    mentions_in,
    texts_told_first_in,
    times_without,
    turns_telling_of,
)
from service.retrieval.lead_words import without_lead

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from consolidation.corrections.entity_names import Split
    from service.index.text_splits import JoinedNames, Mention
    from service.retrieval.put_right import PutRight

_MOST_NEIGHBOURS = 50
_NUMBERS = 2**52  # from here on: behind those of every row


@dataclass(frozen=True, slots=True)
class SplitOff:
    """
    An entity that was split off, as a row; its facts by number, its turns, and the other names in its facts.

    ``known_as`` are the entities of the index with its name: a turn that was stored later named it so.
    """

    row: EntityRow
    known_as: tuple[EntityRow, ...] = ()
    facts: frozenset[int] = frozenset()
    told_at: tuple[float, ...] = ()  # of each turn, in seconds since 1970
    neighbours: tuple[tuple[str, int], ...] = ()
    origins: frozenset[str] = frozenset()  # keys of the names that it was split off from

    @property
    def months(self) -> tuple[tuple[str, int], ...]:
        """The months (UTC, ``2026-01``) of its turns, oldest first, and how many turns."""
        return tuple(sorted(Counter(f"{datetime.fromtimestamp(at, UTC):%Y-%m}" for at in self.told_at).items()))


@dataclass(frozen=True, slots=True)
class Lost:
    """What a name of the graph has no longer: facts by number, and turns in which nothing else tells of it."""

    facts: frozenset[int] = frozenset()
    sequences: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class SplitView:
    """What splits make of the entities of one index; nothing where there are none."""

    off: tuple[SplitOff, ...] = ()
    left: tuple[EntityRow, ...] = ()  # of the entities of the index that something was split off from
    lost: Mapping[str, Lost] = field(default_factory=dict)  # by name
    moved: Mapping[tuple[int, str], str] = field(default_factory=dict)  # fact and name there: the uuid of whom it is of

    def of_id(self, uuid: str) -> SplitOff | None:
        """The entity that was split off and has this id, or that of an entity of the index with its name."""
        return next((one for one in self.off if uuid in {row.uuid for row in (one.row, *one.known_as)}), None)

    @property
    def numbers(self) -> frozenset[int]:
        """The rows of the index in whose place others stand."""
        return frozenset(row.number for row in (*self.left, *(row for one in self.off for row in one.known_as)))

    def named(self, keys: AbstractSet[str]) -> SplitOff | None:
        """The entity that was split off and whose name has one of these keys."""
        return next((one for one in self.off if one.row.key in keys), None)

    def row_of(self, row: EntityRow) -> EntityRow:
        """*row*, without what was split off from it."""
        return next((one for one in self.left if one.number == row.number), row)

    def lost_by(self, name: str) -> Lost:
        """What *name* has no longer."""
        return self.lost.get(name, Lost())


def split_view(database: sqlite3.Connection, put_right: PutRight) -> SplitView:
    """What the splits that stand make of the index."""
    splits = put_right.standing.splits
    if not splits:
        return SplitView()
    sequence_of = {turn_id: sequence for sequence, turn_id in put_right.turn_ids.items()}
    told_in = sorted({sequence_of[one] for split in splits for one in split.turn_ids if one in sequence_of})
    rows = entities_with_keys(database, sorted({key for one in splits for key in put_right.standing.keys_of(one.name)}))
    names = sorted({row.name for row in rows})
    facts = facts_told_first_in(database, names, told_in)
    mentions = mentions_in(database, names, told_in)
    moved = _moved(facts, sequences_of(database, (uuid for one in facts for uuid in one.episodes)), put_right)
    lost = _lost(moved, mentions)
    off = tuple(_split_off(database, key, splits, rows, moved, mentions, put_right) for key in _keys(splits))
    uuid_of = {one.row.key: one.row.uuid for one in off}
    return SplitView(
        off=off,
        left=tuple(_left(database, row, lost[row.name]) for row in rows if row.name in lost),
        lost=lost,
        moved={(one.fact, one.name): uuid_of[name_key(one.split.to)] for one in moved},
    )


@dataclass(frozen=True, slots=True)
class _Moved:
    """That a fact is not of a name any more, but of what was split off from it."""

    fact: int
    name: str
    split: Split
    other: str  # the name at the fact's other side
    sequences: tuple[int, ...]


def _moved(facts: Iterable[JoinedNames], sequences: Mapping[str, int], put_right: PutRight) -> list[_Moved]:
    found = []
    for fact in facts:
        told_in = tuple({sequences[one] for one in fact.episodes if one in sequences})
        for name, other in {fact.source: fact.target, fact.target: fact.source}.items():
            split = put_right.split_in(name, told_in) if told_in else None
            if split is not None:
                found.append(_Moved(fact.number, name, split, put_right.name_in(other, told_in), told_in))
    return found


def _lost(moved: Sequence[_Moved], mentions: Iterable[Mention]) -> dict[str, Lost]:
    facts: dict[str, set[int]] = defaultdict(set)
    told: Counter[tuple[str, int]] = Counter()
    for one in moved:
        facts[one.name].add(one.fact)
        told.update((one.name, sequence) for sequence in one.sequences)
    gone = {(one.name, one.sequence) for one in mentions if one.facts <= told[one.name, one.sequence]}
    return {
        name: Lost(frozenset(numbers), frozenset(sequence for of, sequence in gone if of == name))
        for name, numbers in facts.items()
    }


def _keys(splits: Iterable[Split]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name_key(one.to) for one in splits))


def _split_off(
    database: sqlite3.Connection,
    key: str,
    splits: Iterable[Split],
    rows: Sequence[EntityRow],
    moved: Iterable[_Moved],
    mentions: Iterable[Mention],
    put_right: PutRight,
) -> SplitOff:
    own = [one for one in splits if name_key(one.to) == key]
    origins = frozenset(other for one in own for other in put_right.standing.keys_of(one.name))
    facts = [one for one in moved if name_key(one.split.to) == key]
    told_in = {(one.name, sequence) for one in facts for sequence in one.sequences}
    names = sorted(put_right.standing.keys_of(own[0].to) - origins)
    known_as = entities_with_keys(database, names) if names else ()
    called = [one.name for one in known_as]
    numbers = frozenset(one.fact for one in facts) | facts_joining(database, called)
    told_at = {one.sequence: one.at for one in mentions if (one.name, one.sequence) in told_in}
    told_at |= turns_telling_of(database, called)
    others = Counter({one.fact: one.other for one in facts if name_key(one.other) != key}.values())
    others.update(dict(neighbours_of(database, called, without=[one.fact for one in facts], limit=_MOST_NEIGHBOURS)))
    row = EntityRow(
        number=_NUMBERS + int.from_bytes(own[0].entity.encode()[-6:]),
        uuid=own[0].entity,
        name=own[0].to,
        key=key,
        kind=next((one.kind for one in (*known_as, *(row for row in rows if row.key in origins)) if one.kind), ""),
        summary=put_right.edited_summary(own[0].to) or "\n".join(one.summary for one in known_as),
        facts=len(numbers),
        mentions=len(told_at),
        first_at=min(told_at.values(), default=None),
        last_at=max(told_at.values(), default=None),
    )
    return SplitOff(
        row,
        known_as,
        numbers,
        tuple(told_at.values()),
        tuple(sorted(others.items(), key=lambda pair: (-pair[1], pair[0]))),
        origins - {key},
    )


def _left(database: sqlite3.Connection, row: EntityRow, lost: Lost) -> EntityRow:
    first, last = times_without(database, row.name, sorted(lost.sequences))
    facts, mentions = row.facts - len(lost.facts), row.mentions - len(lost.sequences)
    summary = _without(row.summary, texts_told_first_in(database, lost.sequences)) if facts else ""
    return replace(row, facts=facts, mentions=mentions, first_at=first, last_at=last, summary=summary)


def _without(summary: str, given_away: Iterable[str]) -> str:
    """What is known of an entity, without the sentences that tell what is another's now."""
    wordings = [Wording.of(without_lead(one)) for one in given_away]
    known = tuple(sentences(summary, language=detect(summary)))
    left = [one for one in known if not any(wording.is_carried_by(without_lead(one)) for wording in wordings)]
    return " ".join(left) if len(left) < len(known) else summary
