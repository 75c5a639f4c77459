"""The journal's index on disk: its schema, the values in it, and how they are written. One SQLite file, FTS5."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from service.journal.days import day_of
from service.journal.matrix import Matrix
from service.journal.places import Stamp
from service.recall.text_store import TOKENS, connect_as, within

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from datetime import date
    from pathlib import Path

    from service.journal.cutting import Cut
    from service.ports import Vectors

_VERSION = 1
_SCHEMA = f"""
CREATE TABLE made_with (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE files (
  path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL, read_ns INTEGER NOT NULL, digest TEXT NOT NULL
);
CREATE TABLE chunks (
  number INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
  text TEXT NOT NULL, above TEXT NOT NULL, digest TEXT NOT NULL, language TEXT NOT NULL
);
CREATE INDEX chunks_by_path ON chunks (path);
CREATE INDEX chunks_by_digest ON chunks (digest);
CREATE TABLE vectors (digest TEXT, part INTEGER, vector BLOB NOT NULL, PRIMARY KEY (digest, part)) WITHOUT ROWID;
CREATE VIRTUAL TABLE chunk_words USING fts5 (own, above, tokenize="{TOKENS}");
"""
_PUT_CHUNK = """
INSERT INTO chunks (path, start_line, end_line, text, above, digest, language) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_CHUNK = """
SELECT number, chunks.path, start_line, end_line, text, above, chunks.digest, language, mtime_ns
FROM chunks JOIN files USING (path)
"""


@dataclass(frozen=True, slots=True)
class Known:
    """A file as it was last read: its stamp, when that was, what was in it."""

    stamp: Stamp
    read_ns: int
    digest: str


@dataclass(frozen=True, slots=True)
class Indexed:
    """A chunk ready to be indexed; its digest is of all that its vectors are made of."""

    cut: Cut
    digest: str
    language: str
    own: tuple[str, ...]
    above: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk of a file: where it stands, what it says, when the file was last written."""

    number: int
    path: str
    start_line: int
    end_line: int
    text: str
    above: str
    digest: str
    language: str
    written_at: datetime

    @property
    def day(self) -> date | None:
        """The day it is of."""
        return day_of(self.path)


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that holds some of the words: its BM25 score, higher is better."""

    number: int
    score: float


def connect(file: Path) -> sqlite3.Connection:
    """The database in *file*; what is deleted from it is overwritten, since people delete for a reason."""
    database = connect_as(file, schema=_SCHEMA, version=_VERSION)
    database.execute("PRAGMA secure_delete = ON")
    return database


def known_files(database: sqlite3.Connection) -> dict[str, Known]:
    """All files by path."""
    asked = "SELECT path, size, mtime_ns, ctime_ns, inode, read_ns, digest FROM files"
    return {row[0]: Known(Stamp(*row[1:5]), row[5], row[6]) for row in database.execute(asked)}


def put_file(database: sqlite3.Connection, path: str, known: Known, chunks: Sequence[Indexed]) -> None:
    """Write a file with its chunks, in place of those it had."""
    forget_file(database, path)
    note_file(database, path, known)
    for chunk in chunks:
        cut = chunk.cut
        row = (path, cut.start_line, cut.end_line, cut.text, cut.above, chunk.digest, chunk.language)
        number = database.execute(_PUT_CHUNK, row).lastrowid
        words = (number, " ".join(chunk.own), " ".join(chunk.above))
        database.execute("INSERT INTO chunk_words (rowid, own, above) VALUES (?, ?, ?)", words)


def note_file(database: sqlite3.Connection, path: str, known: Known) -> None:
    """Write by what a file is known."""
    row = (path, *known.stamp, known.read_ns, known.digest)
    database.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def forget_file(database: sqlite3.Connection, path: str) -> None:
    """Forget a file and its chunks; their vectors stay until they are tidied away, for who says the same."""
    database.execute("DELETE FROM chunk_words WHERE rowid IN (SELECT number FROM chunks WHERE path = ?)", (path,))
    database.execute("DELETE FROM chunks WHERE path = ?", (path,))
    database.execute("DELETE FROM files WHERE path = ?", (path,))


def forget_all(database: sqlite3.Connection) -> None:
    """Forget every file and chunk: they are to be cut anew."""
    for forget in ("DELETE FROM chunk_words", "DELETE FROM chunks", "DELETE FROM files"):
        database.execute(forget)


def unembedded(database: sqlite3.Connection, *, limit: int) -> list[tuple[str, str, str]]:
    """Chunks that have no vectors yet: digest, headings, text; each digest once."""
    asked = "SELECT digest, min(above), min(text) FROM chunks WHERE digest NOT IN (SELECT digest FROM vectors)"
    return database.execute(f"{asked} GROUP BY digest ORDER BY max(number) DESC LIMIT ?", (limit,)).fetchall()


def put_vectors(database: sqlite3.Connection, digest: str, rows: Vectors) -> None:
    """Write a chunk's vectors, a row a passage, if the chunk is still there."""
    if database.execute("SELECT 1 FROM chunks WHERE digest = ?", (digest,)).fetchone():
        parts = [(digest, part, row.astype("<f4").tobytes()) for part, row in enumerate(rows)]
        database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", parts)


def matrix(database: sqlite3.Connection) -> Matrix:
    """All vectors there are."""
    import numpy as np

    asked = "SELECT number, vector FROM chunks JOIN vectors USING (digest) ORDER BY number, part"
    rows = database.execute(asked).fetchall()
    if not rows:
        return Matrix({}, np.zeros((0, 0), np.float32))
    places: dict[int, tuple[int, int]] = {}
    for at, (number, _) in enumerate(rows):
        places[number] = (places.get(number, (at, at))[0], at + 1)
    return Matrix(places, np.frombuffer(b"".join(row[1] for row in rows), "<f4").reshape(len(rows), -1))


def ranked(database: sqlite3.Connection, stems: Sequence[str], *, limit: int) -> tuple[Hit, ...]:
    """Chunks that hold any of *stems*, best first; words of the headings above count less."""
    words = " OR ".join(f'"{stem}"' for stem in stems)
    asked = "SELECT rowid, -bm25(chunk_words, 1.0, 0.5) AS score FROM chunk_words WHERE chunk_words MATCH ?"
    found = database.execute(f"{asked} ORDER BY score DESC LIMIT ?", (words, limit)) if words else ()
    return tuple(Hit(*row) for row in found)


def chunks_of(database: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, Chunk]:
    """Chunks by number."""
    rows = database.execute(within(f"{_CHUNK} WHERE number IN", len(numbers)), tuple(numbers)).fetchall()
    return {row[0]: Chunk(*(*row[:-1], datetime.fromtimestamp(row[-1] / 1e9, UTC))) for row in rows}


def stems_of(database: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, frozenset[str]]:
    """The stems of chunks and of what stands above them, by number."""
    asked = within("SELECT rowid, own || ' ' || above FROM chunk_words WHERE rowid IN", len(numbers))
    return {number: frozenset(words.split()) for number, words in database.execute(asked, tuple(numbers))}


def holding(database: sqlite3.Connection, numbers: Sequence[int], stems: Sequence[str]) -> dict[int, frozenset[str]]:
    """Which of *stems* stand in chunks or above them, by number."""
    asked = within("SELECT rowid, ' ' || own || ' ' || above || ' ' FROM chunk_words WHERE rowid IN", len(numbers))
    wanted = [(stem, f" {stem} ") for stem in stems]
    rows = database.execute(asked, tuple(numbers)).fetchall()
    return {number: frozenset(stem for stem, word in wanted if word in words) for number, words in rows}


def made_with(database: sqlite3.Connection, name: str) -> str | None:
    """What a part of the index was made with: ``cut`` or ``embedder``."""
    row = database.execute("SELECT value FROM made_with WHERE name = ?", (name,)).fetchone()
    return str(row[0]) if row else None


def note_made_with(database: sqlite3.Connection, name: str, value: str) -> None:
    """Write down what a part of the index is made with."""
    database.execute("INSERT OR REPLACE INTO made_with VALUES (?, ?)", (name, value))
