"""A look at a database for a person: which server takes writes, whether it is strict, the version of its tables."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

from consolidation.kernel.sharing_errors import DatabaseUnavailable
from service.adapters.postgres.database import Database
from service.adapters.postgres.migrations import shipped, version_of

_SECONDS = 5.0
_RIGHTS = """
SELECT current_user, coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AND NOT EXISTS (
    SELECT FROM pg_tables, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS needed
    WHERE schemaname = current_schema() AND tablename IN ('schema_versions', 'minds', 'turns')
    AND NOT has_table_privilege(quote_ident(schemaname) || '.' || quote_ident(tablename), needed)
)
"""


@dataclass(frozen=True, slots=True)
class DatabaseState:
    """
    ``primary`` is the host that was found to take writes. ``is_strict`` where a commit waits for a second machine,
    ``has_rights`` where the ``user`` may make tables and use those that are there.

    ``tables`` is the version of the tables, 0 before the first start, and ``known`` the newest that this code knows.
    """

    server: str
    primary: str
    user: str
    has_rights: bool
    is_strict: bool
    tables: int
    known: int


def inspect_database(url: str) -> DatabaseState:
    """Look, and change nothing. Raises ConfigurationFault, and DatabaseUnavailable, which says why."""
    with closing(Database(url, connections=1)) as database:
        database.open()
        try:
            with database.read_transaction(deadline_seconds=_SECONDS) as cursor:
                cursor.execute("SELECT current_setting('server_version')")
                [(server,)] = cursor.fetchall()
                [(user, has_rights)] = cursor.execute(_RIGHTS).fetchall()
                primary, tables = f"{cursor.connection.info.host}:{cursor.connection.info.port}", version_of(cursor)
            is_strict = database.check_standbys(deadline_seconds=_SECONDS)
        except DatabaseUnavailable as fault:
            raise DatabaseUnavailable(database.trouble or str(fault)) from fault
    return DatabaseState(str(server).split()[0], primary, str(user), has_rights, is_strict, tables, len(shipped()))
