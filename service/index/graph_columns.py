"""The most mentioned entities of a time, and the facts between them: what a picture of the graph is made of."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

_LONG_AGO, _FAR_AHEAD = -1e12, 1e12

_ALL_TOLD = """
SELECT number, uuid, name, kind, mentions, first_at, last_at FROM entities
WHERE mentions > 0 AND name NOT IN (SELECT value FROM json_each(:without))
ORDER BY mentions DESC, number DESC LIMIT :limit
"""
_HOW_MANY = "SELECT count(*) FROM entities WHERE mentions > 0 AND name NOT IN (SELECT value FROM json_each(:without))"
_TOLD_THEN = """
SELECT number, uuid, entities.name, kind, told.turns, told.first, told.last, told.names FROM (
  SELECT name, count(*) AS turns, min(at) AS first, max(at) AS last, count(*) OVER () AS names FROM mentions
  WHERE at >= :since AND at <= :until AND name NOT IN (SELECT value FROM json_each(:without))
  GROUP BY name ORDER BY turns DESC, name LIMIT :limit
) AS told JOIN entities ON entities.name = told.name
ORDER BY told.turns DESC, number DESC
"""
_TURNS_THEN = """
SELECT count(DISTINCT sequence), min(at), max(at) FROM mentions
WHERE at >= :since AND at <= :until AND name IN (SELECT value FROM json_each(:names))
  AND sequence NOT IN (SELECT value FROM json_each(:without))
"""
# The plus keeps the planner from reading the facts of each name in turn, which would take ten times as long.
_FACTS = """
SELECT number, uuid, source, target, valid_at, invalid_at FROM facts
WHERE {window} +source IN (SELECT value FROM json_each(:names)) AND +target IN (SELECT value FROM json_each(:names))
  AND number NOT IN (SELECT value FROM json_each(:without))
ORDER BY {order} DESC, number DESC LIMIT :limit
"""
_TOLD_FIRST_THEN = "SELECT count(*) FROM facts WHERE at >= :since AND at <= :until"
_WINDOW = "at >= :since AND at <= :until AND"


class GraphEntity(NamedTuple):
    """An entity in a time: how many turns mention it then, and the first and the last of these (seconds since 1970)."""

    number: int
    uuid: str
    name: str
    kind: str
    mentions: int
    first_at: float
    last_at: float


class GraphFact(NamedTuple):
    """A fact between two names; times are RFC 3339 as they are indexed. A tuple, since thousands are made at once."""

    number: int
    uuid: str
    source: str
    target: str
    valid_at: str | None
    invalid_at: str | None


@dataclass(frozen=True, slots=True)
class GraphWindow:
    """A time, in seconds since 1970; None leaves a side open."""

    since: float | None = None
    until: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is all of time."""
        return self.since is None and self.until is None

    @property
    def values(self) -> dict[str, float]:
        """Its sides as a statement has them."""
        return {
            "since": self.since if self.since is not None else _LONG_AGO,
            "until": self.until if self.until is not None else _FAR_AHEAD,
        }


def graph_entities(
    database: sqlite3.Connection, window: GraphWindow, *, limit: int, without: Iterable[str] = ()
) -> tuple[tuple[GraphEntity, ...], int]:
    """
    At most *limit* entities that turns of the time mention, most mentioned first; and how many there are.

    Those of names *without* are neither shown nor counted.
    """
    values = {**window.values, "limit": limit, "without": json.dumps(sorted(without))}
    if window.is_open:
        rows = database.execute(_ALL_TOLD, values).fetchall()
        total = int(database.execute(_HOW_MANY, values).fetchone()[0])
        return tuple(map(GraphEntity._make, rows)), total
    rows = database.execute(_TOLD_THEN, values).fetchall()
    return tuple(GraphEntity(*row[:-1]) for row in rows), int(rows[0][-1]) if rows else 0


def turns_then(
    database: sqlite3.Connection, window: GraphWindow, names: Iterable[str], *, without: Iterable[int] = ()
) -> tuple[int, float | None, float | None]:
    """How many turns of the time, *without* these, mention one of *names*, and the times of the first and the last."""
    values = {**window.values, "names": json.dumps(list(names)), "without": json.dumps(sorted(without))}
    turns, first, last = database.execute(_TURNS_THEN, values).fetchone()
    return turns, first, last


def graph_facts(
    database: sqlite3.Connection,
    window: GraphWindow,
    names: Iterable[str],
    *,
    limit: int,
    without: Iterable[int] = (),
) -> tuple[tuple[GraphFact, ...], int]:
    """
    At most *limit* facts between *names* that were told first in the time, newest first; and how many were told.

    Those *without* these numbers are counted and not shown.
    """
    parts = {"window": "", "order": "sequence"} if window.is_open else {"window": _WINDOW, "order": "at"}
    query = _FACTS.format(**parts)
    among = {"names": json.dumps(sorted(set(names))), "without": json.dumps(sorted(without))}
    rows = database.execute(query, {**window.values, **among, "limit": limit}).fetchall()
    return tuple(map(GraphFact._make, rows)), facts_told(database, window)


def facts_told(database: sqlite3.Connection, window: GraphWindow = GraphWindow()) -> int:
    """How many facts were told first in the time."""
    query = "SELECT count(*) FROM facts" if window.is_open else _TOLD_FIRST_THEN
    return int(database.execute(query, window.values).fetchone()[0])


def names_of(database: sqlite3.Connection, uuids: Iterable[str]) -> dict[str, str]:
    """The names of entities, by uuid."""
    query = "SELECT uuid, name FROM entities WHERE uuid IN (SELECT value FROM json_each(?))"
    return dict(database.execute(query, (json.dumps(sorted(set(uuids))),)).fetchall())
