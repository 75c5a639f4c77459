"""The full-text projection on disk: its schema, the values in it, and how a row is written. One SQLite file, FTS5."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.recall.neighbourhood import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from service.ports import StoredFact

WORDS = {"turns": "turn_words", "facts": "fact_words", "entities": "entity_words"}
SPEAKER, LANGUAGE = "speaker", "language"
_VERSION = 3
TOKENS = "unicode61 remove_diacritics 0 categories 'L* M* N* Co' tokenchars '_'"
_SCHEMA = f"""
CREATE TABLE cursors (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL);
CREATE TABLE turns (
  sequence INTEGER PRIMARY KEY, episode TEXT NOT NULL UNIQUE, language TEXT NOT NULL, speakers TEXT NOT NULL,
  occurred_at TEXT NOT NULL, asks INTEGER NOT NULL, statement_words INTEGER NOT NULL, has_time INTEGER NOT NULL
);
CREATE TABLE facts (
  number INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, text TEXT NOT NULL, source TEXT NOT NULL,
  target TEXT NOT NULL, episodes TEXT NOT NULL, valid_at TEXT, invalid_at TEXT
);
CREATE TABLE entities (
  number INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL, key TEXT NOT NULL, summary TEXT NOT NULL
);
CREATE INDEX entities_by_key ON entities (key);
CREATE INDEX facts_by_episodes ON facts (episodes);
CREATE TABLE counts (kind TEXT, word TEXT, rows INTEGER NOT NULL, PRIMARY KEY (kind, word)) WITHOUT ROWID;
CREATE VIRTUAL TABLE turn_words USING fts5 ({", ".join(COLUMNS)}, tokenize="{TOKENS}");
CREATE VIRTUAL TABLE fact_words USING fts5 (stems, tokenize="{TOKENS}");
CREATE VIRTUAL TABLE entity_words USING fts5 (stems, tokenize="{TOKENS}");
"""


@dataclass(frozen=True, slots=True)
class Traits:
    """What ranking wants to know of a turn besides its words."""

    speakers: tuple[str, ...]
    occurred_at: datetime
    asks: bool
    statement_words: int
    has_time: bool


@dataclass(frozen=True, slots=True)
class IndexedTurn:
    """A turn ready to be indexed: its stems and its neighbours', by column, and the sequence of the turn before."""

    sequence: int
    episode: str
    language: str
    previous: int | None
    stems: Mapping[str, tuple[str, ...]]
    traits: Traits


def connect(file: Path) -> sqlite3.Connection:
    """The full-text database in *file*, made where there is none. Raises sqlite3.DatabaseError."""
    return connect_as(file, schema=_SCHEMA, version=_VERSION)


def connect_as(file: Path, *, schema: str, version: int) -> sqlite3.Connection:
    """A database of ours in *file*, made where there is none. Raises sqlite3.DatabaseError when it is another."""
    database = sqlite3.connect(file, check_same_thread=False, isolation_level="DEFERRED")
    try:
        _make_ready(database, schema=schema, version=version)
    except sqlite3.DatabaseError:
        database.close()
        raise
    return database


def _make_ready(database: sqlite3.Connection, *, schema: str, version: int) -> None:
    database.execute("PRAGMA locking_mode = EXCLUSIVE")  # the home is ours alone; no shared memory to find room for
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")  # derived: what a power cut takes is built again
    found = database.execute("PRAGMA user_version").fetchone()[0]
    if found not in {0, version}:
        raise sqlite3.DatabaseError(f"index version {found}")
    if found == 0:
        database.executescript(f"BEGIN; {schema} PRAGMA user_version = {version}; COMMIT;")


