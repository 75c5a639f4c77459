"""
Full text of one mind: turns with their neighbours, facts and entities, ranked by BM25.

A projection of transcript and graph in one SQLite file beside the mind (FTS5), with its own cursors in the
same transaction as what they count; it can be dropped and is then built again. Text is stored as stems, so that
a query is words and nothing else: no operator can reach the engine.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from consolidation.kernel.words import tokens
from service.recall.neighbourhood import COLUMNS, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from service.ports import StoredEntity, StoredFact

_VERSION = 1
_TOKENS = "unicode61 remove_diacritics 0 categories 'L* M* N* Co' tokenchars '_'"
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
CREATE VIRTUAL TABLE turn_words USING fts5 ({", ".join(COLUMNS)}, tokenize="{_TOKENS}");
CREATE VIRTUAL TABLE fact_words USING fts5 (stems, tokenize="{_TOKENS}");
CREATE VIRTUAL TABLE entity_words USING fts5 (stems, tokenize="{_TOKENS}");
"""
_ARMS = {
    "turns": f"SELECT rowid, -bm25(turn_words, {', '.join(map(str, WEIGHTS))}) AS score FROM turn_words",
    "facts": "SELECT rowid, -bm25(fact_words) AS score FROM fact_words",
    "entities": "SELECT rowid, -bm25(entity_words) AS score FROM entity_words",
}
_WORDS = {"turns": "turn_words", "facts": "fact_words", "entities": "entity_words"}
_LONGEST_NAME = 5
_MOST_STEMS = 64


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


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that holds some of the words: a turn's sequence, or the number of a fact or entity; higher is better."""

    number: int
    score: float


