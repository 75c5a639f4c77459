"""Which minds hold a thread: a row for each, which every service that shares the home finds at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from service.ports.thread_index import thread_digest

if TYPE_CHECKING:
    from service.adapters.postgres.database import Database

_SECONDS = 5.0
_MINDS = "SELECT mind_id FROM threads WHERE thread = %(thread)s ORDER BY mind_id"
_IS_NOTED = "SELECT FROM threads WHERE mind_id = %(mind)s AND thread = %(thread)s"
# The mind's row is locked, so that no entry is written behind an erasure of the mind.
_NOTE = """
WITH mind AS (
    SELECT mind_id FROM minds WHERE mind_id = %(mind)s AND state = 0 AND last_sequence > 0 FOR SHARE
)
INSERT INTO threads (mind_id, thread) SELECT mind_id, %(thread)s FROM mind ON CONFLICT DO NOTHING
"""
_FORGET = "DELETE FROM threads WHERE mind_id = %(mind)s AND thread = %(thread)s"


class PostgresThreadIndex:
    """The ``ThreadIndex`` of a home in a database. The rows of a mind are deleted with it (``mind_rows.py``)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def minds_with(self, thread_id: str) -> tuple[str, ...]:
        """The ids of the minds that hold a thread of this id, sorted."""
        with self._database.read_transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_MINDS, {"thread": thread_digest(thread_id)})
            return tuple(mind_id for (mind_id,) in cast("list[tuple[str]]", cursor.fetchall()))

    def note(self, thread_id: str, *, mind_id: str) -> None:
        """Note that a mind holds a thread. One that is noted already costs no commit."""
        words = {"mind": mind_id, "thread": thread_digest(thread_id)}
        with self._database.read_transaction(deadline_seconds=_SECONDS) as cursor:
            if cursor.execute(_IS_NOTED, words).fetchone() is not None:
                return
        with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_NOTE, words)

    def forget(self, thread_id: str, *, mind_id: str) -> None:
        """Delete an entry."""
        with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_FORGET, {"mind": mind_id, "thread": thread_digest(thread_id)})
