"""What full text knows of what people put right: entities by their names, and what some turns told of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from service.index.text_knowledge import ENTITY_COLUMNS, EntityRow

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

_VALUES = "(SELECT value FROM json_each(?))"


class JoinedNames(NamedTuple):
    """The names that a fact joins, by its number, and the uuids of the episodes that told it."""

    number: int
    source: str
    target: str
    episodes: tuple[str, ...]


class Mention(NamedTuple):
    """That a turn tells of a name: when it was (seconds since 1970), and in how many facts."""

    name: str
    sequence: int
    at: float
    facts: int


def entities_with_keys(database: sqlite3.Connection, keys: Iterable[str]) -> tuple[EntityRow, ...]:
    """The entities whose name has one of *keys*."""
    query = f"SELECT {ENTITY_COLUMNS} FROM entities WHERE key IN {_VALUES}"
    return tuple(EntityRow(*row) for row in database.execute(query, (_json(keys),)))


def facts_told_first_in(
    database: sqlite3.Connection, names: Iterable[str], sequences: Iterable[int]
) -> tuple[JoinedNames, ...]:
    """The facts that join one of *names* and were told first in one of these turns."""
    values = (_json(names), _json(sequences))
    sides = (
        f"SELECT number, source, target, episodes FROM facts WHERE {side} IN {_VALUES} AND sequence IN {_VALUES}"
        for side in ("source", "target")
    )
    rows = database.execute(" UNION ".join(sides), values * 2)
    return tuple(JoinedNames(number, one, two, tuple(json.loads(episodes))) for number, one, two, episodes in rows)


def texts_told_first_in(database: sqlite3.Connection, sequences: Iterable[int]) -> tuple[str, ...]:
    """The words of the facts that were told first in one of these turns."""
    rows = database.execute(f"SELECT text FROM facts WHERE sequence IN {_VALUES}", (_json(sequences),))
    return tuple(text for (text,) in rows)


def facts_by_turn(database: sqlite3.Connection, sequences: Iterable[int]) -> tuple[tuple[int, str, str], ...]:
    """The facts that were told first in one of these turns: the turn, their uuids and their words."""
    query = f"SELECT sequence, uuid, text FROM facts WHERE sequence IN {_VALUES} ORDER BY number"
    return tuple(database.execute(query, (_json(sequences),)))


def facts_joining(database: sqlite3.Connection, names: Iterable[str]) -> frozenset[int]:
    """The facts that join one of *names*, by number."""
    query = f"SELECT number FROM facts WHERE source IN {_VALUES} OR target IN {_VALUES}"
    return frozenset(number for (number,) in database.execute(query, (_json(names),) * 2))


def turns_telling_of(database: sqlite3.Connection, names: Iterable[str]) -> dict[int, float]:
    """The turns that tell of one of *names*, and when each was (seconds since 1970)."""
    return dict(database.execute(f"SELECT sequence, at FROM mentions WHERE name IN {_VALUES}", (_json(names),)))


def mentions_in(database: sqlite3.Connection, names: Iterable[str], sequences: Iterable[int]) -> tuple[Mention, ...]:
    """Which of these turns tell of which of *names*, oldest turn first."""
    query = f"SELECT name, sequence, at, facts FROM mentions WHERE name IN {_VALUES} AND sequence IN {_VALUES}"
    rows = database.execute(f"{query} ORDER BY sequence, name", (_json(names), _json(sequences)))
    return tuple(Mention(*row) for row in rows)


def times_without(
    database: sqlite3.Connection, name: str, sequences: Iterable[int]
) -> tuple[float | None, float | None]:
    """When the first and the last turn that tells of *name* was, these turns left out (seconds since 1970)."""
    query = f"SELECT min(at), max(at) FROM mentions WHERE name = ? AND sequence NOT IN {_VALUES}"
    first, last = database.execute(query, (name, _json(sequences))).fetchone()
    return first, last


def _json(values: Iterable[str] | Iterable[int]) -> str:
    return json.dumps(list(values))
