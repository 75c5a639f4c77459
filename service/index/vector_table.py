"""
Vectors of one kind in one file, and which of them are nearest to a query: all are compared.

A record is a key, a number, a checksum and one vector or two, in half precision. Records are written in place and read
through memory that is mapped to the file. A record that is removed is overwritten with zeros. One that was torn by a
power cut fails its checksum and counts as missing.

A table of many vectors is compared in bytes first, a third of the work, and only the best of these as they are stored.
Figures are in tests/benchmarks/README.md. simsimd and numpy are imported at first use.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from service.ports.embedder import Vector, Vectors

LONGEST_KEY = 64  # bytes; what has a longer one is not compared
_FEW = 2_000  # records that are compared as they are
_LEAST = 32  # records of a file
_MORE, _HALF = 50, 0.5  # more candidates of a comparison in bytes than are wanted
_WORD = 8
_ZEROS = 1024 * 1024  # that are written at once
_PAGE = 20_000  # records whose checksums are computed at once


class Nearest(NamedTuple):
    """Records near a query, nearest first: keys, numbers, and the cosine of each of their vectors (a row a record)."""

    keys: tuple[str, ...]
    numbers: tuple[int, ...]
    cosines: Vectors


class _Coarse(NamedTuple):
    """First vectors in bytes, and by what their dot products become cosines; 0 for what was removed."""

    bytes: NDArray[np.int8]
    scales: NDArray[np.float32]


class _View(NamedTuple):
    """What a search reads, all of one moment."""

    records: NDArray[np.void]
    used: int
    coarse: _Coarse | None


class VectorTable:
    """
    One file; *each* vectors a record, the first of which is searched for.

    Whoever changes it does so in one thread at a time; any number may search meanwhile.
    """

    def __init__(self, file: Path, *, dimension: int, each: int = 1) -> None:
        """Open *file*, or begin one. Raises OSError."""
        self._file = file
        self._type = _record(each, dimension)
        self._lock = threading.Lock()
        self._rows: dict[str, int] = {}
        self._free: list[int] = []
        self._view = self._mapped(0)
        self.damaged = self._read()

    def __len__(self) -> int:
        """How many records there are."""
        return len(self._rows)

    def keys(self) -> tuple[str, ...]:
        """The keys of all records."""
        return tuple(self._rows)

    def put(self, vectors: Mapping[str, Vectors], *, numbers: Mapping[str, int] | None = None) -> None:
        """Write records by key, a row of *vectors* for each of their vectors. Raises OSError."""
        import numpy as np

        new = {key: rows for key, rows in vectors.items() if len(key.encode()) <= LONGEST_KEY}
        if not new:
            return
        records = np.zeros(len(new), self._type)
        records["key"] = [key.encode() for key in new]
        records["number"] = [(numbers or {}).get(key, 0) for key in new]
        records["vectors"] = np.stack([np.atleast_2d(rows) for rows in new.values()])
        records["check"] = _checks(records)
        with self._lock:
            places = [self._rows.get(key, -1) for key in new]
            room = self._room_for(places.count(-1))
            free = iter(room)
            places = [next(free) if place < 0 else place for place in places]
            self._write(places, records)
            del self._free[: len(room)]  # only now: where the write fails, these places stay free
            self._rows.update(zip(new, places, strict=True))
            self._note(places)

    def change(self, key: str, place: int, vector: Vector) -> None:
        """Give a record, if there is one, another vector in *place*. Raises OSError."""
        row = self._rows.get(key)
        if row is None:
            return
        record = self._view.records[row : row + 1].copy()
        record["vectors"][0, place] = vector
        record["check"] = _checks(record)
        with self._lock:
            self._write([row], record)
            self._note([row])

    def remove(self, keys: Iterable[str]) -> None:
        """Overwrite the records of *keys* with zeros. Raises OSError."""
        import numpy as np

        with self._lock:
            gone = {key: self._rows[key] for key in keys if key in self._rows}
            rows = list(gone.values())
            if not rows:
                return
            self._write(rows, np.zeros(len(rows), self._type))
            for key in gone:
                del self._rows[key]
            self._free += rows
            self._note(rows)

    def vectors_of(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of those of *keys* that have any, in full precision."""
        import numpy as np

        known = {key: self._rows[key] for key in keys if key in self._rows}
        found = self._view.records["vectors"][list(known.values())].astype(np.float32)
        return dict(zip(known, found, strict=True))

    def nearest(self, queries: Vectors, *, limit: int) -> tuple[Nearest, ...]:
        """The *limit* records nearest to each query (a row), nearest first."""
        import numpy as np

        view = self._view
        if not view.used or limit < 1:
            return (Nearest((), (), np.zeros((0, 1), np.float32)),) * len(queries)
        asked = queries.astype(np.float16)
        return tuple(
            self._best(view, rows, query, limit=limit)
            for rows, query in zip(self._candidates(view, queries, limit), asked, strict=True)
        )

    def cosines(self, keys: Sequence[str], query: Vector) -> dict[str, float]:
        """How near those of *keys* that have vectors are to *query*, by their first."""
        import numpy as np

        known = {key: self._rows[key] for key in keys if key in self._rows}
        if not known:
            return {}
        found = self._view.records["vectors"][list(known.values()), 0]
        return dict(zip(known, _cosines(found, query.astype(np.float16)).tolist(), strict=True))

    def sync(self) -> None:
        """Return once everything is on the disk. Raises OSError."""
        handle = os.open(self._file, os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def _candidates(self, view: _View, queries: Vectors, limit: int) -> NDArray[np.intp]:
        """The rows, for each query, that may be among the nearest *limit*."""
        import numpy as np
        import simsimd

        most = min(view.used, limit if view.used <= _FEW else int(limit * (1 + _HALF)) + _MORE)
        if most == view.used:
            return np.tile(np.arange(view.used), (len(queries), 1))
        if view.used <= _FEW:
            ours = view.records["vectors"][: view.used, 0]
            scores = -np.asarray(simsimd.cdist(queries.astype(np.float16), ours, metric="cosine"))
        else:
            coarse = self._coarse(view)
            scores = np.asarray(simsimd.cdist(_coarsened(queries), coarse.bytes[: view.used], metric="dot"))
            scores = scores * coarse.scales[: view.used]
        scores[:, [row for row in tuple(self._free) if row < view.used]] = -np.inf  # what was removed
        found: NDArray[np.intp] = np.argpartition(scores, view.used - most, axis=1)[:, view.used - most :]
        return found

    def _best(self, view: _View, rows: NDArray[np.intp], query: NDArray[np.float16], *, limit: int) -> Nearest:
        """The best of *rows* when they are compared in half precision."""
        import numpy as np

        records = view.records[rows]
        vectors = records["vectors"]
        every = np.stack([_cosines(vectors[:, at], query) for at in range(vectors.shape[1])], axis=1)
        is_there = records["key"] != b""  # what was removed has no key
        order = [at for at in np.argsort(-every[:, 0], kind="stable").tolist() if is_there[at]][:limit]
        keys = tuple(key.decode() for key in records["key"][order].tolist())
        return Nearest(keys, tuple(records["number"][order].tolist()), every[order])

    def _coarse(self, view: _View) -> _Coarse:
        """All first vectors in bytes, made at the first search that needs them."""
        if view.coarse is not None:
            return view.coarse
        with self._lock:
            coarse = self._view.coarse
            if coarse is None:
                coarse = self._empty(len(self._view.records))
                for first in range(0, self._view.used, _PAGE):
                    rows = slice(first, first + _PAGE)
                    coarse.bytes[rows] = _coarsened(self._view.records["vectors"][rows, 0])
                    coarse.scales[rows] = _scales(coarse.bytes[rows])
                self._view = self._view._replace(coarse=coarse)
            return coarse

    def _empty(self, count: int) -> _Coarse:
        import numpy as np

        return _Coarse(np.zeros((count, self._type["vectors"].shape[1]), np.int8), np.zeros(count, np.float32))

    def _read(self) -> int:
        """Find the records of the file; return how many were damaged, which are zeroed."""
        import numpy as np

        damaged: list[int] = []
        every = self._view.records
        for first in range(0, len(every), _PAGE):
            page = every[first : first + _PAGE]
            keys, is_right = page["key"].tolist(), page["check"] == _checks(page)
            there = np.array([bool(key) for key in keys], bool)
            damaged += (first + np.flatnonzero(there & ~is_right)).tolist()
            self._rows.update((keys[at].decode(), first + at) for at in np.flatnonzero(there & is_right).tolist())
        used = max(self._rows.values(), default=-1) + 1
        taken = set(self._rows.values())
        self._free = [row for row in range(used) if row not in taken]
        if damaged:
            self._write(damaged, np.zeros(len(damaged), self._type))
        self._view = self._view._replace(used=used)
        return len(damaged)

    def _room_for(self, count: int) -> list[int]:
        """Rows for *count* new records, first those that are free; the file grows where it has to."""
        taken = self._free[:count]
        first, more = self._view.used, count - len(taken)
        if first + more > len(self._view.records):
            self._view = self._mapped(max(_LEAST, first + more, len(self._view.records) * 3 // 2))
        return [*taken, *range(first, first + more)]

    def _mapped(self, least: int) -> _View:
        """The file with room for *least* records; what was searched before stays mapped as long as it is read."""
        import numpy as np

        size = self._type.itemsize
        handle = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            there = os.fstat(handle).st_size // size
            _lengthen(handle, there * size, max(there, least) * size)
        finally:
            os.close(handle)
        count = max(there, least)
        old: _View | None = getattr(self, "_view", None)
        mapped = np.memmap(self._file, self._type, "r", shape=(count,)) if count else np.zeros(0, self._type)
        records = mapped.view(np.ndarray)  # a memmap is slow to slice
        coarse = None
        if old is not None and old.coarse is not None:
            coarse = self._empty(count)
            coarse.bytes[: len(old.coarse.bytes)] = old.coarse.bytes
            coarse.scales[: len(old.coarse.scales)] = old.coarse.scales
        return _View(records, old.used if old is not None else 0, coarse)

    def _write(self, rows: Sequence[int], records: NDArray[np.void]) -> None:
        """Write records in place, by the file and not by its mapping: a full disk is then an error, not a signal."""
        size = self._type.itemsize
        handle = os.open(self._file, os.O_WRONLY | os.O_CLOEXEC)
        try:
            if list(rows) == list(range(rows[0], rows[0] + len(rows))):
                _pwrite(handle, records.tobytes(), rows[0] * size)
                return
            for row, record in zip(rows, records, strict=True):
                _pwrite(handle, record.tobytes(), row * size)
        finally:
            os.close(handle)

    def _note(self, rows: Sequence[int]) -> None:
        """Let searches see what was written to *rows*."""
        view = self._view
        if view.coarse is not None:
            view.coarse.bytes[list(rows)] = _coarsened(view.records["vectors"][list(rows), 0])
            view.coarse.scales[list(rows)] = _scales(view.coarse.bytes[list(rows)])
        self._view = view._replace(used=max(view.used, *(row + 1 for row in rows)))


def _record(each: int, dimension: int) -> np.dtype[Any]:
    """The layout of a record, in whole words."""
    import numpy as np

    layout: Any = {
        "names": ["key", "number", "check", "vectors"],
        "formats": [f"S{LONGEST_KEY}", "<i8", "<u8", ("<f2", (each, dimension))],
        "offsets": [0, LONGEST_KEY, LONGEST_KEY + _WORD, LONGEST_KEY + 2 * _WORD],
        "itemsize": LONGEST_KEY + _WORD * (2 + -(-each * dimension * 2 // _WORD)),
    }
    found: np.dtype[Any] = np.dtype(layout)
    return found


def _lengthen(handle: int, begin: int, end: int) -> None:
    """Cut a file off at *begin*, then fill it up to *end*: reading what a full disk never gave room to is a signal."""
    os.ftruncate(handle, begin)
    try:
        for at in range(begin, end, _ZEROS):
            _pwrite(handle, bytes(min(_ZEROS, end - at)), at)
    except OSError:
        os.ftruncate(handle, begin)
        raise


def _pwrite(handle: int, content: bytes, at: int) -> None:
    while content:
        written = os.pwrite(handle, content, at)
        content, at = content[written:], at + written


def _checks(records: NDArray[np.void]) -> NDArray[np.uint64]:
    """A checksum of each record: the sum of its words, each times a number of its place."""
    import numpy as np

    whole = np.ascontiguousarray(records)
    words = whole.view(np.uint64).reshape(len(whole), -1)
    factors = np.arange(1, words.shape[1] + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) | np.uint64(1)
    factors[LONGEST_KEY // _WORD + 1] = 0  # the checksum itself
    found: NDArray[np.uint64] = (words * factors).sum(axis=1, dtype=np.uint64) + np.uint64(1)
    return found


def _coarsened(vectors: NDArray[Any]) -> NDArray[np.int8]:
    """Vectors in bytes, each by its own largest number; directions hardly change."""
    import numpy as np

    full = vectors.astype(np.float32)
    largest = np.abs(full).max(axis=-1, keepdims=True)
    found: NDArray[np.int8] = np.rint(full * (127 / np.maximum(largest, 1e-12))).astype(np.int8)
    return found


def _scales(vectors: NDArray[np.int8]) -> NDArray[np.float32]:
    """One divided by the length of each vector; 0 for one that is nothing."""
    import numpy as np

    full = vectors.astype(np.float32)
    lengths = np.sqrt(np.einsum("vd,vd->v", full, full))
    found: NDArray[np.float32] = np.where(lengths > 0, 1 / np.maximum(lengths, 1), np.float32(0)).astype(np.float32)
    return found


def _cosines(vectors: NDArray[np.float16], query: NDArray[np.float16]) -> Vectors:
    """The cosine of each of *vectors* with *query*."""
    import numpy as np
    import simsimd

    distances = np.asarray(simsimd.cdist(query[None], vectors, metric="cosine"))[0]
    found: Vectors = np.clip(1 - distances, -1, 1).astype(np.float32)
    return found