def put_turn(database: sqlite3.Connection, turn: IndexedTurn) -> None:
    """Write a turn, and its words into the column ``after`` of the turn before it."""
    traits = turn.traits
    row = (
        turn.sequence,
        turn.episode,
        turn.language,
        json.dumps(traits.speakers),
        traits.occurred_at.isoformat(),
        traits.asks,
        traits.statement_words,
        traits.has_time,
    )
    known = database.execute("SELECT language, speakers FROM turns WHERE sequence = ?", (turn.sequence,)).fetchone()
    if known:
        recount(database, LANGUAGE, gone=(known[0],))
        recount(database, SPEAKER, gone=json.loads(known[1]))
    recount(database, LANGUAGE, come=(turn.language,))
    recount(database, SPEAKER, come=traits.speakers)
    database.execute("INSERT OR REPLACE INTO turns VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    words = [" ".join(turn.stems.get(column, ())) for column in COLUMNS]
    _let_go(database, "turns", turn.sequence)
    places = ", ".join("?" * (len(COLUMNS) + 1))
    columns = ", ".join(COLUMNS)
    database.execute(
        f"INSERT INTO turn_words (rowid, {columns}) VALUES ({places})",
        (turn.sequence, *words),
    )
    recount(database, "turns", come=words[0].split())
    if turn.previous is not None:
        database.execute("UPDATE turn_words SET after = ? WHERE rowid = ?", (words[0], turn.previous))


def put_stems(database: sqlite3.Connection, arm: str, number: int, stems: Sequence[str]) -> None:
    """Write the stems of a fact or an entity (arm ``facts`` or ``entities``)."""
    known = database.execute(f"SELECT stems FROM {WORDS[arm]} WHERE rowid = ?", (number,)).fetchone()
    words = " ".join(stems)
    if known == (words,):
        return
    database.execute(f"INSERT OR REPLACE INTO {WORDS[arm]} (rowid, stems) VALUES (?, ?)", (number, words))
    before, now = set(known[0].split() if known else ()), set(stems)
    recount(database, arm, come=now - before, gone=before - now)


def let_go_of_fact(database: sqlite3.Connection, number: int) -> None:
    """Forget a fact and its words."""
    database.execute("DELETE FROM facts WHERE number = ?", (number,))
    _let_go(database, "facts", number)


def let_go_of_turn(database: sqlite3.Connection, sequence: int) -> None:
    """Forget a turn and its words; those that its neighbours hold are written anew with them."""
    known = database.execute("SELECT language, speakers FROM turns WHERE sequence = ?", (sequence,)).fetchone()
    if known:
        recount(database, LANGUAGE, gone=(known[0],))
        recount(database, SPEAKER, gone=json.loads(known[1]))
    database.execute("DELETE FROM turns WHERE sequence = ?", (sequence,))
    _let_go(database, "turns", sequence)


def let_go_of_entity(database: sqlite3.Connection, number: int) -> None:
    """Forget an entity and its words."""
    database.execute("DELETE FROM entities WHERE number = ?", (number,))
    _let_go(database, "entities", number)


def leave_nothing(database: sqlite3.Connection) -> None:
    """Write the file anew, and its log with it, so that nothing of what was deleted is left in either."""
    with database:
        database.execute("DELETE FROM counts WHERE rows <= 0")
        for table in WORDS.values():
            database.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
    database.execute("VACUUM")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def counted(database: sqlite3.Connection, kind: str, words: Sequence[str]) -> dict[str, int]:
    """In how many rows each of *words* stands: an arm's own words, SPEAKER or LANGUAGE."""
    asked = "SELECT word, rows FROM counts WHERE kind = ? AND word IN (SELECT value FROM json_each(?))"
    return dict(database.execute(asked, (kind, json.dumps(words))).fetchall())


def recount(database: sqlite3.Connection, kind: str, *, come: Iterable[str] = (), gone: Iterable[str] = ()) -> None:
    """Count words that came into a row, or went with it."""
    upsert = "ON CONFLICT (kind, word) DO UPDATE SET rows = rows + excluded.rows"
    changes = [(kind, word, 1) for word in set(come)] + [(kind, word, -1) for word in set(gone)]
    database.executemany(f"INSERT INTO counts VALUES (?, ?, ?) {upsert}", changes)


def _let_go(database: sqlite3.Connection, arm: str, number: int) -> None:
    column = "own" if arm == "turns" else "stems"
    known = database.execute(f"SELECT {column} FROM {WORDS[arm]} WHERE rowid = ?", (number,)).fetchone()
    if known:
        recount(database, arm, gone=known[0].split())
        database.execute(f"DELETE FROM {WORDS[arm]} WHERE rowid = ?", (number,))


def numbered(database: sqlite3.Connection, table: str, uuid: str) -> int:
    """The number a uuid has in *table*, or the next free one."""
    known = database.execute(f"SELECT number FROM {table} WHERE uuid = ?", (uuid,)).fetchone()
    if known:
        return int(known[0])
    return int(database.execute(f"SELECT coalesce(max(number), 0) + 1 FROM {table}").fetchone()[0])


def fact_row(number: int, fact: StoredFact) -> tuple[object, ...]:
    """A fact as a row of ``facts``."""
    valid_at = fact.valid_at.isoformat() if fact.valid_at else None
    invalid_at = fact.invalid_at.isoformat() if fact.invalid_at else None
    episodes = json.dumps(fact.episodes)
    return (number, fact.uuid, fact.text, fact.source, fact.target, episodes, valid_at, invalid_at)


def move_cursor(database: sqlite3.Connection, name: str, sequence: int) -> None:
    """Move a cursor forward; never back."""
    upsert = "ON CONFLICT (name) DO UPDATE SET sequence = max(sequence, excluded.sequence)"
    database.execute(f"INSERT INTO cursors VALUES (?, ?) {upsert}", (name, sequence))


def within(asked: str, count: int) -> str:
    """A statement that ends in ``IN`` with places for *count* values."""
    return f"{asked} ({', '.join('?' * count)})"
