"""What each day brought, counted from full text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

_QUERIES = {
    "turns": "SELECT substr(occurred_at, 1, 10) AS day, count(*) FROM turns WHERE day BETWEEN ? AND ? GROUP BY day",
    "learned": """
        SELECT day, count(*) FROM (
          SELECT substr(min(turns.occurred_at), 1, 10) AS day FROM facts, json_each(facts.episodes) AS told
          JOIN turns ON turns.episode = told.value GROUP BY facts.number
        ) WHERE day BETWEEN ? AND ? GROUP BY day
    """,
    "ended": "SELECT substr(invalid_at, 1, 10) AS day, count(*) FROM facts WHERE day BETWEEN ? AND ? GROUP BY day",
}


def day_counts(database: sqlite3.Connection, first: str, last: str) -> dict[str, dict[str, int]]:
    """
    What each day (ISO, UTC) from *first* to *last* brought, by what it is counted as.

    ``turns`` are of the day they occurred on; ``learned`` are facts by their first turn, ``ended`` by their end.
    """
    found: dict[str, dict[str, int]] = {}
    for name, query in _QUERIES.items():
        for day, count in database.execute(query, (first, last)):
            found.setdefault(day, {})[name] = count
    return found
