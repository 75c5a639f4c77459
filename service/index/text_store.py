"""The full-text index on disk: its schema, its values, and how a row is written. One SQLite file with FTS5."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from service.index.neighbourhood import COLUMNS, CONCEPT_COLUMNS
from service.index.turn_fields import FIELDS_SCHEMA, delete_fields, put_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from service.ports.graph import StoredFact

WORD_TABLES = {
    "turns": "turn_words",
    "concepts": "turn_concepts",
    "facts": "fact_words",
    "entities": "entity_words",
}
# What is counted of a row: its own words, and of what words mean the answer's as well, or it would not be found.
_COUNTED = {"turns": "own", "concepts": "own || ' ' || answer", "facts": "stems", "entities": "stems"}
SPEAKER, LANGUAGE = "speaker", "language"
VERSION = 28
HOWS = ("called", "likely", "denied")  # a number in the file: an erased turn may have had the word
TOKENIZER = "unicode61 remove_diacritics 0 categories 'L* M* N* Co' tokenchars '_'"
SCHEMA = f"""
CREATE TABLE cursors (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL);
CREATE TABLE turns (
  sequence INTEGER PRIMARY KEY, episode TEXT NOT NULL UNIQUE, language TEXT NOT NULL, speakers TEXT NOT NULL,
  occurred_at TEXT NOT NULL, asks INTEGER NOT NULL, statement_words INTEGER NOT NULL, has_time INTEGER NOT NULL,
  only_asks INTEGER NOT NULL, knows_not INTEGER NOT NULL, denies INTEGER, answers TEXT NOT NULL,
  wants_answer INTEGER NOT NULL, instructs INTEGER NOT NULL
);
CREATE INDEX turns_by_time ON turns (occurred_at);
CREATE INDEX turns_by_denied ON turns (denies) WHERE denies IS NOT NULL;
CREATE INDEX turns_by_instruction ON turns (sequence) WHERE instructs;
CREATE TABLE facts (
  number INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, text TEXT NOT NULL, source TEXT NOT NULL,
  target TEXT NOT NULL, episodes TEXT NOT NULL, valid_at TEXT, invalid_at TEXT, importance REAL,
  sequence INTEGER NOT NULL DEFAULT 0, at REAL, learned_at REAL
);
CREATE TABLE entities (
  number INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL, key TEXT NOT NULL, summary TEXT NOT NULL,
  kind TEXT NOT NULL, facts INTEGER NOT NULL DEFAULT 0, mentions INTEGER NOT NULL DEFAULT 0, first_at REAL, last_at REAL
);
CREATE TABLE mentions (
  name TEXT NOT NULL, sequence INTEGER NOT NULL, at REAL NOT NULL, facts INTEGER NOT NULL, PRIMARY KEY (name, sequence)
) WITHOUT ROWID;
CREATE TABLE awaited (
  episode TEXT NOT NULL, fact INTEGER NOT NULL, PRIMARY KEY (episode, fact)
) WITHOUT ROWID;
CREATE INDEX entities_by_key ON entities (key);
CREATE INDEX facts_by_valid_at ON facts (valid_at);
CREATE INDEX entities_by_name ON entities (name);
CREATE INDEX entities_by_mentions ON entities (mentions, number);
CREATE INDEX entities_by_last ON entities (last_at, number);
CREATE INDEX mentions_by_sequence ON mentions (sequence);
CREATE INDEX mentions_by_time ON mentions (at, name);
CREATE INDEX facts_by_episodes ON facts (episodes);
CREATE INDEX facts_by_sequence ON facts (sequence);
CREATE INDEX facts_by_time ON facts (at);
CREATE INDEX facts_by_learned ON facts (learned_at) WHERE learned_at IS NOT NULL;
CREATE INDEX facts_by_source ON facts (source, sequence, target);
CREATE INDEX facts_by_target ON facts (target, sequence, source);
CREATE TABLE relations (
  relation TEXT NOT NULL, name TEXT NOT NULL, speaker TEXT NOT NULL, how INTEGER NOT NULL, sequence INTEGER NOT NULL,
  PRIMARY KEY (relation, name, speaker, sequence)
) WITHOUT ROWID;
CREATE INDEX relations_by_name ON relations (name);
CREATE INDEX relations_by_sequence ON relations (sequence);
CREATE TABLE counts (kind TEXT, word TEXT, rows INTEGER NOT NULL, PRIMARY KEY (kind, word)) WITHOUT ROWID;
CREATE VIRTUAL TABLE turn_words USING fts5 ({", ".join(COLUMNS)}, tokenize="{TOKENIZER}");
CREATE VIRTUAL TABLE turn_concepts USING fts5 ({", ".join(CONCEPT_COLUMNS)}, tokenize="{TOKENIZER}");
CREATE VIRTUAL TABLE fact_words USING fts5 (stems, tokenize="{TOKENIZER}");
CREATE VIRTUAL TABLE entity_words USING fts5 (stems, tokenize="{TOKENIZER}");
{FIELDS_SCHEMA}
"""
_ADDED = "CREATE INDEX IF NOT EXISTS facts_by_importance ON facts (importance) WHERE importance IS NOT NULL"


class Traits(NamedTuple):
    """
    What ranking needs to know of a turn besides its words. A tuple, since hundreds are made for one query.

    ``asks``: it ends with a question; ``only_asks``: the person tells nothing in it; ``knows_not``: the answer is that
    the assistant does not know; ``denies``: the turn before (its sequence), whose answer it says was wrong;
    ``answers``: the kinds of words in it that may answer a question, such as "number"; ``wants_answer``: the person
    asks or requests something in it; ``instructs``: they tell the assistant what to do from now on.
    """

    speakers: tuple[str, ...]
    occurred_at: datetime
    asks: bool
    statement_words: int
    has_time: bool
    only_asks: bool = False
    knows_not: bool = False
    denies: int | None = None
    answers: frozenset[str] = frozenset()
    wants_answer: bool = False
    instructs: bool = False


OF = "of:"  # a name of a speaker holds no colon


class Relation(NamedTuple):
    """
    That *speaker* (casefolded) calls somebody of theirs by a *name*, or does not (*how*).

    *relation* and *how* are those of ``relations_told``. Where somebody else says whose they are, *speaker* is ``OF``
    with that person as the text calls them.
    """

    relation: str
    name: str
    speaker: str
    how: str


@dataclass(frozen=True, slots=True)
class IndexedTurn:
    """
    A turn ready to be indexed: its stems and its neighbours' by column, and the sequence of the turn before.

    ``concepts`` are what its words mean, by column. ``fields`` are what it can be chosen by, by name and value.
    ``relations`` are the names in it of people's relatives, friends and pets.
    """

    sequence: int
    episode: str
    language: str
    previous: int | None
    stems: Mapping[str, tuple[str, ...]]
    concepts: Mapping[str, frozenset[str]]
    traits: Traits
    fields: tuple[tuple[str, str], ...] = ()
    relations: tuple[Relation, ...] = ()


def connect(file: Path) -> sqlite3.Connection:
    """Open the full-text database, and create it if it does not exist. Raises sqlite3.DatabaseError."""
    return connect_as(file, schema=SCHEMA, version=VERSION, added=_ADDED)


def connect_as(file: Path, *, schema: str, version: int, added: str = "") -> sqlite3.Connection:
    """
    Open a database of ours, and create it if needed; *added* is what older files of this version lack.

    Raises sqlite3.DatabaseError if it is not ours.
    """
    database = sqlite3.connect(file, check_same_thread=False, isolation_level="DEFERRED")
    try:
        _make_ready(database, schema=schema, version=version)
        database.execute(added)
    except sqlite3.DatabaseError:
        database.close()
        raise
    return database


def _make_ready(database: sqlite3.Connection, *, schema: str, version: int) -> None:
    database.execute("PRAGMA locking_mode = EXCLUSIVE")  # only we use the home, so no shared memory is needed
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")  # derived data: what a power cut takes is rebuilt
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
        traits.only_asks,
        traits.knows_not,
        traits.denies,
        " ".join(sorted(traits.answers)),
        traits.wants_answer,
        traits.instructs,
    )
    known = database.execute("SELECT language, speakers FROM turns WHERE sequence = ?", (turn.sequence,)).fetchone()
    if known:
        recount(database, LANGUAGE, removed=(known[0],))
        recount(database, SPEAKER, removed=json.loads(known[1]))
    recount(database, LANGUAGE, added=(turn.language,))
    recount(database, SPEAKER, added=traits.speakers)
    database.execute("INSERT OR REPLACE INTO turns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    put_fields(database, turn.sequence, turn.fields)
    database.execute("DELETE FROM relations WHERE sequence = ?", (turn.sequence,))
    database.executemany(
        "INSERT OR REPLACE INTO relations VALUES (?, ?, ?, ?, ?)",
        [(*one[:3], HOWS.index(one.how), turn.sequence) for one in turn.relations],
    )
    words = [" ".join(turn.stems.get(column, ())) for column in COLUMNS]
    _put_words(database, "turns", turn.sequence, COLUMNS, words)
    meant = [" ".join(sorted(turn.concepts.get(column, ()))) for column in CONCEPT_COLUMNS]
    _put_words(database, "concepts", turn.sequence, CONCEPT_COLUMNS, meant)
    if turn.previous is not None:
        database.execute("UPDATE turn_words SET after = ? WHERE rowid = ?", (words[0], turn.previous))


def _put_words(
    database: sqlite3.Connection, arm: str, sequence: int, columns: Sequence[str], words: Sequence[str]
) -> None:
    _delete_words(database, arm, sequence)
    places = ", ".join("?" * (len(columns) + 1))
    database.execute(
        f"INSERT INTO {WORD_TABLES[arm]} (rowid, {', '.join(columns)}) VALUES ({places})", (sequence, *words)
    )
    known = database.execute(f"SELECT {_COUNTED[arm]} FROM {WORD_TABLES[arm]} WHERE rowid = ?", (sequence,)).fetchone()
    recount(database, arm, added=known[0].split())


def put_stems(database: sqlite3.Connection, arm: str, number: int, stems: Sequence[str]) -> None:
    """Write the stems of a fact or an entity (arm ``facts`` or ``entities``)."""
    known = database.execute(f"SELECT stems FROM {WORD_TABLES[arm]} WHERE rowid = ?", (number,)).fetchone()
    words = " ".join(stems)
    if known == (words,):
        return
    database.execute(f"INSERT OR REPLACE INTO {WORD_TABLES[arm]} (rowid, stems) VALUES (?, ?)", (number, words))
    before, now = set(known[0].split() if known else ()), set(stems)
    recount(database, arm, added=now - before, removed=before - now)


def delete_fact(database: sqlite3.Connection, number: int) -> None:
    """Remove a fact and its words."""
    database.execute("DELETE FROM facts WHERE number = ?", (number,))
    _delete_words(database, "facts", number)


def delete_turn(database: sqlite3.Connection, sequence: int) -> None:
    """Remove a turn and its words, and rewrite its neighbours without them."""
    known = database.execute("SELECT language, speakers FROM turns WHERE sequence = ?", (sequence,)).fetchone()
    if known:
        recount(database, LANGUAGE, removed=(known[0],))
        recount(database, SPEAKER, removed=json.loads(known[1]))
    database.execute("DELETE FROM turns WHERE sequence = ?", (sequence,))
    database.execute("DELETE FROM relations WHERE sequence = ?", (sequence,))
    delete_fields(database, sequence)
    _delete_words(database, "turns", sequence)
    _delete_words(database, "concepts", sequence)


def delete_entity(database: sqlite3.Connection, number: int) -> None:
    """Remove an entity and its words."""
    database.execute("DELETE FROM entities WHERE number = ?", (number,))
    _delete_words(database, "entities", number)


def compact(database: sqlite3.Connection) -> None:
    """Rewrite the file and its log, so that no byte of deleted rows is left."""
    with database:
        database.execute("DELETE FROM counts WHERE rows <= 0")
        for table in WORD_TABLES.values():
            database.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
    database.execute("VACUUM")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def row_counts(database: sqlite3.Connection, kind: str, words: Sequence[str]) -> dict[str, int]:
    """The number of rows that contain each of *words*: an arm's own words, SPEAKER or LANGUAGE."""
    query = "SELECT word, rows FROM counts WHERE kind = ? AND word IN (SELECT value FROM json_each(?))"
    return dict(database.execute(query, (kind, json.dumps(words))).fetchall())


