"""
Facts and entities of full text in pages, and the parts of one of them. Each function reads one view of the file.

Facts come newest first, by the turn that told them first: that never changes, so a page never repeats or misses one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from consolidation.text.words import tokens

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

type FactState = Literal["holding", "ended", "planned"]
type EntitySort = Literal["name", "mentions", "recent"]

_FACT = "number, uuid, text, source, target, episodes, valid_at, invalid_at, importance, sequence"
ENTITY_COLUMNS = "number, uuid, name, key, kind, summary, facts, mentions, first_at, last_at"
_STATES: dict[FactState, str] = {
    "ended": "invalid_at <= :now",
    "planned": "valid_at > :now AND (invalid_at IS NULL OR invalid_at > :now)",
    "holding": "(valid_at IS NULL OR valid_at <= :now) AND (invalid_at IS NULL OR invalid_at > :now)",
}
_NEWEST = "ORDER BY sequence DESC, number DESC LIMIT :limit"
_ORDERS: dict[EntitySort, tuple[str, str]] = {  # what an entity is ordered by, and in which direction
    "name": ("key", "ASC"),
    "mentions": ("mentions", "DESC"),
    "recent": ("coalesce(last_at, 0)", "DESC"),
}
_WITHOUT, _NAMES = "(SELECT value FROM json_each(:without))", "(SELECT value FROM json_each(:names))"
_NEIGHBOURS = f"""
SELECT other, count(*) AS shared FROM (
  SELECT target AS other FROM facts WHERE source IN {_NAMES} AND target NOT IN {_NAMES} AND number NOT IN {_WITHOUT}
  UNION ALL SELECT source FROM facts WHERE target IN {_NAMES} AND source NOT IN {_NAMES} AND number NOT IN {_WITHOUT}
) GROUP BY other ORDER BY shared DESC, other LIMIT :limit
"""
_MONTHS = f"""
SELECT strftime('%Y-%m', at, 'unixepoch') AS month, count(DISTINCT sequence) FROM mentions
WHERE name IN {_NAMES} AND sequence NOT IN {_WITHOUT} GROUP BY month ORDER BY month
"""


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact as it is indexed; ``sequence`` is the turn that told it first, 0 while no such turn is indexed."""

    number: int
    uuid: str
    text: str
    source: str
    target: str
    episodes: tuple[str, ...]
    valid_at: datetime | None
    invalid_at: datetime | None
    importance: float | None
    sequence: int


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity as it is indexed; ``mentions`` counts the turns of its facts, times are in seconds since 1970."""

    number: int
    uuid: str
    name: str
    key: str
    kind: str
    summary: str
    facts: int
    mentions: int
    first_at: float | None
    last_at: float | None


@dataclass(frozen=True, slots=True)
class FactFilter:
    """
    Which facts are asked for; ``now`` is what their state is reckoned at.

    ``names`` are those of an entity they join; its facts are those ``with_numbers`` too, and never those
    ``without_numbers``. Those ``of_any_state`` are found whatever state the index has. ``since`` and ``until`` are when
    they were told first. ``wanted`` are the stems of a query, in each language: all stems of one language must be
    there; () asks for no words.
    """

    now: datetime
    names: tuple[str, ...] = ()
    state: FactState | None = None
    since: datetime | None = None
    until: datetime | None = None
    wanted: tuple[tuple[str, ...], ...] = ()
    with_numbers: frozenset[int] = frozenset()
    without_numbers: frozenset[int] = frozenset()
    of_any_state: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class EntityFilter:
    """
    Which entities are asked for: each word of ``query`` begins one of the name; ``kind`` is exact.

    Those ``without_numbers`` are left out.
    """

    query: str = ""
    kind: str | None = None
    without_numbers: frozenset[int] = frozenset()

    def holds(self, entity: EntityRow) -> bool:
        """Whether an entity has the words and the kind."""
        begun = all(f" {word}" in f" {entity.key}" for word in tokens(self.query))
        return begun and (self.kind is None or entity.kind == self.kind)


def fact_page(
    database: sqlite3.Connection, asked: FactFilter, *, before: tuple[int, int] | None, limit: int
) -> tuple[FactRow, ...]:
    """The newest facts behind *before*, which is the sequence and the number of the last one seen."""
    where, values = _conditions(asked)
    if before is not None:
        where.append("sequence <= :sequence AND (sequence < :sequence OR number < :number)")
        values |= {"sequence": before[0], "number": before[1]}
    values["limit"] = limit
    if not asked.names:
        query = f"SELECT {_FACT} FROM facts {_joined(where)} {_NEWEST}"
    else:
        values |= {"with": _numbers(asked.with_numbers), "without": _numbers(asked.without_numbers)}
        values |= {"name": asked.names[0], "names": json.dumps(asked.names)}
        among = "= :name" if len(asked.names) == 1 else f"IN {_NAMES}"  # one is read in the order of its index
        parts = [f"{side} {among} AND number NOT IN {_WITHOUT}" for side in ("source", "target")]
        parts += ["number IN (SELECT value FROM json_each(:with))"] if asked.with_numbers else []
        found = (f"SELECT * FROM (SELECT {_FACT} FROM facts {_joined([part, *where])} {_NEWEST})" for part in parts)
        query = f"SELECT * FROM ({' UNION '.join(found)}) {_NEWEST}"
    return tuple(map(_fact, database.execute(query, values)))


def learned_after(
    database: sqlite3.Connection, sequence: int, since: datetime, *, limit: int
) -> tuple[int, tuple[FactRow, ...]]:
    """
    How many facts were told first behind the turn *sequence*, or learned late and after *since*; and the newest.

    Those that were learned late come first, then newest first.
    """
    values: dict[str, object] = {"after": sequence, "since": since.timestamp(), "limit": limit}
    order = "ORDER BY coalesce(learned_at, 0) DESC, sequence DESC, number DESC LIMIT :limit"
    return _counted(database, "sequence > :after OR learned_at > :since", order, values)


def ended_after(
    database: sqlite3.Connection, since: datetime, *, now: datetime, limit: int
) -> tuple[int, tuple[FactRow, ...]]:
    """How many facts ceased to hold after *since* and by *now*, and the last of them, last first."""
    values: dict[str, object] = {"since": since.isoformat(), "now": now.isoformat(), "limit": limit}
    order = "ORDER BY invalid_at DESC, number DESC LIMIT :limit"
    return _counted(database, "invalid_at > :since AND invalid_at <= :now", order, values)


def fact_of(database: sqlite3.Connection, uuid: str) -> FactRow | None:
    """The fact of this uuid."""
    row = database.execute(f"SELECT {_FACT} FROM facts WHERE uuid = ?", (uuid,)).fetchone()
    return _fact(row) if row else None


def facts_numbered(database: sqlite3.Connection, numbers: Iterable[int]) -> tuple[FactRow, ...]:
    """The facts of these numbers."""
    query = f"SELECT {_FACT} FROM facts WHERE number IN (SELECT value FROM json_each(?))"
    return tuple(map(_fact, database.execute(query, (_numbers(numbers),))))


def facts_with_text(database: sqlite3.Connection, text: str, *, wanted: Iterable[Sequence[str]]) -> tuple[FactRow, ...]:
    """The facts with exactly this *text*; *wanted* are its stems in each language that it may have been read in."""
    if not (words := _all_words_of_any(wanted)):
        return ()
    among = "SELECT rowid FROM fact_words WHERE fact_words MATCH ?"
    query = f"SELECT {_FACT} FROM facts WHERE number IN ({among}) AND text = ?"
    return tuple(map(_fact, database.execute(query, (words, text))))


def facts_told_of(database: sqlite3.Connection, name: str, texts: Iterable[str]) -> tuple[FactRow, ...]:
    """The facts that join the entity *name* and have exactly one of these *texts*."""
    among = "text IN (SELECT value FROM json_each(:texts))"
    query = f"SELECT {_FACT} FROM facts WHERE (source = :name OR target = :name) AND {among}"
    return tuple(map(_fact, database.execute(query, {"name": name, "texts": json.dumps(sorted(texts))})))


def facts_with_an_end(database: sqlite3.Connection, sequences: Iterable[int]) -> tuple[FactRow, ...]:
    """The facts that were told first in one of these turns and have an end."""
    query = f"SELECT {_FACT} FROM facts WHERE invalid_at IS NOT NULL AND sequence IN (SELECT value FROM json_each(?))"
    return tuple(map(_fact, database.execute(query, (_numbers(sequences),))))


def entity_page(
    database: sqlite3.Connection,
    asked: EntityFilter,
    *,
    sort: EntitySort,
    after: tuple[str | float, int] | None,
    limit: int,
) -> tuple[EntityRow, ...]:
    """The next entities behind *after*, which is what the last one seen is ordered by, and its number."""
    column, direction = _ORDERS[sort]
    where: list[str] = []
    values: dict[str, object] = {"limit": limit, "kind": asked.kind}
    for at, word in enumerate(tokens(asked.query)):
        where.append(f"instr(' ' || key, :word{at}) > 0")
        values[f"word{at}"] = f" {word}"
    if asked.kind is not None:
        where.append("kind = :kind")
    if asked.without_numbers:
        where.append(f"number NOT IN {_WITHOUT}")
        values["without"] = _numbers(asked.without_numbers)
    if after is not None:
        sign = ">" if direction == "ASC" else "<"
        where.append(f"{column} {sign}= :value AND ({column} {sign} :value OR number {sign} :number)")
        values |= {"value": after[0], "number": after[1]}
    order = f"ORDER BY {column} {direction}, number {direction} LIMIT :limit"
    return tuple(
        EntityRow(*row)
        for row in database.execute(f"SELECT {ENTITY_COLUMNS} FROM entities {_joined(where)} {order}", values)
    )


def place_of(entity: EntityRow, sort: EntitySort) -> tuple[str | float, int]:
    """What an entity is ordered by, and its number: where the next page begins."""
    values: dict[EntitySort, str | float] = {
        "name": entity.key,
        "mentions": entity.mentions,
        "recent": entity.last_at or 0,
    }
    return values[sort], entity.number


def entity_of(database: sqlite3.Connection, uuid: str) -> EntityRow | None:
    """The entity of this uuid."""
    row = database.execute(f"SELECT {ENTITY_COLUMNS} FROM entities WHERE uuid = ?", (uuid,)).fetchone()
    return EntityRow(*row) if row else None


def entity_named(database: sqlite3.Connection, name: str) -> str | None:
    """The name, as facts have it, of the most mentioned entity that is called *name*, in any spelling."""
    query = "SELECT name FROM entities WHERE key = ? ORDER BY name = ? DESC, mentions DESC, number LIMIT 1"
    row = database.execute(query, (" ".join(tokens(name)), name)).fetchone()
    return str(row[0]) if row else None


def uuids_of(database: sqlite3.Connection, names: Iterable[str]) -> dict[str, str]:
    """The uuid of the entity of exactly each of *names*; unknown ones are left out."""
    query = "SELECT name, uuid, min(number) FROM entities WHERE name IN (SELECT value FROM json_each(?)) GROUP BY name"
    return {name: uuid for name, uuid, _ in database.execute(query, (json.dumps(sorted(set(names))),))}


def sequences_of(database: sqlite3.Connection, episodes: Iterable[str]) -> dict[str, int]:
    """The sequences of turns, by the uuid of their episodes; those that are not indexed are left out."""
    query = "SELECT episode, sequence FROM turns WHERE episode IN (SELECT value FROM json_each(?))"
    return dict(database.execute(query, (json.dumps(sorted(set(episodes))),)).fetchall())


def neighbours_of(
    database: sqlite3.Connection, names: Sequence[str], *, without: Iterable[int], limit: int
) -> tuple[tuple[str, int], ...]:
    """Other names that share facts with *names*, and how many, most first; facts *without* these numbers."""
    values = {"names": json.dumps(names), "limit": limit, "without": _numbers(without)}
    return tuple(database.execute(_NEIGHBOURS, values).fetchall())


def months_of(
    database: sqlite3.Connection, names: Sequence[str], *, without: Iterable[int]
) -> tuple[tuple[str, int], ...]:
    """The months (UTC, ``2026-01``) in which turns, *without* these, mention *names*: oldest first, and how many."""
    return tuple(database.execute(_MONTHS, {"names": json.dumps(names), "without": _numbers(without)}).fetchall())


def counted_under(database: sqlite3.Connection, entity: EntityRow, names: Sequence[str]) -> EntityRow:
    """*entity* with the facts and the turns of all its *names*."""
    values = {"names": json.dumps(names)}
    joined = f"SELECT count(*) FROM facts WHERE source IN {_NAMES} OR target IN {_NAMES}"
    told = f"SELECT count(DISTINCT sequence), min(at), max(at) FROM mentions WHERE name IN {_NAMES}"
    (facts,), (mentions, first, last) = (database.execute(query, values).fetchone() for query in (joined, told))
    return replace(entity, facts=facts, mentions=mentions, first_at=first, last_at=last)


def candidates(
    database: sqlite3.Connection, entity: EntityRow, *, words: Sequence[str], pieces: Sequence[str], slack: int
) -> tuple[EntityRow, ...]:
    """
    Entities whose name may be like the one of *entity*, most mentioned first.

    They share one of *words* with it, or have one of *pieces* and a length that differs by no more than *slack*.
    """
    values: dict[str, object] = {"number": entity.number, "length": len(entity.key), "slack": slack}
    values |= {f"word{at}": f" {word} " for at, word in enumerate(words)}
    values |= {f"piece{at}": piece for at, piece in enumerate(pieces)}
    shared = [f"instr(' ' || key || ' ', :word{at}) > 0" for at in range(len(words))]
    alike = [f"instr(key, :piece{at}) > 0" for at in range(len(pieces))]
    either = [*shared, *([f"abs(length(key) - :length) <= :slack AND ({' OR '.join(alike)})"] if alike else [])]
    if not either:
        return ()
    # Found in the index of keys alone, so that no summary is read from disk.
    numbers = f"SELECT number FROM entities WHERE number <> :number AND ({' OR '.join(either)})"
    query = f"SELECT {ENTITY_COLUMNS} FROM entities WHERE number IN ({numbers})"
    return tuple(
        EntityRow(*row) for row in database.execute(f"{query} ORDER BY mentions DESC, number LIMIT 2000", values)
    )


def _counted(
    database: sqlite3.Connection, condition: str, order: str, values: dict[str, object]
) -> tuple[int, tuple[FactRow, ...]]:
    (count,) = database.execute(f"SELECT count(*) FROM facts WHERE {condition}", values).fetchone()
    rows = database.execute(f"SELECT {_FACT} FROM facts WHERE {condition} {order}", values)
    return int(count), tuple(map(_fact, rows))


def _conditions(asked: FactFilter) -> tuple[list[str], dict[str, object]]:
    where: list[str] = []
    values: dict[str, object] = {"now": asked.now.isoformat()}
    if asked.state is not None:
        where.append(f"({_STATES[asked.state]}) OR number IN (SELECT value FROM json_each(:of_any_state))")
        values["of_any_state"] = _numbers(asked.of_any_state)
    if asked.since is not None:
        where.append("at >= :since")
        values["since"] = asked.since.timestamp()
    if asked.until is not None:
        where.append("at <= :until")
        values["until"] = asked.until.timestamp()
    if asked.wanted:
        where.append("number IN (SELECT rowid FROM fact_words WHERE fact_words MATCH :words)")
        values["words"] = _all_words_of_any(asked.wanted)
    return where, values


def _all_words_of_any(wanted: Iterable[Sequence[str]]) -> str:
    """All words of one of these rows of stems, as full text is asked for them."""
    return " OR ".join(f"({' AND '.join(f'"{stem}"' for stem in dict.fromkeys(stems))})" for stems in wanted if stems)


def _numbers(numbers: Iterable[int]) -> str:
    return json.dumps(sorted(numbers))


def _joined(conditions: Sequence[str]) -> str:
    return f"WHERE {' AND '.join(f'({one})' for one in conditions)}" if conditions else ""


def _fact(row: Sequence[object]) -> FactRow:
    number, uuid, text, source, target, episodes, valid_at, invalid_at, importance, sequence = row
    return FactRow(
        number=int(str(number)),
        uuid=str(uuid),
        text=str(text),
        source=str(source),
        target=str(target),
        episodes=tuple(json.loads(str(episodes))),
        valid_at=instant_of(valid_at),
        invalid_at=instant_of(invalid_at),
        importance=importance if isinstance(importance, float) else None,
        sequence=int(str(sequence)),
    )


def instant_of(text: object) -> datetime | None:
    """An instant as a row of facts has it; None where there is none."""
    return datetime.fromisoformat(str(text)) if text else None
