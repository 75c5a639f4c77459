"""
One SQLite file of derived data, opened and kept open. Disk failures are translated once.

The data is derived, so a damaged database is deleted and rebuilt. A database that only can not be written now is kept.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from consolidation.kernel.errors import IndexUnusable
from service.index.text_store import connect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_PRIMARY = 0xFF  # the primary part of an extended result code
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_FOREIGN = frozenset({None, sqlite3.SQLITE_ERROR})  # another version, or half created when the power went
_FAILING = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
    }
)


class SqliteFile:
    """One database, used by one thread after the other. It is opened at first use, and again after a failure."""

    def __init__(
        self, file: Path, *, connect: Callable[[Path], sqlite3.Connection] = connect, name: str = "full text"
    ) -> None:
        """*connect* opens *file*, which need not exist; *name* is used in error messages."""
        self._file = file
        self._connect = connect
        self._name = name
        self._mutex = threading.RLock()
        self._database: sqlite3.Connection | None = None
        self._is_closed = False

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """The database, for reading. Raises IndexUnusable."""
        with self._mutex:
            try:
                if self._database is None:
                    self._database = self._connected()
                yield self._database
            except sqlite3.DatabaseError as error:
                code = _code(error)
                if code not in _DAMAGED | _FAILING:
                    raise
                self._close(deletes=code in _DAMAGED)
                raise IndexUnusable(f"{self._name}: {error}") from error
            except OSError as error:
                raise IndexUnusable(f"{self._name}: {error.strerror}") from error

    @contextmanager
    def changed(self) -> Iterator[sqlite3.Connection]:
        """The database in one transaction: everything or nothing. Raises IndexUnusable."""
        with self.opened() as database, database:
            yield database

    def drop(self) -> None:
        """Delete the file; the next use finds an empty one. Raises IndexUnusable."""
        with self._mutex:
            self._close(deletes=True)
            if self._file.exists():
                raise IndexUnusable(f"{self._name}: its file can not be removed")

    def close(self) -> None:
        """Close the file for good."""
        with self._mutex:
            self._is_closed = True
            self._close(deletes=False)

    def _connected(self) -> sqlite3.Connection:
        if self._is_closed:
            raise IndexUnusable(f"{self._name} is closed")
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            return self._connect(self._file)
        except sqlite3.DatabaseError as error:
            if _code(error) not in _DAMAGED | _FOREIGN:
                raise
            self._close(deletes=True)
            return self._connect(self._file)

    def _close(self, *, deletes: bool) -> None:
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()
            self._database = None
        if deletes:
            with suppress(OSError):  # then the next use tries again
                for leftover in self._file.parent.glob(f"{self._file.name}*"):
                    leftover.unlink(missing_ok=True)


def _code(error: sqlite3.Error) -> int | None:
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & _PRIMARY