def recount(database: sqlite3.Connection, kind: str, *, added: Iterable[str] = (), removed: Iterable[str] = ()) -> None:
    """Update the counts of words that were added with a row, or removed."""
    upsert = "ON CONFLICT (kind, word) DO UPDATE SET rows = rows + excluded.rows"
    changes = [(kind, word, 1) for word in set(added)] + [(kind, word, -1) for word in set(removed)]
    database.executemany(f"INSERT INTO counts VALUES (?, ?, ?) {upsert}", changes)


def _delete_words(database: sqlite3.Connection, arm: str, number: int) -> None:
    known = database.execute(f"SELECT {_COUNTED[arm]} FROM {WORD_TABLES[arm]} WHERE rowid = ?", (number,)).fetchone()
    if known:
        recount(database, arm, removed=known[0].split())
        database.execute(f"DELETE FROM {WORD_TABLES[arm]} WHERE rowid = ?", (number,))


def number_of(database: sqlite3.Connection, table: str, uuid: str) -> int:
    """The number of a uuid in *table*, or the next free one."""
    known = database.execute(f"SELECT number FROM {table} WHERE uuid = ?", (uuid,)).fetchone()
    if known:
        return int(known[0])
    return int(database.execute(f"SELECT coalesce(max(number), 0) + 1 FROM {table}").fetchone()[0])


def fact_row(number: int, fact: StoredFact) -> tuple[object, ...]:
    """A fact as a row of ``facts``."""
    valid_at = fact.valid_at.isoformat() if fact.valid_at else None
    invalid_at = fact.invalid_at.isoformat() if fact.invalid_at else None
    episodes = json.dumps(fact.episodes)
    return (number, fact.uuid, fact.text, fact.source, fact.target, episodes, valid_at, invalid_at, fact.importance)


def move_cursor(database: sqlite3.Connection, name: str, sequence: int) -> None:
    """Move a cursor forward, never back."""
    upsert = "ON CONFLICT (name) DO UPDATE SET sequence = max(sequence, excluded.sequence)"
    database.execute(f"INSERT INTO cursors VALUES (?, ?) {upsert}", (name, sequence))


def with_placeholders(query: str, count: int) -> str:
    """A statement that ends in ``IN`` with *count* placeholders."""
    return f"{query} ({', '.join('?' * count)})"
