"""
The outbox: every delivery that is not made yet, in one SQLite file of the home, so that a kill loses none.

It is a projection of what the minds' own stores say: how far each of them was read for an endpoint is a position
beside the deliveries, moved in the write that adds them. So an event is noted once, whatever is killed when.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from service.webhooks.endpoint import Delivery

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS endpoints (
  name TEXT PRIMARY KEY, since REAL NOT NULL, delivered INTEGER NOT NULL DEFAULT 0, delivered_at REAL,
  error TEXT, failed_at REAL
);
CREATE TABLE IF NOT EXISTS deliveries (
  id TEXT PRIMARY KEY, endpoint TEXT NOT NULL, mind_id TEXT NOT NULL, kind TEXT NOT NULL, at REAL NOT NULL,
  body TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL, due REAL NOT NULL,
  turn_id TEXT, session_id TEXT, number INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (endpoint, state, due);
CREATE INDEX IF NOT EXISTS deliveries_of ON deliveries (mind_id);
CREATE TABLE IF NOT EXISTS positions (
  endpoint TEXT NOT NULL, mind_id TEXT NOT NULL, source TEXT NOT NULL, position TEXT NOT NULL,
  PRIMARY KEY (endpoint, mind_id, source)
) WITHOUT ROWID;
"""
_WITHOUT_POSITIONS = "DROP TABLE deliveries; DROP TABLE cursors; DROP TABLE endpoints;"
_COLUMNS = "id, endpoint, mind_id, kind, at, body, attempts, turn_id, session_id"
_WAITING, _GIVEN_UP = "waiting", "given up"


@dataclass(frozen=True, slots=True)
class EndpointState:
    """How the deliveries to an endpoint stand."""

    waiting: int
    given_up: int
    delivered: int
    oldest_waiting_at: datetime | None
    next_attempt_at: datetime | None
    delivered_at: datetime | None
    failed_at: datetime | None
    error: str | None


