"""
Which minds a database holds. They are listed whole now and then, and in between what has come and gone is asked for.

A service asks each second. With a hundred thousand minds, the whole list would be megabytes each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from datetime import datetime

    from service.adapters.postgres.database import Cursor

_WHOLE_EVERY = 60  # looks: a server that was promoted, or a service of an older version, may change minds unnoticed
_LIST = """
SELECT clock_timestamp(), array_agg(mind_id) FILTER (WHERE state = 0 AND last_sequence > 0), '{}'::text[],
    array_agg(mind_id) FILTER (WHERE state = 1)
FROM minds WHERE mind_id <> %(but)s
"""
_CHANGES = """
SELECT clock_timestamp(), array_agg(mind_id) FILTER (WHERE state = 0 AND last_sequence > 0),
    array_agg(mind_id) FILTER (WHERE state <> 0 OR last_sequence = 0), array_agg(mind_id) FILTER (WHERE state = 1)
FROM minds WHERE mind_id <> %(but)s AND listed_at > %(since)s::timestamptz - interval '2 minutes'
"""  # a long transaction shows what it wrote only at its end
_WITH_FILES = """
SELECT DISTINCT mind_id FROM files
WHERE path COLLATE "C" >= %(first)s AND path COLLATE "C" < %(before)s AND content IS NOT NULL
"""


def minds_with_files(cursor: Cursor, *, first: str, before: str) -> tuple[str, ...]:
    """The ids of minds that have a file from *first* on and *before* another one, by their paths in that order."""
    cursor.execute(_WITH_FILES, {"first": first, "before": before})
    return tuple(str(mind_id) for (mind_id,) in cursor.fetchall())


class MindList:
    """The ids of the minds that hold a turn, and of those whose erasure is not finished, as of the last look."""

    def __init__(self, *, but: str) -> None:
        """*but* is the id of a row that stands for something else than a mind."""
        self._but = but
        self._known: frozenset[str] = frozenset()
        self._sorted: tuple[str, ...] = ()
        self._erasing: frozenset[str] = frozenset()
        self._since: datetime | None = None
        self._looks = 0

    @property
    def known(self) -> frozenset[str]:
        """The ids, in no order."""
        return self._known

    @property
    def sorted(self) -> tuple[str, ...]:
        """The ids, sorted."""
        return self._sorted

    @property
    def erasing(self) -> frozenset[str]:
        """The ids of minds whose rows went, and whose erasure is not finished."""
        return self._erasing

    def look(self, cursor: Cursor) -> None:
        """See which minds there are now."""
        since = self._since if self._looks % _WHOLE_EVERY else None
        cursor.execute(_LIST if since is None else _CHANGES, {"but": self._but, "since": since})
        [(now, *found)] = cast("list[tuple[datetime, *tuple[list[str] | None, ...]]]", cursor.fetchall())
        self._since = now
        self._looks += 1
        came, went, erasing = (frozenset(some or ()) for some in found)
        self._erasing = erasing if since is None else self._erasing - came - went | erasing
        if since is None:
            self._know(came)
        elif not came <= self._known or not went.isdisjoint(self._known):
            self._know(self._known - went | came)

    def _know(self, known: frozenset[str]) -> None:
        if known != self._known:
            self._known, self._sorted = known, tuple(sorted(known))
