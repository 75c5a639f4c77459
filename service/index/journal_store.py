"""The journal index on disk: its schema, its values, and how they are written. One SQLite file with FTS5."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from consolidation.dreams.observations import Level
from consolidation.kernel.shared_files import Stamp
from service.index.journal_dates import day_of
from service.index.journal_vectors import VectorMatrix
from service.index.observed_lines import ObservedLine
from service.index.text_store import TOKENIZER, connect_as, with_placeholders

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from pathlib import Path

    from service.index.chunking import MarkdownChunk
    from service.ports.embedder import Vectors

_VERSION = 2
SCHEMA = f"""
CREATE TABLE made_with (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE files (
  path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL, read_ns INTEGER NOT NULL, digest TEXT NOT NULL
);
CREATE TABLE chunks (
  number INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
  text TEXT NOT NULL, above TEXT NOT NULL, digest TEXT NOT NULL, language TEXT NOT NULL,
  day TEXT, at TEXT, level TEXT, line TEXT
);
CREATE INDEX chunks_by_path ON chunks (path);
CREATE INDEX chunks_by_digest ON chunks (digest);
CREATE TABLE vectors (digest TEXT, part INTEGER, vector BLOB NOT NULL, PRIMARY KEY (digest, part)) WITHOUT ROWID;
CREATE VIRTUAL TABLE chunk_words USING fts5 (own, above, tokenize="{TOKENIZER}");
"""
_PUT_CHUNK = """
INSERT INTO chunks (path, start_line, end_line, text, above, digest, language, day, at, level, line)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_CHUNK = """
SELECT number, chunks.path, start_line, end_line, text, above, chunks.digest, language, mtime_ns, day, at, level, line
FROM chunks JOIN files USING (path)
"""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file as it was last read: its stamp, the time, and its digest."""

    stamp: Stamp
    read_ns: int
    digest: str


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk ready to be indexed. Its digest covers everything its vectors are made from."""

    cut: MarkdownChunk
    digest: str
    language: str
    own: tuple[str, ...]
    above: tuple[str, ...]
    observed: ObservedLine | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk of a file: its place, its text, when the file was last written, and what it is if an observation."""

    number: int
    path: str
    start_line: int
    end_line: int
    text: str
    above: str
    digest: str
    language: str
    written_at: datetime
    observed: ObservedLine | None = None

    @property
    def day(self) -> date | None:
        """The day of an observation, or of the chunk's file."""
        return day_of(self.path) if self.observed is None else self.observed.day


@dataclass(frozen=True, slots=True)
class ChunkHit:
    """A chunk that contains some of the words, with its BM25 score; higher is better."""

    number: int
    score: float


def connect(file: Path) -> sqlite3.Connection:
    """Open the database. Deleted content is overwritten, since people delete for a reason."""
    database = connect_as(file, schema=SCHEMA, version=_VERSION)
    database.execute("PRAGMA secure_delete = ON")
    return database


def known_files(database: sqlite3.Connection) -> dict[str, KnownFile]:
    """All files by path."""
    query = "SELECT path, size, mtime_ns, ctime_ns, inode, read_ns, digest FROM files"
    return {row[0]: KnownFile(Stamp(*row[1:5]), row[5], row[6]) for row in database.execute(query)}


def put_file(database: sqlite3.Connection, path: str, known: KnownFile, chunks: Sequence[IndexedChunk]) -> None:
    """Write a file with its chunks, in place of its old ones."""
    delete_file(database, path)
    update_file(database, path, known)
    for chunk in chunks:
        cut = chunk.cut
        row = (path, cut.start_line, cut.end_line, cut.text, cut.above, chunk.digest, chunk.language)
        number = database.execute(_PUT_CHUNK, (*row, *_observed_row(chunk.observed))).lastrowid
        words = (number, " ".join(chunk.own), " ".join(chunk.above))
        database.execute("INSERT INTO chunk_words (rowid, own, above) VALUES (?, ?, ?)", words)


def update_file(database: sqlite3.Connection, path: str, known: KnownFile) -> None:
    """Write a file's stamp and digest."""
    row = (path, *known.stamp, known.read_ns, known.digest)
    database.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def delete_file(database: sqlite3.Connection, path: str) -> None:
    """Remove a file and its chunks. Vectors stay: another chunk may have the same text."""
    database.execute("DELETE FROM chunk_words WHERE rowid IN (SELECT number FROM chunks WHERE path = ?)", (path,))
    database.execute("DELETE FROM chunks WHERE path = ?", (path,))
    database.execute("DELETE FROM files WHERE path = ?", (path,))


def delete_all_files(database: sqlite3.Connection) -> None:
    """Remove all files and chunks, so that they are cut again."""
    for forget in ("DELETE FROM chunk_words", "DELETE FROM chunks", "DELETE FROM files"):
        database.execute(forget)


def unembedded(database: sqlite3.Connection, *, limit: int) -> list[tuple[str, str, str]]:
    """Chunks without vectors: digest, headings, text; each digest once."""
    query = "SELECT digest, min(above), min(text) FROM chunks WHERE digest NOT IN (SELECT digest FROM vectors)"
    return database.execute(f"{query} GROUP BY digest ORDER BY max(number) DESC LIMIT ?", (limit,)).fetchall()


def put_vectors(database: sqlite3.Connection, digest: str, rows: Vectors) -> None:
    """Write a chunk's vectors, one row per passage, if the chunk still exists."""
    if database.execute("SELECT 1 FROM chunks WHERE digest = ?", (digest,)).fetchone():
        parts = [(digest, part, row.astype("<f4").tobytes()) for part, row in enumerate(rows)]
        database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", parts)


def matrix(database: sqlite3.Connection) -> VectorMatrix:
    """All vectors."""
    import numpy as np

    query = "SELECT number, vector FROM chunks JOIN vectors USING (digest) ORDER BY number, part"
    rows = database.execute(query).fetchall()
    if not rows:
        return VectorMatrix({}, np.zeros((0, 0), np.float32))
    row_ranges: dict[int, tuple[int, int]] = {}
    for at, (number, _) in enumerate(rows):
        row_ranges[number] = (row_ranges.get(number, (at, at))[0], at + 1)
    return VectorMatrix(row_ranges, np.frombuffer(b"".join(row[1] for row in rows), "<f4").reshape(len(rows), -1))


def ranked(
    database: sqlite3.Connection, stems: Sequence[str], *, limit: int, only_observations: bool = False
) -> tuple[ChunkHit, ...]:
    """Chunks with any of *stems*, best first. Words of the headings above count less."""
    words = " OR ".join(f'"{stem}"' for stem in stems)
    query = "SELECT rowid, -bm25(chunk_words, 1.0, 0.5) AS score FROM chunk_words WHERE chunk_words MATCH ?"
    if only_observations:
        query += " AND rowid IN (SELECT number FROM chunks WHERE level IS NOT NULL)"
    found = database.execute(f"{query} ORDER BY score DESC LIMIT ?", (words, limit)) if words else ()
    return tuple(ChunkHit(*row) for row in found)


def chunks_of(database: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, Chunk]:
    """Chunks by number."""
    rows = database.execute(with_placeholders(f"{_CHUNK} WHERE number IN", len(numbers)), tuple(numbers)).fetchall()
    return {
        row[0]: Chunk(*(*row[:8], datetime.fromtimestamp(row[8] / 1e9, UTC), _observed_of(row[9:]))) for row in rows
    }


def numbers_of_day(database: sqlite3.Connection) -> dict[date, tuple[int, ...]]:
    """The numbers of the chunks of each day: of dated files below ``memory/``, and of observations."""
    query = "SELECT path, day, number FROM chunks WHERE day IS NOT NULL OR path LIKE 'memory/%' ORDER BY path, number"
    found: dict[date, list[int]] = {}
    for path, day, number in database.execute(query):
        of_chunk = day_of(path) if day is None else date.fromisoformat(day)
        if of_chunk is not None:
            found.setdefault(of_chunk, []).append(number)
    return {day: tuple(numbers) for day, numbers in found.items()}


def observation_numbers(database: sqlite3.Connection) -> frozenset[int]:
    """The numbers of the chunks that are observations."""
    return frozenset(row[0] for row in database.execute("SELECT number FROM chunks WHERE level IS NOT NULL"))


def _observed_row(observed: ObservedLine | None) -> tuple[str | None, ...]:
    if observed is None:
        return (None, None, None, None)
    return (observed.day.isoformat(), observed.at, observed.level, observed.digest)


def _observed_of(row: Sequence[str | None]) -> ObservedLine | None:
    day, at, level, line = row
    if day is None or at is None or level is None or line is None:
        return None
    return ObservedLine(date.fromisoformat(day), at, Level(level), line)


def stems_of(database: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, frozenset[str]]:
    """The stems of chunks and of the headings above them, by number."""
    query = with_placeholders("SELECT rowid, own || ' ' || above FROM chunk_words WHERE rowid IN", len(numbers))
    return {number: frozenset(words.split()) for number, words in database.execute(query, tuple(numbers))}


def stems_in(database: sqlite3.Connection, numbers: Sequence[int], stems: Sequence[str]) -> dict[int, frozenset[str]]:
    """Which of *stems* occur in chunks or above them, by number."""
    query = with_placeholders(
        "SELECT rowid, ' ' || own || ' ' || above || ' ' FROM chunk_words WHERE rowid IN", len(numbers)
    )
    wanted = [(stem, f" {stem} ") for stem in stems]
    rows = database.execute(query, tuple(numbers)).fetchall()
    return {number: frozenset(stem for stem, word in wanted if word in words) for number, words in rows}


def made_with(database: sqlite3.Connection, name: str) -> str | None:
    """What a part of the index (``cut`` or ``embedder``) was made with."""
    row = database.execute("SELECT value FROM made_with WHERE name = ?", (name,)).fetchone()
    return str(row[0]) if row else None


def set_made_with(database: sqlite3.Connection, name: str, value: str) -> None:
    """Note what a part of the index is made with."""
    database.execute("INSERT OR REPLACE INTO made_with VALUES (?, ?)", (name, value))
