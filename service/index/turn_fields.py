"""
What turns can be chosen by besides their words: session, kind, speakers, the caller's own metadata, and days to come
that were told of in them.

Each is a row of the full-text file: a name, a value, a turn. A nested field of metadata has a dotted name
(``order.city``), a list has a row for each of its items.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from consolidation.kernel.turns import StoredTurn

type Scalar = str | int | float | bool

FIELDS_SCHEMA = """
CREATE TABLE turn_fields (
  name TEXT NOT NULL, value TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (name, value, sequence)
) WITHOUT ROWID;
CREATE INDEX turn_fields_by_sequence ON turn_fields (sequence);
"""
MOST_FIELDS = 64  # of the metadata of one turn
LONGEST_NAME, LONGEST_VALUE = 200, 500
MOST_DAYS = 64  # to come, of one turn
_SESSION, _KIND, _SPEAKER, _DAY, _OWN = "session", "kind", "speaker", "day", "metadata."
_OF_TURNS = "SELECT sequence FROM turn_fields WHERE name = ? AND value IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class TurnFilter:
    """
    Which turns count: those for which each part that is given holds.

    A turn has one of ``sessions`` and of ``kinds``, one of ``speakers`` (names or roles, in any case) says something in
    it, and each field of ``metadata`` has one of its values.
    """

    sessions: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    metadata: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether it leaves anything out."""
        return bool(self.sessions or self.kinds or self.speakers or self.metadata)

    def sequences(self, database: sqlite3.Connection) -> frozenset[int]:
        """The turns that count."""
        parts = list(self._parts())
        query = " INTERSECT ".join([_OF_TURNS] * len(parts))
        values = [value for name, wanted in parts for value in (name, json.dumps(wanted))]
        return frozenset(sequence for (sequence,) in database.execute(query, values))

    def noted(self, *, cleaned: Callable[[str], str]) -> dict[str, tuple[str, ...]]:
        """What was asked for, for a trace: values by name, each as text, *cleaned* as a turn's own are; ids stay."""
        return {
            cleaned(name): tuple(values) if name == _SESSION else tuple(_beside(cleaned(name), values, cleaned=cleaned))
            for name, values in self._parts()
        }

    def _parts(self) -> Iterator[tuple[str, Sequence[str]]]:
        if self.sessions:
            yield _SESSION, self.sessions
        if self.kinds:
            yield _KIND, self.kinds
        if self.speakers:
            yield _SPEAKER, [one.casefold() for one in self.speakers]
        for name, values in self.metadata.items():
            yield f"{_OWN}{name}", [as_value(value) for value in values]


def _beside(name: str, values: Iterable[str], *, cleaned: Callable[[str], str]) -> Iterator[str]:
    """*values*, of each of which *name* says what it is."""
    return (cleaned(f"{name}={value}").removeprefix(f"{name}=") for value in values)


EVERY_TURN = TurnFilter()


def fields_of(stored: StoredTurn, *, days: Sequence[str] = ()) -> tuple[tuple[str, str], ...]:
    """The rows of a turn: each name with a value. *days* are those to come that it tells of."""
    turn = stored.turn
    speakers = {name.casefold() for one in turn.messages for name in (one.role.value, one.known_as) if name}
    own = [(f"{_OWN}{name}", value) for name, value in _leaves(turn.metadata) if _fits(value)]
    rows = [(_SESSION, turn.session_id), (_KIND, turn.kind.value), *((_SPEAKER, one) for one in sorted(speakers))]
    rows += [(_DAY, one) for one in days[:MOST_DAYS]]
    return tuple(dict.fromkeys((*rows, *own[:MOST_FIELDS])))


def as_value(value: object) -> str:
    """A value as it is compared: text, number and truth value differ, 1 and 1.0 do not."""
    is_whole = isinstance(value, float) and value.is_integer()
    return json.dumps(int(value) if is_whole and isinstance(value, float) else value, ensure_ascii=False)


def has_fields(metadata: Mapping[str, object], wanted: Mapping[str, tuple[Scalar, ...]]) -> bool:
    """Whether each field of *wanted* has one of its values in *metadata*, also one that is not indexed."""
    found = frozenset(_leaves(metadata))
    return all(any((name, as_value(one)) in found for one in values) for name, values in wanted.items())


def is_indexed(value: Scalar) -> bool:
    """Whether turns can be chosen by this value of their metadata."""
    return _fits(as_value(value))


def put_fields(database: sqlite3.Connection, sequence: int, rows: Sequence[tuple[str, str]]) -> None:
    """Write the rows of a turn in place of those that it had."""
    delete_fields(database, sequence)
    database.executemany("INSERT INTO turn_fields VALUES (?, ?, ?)", [(*row, sequence) for row in rows])


def turns_of_days(database: sqlite3.Connection, ranges: Sequence[tuple[str, str]], *, limit: int) -> tuple[int, ...]:
    """The newest turns that tell of a day to come whose value is in one of *ranges*, both ends among them."""
    found: set[int] = set()
    for first, last in ranges:
        query = (
            "SELECT DISTINCT sequence FROM turn_fields WHERE name = ? AND value BETWEEN ? AND ? "
            "ORDER BY sequence DESC LIMIT ?"
        )
        found.update(sequence for (sequence,) in database.execute(query, (_DAY, first, last, limit)))
    return tuple(sorted(found, reverse=True)[:limit])


def delete_fields(database: sqlite3.Connection, sequence: int) -> None:
    """Remove the rows of a turn."""
    database.execute("DELETE FROM turn_fields WHERE sequence = ?", (sequence,))


def _fits(value: str) -> bool:
    return len(value) <= LONGEST_VALUE


def _leaves(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Each value in *value* with its dotted name; null says nothing."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, name)
    elif value is not None and name and len(name) <= LONGEST_NAME:
        yield name, as_value(value)