class TextIndex:
    """One SQLite file. All methods block for a moment: call them in a worker thread; they may run at once."""

    def __init__(self, file: Path) -> None:
        """Open *file*, or make it anew when it is missing, damaged or of another version."""
        self._file = file
        self._mutex = threading.RLock()
        self._database = self._opened()

    def cursor(self, name: str) -> int:
        """How far the index is: ``turns`` or ``facts``."""
        with self._mutex:
            row = self._database.execute("SELECT sequence FROM cursors WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else 0

    def add_turns(self, turns: Sequence[IndexedTurn], *, cursor: int) -> None:
        """Index turns and move the cursor ``turns``, in one transaction; again is harmless."""
        with self._mutex, self._database as database:
            for turn in turns:
                _put_turn(database, turn)
            _move(database, "turns", cursor)

    def add_knowledge(
        self,
        facts: Iterable[tuple[StoredFact, Sequence[str]]],
        entities: Iterable[tuple[StoredEntity, Sequence[str]]],
        *,
        cursor: int,
    ) -> None:
        """Index facts and entities with their stems and move the cursor ``facts``; again is harmless."""
        with self._mutex, self._database as database:
            for fact, stems in facts:
                number = _numbered(database, "facts", fact.uuid)
                database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", _row(number, fact))
                _put(database, "fact_words", number, stems)
            for entity, stems in entities:
                number = _numbered(database, "entities", entity.uuid)
                row = (number, entity.uuid, entity.name, name_key(entity.name), entity.summary)
                database.execute("INSERT OR REPLACE INTO entities VALUES (?, ?, ?, ?, ?)", row)
                _put(database, "entity_words", number, stems)
            _move(database, "facts", cursor)

    def forget_facts_of(self, episode: str) -> None:
        """Forget the facts that only this episode (a uuid) told: it is about to be extracted again."""
        only = json.dumps((episode,))
        with self._mutex, self._database as database:
            for (number,) in database.execute("SELECT number FROM facts WHERE episodes = ?", (only,)).fetchall():
                database.execute("DELETE FROM facts WHERE number = ?", (number,))
                database.execute("DELETE FROM fact_words WHERE rowid = ?", (number,))

    def search(self, arm: str, stems: Sequence[str], *, limit: int) -> tuple[Hit, ...]:
        """Rows of an arm (``turns``, ``facts``, ``entities``) with any of *stems*, best first."""
        words = " OR ".join(f'"{stem}"' for stem in dict.fromkeys(stems[:_MOST_STEMS]))
        if not words:
            return ()
        asked = f"{_ARMS[arm]} WHERE {_WORDS[arm]} MATCH ? ORDER BY score DESC LIMIT ?"
        with self._mutex:
            return tuple(Hit(*row) for row in self._database.execute(asked, (words, limit)))

    def holding(self, stems: Sequence[str]) -> dict[str, int]:
        """How many turns hold each stem in their own words."""
        asked = "SELECT count(*) FROM turn_words WHERE turn_words MATCH ?"
        with self._mutex:
            return {
                stem: self._database.execute(asked, (f'own : "{stem}"',)).fetchone()[0] for stem in dict.fromkeys(stems)
            }

    def words_around(self, sequences: Sequence[int]) -> dict[int, frozenset[str]]:
        """All stems of these turns and of their neighbours."""
        asked = _in(f"SELECT rowid, {' || char(32) || '.join(COLUMNS)} FROM turn_words WHERE rowid IN", len(sequences))
        with self._mutex:
            return {row[0]: frozenset(row[1].split()) for row in self._database.execute(asked, tuple(sequences))}

    def traits(self, sequences: Sequence[int]) -> dict[int, Traits]:
        """Traits of turns by sequence."""
        asked = _in(
            "SELECT sequence, speakers, occurred_at, asks, statement_words, has_time FROM turns WHERE sequence IN",
            len(sequences),
        )
        with self._mutex:
            rows = self._database.execute(asked, tuple(sequences)).fetchall()
        return {
            row[0]: Traits(
                tuple(json.loads(row[1])), datetime.fromisoformat(row[2]), bool(row[3]), row[4], bool(row[5])
            )
            for row in rows
        }

    def speakers(self) -> frozenset[str]:
        """Everyone who ever spoke, as they were named."""
        with self._mutex:
            rows = self._database.execute("SELECT DISTINCT speakers FROM turns").fetchall()
        return frozenset(name for (row,) in rows for name in json.loads(row))

    def facts(self, numbers: Sequence[int]) -> dict[int, tuple[object, ...]]:
        """Facts by number: uuid, text, source, target, episodes as JSON, valid_at, invalid_at."""
        return self._rows("facts", numbers)

    def fact_numbers(self, uuids: Sequence[str]) -> dict[str, int]:
        """Numbers of facts by uuid."""
        return self._numbers("facts", uuids)

    def entity_numbers(self, uuids: Sequence[str]) -> dict[str, int]:
        """Numbers of entities by uuid."""
        return self._numbers("entities", uuids)

    def mentions(self, name: str, *, limit: int) -> tuple[int, ...]:
        """The newest turns whose own words hold every word of *name*; or that its bearer spoke."""
        words = " ".join(f'own : "{word}"' for word in tokens(name))
        asked = "SELECT rowid FROM turn_words WHERE turn_words MATCH ? ORDER BY rowid DESC LIMIT ?"
        spoken = "SELECT sequence FROM turns WHERE speakers LIKE ? ORDER BY sequence DESC LIMIT ?"
        with self._mutex:
            rows = self._database.execute(asked, (words, limit)).fetchall() if words else []
            rows = rows or self._database.execute(spoken, (f"%{json.dumps(name)}%", limit)).fetchall()
        return tuple(sorted(row[0] for row in rows))

    def entities(self, numbers: Sequence[int]) -> dict[int, tuple[object, ...]]:
        """Entities by number: uuid, name, key, summary."""
        return self._rows("entities", numbers)

    def named(self, text: str) -> tuple[tuple[str, str], ...]:
        """Known entities whose whole name stands in *text*: uuid and name, longest name first."""
        words = tokens(text)
        runs = {
            " ".join(words[start : start + length])
            for length in range(1, _LONGEST_NAME + 1)
            for start in range(len(words) - length + 1)
        }
        asked = _in("SELECT uuid, name FROM entities WHERE key IN", len(runs))
        with self._mutex:
            found = self._database.execute(asked, tuple(runs)).fetchall()
        return tuple(sorted(((str(uuid), str(name)) for uuid, name in found), key=lambda pair: (-len(pair[1]), pair)))

    def sequences(self, episodes: Sequence[str]) -> dict[str, int]:
        """Sequences of episodes by uuid; unknown ones are left out."""
        asked = _in("SELECT episode, sequence FROM turns WHERE episode IN", len(episodes))
        with self._mutex:
            return dict(self._database.execute(asked, tuple(episodes)).fetchall())

    def languages(self) -> Mapping[str, int]:
        """How many turns there are of each language."""
        with self._mutex:
            return dict(self._database.execute("SELECT language, count(*) FROM turns GROUP BY language").fetchall())

    def close(self) -> None:
        """Close the file."""
        with self._mutex:
            self._database.close()

    def _rows(self, table: str, numbers: Sequence[int]) -> dict[int, tuple[object, ...]]:
        asked = _in(f"SELECT * FROM {table} WHERE number IN", len(numbers))
        with self._mutex:
            return {row[0]: row[1:] for row in self._database.execute(asked, tuple(numbers))}

    def _numbers(self, table: str, uuids: Sequence[str]) -> dict[str, int]:
        asked = _in(f"SELECT uuid, number FROM {table} WHERE uuid IN", len(uuids))
        with self._mutex:
            return dict(self._database.execute(asked, tuple(uuids)).fetchall())

    def _opened(self) -> sqlite3.Connection:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            return _connected(self._file)
        except sqlite3.DatabaseError:
            for leftover in self._file.parent.glob(f"{self._file.name}*"):
                leftover.unlink()
            return _connected(self._file)


def name_key(name: str) -> str:
    """What a name is looked up by: its words, however they are written."""
    return " ".join(tokens(name))


def _connected(file: Path) -> sqlite3.Connection:
    database = sqlite3.connect(file, check_same_thread=False, isolation_level="DEFERRED")
    try:
        _make_ready(database)
    except sqlite3.DatabaseError:
        database.close()
        raise
    return database


def _make_ready(database: sqlite3.Connection) -> None:
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")  # derived: what a power cut takes is built again
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if version not in {0, _VERSION}:
        raise sqlite3.DatabaseError(f"index version {version}")
    if version == 0:
        database.executescript(f"{_SCHEMA} PRAGMA user_version = {_VERSION};")


def _put_turn(database: sqlite3.Connection, turn: IndexedTurn) -> None:
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
    database.execute("INSERT OR REPLACE INTO turns VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    words = [" ".join(turn.stems.get(column, ())) for column in COLUMNS]
    database.execute("DELETE FROM turn_words WHERE rowid = ?", (turn.sequence,))
    places = ", ".join("?" * (len(COLUMNS) + 1))
    columns = ", ".join(COLUMNS)
    database.execute(
        f"INSERT INTO turn_words (rowid, {columns}) VALUES ({places})",
        (turn.sequence, *words),
    )
    if turn.previous is not None:
        database.execute("UPDATE turn_words SET after = ? WHERE rowid = ?", (words[0], turn.previous))


def _put(database: sqlite3.Connection, table: str, number: int, stems: Sequence[str]) -> None:
    database.execute(f"DELETE FROM {table} WHERE rowid = ?", (number,))
    database.execute(f"INSERT INTO {table} (rowid, stems) VALUES (?, ?)", (number, " ".join(stems)))


def _numbered(database: sqlite3.Connection, table: str, uuid: str) -> int:
    known = database.execute(f"SELECT number FROM {table} WHERE uuid = ?", (uuid,)).fetchone()
    if known:
        return int(known[0])
    return int(database.execute(f"SELECT coalesce(max(number), 0) + 1 FROM {table}").fetchone()[0])


def _row(number: int, fact: StoredFact) -> tuple[object, ...]:
    valid_at = fact.valid_at.isoformat() if fact.valid_at else None
    invalid_at = fact.invalid_at.isoformat() if fact.invalid_at else None
    episodes = json.dumps(fact.episodes)
    return (number, fact.uuid, fact.text, fact.source, fact.target, episodes, valid_at, invalid_at)


def _move(database: sqlite3.Connection, name: str, sequence: int) -> None:
    upsert = "ON CONFLICT (name) DO UPDATE SET sequence = max(sequence, excluded.sequence)"
    database.execute(f"INSERT INTO cursors VALUES (?, ?) {upsert}", (name, sequence))


def _in(asked: str, count: int) -> str:
    return f"{asked} ({', '.join('?' * count)})"
