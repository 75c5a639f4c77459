"""
The outbox of a home on files: every delivery that is not made yet, in one SQLite file, so that a kill loses none.

It is a projection of what the minds' own stores say: how far each of them was read for an endpoint is a position
beside the deliveries, moved in the write that adds them. So an event is noted once, whatever is killed when.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from consolidation.kernel.errors import HomeFault, OutboxDamaged
from service.ports.webhooks import Delivery, Due, EndpointState, Noted, RemovedEndpoint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS endpoints (
  name TEXT PRIMARY KEY, since REAL NOT NULL, delivered INTEGER NOT NULL DEFAULT 0, delivered_at REAL,
  error TEXT, failed_at REAL, rests_until REAL, removed_at REAL
);
CREATE TABLE IF NOT EXISTS deliveries (
  id TEXT PRIMARY KEY, endpoint TEXT NOT NULL, mind_id TEXT NOT NULL, kind TEXT NOT NULL, at REAL NOT NULL,
  body TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL, due REAL NOT NULL,
  turn_id TEXT, session_id TEXT, number INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (endpoint, state, due);
CREATE INDEX IF NOT EXISTS deliveries_in_order ON deliveries (endpoint, state, number, due);
CREATE INDEX IF NOT EXISTS deliveries_number ON deliveries (number);
CREATE INDEX IF NOT EXISTS deliveries_of ON deliveries (mind_id);
CREATE TABLE IF NOT EXISTS positions (
  endpoint TEXT NOT NULL, mind_id TEXT NOT NULL, source TEXT NOT NULL, position TEXT NOT NULL,
  PRIMARY KEY (endpoint, mind_id, source)
) WITHOUT ROWID;
"""
_WITHOUT_POSITIONS = "DROP TABLE deliveries; DROP TABLE cursors; DROP TABLE endpoints;"
_ADDED_COLUMNS = ("rests_until", "removed_at")  # of endpoints, since its first version
_TABLES = (("deliveries", "endpoint"), ("positions", "endpoint"), ("endpoints", "name"))  # with what names an endpoint
_COLUMNS = "id, endpoint, mind_id, kind, at, body, attempts, turn_id, session_id"
_WAITING, _GIVEN_UP = "waiting", "given up"


