"""
The index of one mind's journal: chunks with words and vectors, derived from the files, in one SQLite file.

It can be deleted at any time and is then rebuilt. It recognises files by stamp and digest. While there is nothing to
index, there is no database either.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from consolidation.kernel.errors import IndexUnusable
from service.index import journal_store as store
from service.index.journal_store import connect
from service.index.sqlite_file import SqliteFile

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from service.index.journal_store import Chunk, ChunkHit, IndexedChunk, KnownFile
    from service.index.journal_vectors import VectorMatrix
    from service.ports.embedder import Vectors

_EMBEDDER, _CHUNKING = "embedder", "cut"


class JournalIndex:
    """
    One SQLite file. All methods block for a moment, so call them in a worker thread; several may run at once.

    All raise IndexUnusable while the disk is full or fails.
    """

    def __init__(self, file: Path) -> None:
        """*file* is created with the first chunk, and again if it is damaged or of another version."""
        self._path = file
        self._file = SqliteFile(file, connect=connect, name="the journal's index")
        self._mutex = threading.RLock()
        self._known: dict[str, KnownFile] | None = None
        self._embedder: str | None = None
        self._matrix: VectorMatrix | None = None
        self._chunking: str | None = None
        self._had_file = False

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to find, and never was."""
        return not self._path.exists()

    @property
    def embedder(self) -> str | None:
        """The embedder that made the vectors; None until ``set_embedder`` was called."""
        return self._embedder

    @property
    def chunking(self) -> str | None:
        """The name of the options that the chunks were cut with; None until ``set_chunking`` was called."""
        return self._chunking

    def known(self) -> Mapping[str, KnownFile]:
        """The known files, by path."""
        with self._mutex:
            if self._had_file and self.is_empty:
                self.reset()  # somebody deleted the file while we ran
            if self._known is None:
                self._known = {}
                if not self.is_empty:
                    with self._opened() as database:
                        self._known = store.known_files(database)
            return dict(self._known)

    def set_chunking(self, chunking: str) -> None:
        """Name the options that chunks are cut with. Chunks that were cut with other options are deleted."""
        self._chunking = chunking
        if self.is_empty:
            return
        with self._changed() as database:
            if store.made_with(database, _CHUNKING) not in {None, chunking}:
                store.delete_all_files(database)
                self._known = {}
            store.set_made_with(database, _CHUNKING, chunking)

    def put(self, path: str, known: KnownFile, chunks: Sequence[IndexedChunk]) -> None:
        """Index a file in place of its old version. A file without chunks is remembered in memory only."""
        has_old = not self.is_empty
        if chunks or has_old:
            with self._changed() as database:
                store.put_file(database, path, known, chunks)
        self._remember({path: known})

    def update_stamp(self, path: str, known: KnownFile) -> None:
        """Store a file's new stamp; its content is the same."""
        if not self.is_empty:
            with self._changed() as database:
                store.update_file(database, path, known)
        self._remember({path: known})

    def remove(self, paths: Sequence[str]) -> None:
        """Remove deleted files."""
        if paths and not self.is_empty:
            with self._changed() as database:
                for path in paths:
                    store.delete_file(database, path)
        with self._mutex:
            for path in paths:
                (self._known or {}).pop(path, None)

    def delete_unused_vectors(self) -> None:
        """Remove vectors that belong to no chunk any more."""
        if not self.is_empty:
            with self._changed() as database:
                database.execute("DELETE FROM vectors WHERE digest NOT IN (SELECT digest FROM chunks)")

    def reset(self) -> None:
        """Delete the file; the next search rebuilds the index."""
        with self._mutex:
            self._known, self._chunking, self._embedder, self._matrix = None, None, None, None
            self._had_file = False
            self._file.drop()

    def set_embedder(self, embedder: str) -> None:
        """Set the wanted embedder. Vectors of another one are deleted."""
        if self.is_empty:
            return
        with self._changed() as database:
            if store.made_with(database, _EMBEDDER) != embedder:
                database.execute("DELETE FROM vectors")
                store.set_made_with(database, _EMBEDDER, embedder)
        self._embedder = embedder

    def unembedded(self, *, limit: int) -> tuple[tuple[str, str, str], ...]:
        """The newest chunks without vectors: digest, headings, text."""
        if self.is_empty:
            return ()
        with self._opened() as database:
            return tuple(store.unembedded(database, limit=limit))

    def add_vectors(self, rows: Mapping[str, Vectors]) -> None:
        """Store vectors by digest, one row per passage."""
        with self._changed() as database:
            for digest, passages in rows.items():
                store.put_vectors(database, digest, passages)

    def matrix(self) -> VectorMatrix:
        """All vectors; none until it is known which embedder made them."""
        with self._mutex, self._opened() as database:
            if self._matrix is None:
                self._matrix = store.matrix(database)
            return self._matrix

    def ranked(self, stems: Sequence[str], *, limit: int, only_observations: bool = False) -> tuple[ChunkHit, ...]:
        """Chunks with any of *stems*, best first by BM25."""
        with self._opened() as database:
            return store.ranked(database, stems, limit=limit, only_observations=only_observations)

    def chunks(self, numbers: Sequence[int]) -> dict[int, Chunk]:
        """Chunks by number, if they still exist."""
        with self._opened() as database:
            return store.chunks_of(database, numbers)

    def stems(self, numbers: Sequence[int]) -> dict[int, frozenset[str]]:
        """The stems of chunks and of the headings above them, by number."""
        with self._opened() as database:
            return store.stems_of(database, numbers)

    def stems_in(self, numbers: Sequence[int], stems: Sequence[str]) -> dict[int, frozenset[str]]:
        """Which of *stems* occur in chunks or above them, by number."""
        with self._opened() as database:
            return store.stems_in(database, numbers, stems)

    def languages(self) -> tuple[str, ...]:
        """The languages of the chunks, most frequent first."""
        query = "SELECT language FROM chunks GROUP BY language ORDER BY count(*) DESC, language"
        with self._opened() as database:
            return tuple(row[0] for row in database.execute(query))

    def numbers_of_day(self) -> dict[date, tuple[int, ...]]:
        """The numbers of the chunks of each day: of dated files below ``memory/``, and of observations."""
        with self._opened() as database:
            return store.numbers_of_day(database)

    def observation_numbers(self) -> frozenset[int]:
        """The numbers of the chunks that are observations."""
        with self._opened() as database:
            return store.observation_numbers(database)

    def __len__(self) -> int:
        """The number of chunks."""
        if self.is_empty:
            return 0
        with self._opened() as database:
            return int(database.execute("SELECT count(*) FROM chunks").fetchone()[0])

    def close(self) -> None:
        """Close the file for good."""
        self._file.close()

    def _remember(self, known: Mapping[str, KnownFile]) -> None:
        with self._mutex:
            self._known = {**(self._known or {}), **known}

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._file.opened() as database:
                self._had_file = True
                yield database
        except IndexUnusable:
            self._known, self._chunking, self._matrix = None, None, None  # the database may be recreated empty
            raise

    @contextmanager
    def _changed(self) -> Iterator[sqlite3.Connection]:
        with self._opened() as database, database:
            self._matrix = None
            yield database
        self._matrix = None
