"""
The outbox: every delivery that is not made yet, in one SQLite file of the home, so that a kill loses none.

A turn that was kept is known by its sequence: how far each endpoint was told of a mind is a cursor beside the
deliveries, moved in the write that adds them. So a turn whose event was never published is told from the transcript.
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
  sequence INTEGER, turn_id TEXT, session_id TEXT, number INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (endpoint, state, due);
CREATE INDEX IF NOT EXISTS deliveries_of ON deliveries (mind_id, endpoint, sequence);
CREATE TABLE IF NOT EXISTS cursors (
  endpoint TEXT NOT NULL, mind_id TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (endpoint, mind_id)
) WITHOUT ROWID;
"""
_COLUMNS = "id, endpoint, mind_id, kind, at, body, attempts, sequence, turn_id, session_id"
_WAITING, _MADE, _GIVEN_UP = "waiting", "made", "given up"


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
                    for table, column in (("deliveries", "endpoint"), ("cursors", "endpoint"), ("endpoints", "name")):
                        database.execute(f"DELETE FROM {table} WHERE {column} = ?", (name,))  # noqa: S608 - our own names

    def since(self, name: str) -> datetime:
        """From when on an endpoint is told of what happens: when it was configured first."""
        with self._mutex:
            row = self._database.execute("SELECT since FROM endpoints WHERE name = ?", (name,)).fetchone()
        return _instant(row[0])

    def cursor(self, endpoint: str, mind_id: str) -> int | None:
        """The last turn of a mind that it is told of, with all before it; None where it never heard of the mind."""
        query = "SELECT sequence FROM cursors WHERE endpoint = ? AND mind_id = ?"
        with self._mutex:
            row = self._database.execute(query, (endpoint, mind_id)).fetchone()
        return row[0] if row else None

    def add(self, deliveries: Iterable[Delivery]) -> None:
        """Have *deliveries* made. One that is there already stays as it is."""
        with self._changed() as database:
            _insert(database, deliveries)

    def catch_up(self, endpoint: str, mind_id: str, deliveries: Iterable[Delivery], *, cursor: int) -> None:
        """Add what was kept up to the turn *cursor*, and move the cursor there, in one write."""
        with self._changed() as database:
            _insert(database, deliveries)
            database.execute("INSERT OR REPLACE INTO cursors VALUES (?, ?, ?)", (endpoint, mind_id, cursor))
            database.execute(
                "DELETE FROM deliveries WHERE endpoint = ? AND mind_id = ? AND state = ? AND sequence <= ?",
                (endpoint, mind_id, _MADE, cursor),
            )

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
        """A delivery was made. One that a cursor has yet to pass is remembered, without its ids."""
        with self._changed() as database:
            update = "UPDATE endpoints SET delivered = delivered + 1, delivered_at = ?, error = NULL WHERE name = ?"
            database.execute(update, (now.timestamp(), delivery.endpoint))
            if delivery.sequence is None:
                database.execute("DELETE FROM deliveries WHERE id = ?", (delivery.id,))
            else:
                update = "UPDATE deliveries SET state = ?, body = '', turn_id = NULL, session_id = NULL WHERE id = ?"
                database.execute(update, (_MADE, delivery.id))

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
            for table in ("deliveries", "cursors"):
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
        "INSERT OR IGNORE INTO deliveries VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, "
        "(SELECT coalesce(max(number), 0) + 1 FROM deliveries))"
    )
    for one in deliveries:
        at = one.at.timestamp()
        row = (one.id, one.endpoint, one.mind_id, one.kind, at, one.body, _WAITING, at)
        database.execute(query, (*row, one.sequence, one.turn_id, one.session_id))


def _delivery(row: tuple[str, str, str, str, float, str, int, int | None, str | None, str | None]) -> Delivery:
    delivery_id, endpoint, mind_id, kind, at, body, attempts, sequence, turn_id, session_id = row
    return Delivery(delivery_id, endpoint, mind_id, kind, _instant(at), body, attempts, sequence, turn_id, session_id)


def _instant_or_none(at: float | None) -> datetime | None:
    return None if at is None else _instant(at)


def _instant(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)
