"""
Transactions on PostgreSQL, for threads and never for the event loop. Whatever happens to it is DatabaseUnavailable.

A transaction ends within its deadline, also where a commit waits for a standby that is gone. Such a commit is not
cancelled: PostgreSQL would then show to everybody what stands on one machine only. It keeps its connection until the
server has answered; because three quarters of the connections may write, there are always some left that read.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import psycopg
import structlog
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from consolidation.kernel.sharing_errors import DatabaseUnavailable
from service.adapters.postgres.connection import TimedConnection, conninfo_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    type Cursor = psycopg.Cursor[tuple[Any, ...]]

_MOST_CONNECTIONS = 8
_RETRY_SECONDS = 0.5  # between two attempts to connect, while somebody waits for a connection
_GRACE_SECONDS = 0.5  # the server ends a statement at the deadline by itself; later we stop to listen
_ROLLBACK_SECONDS = 1.0
_MOST_TRIES = 3  # a transaction that could not begin has done nothing and begins anew on another connection
_CONTENTION = (  # of transactions that met; the database is well
    psycopg.errors.LockNotAvailable,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.SerializationFailure,
)
_NOT_AS_MADE = (  # rights are missing, or tables: a restore has only begun, or has given them to another user
    psycopg.errors.InsufficientPrivilege,
    psycopg.errors.InvalidSchemaName,
    psycopg.errors.UndefinedTable,
    psycopg.errors.UndefinedColumn,
)
_READ_ONLY = "session is read-only"  # as libpq says of a standby
_NOTHING_CHANGED = "the database does not answer, or not in time; nothing was changed"
_UNSAFE_COMMITS = ("off", "local", "remote_write")

log = structlog.get_logger()


class _CommitInDoubt(Exception):
    """Nobody knows whether the commit stands, or whether it stands on more than one machine."""


class Database:
    """PostgreSQL by one pool of connections, which are made when they are needed and thrown away when they break."""

    def __init__(
        self,
        url: str,
        *,
        report: Callable[[str | None], None] = lambda _: None,
        connections: int = _MOST_CONNECTIONS,
    ) -> None:
        """
        Take *url* without connecting. Raises ConfigurationFault when it can not be read.

        *report* is called from any thread with the reason when trouble begins, and with None when it is over.
        """
        self._report = report
        self._trouble: str | None = None
        self._is_of_writers = False  # the trouble: who reads goes on, and only a write that was confirmed ends it
        self._last_refusal = ""
        self._lock = threading.Lock()
        self._writers = threading.Semaphore(max(1, connections * 3 // 4))
        self._in_doubt: list[TimedConnection] = []
        self._pool = ConnectionPool(
            conninfo_of(url),
            connection_class=self._connection_class(),
            kwargs={"autocommit": True, "prepare_threshold": None},
            min_size=0,
            max_size=connections,
            open=False,
            reconnect_timeout=_RETRY_SECONDS,
            num_workers=2,
        )

    @property
    def trouble(self) -> str | None:
        """Why it does not work; None while it does, as far as is known."""
        return self._trouble

    def open(self) -> None:
        """Start; whether PostgreSQL is there shows with the first transaction."""
        logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # what it would say at each attempt is in the report
        self._pool.open()

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            doubtful, self._in_doubt = self._in_doubt, []
        for connection in doubtful:
            self._end(connection)
        self._pool.close()

    @contextmanager
    def transaction(self, *, deadline_seconds: float) -> Iterator[Cursor]:
        """
        Lend a cursor; what it did is committed at the end, or undone if the block raises.

        Raises DatabaseUnavailable within the deadline, or half a second later; its text says so where nobody knows
        whether the commit stands. Errors of the statements themselves, such as UniqueViolation, are psycopg's.
        """
        give_up_at = time.monotonic() + deadline_seconds
        self._let_go_of_answered()
        if not self._writers.acquire(timeout=deadline_seconds):
            reason = "every connection that may write is busy, or waits for a standby to confirm a commit"
            raise self._away(reason, is_of_writers=True)
        is_settled = True
        try:
            connection = self._begun("BEGIN", give_up_at=give_up_at)
            try:
                with self._translated(connection, is_of_writers=True):
                    yield from _lent(connection)
                    is_proof = not self._is_of_writers or _has_written(connection)
                    _commit(connection)
                if is_proof:
                    self._change_of_state(None)
            except _CommitInDoubt as error:
                is_settled = not connection.awaits_answer()
                raise self._in_doubt_about(error) from error
            finally:
                if is_settled:
                    self._give_back(connection)
                else:
                    self._remember(connection)
        finally:
            if is_settled:
                self._writers.release()

    @contextmanager
    def read_transaction(self, *, deadline_seconds: float) -> Iterator[Cursor]:
        """Lend a cursor that only reads, also while all connections that may write are busy. Raises the same."""
        connection = self._begun("BEGIN READ ONLY", give_up_at=time.monotonic() + deadline_seconds)
        try:
            with self._translated(connection):
                yield from _lent(connection)
                connection.execute("COMMIT")
            if not self._is_of_writers:
                self._change_of_state(None)
        finally:
            self._give_back(connection)

    def check_standbys(self, *, deadline_seconds: float) -> bool:
        """Return whether a commit waits for a second machine; otherwise log a warning. Raises DatabaseUnavailable."""
        with self.read_transaction(deadline_seconds=deadline_seconds) as cursor:
            cursor.execute("SELECT current_setting('synchronous_standby_names'), current_setting('synchronous_commit')")
            [(names, waits)] = cursor.fetchall()
        if not names or waits in _UNSAFE_COMMITS:
            log.warning("database.single", synchronous_standby_names=names, synchronous_commit=waits)
            return False
        return True

    def _connection_class(self) -> type[TimedConnection]:
        """Connections that leave us the reason why there is none; the pool would keep it to itself."""
        database = self

        class Connection(TimedConnection):
            @classmethod
            def connect(cls, *words: object, **more: object) -> Connection:
                try:
                    return super().connect(*words, **more)  # type: ignore[arg-type]
                except psycopg.Error as error:
                    read_only = "; it takes no writes: name the primary, too" if _READ_ONLY in str(error) else ""
                    database._last_refusal = f"{_first_line(error)}{read_only}"
                    raise

        return Connection

    def _begun(self, begin: str, *, give_up_at: float) -> TimedConnection:
        """A connection on which a transaction has begun."""
        for _ in range(_MOST_TRIES):
            connection = self._connected(give_up_at)
            connection.give_up_at = give_up_at + _GRACE_SECONDS
            try:
                connection.execute(_limited(begin, seconds=give_up_at - time.monotonic()))
            except psycopg.Error as error:
                self._last_refusal = _first_line(error)
                self._discard(connection)
            else:
                self._last_refusal = ""
                return connection
        raise self._away(self._last_refusal)

    def _connected(self, give_up_at: float) -> TimedConnection:
        """A connection. While there is none, each look makes the pool try to connect, which by itself it does not."""
        while (left := give_up_at - time.monotonic()) > 0:
            try:
                return self._pool.getconn(timeout=min(left, _RETRY_SECONDS))
            except PoolTimeout:
                continue
            except PoolClosed as error:
                raise self._away(str(error)) from error
        raise self._away(self._last_refusal or "all connections are busy")

    @contextmanager
    def _translated(self, connection: TimedConnection, *, is_of_writers: bool = False) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            if connection.closed or isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
                connection.close()
                self._pool.drain()  # what broke one has broken the others, too
            elif isinstance(error, _CONTENTION):
                raise DatabaseUnavailable(_NOTHING_CHANGED) from error
            elif isinstance(error, _NOT_AS_MADE):
                raise self._away(_what_lacks(error, connection), is_of_writers=is_of_writers) from error
            elif not isinstance(error, psycopg.OperationalError):
                raise
            raise self._away(_first_line(error)) from error

    def _give_back(self, connection: TimedConnection) -> None:
        if connection.pgconn.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            connection.close()
        self._pool.putconn(connection)

    def _discard(self, connection: TimedConnection) -> None:
        connection.close()
        self._pool.putconn(connection)
        self._pool.drain()

    def _remember(self, connection: TimedConnection) -> None:
        with self._lock:
            self._in_doubt.append(connection)

    def _let_go_of_answered(self) -> None:
        """Take back the connections on which a commit has been answered at last."""
        with self._lock:
            answered = [one for one in self._in_doubt if not one.awaits_answer()]
            self._in_doubt = [one for one in self._in_doubt if one not in answered]
        for connection in answered:
            self._end(connection)

    def _end(self, connection: TimedConnection) -> None:
        connection.close()
        self._pool.putconn(connection)
        self._writers.release()

    def _away(self, reason: str, *, is_of_writers: bool = False) -> DatabaseUnavailable:
        self._change_of_state(reason, is_of_writers=is_of_writers)
        return DatabaseUnavailable(_NOTHING_CHANGED)

    def _in_doubt_about(self, doubt: _CommitInDoubt) -> DatabaseUnavailable:
        self._change_of_state(str(doubt), is_of_writers=True)
        return DatabaseUnavailable(
            "the database did not confirm the commit: whether it was stored is not known. "
            "Send the same again under the same id, which settles it"
        )

    def _change_of_state(self, reason: str | None, *, is_of_writers: bool = False) -> None:
        with self._lock:
            is_news = (reason is None) != (self._trouble is None)
            # What else fails meanwhile, such as a statement that waits for such a commit, makes it no other trouble.
            self._is_of_writers = reason is not None and (is_of_writers or self._is_of_writers)
            self._trouble = reason
        if is_news:
            self._report(reason)


def _limited(begin: str, *, seconds: float) -> bytes:
    """The beginning of a transaction whose limits end with it, in one round trip."""
    limit = max(int(seconds * 1000), 1)
    return (
        f"{begin}; SET LOCAL statement_timeout = {limit}; SET LOCAL lock_timeout = {max(limit * 9 // 10, 1)}; "
        f"SET LOCAL idle_in_transaction_session_timeout = {limit}; SET LOCAL client_min_messages = warning"
    ).encode()


def _lent(connection: TimedConnection) -> Iterator[Cursor]:
    """Lend a cursor; undo what it did when its borrower fails."""
    try:
        with connection.cursor() as cursor:
            yield cursor
    except BaseException:
        connection.give_up_at = time.monotonic() + _ROLLBACK_SECONDS
        if not connection.closed and connection.pgconn.transaction_status != psycopg.pq.TransactionStatus.ACTIVE:
            with suppress(psycopg.Error):
                connection.execute("ROLLBACK")
        raise


def _has_written(connection: TimedConnection) -> bool:
    """Whether the commit of what was done waits for a standby: PostgreSQL confirms at once what wrote nothing."""
    [(number,)] = connection.execute("SELECT pg_current_xact_id_if_assigned()").fetchall()
    return number is not None


def _commit(connection: TimedConnection) -> None:
    """Commit. A warning means that somebody broke off the wait for a standby; PostgreSQL says so nowhere else."""
    connection.warnings.clear()
    try:
        done = connection.execute("COMMIT").statusmessage
    except psycopg.OperationalError as error:
        if connection.closed or connection.pgconn.transaction_status == psycopg.pq.TransactionStatus.ACTIVE:
            raise _CommitInDoubt(_first_line(error)) from error
        raise
    if done != "COMMIT":
        raise psycopg.errors.InFailedSqlTransaction("a statement failed, and its error was ignored: nothing was stored")
    if connection.warnings:
        raise _CommitInDoubt(connection.warnings[0])


def _what_lacks(error: psycopg.Error, connection: TimedConnection) -> str:
    """What is not as the first start made it, and whose rights are missing."""
    is_right = isinstance(error, psycopg.errors.InsufficientPrivilege)
    user = f": the user {connection.info.user} should own the database and its tables" if is_right else ""
    return f"{_first_line(error)}{user}"


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
