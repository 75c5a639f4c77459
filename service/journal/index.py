"""
The index of one mind's journal: chunks with their words and vectors, a projection of the files in one SQLite file.

It may be dropped at any time and is then made again. It knows its files by stamp and digest; while there is nothing to
be found in them, there is no database either.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from consolidation.kernel.errors import IndexUnusable
from service.journal import store
from service.journal.store import connect
from service.recall.text_file import TextFile

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from service.journal.matrix import Matrix
    from service.journal.store import Chunk, Hit, Indexed, Known
    from service.ports import Vectors

_EMBEDDER, _CUT = "embedder", "cut"


class JournalIndex:
    """
    One SQLite file. All methods block for a moment: call them in a worker thread; they may run at once.

    All raise IndexUnusable while the disk is full or fails.
    """

    def __init__(self, file: Path) -> None:
        """Bind to *file*; it is made at the first chunk, and anew when it is damaged or of another version."""
        self._path = file
        self._file = TextFile(file, connect=connect, name="the journal's index")
        self._mutex = threading.RLock()
        self._known: dict[str, Known] | None = None
        self._embedder: str | None = None
        self._matrix: Matrix | None = None
        self._way: str | None = None
        self._was_there = False

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be found, nor ever was."""
        return not self._path.exists()

    @property
    def embedder(self) -> str | None:
        """Whose vectors these are; None until somebody has said it since the start."""
        return self._embedder

    @property
    def way(self) -> str | None:
        """In which way its chunks were cut; None until somebody has said it since the start."""
        return self._way

    def known(self) -> Mapping[str, Known]:
        """By what each file is known."""
        with self._mutex:
            if self._was_there and self.is_empty:
                self.begin_anew()  # somebody has deleted it while we ran
            if self._known is None:
                self._known = {}
                if not self.is_empty:
                    with self._opened() as database:
                        self._known = store.known_files(database)
            return dict(self._known)

    def cut_as(self, way: str) -> None:
        """Say how chunks are cut: those that were cut in another *way* are let go."""
        self._way = way
        if self.is_empty:
            return
        with self._changed() as database:
            if store.made_with(database, _CUT) not in {None, way}:
                store.forget_all(database)
                self._known = {}
            store.note_made_with(database, _CUT, way)

    def put(self, path: str, known: Known, chunks: Sequence[Indexed]) -> None:
        """Index a file in place of what it was; one without chunks is only remembered for as long as we run."""
        has_old = not self.is_empty
        if chunks or has_old:
            with self._changed() as database:
                store.put_file(database, path, known, chunks)
        self._remember({path: known})

    def note(self, path: str, known: Known) -> None:
        """Remember a file by another stamp: it says what it said."""
        if not self.is_empty:
            with self._changed() as database:
                store.note_file(database, path, known)
        self._remember({path: known})

    def forget(self, paths: Sequence[str]) -> None:
        """Forget files that have gone."""
        if paths and not self.is_empty:
            with self._changed() as database:
                for path in paths:
                    store.forget_file(database, path)
        with self._mutex:
            for path in paths:
                (self._known or {}).pop(path, None)

    def tidy(self) -> None:
        """Let go of vectors that no chunk has any more."""
        if not self.is_empty:
            with self._changed() as database:
                database.execute("DELETE FROM vectors WHERE digest NOT IN (SELECT digest FROM chunks)")

    def begin_anew(self) -> None:
        """Drop the file; the journal is indexed again when it is next asked for."""
        with self._mutex:
            self._known, self._way, self._embedder, self._matrix = None, None, None, None
            self._was_there = False
            self._file.drop()

    def adopt(self, embedder: str) -> None:
        """Say whose vectors are wanted: those of another are let go."""
        if self.is_empty:
            return
        with self._changed() as database:
            if store.made_with(database, _EMBEDDER) != embedder:
                database.execute("DELETE FROM vectors")
                store.note_made_with(database, _EMBEDDER, embedder)
        self._embedder = embedder

    def unembedded(self, *, limit: int) -> tuple[tuple[str, str, str], ...]:
        """The newest chunks that have no vectors yet: digest, headings, text."""
        if self.is_empty:
            return ()
        with self._opened() as database:
            return tuple(store.unembedded(database, limit=limit))

    def add_vectors(self, rows: Mapping[str, Vectors]) -> None:
        """Keep vectors by digest, a row a passage."""
        with self._changed() as database:
            for digest, passages in rows.items():
                store.put_vectors(database, digest, passages)

    def matrix(self) -> Matrix:
        """All vectors there are; none before it is known whose they are."""
        with self._mutex, self._opened() as database:
            if self._matrix is None:
                self._matrix = store.matrix(database)
            return self._matrix

    def ranked(self, stems: Sequence[str], *, limit: int) -> tuple[Hit, ...]:
        """Chunks that hold any of *stems*, best first by BM25."""
        with self._opened() as database:
            return store.ranked(database, stems, limit=limit)

    def chunks(self, numbers: Sequence[int]) -> dict[int, Chunk]:
        """Chunks by number, those that are still there."""
        with self._opened() as database:
            return store.chunks_of(database, numbers)

    def stems(self, numbers: Sequence[int]) -> dict[int, frozenset[str]]:
        """The stems of chunks, and of the headings above them, by number."""
        with self._opened() as database:
            return store.stems_of(database, numbers)

    def holding(self, numbers: Sequence[int], stems: Sequence[str]) -> dict[int, frozenset[str]]:
        """Which of *stems* stand in chunks or above them, by number."""
        with self._opened() as database:
            return store.holding(database, numbers, stems)

    def languages(self) -> tuple[str, ...]:
        """The languages there are, the most frequent first."""
        asked = "SELECT language FROM chunks GROUP BY language ORDER BY count(*) DESC, language"
        with self._opened() as database:
            return tuple(row[0] for row in database.execute(asked))

    def dated(self) -> dict[str, tuple[int, ...]]:
        """The numbers of all chunks by path, of files below ``memory/``."""
        found: dict[str, list[int]] = {}
        with self._opened() as database:
            for path, number in database.execute("SELECT path, number FROM chunks WHERE path LIKE 'memory/%'"):
                found.setdefault(path, []).append(number)
        return {path: tuple(numbers) for path, numbers in found.items()}

    def __len__(self) -> int:
        """How many chunks there are."""
        if self.is_empty:
            return 0
        with self._opened() as database:
            return int(database.execute("SELECT count(*) FROM chunks").fetchone()[0])

    def close(self) -> None:
        """Close the file for good."""
        self._file.close()

    def _remember(self, known: Mapping[str, Known]) -> None:
        with self._mutex:
            self._known = {**(self._known or {}), **known}

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._file.opened() as database:
                self._was_there = True
                yield database
        except IndexUnusable:
            self._known, self._way, self._matrix = None, None, None  # it may be made anew, and then knows nothing
            raise

    @contextmanager
    def _changed(self) -> Iterator[sqlite3.Connection]:
        with self._opened() as database, database:
            self._matrix = None
            yield database
        self._matrix = None