class Outbox:
    """
    One file; every method blocks for well under a millisecond, unless the disk fails: then it raises sqlite3.Error.

    What is written survives the process at once, and a power cut as soon as SQLite writes its log back.
    """

    def __init__(self, file: Path) -> None:
        """*file* is opened now, and made if it is not there. Raises OSError, sqlite3.Error."""
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._mutex = threading.Lock()
        self._database = sqlite3.connect(file, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.execute("PRAGMA secure_delete = ON")
        if self._database.execute("SELECT 1 FROM sqlite_master WHERE name = 'cursors'").fetchone():
            self._database.executescript(_WITHOUT_POSITIONS)  # before any release, it knew turns alone
        self._database.executescript(_SCHEMA)
        file.chmod(0o600)

    def register(self, names: Iterable[str], *, now: datetime) -> None:
        """Know the endpoints that are configured; what waits for others is dropped."""
        known = tuple(names)
        with self._changed() as database:
            rows = [(name, now.timestamp()) for name in known]
            database.executemany("INSERT OR IGNORE INTO endpoints (name, since) VALUES (?, ?)", rows)
            for (name,) in database.execute("SELECT name FROM endpoints").fetchall():
                if name not in known:
                    for table, column in (("deliveries", "endpoint"), ("positions", "endpoint"), ("endpoints", "name")):
                        database.execute(f"DELETE FROM {table} WHERE {column} = ?", (name,))  # noqa: S608 - our own names

    def since(self, name: str) -> datetime:
        """From when on an endpoint is told of what happens: when it was configured first."""
        with self._mutex:
            row = self._database.execute("SELECT since FROM endpoints WHERE name = ?", (name,)).fetchone()
        return _instant(row[0])

    def position(self, endpoint: str, mind_id: str, source: str) -> str | None:
        """How far a store of a mind was read for an endpoint; None where it never was."""
        query = "SELECT position FROM positions WHERE endpoint = ? AND mind_id = ? AND source = ?"
        with self._mutex:
            row = self._database.execute(query, (endpoint, mind_id, source)).fetchone()
        return row[0] if row else None

    def advance(
        self, endpoint: str, mind_id: str, source: str, *, deliveries: Iterable[Delivery], position: str
    ) -> None:
        """Have *deliveries* made, which a store of a mind proves up to *position*, and move there, in one write."""
        with self._changed() as database:
            _insert(database, deliveries)
            row = (endpoint, mind_id, source, position)
            database.execute("INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?)", row)

    def due(self, endpoint: str, *, now: datetime) -> Delivery | None:
        """The oldest delivery to an endpoint whose time has come."""
        query = (
            f"SELECT {_COLUMNS} FROM deliveries WHERE endpoint = ? AND state = ? AND due <= ? "  # noqa: S608 - our own
            "ORDER BY number LIMIT 1"
        )
        with self._mutex:
            row = self._database.execute(query, (endpoint, _WAITING, now.timestamp())).fetchone()
        return _delivery(row) if row else None

    def made(self, delivery: Delivery, *, now: datetime) -> None:
        """A delivery was made: it is forgotten."""
        with self._changed() as database:
            update = "UPDATE endpoints SET delivered = delivered + 1, delivered_at = ?, error = NULL WHERE name = ?"
            database.execute(update, (now.timestamp(), delivery.endpoint))
            database.execute("DELETE FROM deliveries WHERE id = ?", (delivery.id,))

    def failed(self, delivery: Delivery, error: str, *, now: datetime, due: datetime | None) -> None:
        """An attempt failed; the next one is *due*. None gives up."""
        state = _WAITING if due is not None else _GIVEN_UP
        with self._changed() as database:
            update = "UPDATE deliveries SET state = ?, attempts = attempts + 1, due = ? WHERE id = ?"
            database.execute(update, (state, (due or now).timestamp(), delivery.id))
            update = "UPDATE endpoints SET error = ?, failed_at = ? WHERE name = ?"
            database.execute(update, (error, now.timestamp(), delivery.endpoint))

    def drop(self, delivery: Delivery) -> None:
        """Make a delivery no more."""
        with self._changed() as database:
            database.execute("DELETE FROM deliveries WHERE id = ?", (delivery.id,))

    def retry(self, endpoint: str, *, now: datetime) -> int:
        """Have everything that waits, or was given up, sent now. Returns how much that is."""
        update = "UPDATE deliveries SET state = ?, due = ?, attempts = 0 WHERE endpoint = ? AND state IN (?, ?)"
        with self._changed() as database:
            values = (_WAITING, now.timestamp(), endpoint, _WAITING, _GIVEN_UP)
            return database.execute(update, values).rowcount

    def changed_by_others(self) -> int:
        """A number that is another one when another process has written into the file."""
        with self._mutex:
            return int(self._database.execute("PRAGMA data_version").fetchone()[0])

    def forget(self, mind_id: str) -> None:
        """Drop all that is of a mind: it is erased."""
        with self._changed() as database:
            for table in ("deliveries", "positions"):
                database.execute(f"DELETE FROM {table} WHERE mind_id = ?", (mind_id,))  # noqa: S608 - our own names
        with self._mutex:
            self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def state(self, endpoint: str) -> EndpointState:
        """How the deliveries to an endpoint stand."""
        with self._mutex:
            waiting, oldest, due = self._database.execute(
                "SELECT count(*), min(at), min(due) FROM deliveries WHERE endpoint = ? AND state = ?",
                (endpoint, _WAITING),
            ).fetchone()
            (given_up,) = self._database.execute(
                "SELECT count(*) FROM deliveries WHERE endpoint = ? AND state = ?", (endpoint, _GIVEN_UP)
            ).fetchone()
            delivered, delivered_at, failed_at, error = self._database.execute(
                "SELECT delivered, delivered_at, failed_at, error FROM endpoints WHERE name = ?", (endpoint,)
            ).fetchone()
        return EndpointState(
            waiting=waiting,
            given_up=given_up,
            delivered=delivered,
            oldest_waiting_at=_instant_or_none(oldest),
            next_attempt_at=_instant_or_none(due),
            delivered_at=_instant_or_none(delivered_at),
            failed_at=_instant_or_none(failed_at),
            error=error,
        )

    def close(self) -> None:
        """Close the file."""
        with self._mutex:
            self._database.close()

    @contextmanager
    def _changed(self) -> Iterator[sqlite3.Connection]:
        with self._mutex, self._database:
            yield self._database


def _insert(database: sqlite3.Connection, deliveries: Iterable[Delivery]) -> None:
    query = (
        "INSERT OR IGNORE INTO deliveries VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, "
        "(SELECT coalesce(max(number), 0) + 1 FROM deliveries))"
    )
    for one in deliveries:
        at = one.at.timestamp()
        row = (one.id, one.endpoint, one.mind_id, one.kind, at, one.body, _WAITING, at)
        database.execute(query, (*row, one.turn_id, one.session_id))


def _delivery(row: tuple[str, str, str, str, float, str, int, str | None, str | None]) -> Delivery:
    delivery_id, endpoint, mind_id, kind, at, body, attempts, turn_id, session_id = row
    return Delivery(delivery_id, endpoint, mind_id, kind, _instant(at), body, attempts, turn_id, session_id)


def _instant_or_none(at: float | None) -> datetime | None:
    return None if at is None else _instant(at)


def _instant(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)
