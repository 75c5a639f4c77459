"""
The database's tables, brought forward one numbered file at a time: ``migrations/0001_….sql`` and those after it.

Each file runs in one transaction together with its row in ``schema_versions``: one that is interrupted has done
nothing. Replicas that start at once take turns at the lock of that table. There is no way back.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

from consolidation.kernel.errors import ConfigurationFault

if TYPE_CHECKING:
    from service.adapters.postgres.database import Database

_FOLDER = Path(__file__).with_name("migrations")
_VERSIONS = """
CREATE TABLE IF NOT EXISTS schema_versions (
    version integer PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)
"""
_NEWEST = "SELECT coalesce(max(version), 0) FROM schema_versions"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step; ``version`` counts from one without a gap."""

    version: int
    name: str
    statements: str


def shipped() -> tuple[Migration, ...]:
    """Every migration of this version, in order."""
    files = sorted(_FOLDER.glob("*.sql"))
    return tuple(Migration(int(file.name[:4]), file.stem[5:], file.read_text(encoding="utf-8")) for file in files)


def migrate(
    database: Database, *, migrations: tuple[Migration, ...] | None = None, deadline_seconds: float = 600
) -> int:
    """
    Bring *database* to the newest of *migrations*; return how many were applied by us.

    Raises ConfigurationFault when the database is newer than this version, DatabaseUnavailable when it does not answer
    or one migration takes longer than the deadline.
    """
    known = shipped() if migrations is None else migrations
    _create_versions(database, deadline_seconds=deadline_seconds)
    applied = 0
    while _apply_next(database, known, deadline_seconds=deadline_seconds):
        applied += 1
    return applied


def version_of(cursor: psycopg.Cursor[Any]) -> int:
    """The version of the tables; 0 where there are none yet."""
    cursor.execute("SELECT to_regclass('schema_versions') IS NOT NULL")
    if cursor.fetchall() != [(True,)]:
        return 0
    cursor.execute(_NEWEST)
    [(version,)] = cursor.fetchall()
    return int(version)


def _create_versions(database: Database, *, deadline_seconds: float) -> None:
    """``IF NOT EXISTS`` does not see what another replica creates at the same moment; the loser finds it there."""
    try:
        with database.transaction(deadline_seconds=deadline_seconds) as cursor:
            cursor.execute(_VERSIONS)
    except (psycopg.errors.UniqueViolation, psycopg.errors.DuplicateTable, psycopg.errors.DuplicateObject):
        return


def _apply_next(database: Database, known: tuple[Migration, ...], *, deadline_seconds: float) -> bool:
    """Apply the first migration that is missing; False when none is."""
    with database.read_transaction(deadline_seconds=deadline_seconds) as cursor:
        if _version(cursor, newest=len(known)) == len(known):
            return False
    with database.transaction(deadline_seconds=deadline_seconds) as cursor:
        cursor.execute("LOCK TABLE schema_versions IN EXCLUSIVE MODE")
        done = _version(cursor, newest=len(known))
        if done == len(known):
            return False
        step = known[done]
        cursor.execute(step.statements.encode())
        cursor.execute("INSERT INTO schema_versions (version, name) VALUES (%s, %s)", (step.version, step.name))
    return True


def _version(cursor: psycopg.Cursor[Any], *, newest: int) -> int:
    """The version the database is at. Raises ConfigurationFault when this code does not know it."""
    cursor.execute(_NEWEST)
    [(version,)] = cursor.fetchall()
    if version > newest:
        raise ConfigurationFault(
            f"the database's tables are of version {version}, and this mind-memory knows them up to version {newest}: "
            "start the version that was used last, or a newer one"
        )
    return int(version)