class SqliteOutbox:
    """
    One file. Every method blocks, as long as the disk and what other threads and processes write take; call it in a
    thread. Raises HomeFault where the file can not be read or written.

    What is written survives the process at once, and a power cut as soon as SQLite writes its log back.
    """

    def __init__(self, file: Path) -> None:
        """*file* is opened now, and made if it is not there. Raises OSError, HomeFault."""
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._mutex = threading.Lock()
        self._file = file
        with self._translated():
            self._database = sqlite3.connect(file, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute("PRAGMA secure_delete = ON")
            if self._database.execute("SELECT 1 FROM sqlite_master WHERE name = 'cursors'").fetchone():
                self._database.executescript(_WITHOUT_POSITIONS)  # before any release, it knew turns alone
            self._database.executescript(_SCHEMA)
            columns = {row[1] for row in self._database.execute("PRAGMA table_info(endpoints)")}
            for column in _ADDED_COLUMNS:
                if column not in columns:
                    self._database.execute(f"ALTER TABLE endpoints ADD COLUMN {column} REAL")
        file.chmod(0o600)

    def register(self, names: Iterable[str], *, now: datetime) -> None:
        """Know the endpoints that are configured, and since when others are not."""
        known = [(name, now.timestamp()) for name in names]
        with self._changed() as database:
            database.execute("UPDATE endpoints SET removed_at = coalesce(removed_at, ?)", (now.timestamp(),))
            database.executemany(
                "INSERT INTO endpoints (name, since) VALUES (?, ?) ON CONFLICT DO UPDATE SET removed_at = NULL", known
            )

    def drop_removed(self, *, before: datetime) -> tuple[RemovedEndpoint, ...]:
        """Drop endpoints that were removed *before*, with their events; return all that are not configured any more."""
        query = (
            "SELECT name, (SELECT count(*) FROM deliveries WHERE endpoint = name), removed_at < ? FROM endpoints "
            "WHERE removed_at IS NOT NULL ORDER BY name"
        )
        with self._changed() as database:
            rows = database.execute(query, (before.timestamp(),)).fetchall()
            found = tuple(RemovedEndpoint(name, events, bool(is_old)) for name, events, is_old in rows)
            for one in found:
                for table, column in _TABLES if one.is_dropped else ():
                    database.execute(f"DELETE FROM {table} WHERE {column} = ?", (one.name,))  # noqa: S608 - our own names
        return found

    def since(self, name: str) -> datetime:
        """From when on an endpoint is told of what happens: when it was configured first."""
        with self._read() as database:
            row = database.execute("SELECT since FROM endpoints WHERE name = ?", (name,)).fetchone()
        return _instant(row[0])

    def noted(self, mind_id: str) -> Noted:
        """How far the stores of a mind were read. An erasure waits for who looks at the mind: generations are equal."""
        query = "SELECT endpoint, source, position FROM positions WHERE mind_id = ?"
        with self._read() as database:
            rows = database.execute(query, (mind_id,)).fetchall()
        return Noted({(endpoint, source): position for endpoint, source, position in rows})

    def advance(
        self,
        endpoint: str,
        mind_id: str,
        source: str,
        *,
        deliveries: Iterable[Delivery],
        before: str | None,
        position: str,
        generation: int,  # noqa: ARG002 - see ``noted``
    ) -> bool:
        """Have *deliveries* made and move a position, in one write; False where it is not the one *before* any more."""
        query = "SELECT position FROM positions WHERE endpoint = ? AND mind_id = ? AND source = ?"
        with self._changed() as database:
            row = database.execute(query, (endpoint, mind_id, source)).fetchone()
            if (row[0] if row else None) != before:
                return False
            _insert(database, deliveries)
            database.execute(
                "INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?)", (endpoint, mind_id, source, position)
            )
        return True

    def due(self, endpoint: str, *, now: datetime) -> Due:
        """The oldest delivery to an endpoint whose time has come."""
        query = (
            f"SELECT {_COLUMNS} FROM deliveries INDEXED BY deliveries_in_order "  # noqa: S608 - our own names
            "WHERE endpoint = ? AND state = ? AND due <= ? ORDER BY number LIMIT 1"
        )
        with self._read() as database:
            if not (rests := _rests(database, endpoint, now=now)):
                row = database.execute(query, (endpoint, _WAITING, now.timestamp())).fetchone()
                if row:
                    return Due(_delivery(row))
            return Due(next_at=_next_at(database, endpoint, rests))

    def is_due(self, delivery: Delivery) -> bool:
        """Whether a delivery that was due is to be made still."""
        query = "SELECT 1 FROM deliveries WHERE id = ? AND state = ?"
        with self._read() as database:
            return database.execute(query, (delivery.id, _WAITING)).fetchone() is not None

    def made(self, delivery: Delivery, *, now: datetime) -> None:
        """A delivery was made: it is forgotten."""
        update = (
            "UPDATE endpoints SET delivered = delivered + 1, delivered_at = ?, error = NULL, rests_until = NULL "
            "WHERE name = ?"
        )
        with self._changed() as database:
            if database.execute("DELETE FROM deliveries WHERE id = ?", (delivery.id,)).rowcount:
                database.execute(update, (now.timestamp(), delivery.endpoint))

    def failed(self, delivery: Delivery, error: str, *, now: datetime, due: datetime | None, rests: bool) -> None:
        """An attempt failed; the next one is *due*, and nothing else before where the endpoint *rests*."""
        state = _WAITING if due is not None else _GIVEN_UP
        until = due.timestamp() if due is not None and rests else None
        with self._changed() as database:
            update = "UPDATE deliveries SET state = ?, attempts = attempts + 1, due = ? WHERE id = ?"
            database.execute(update, (state, (due or now).timestamp(), delivery.id))
            update = "UPDATE endpoints SET error = ?, failed_at = ?, rests_until = ? WHERE name = ?"
            database.execute(update, (error, now.timestamp(), until, delivery.endpoint))

    def drop(self, delivery: Delivery) -> None:
        """Make a delivery no more."""
        with self._changed() as database:
            database.execute("DELETE FROM deliveries WHERE id = ?", (delivery.id,))

    def retry(self, endpoint: str, *, now: datetime) -> int:
        """Have everything that waits, or was given up, sent now. Returns how much that is."""
        update = "UPDATE deliveries SET state = ?, due = ?, attempts = 0 WHERE endpoint = ? AND state IN (?, ?)"
        with self._changed() as database:
            database.execute("UPDATE endpoints SET rests_until = NULL WHERE name = ?", (endpoint,))
            values = (_WAITING, now.timestamp(), endpoint, _WAITING, _GIVEN_UP)
            return database.execute(update, values).rowcount

    def changed_by_others(self) -> int:
        """A number that is another one when another process has written into the file."""
        with self._read() as database:
            return int(database.execute("PRAGMA data_version").fetchone()[0])

    def forget(self, mind_id: str) -> None:
        """Drop all that is of a mind: it is erased."""
        with self._changed() as database:
            for table in ("deliveries", "positions"):
                database.execute(f"DELETE FROM {table} WHERE mind_id = ?", (mind_id,))  # noqa: S608 - our own names
        self._empty_log()

    def forget_turns(self, mind_id: str, turn_ids: Iterable[str], *, session_id: str | None) -> None:
        """Drop what is of turns, and of a session where it is erased as a whole."""
        with self._changed() as database:
            rows = [(mind_id, one) for one in turn_ids]
            database.executemany("DELETE FROM deliveries WHERE mind_id = ? AND turn_id = ?", rows)
            query = "DELETE FROM deliveries WHERE mind_id = ? AND session_id = ?"
            database.execute(query, (mind_id, session_id))  # NULL is equal to nothing
        self._empty_log()

    def state(self, endpoint: str) -> EndpointState:
        """How the deliveries to an endpoint stand."""
        with self._read() as database:
            waiting, oldest = database.execute(
                "SELECT count(*), min(at) FROM deliveries WHERE endpoint = ? AND state = ?", (endpoint, _WAITING)
            ).fetchone()
            (given_up,) = database.execute(
                "SELECT count(*) FROM deliveries WHERE endpoint = ? AND state = ?", (endpoint, _GIVEN_UP)
            ).fetchone()
            delivered, delivered_at, failed_at, error, rests = database.execute(
                "SELECT delivered, delivered_at, failed_at, error, rests_until FROM endpoints WHERE name = ?",
                (endpoint,),
            ).fetchone()
            next_at = _next_at(database, endpoint, rests)
        return EndpointState(
            waiting=waiting,
            given_up=given_up,
            delivered=delivered,
            oldest_waiting_at=_instant_or_none(oldest),
            next_attempt_at=next_at,
            delivered_at=_instant_or_none(delivered_at),
            failed_at=_instant_or_none(failed_at),
            error=error,
        )

    def close(self) -> None:
        """Close the file."""
        with self._mutex:
            self._database.close()

    def _empty_log(self) -> None:
        with self._read() as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        with self._translated(), self._mutex:
            yield self._database

    @contextmanager
    def _changed(self) -> Iterator[sqlite3.Connection]:
        with self._translated(), self._mutex, self._database:
            yield self._database

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            is_damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
            kind = OutboxDamaged if is_damaged else HomeFault
            raise kind(f"{self._file} can not be used: {error}") from error


def _rests(database: sqlite3.Connection, endpoint: str, *, now: datetime) -> float | None:
    """Until when an endpoint rests, if it does."""
    row = database.execute("SELECT rests_until FROM endpoints WHERE name = ?", (endpoint,)).fetchone()
    return row[0] if row and row[0] is not None and row[0] > now.timestamp() else None


def _next_at(database: sqlite3.Connection, endpoint: str, rests: float | None) -> datetime | None:
    """When the next attempt is; None where nothing waits."""
    query = "SELECT min(due) FROM deliveries WHERE endpoint = ? AND state = ?"
    (due,) = database.execute(query, (endpoint, _WAITING)).fetchone()
    return None if due is None else _instant(max(due, rests or due))


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
