"""
One connection to PostgreSQL: it waits for no answer beyond its deadline and notices what a commit was warned of.

Nothing here, and nothing that uses it, relies on the state of a session, so that PgBouncer may pool by transactions.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from consolidation.kernel.errors import ConfigurationFault
from service.ports.database_address import has_bare_marks

if TYPE_CHECKING:
    from psycopg.abc import PQGen

_WAIT_INTERVAL = 0.1  # seconds, as psycopg has it
_LEAST_SECONDS = 0.001
_UNREADABLE = (
    "the address of the database can not be read (MIND_MEMORY_DATABASE): it is written "
    "postgresql://user:password@host,host/database, where a password has %40 for @, %2F for /, %3F for ? and %25 for %"
)
_DEFAULTS = {
    "connect_timeout": "2",
    "target_session_attrs": "read-write",
    "keepalives_idle": "10",  # a host that vanished is noticed within half a minute, also where a commit waits for it
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "fallback_application_name": "mind-memory",
}


class TimedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection with a deadline that is set for each transaction."""

    give_up_at = 0.0  # on the monotonic clock

    def __init__(self, pgconn: psycopg.pq.abc.PGconn) -> None:
        super().__init__(pgconn)
        self.warnings: list[str] = []
        self.add_notice_handler(self._notice)

    def wait[RV](self, gen: PQGen[RV], interval: float = _WAIT_INTERVAL, timeout: float | None = None) -> RV:
        """Return what the server answers. Raises OperationalError once the deadline has passed."""
        left = max(self.give_up_at - time.monotonic(), _LEAST_SECONDS)
        return super().wait(gen, interval, left if timeout is None else min(timeout, left))

    def awaits_answer(self) -> bool:
        """Return whether an answer that we gave up waiting for may still come."""
        if self.closed:
            return False
        try:
            self.pgconn.consume_input()
        except psycopg.OperationalError:
            return False
        return self.pgconn.is_busy() == 1

    def _notice(self, diagnostic: psycopg.errors.Diagnostic) -> None:
        if diagnostic.severity_nonlocalized == "WARNING":
            self.warnings.append(diagnostic.message_primary or "")


def conninfo_of(url: str) -> str:
    """
    The address with our defaults: of several hosts the one that can be written to, found within two seconds each.

    Raises ConfigurationFault, which does not quote the address: it has a password.
    """
    if has_bare_marks(url):
        raise ConfigurationFault(_UNREADABLE)
    try:
        given = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
    except psycopg.ProgrammingError:
        raise ConfigurationFault(_UNREADABLE) from None
    return make_conninfo("", **{**_DEFAULTS, **given})
