"""
Which turns tell of which entity, counted as facts come and go, so that no list has to read every fact.

An entity is known here by the exact text of its name, as facts name it. A turn mentions it where a fact of the turn
joins it. A fact may come before its turn is indexed: it waits in the table ``awaited`` until then.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

from consolidation.text.names import name_key
from service.index.text_store import fact_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from service.ports.graph import StoredEntity, StoredFact

_PUT_FACT = """
INSERT INTO facts (number, uuid, text, source, target, episodes, valid_at, invalid_at, importance, learned_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (number) DO UPDATE SET text = excluded.text, source = excluded.source, target = excluded.target,
  episodes = excluded.episodes, valid_at = excluded.valid_at, invalid_at = excluded.invalid_at,
  importance = excluded.importance
"""
_PUT_ENTITY = """
INSERT INTO entities (number, uuid, name, key, summary, kind) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (number) DO UPDATE SET name = excluded.name, key = excluded.key, summary = excluded.summary,
  kind = excluded.kind
"""
_COUNT_FACTS = """
UPDATE entities SET facts =
  (SELECT count(*) FROM facts WHERE source = :name)
  + (SELECT count(*) FROM facts WHERE target = :name AND source <> :name)
WHERE name = :name
"""
_COUNT_MENTIONS = """
UPDATE entities SET (mentions, first_at, last_at) =
  (SELECT count(*), min(at), max(at) FROM mentions WHERE name = :name)
WHERE name = :name
"""
_ONE_MORE = """
UPDATE entities SET mentions = mentions + 1, first_at = min(coalesce(first_at, :at), :at),
  last_at = max(coalesce(last_at, :at), :at)
WHERE name = :name
"""
_MENTION = """
INSERT INTO mentions VALUES (?, ?, ?, 1) ON CONFLICT (name, sequence) DO UPDATE SET facts = facts + 1 RETURNING facts
"""


def put_fact(database: sqlite3.Connection, number: int, fact: StoredFact, *, learned_at: float | None) -> None:
    """
    Write a fact under *number*, and count what it changes.

    *learned_at* (seconds since 1970) is kept of a new one that was learned later than what came after its turn.
    """
    known, row = _joined(database, number), (*fact_row(number, fact), learned_at)
    names, episodes = {fact.source, fact.target}, set(fact.episodes)
    if known is None:
        known = (set[str](), set[str]())
    database.execute(_PUT_FACT, row)
    if known == (names, episodes):
        return
    if known[0] == names:
        _uncount(database, number, names, known[1] - episodes)
        _count(database, number, names, episodes - known[1])
    else:
        _uncount(database, number, *known)
        _count(database, number, names, episodes)
        _add_facts(database, known[0], -1)
        _add_facts(database, names, 1)
    _find_first_turn(database, number)


def uncount_fact(database: sqlite3.Connection, number: int) -> None:
    """Take the fact of this *number*, which is about to be deleted, out of all counts."""
    known = _joined(database, number)
    if known is not None:
        _uncount(database, number, *known)
        _add_facts(database, known[0], -1)


def put_entity(database: sqlite3.Connection, number: int, entity: StoredEntity) -> None:
    """Write an entity under *number*; one of a new name is counted."""
    known = database.execute("SELECT name FROM entities WHERE number = ?", (number,)).fetchone()
    row = (number, entity.uuid, entity.name, name_key(entity.name), entity.summary, entity.kind)
    database.execute(_PUT_ENTITY, row)
    if known != (entity.name,):
        database.execute(_COUNT_FACTS, {"name": entity.name})
        database.execute(_COUNT_MENTIONS, {"name": entity.name})


def settle_turn(database: sqlite3.Connection, sequence: int, episode: str, occurred_at: datetime) -> None:
    """Count the facts that waited for this turn, which is in the index now."""
    waiting = database.execute("SELECT fact FROM awaited WHERE episode = ?", (episode,)).fetchall()
    for (number,) in waiting:
        known = _joined(database, number)
        for name in known[0] if known is not None else ():
            _mention(database, name, sequence, occurred_at.timestamp())
        _find_first_turn(database, number)
    if waiting:
        database.execute("DELETE FROM awaited WHERE episode = ?", (episode,))


def uncount_turns(database: sqlite3.Connection, sequences: Iterable[int]) -> None:
    """Take these turns, which are about to be deleted, out of all counts."""
    names: set[str] = set()
    for sequence in sequences:
        names.update(name for (name,) in database.execute("SELECT name FROM mentions WHERE sequence = ?", (sequence,)))
        database.execute("DELETE FROM mentions WHERE sequence = ?", (sequence,))
    for name in names:
        database.execute(_COUNT_MENTIONS, {"name": name})


def _joined(database: sqlite3.Connection, number: int) -> tuple[set[str], set[str]] | None:
    """The names that a fact joins, and its episodes; None where there is no such fact."""
    row = database.execute("SELECT source, target, episodes FROM facts WHERE number = ?", (number,)).fetchone()
    return ({row[0], row[1]}, set(json.loads(row[2]))) if row else None


def _add_facts(database: sqlite3.Connection, names: Iterable[str], by: int) -> None:
    for name in names:
        database.execute("UPDATE entities SET facts = facts + ? WHERE name = ?", (by, name))


def _count(database: sqlite3.Connection, number: int, names: Iterable[str], episodes: set[str]) -> None:
    """Count that a fact which joins *names* is told in *episodes*."""
    turns = _turns_of(database, episodes)
    for name in names:
        for _, sequence, at in turns:
            _mention(database, name, sequence, at)
    for episode in episodes - {one for one, _, _ in turns}:
        database.execute("INSERT OR IGNORE INTO awaited VALUES (?, ?)", (episode, number))


def _uncount(database: sqlite3.Connection, number: int, names: Iterable[str], episodes: set[str]) -> None:
    if not episodes:
        return
    turns = _turns_of(database, episodes)
    for name in names:
        for _, sequence, _ in turns:
            database.execute("UPDATE mentions SET facts = facts - 1 WHERE name = ? AND sequence = ?", (name, sequence))
            database.execute("DELETE FROM mentions WHERE name = ? AND sequence = ? AND facts < 1", (name, sequence))
        if turns:
            database.execute(_COUNT_MENTIONS, {"name": name})
    for episode in episodes - {one for one, _, _ in turns}:
        database.execute("DELETE FROM awaited WHERE episode = ? AND fact = ?", (episode, number))


def _mention(database: sqlite3.Connection, name: str, sequence: int, at: float) -> None:
    [(facts,)] = database.execute(_MENTION, (name, sequence, at)).fetchall()
    if facts == 1:
        database.execute(_ONE_MORE, {"name": name, "at": at})


def _turns_of(database: sqlite3.Connection, episodes: Iterable[str]) -> Sequence[tuple[str, int, float]]:
    """Episode, sequence and time (seconds since 1970) of each turn that is indexed."""
    query = "SELECT episode, sequence, occurred_at FROM turns WHERE episode IN (SELECT value FROM json_each(?))"
    rows = database.execute(query, (json.dumps(sorted(episodes)),)).fetchall()
    return [(episode, sequence, datetime.fromisoformat(at).timestamp()) for episode, sequence, at in rows]


def _find_first_turn(database: sqlite3.Connection, number: int) -> None:
    """Note the turn that told a fact first; the sequence 0 while none is indexed."""
    [(episodes,)] = database.execute("SELECT episodes FROM facts WHERE number = ?", (number,)).fetchall()
    turns = _turns_of(database, json.loads(episodes))
    _, sequence, at = min(turns, key=lambda turn: turn[1], default=("", 0, None))
    database.execute("UPDATE facts SET sequence = ?, at = ? WHERE number = ?", (sequence, at, number))
