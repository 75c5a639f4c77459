"""Ranks the rows of an arm by BM25 within a budget of rows, rare words first."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from service.index.neighbourhood import CONCEPT_WEIGHTS, WEIGHTS
from service.index.text_store import WORD_TABLES, row_counts

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

_ARMS = {
    "turns": f"SELECT rowid, -bm25(turn_words, {', '.join(map(str, WEIGHTS))}) AS score FROM turn_words",
    "concepts": (
        f"SELECT rowid, -bm25(turn_concepts, {', '.join(map(str, CONCEPT_WEIGHTS))}) AS score FROM turn_concepts"
    ),
    "facts": "SELECT rowid, -bm25(fact_words) AS score FROM fact_words",
    "entities": "SELECT rowid, -bm25(entity_words) AS score FROM entity_words",
}
ARMS_OF_TURNS = frozenset({"turns", "concepts"})  # those whose rows are turns
_MOST_STEMS = 64
_MOST_ROWS = 3_000  # rows that contain the words; measured: tests/benchmarks/README.md


class TextQuery(NamedTuple):
    """Rows of an arm (``turns``, ``concepts``, ``facts``, ``entities``) with any of *stems* are asked for."""

    arm: str
    stems: tuple[str, ...]
    limit: int


class TextHit(NamedTuple):
    """A row that contains some of the words: a turn's sequence, or the number of a fact or entity. Higher is better."""

    number: int
    score: float


def ranked(
    database: sqlite3.Connection, queries: Sequence[TextQuery], *, among: AbstractSet[int] | None = None
) -> tuple[tuple[TextHit, ...], ...]:
    """
    The rows that each query finds, best first. Stems of an arm are counted once, and what two ask alike is found once.

    If there are too many rows, the rarest stems choose; if even the rarest is too frequent, the newest rows are used.
    With *among*, these rows alone are found; where they are few, frequent stems count, too.
    """
    is_short = among is not None and len(among) <= _MOST_ROWS
    counts = {
        arm: row_counts(database, arm, tuple({stem for one in queries if one.arm == arm for stem in one.stems}))
        for arm in {one.arm for one in queries}
    }
    found: dict[tuple[str, tuple[str, ...], int], tuple[TextHit, ...]] = {}
    asked = []
    for arm, stems, limit in queries:
        rows = {stem: counts[arm][stem] for stem in stems if stem in counts[arm]}
        chosen = _rarest(rows, most=None if is_short else _MOST_ROWS)
        key = (arm, chosen, limit)
        if key not in found:
            is_wide = not is_short and bool(chosen) and rows[chosen[0]] > _MOST_ROWS
            newest = _newest(database, arm) if is_wide else 0
            found[key] = _ranked(database, arm, chosen, newest=newest, limit=limit, among=among)
        asked.append(found[key])
    return tuple(asked)


def _ranked(
    database: sqlite3.Connection,
    arm: str,
    chosen: Sequence[str],
    *,
    newest: int,
    limit: int,
    among: AbstractSet[int] | None,
) -> tuple[TextHit, ...]:
    if not chosen:
        return ()
    words = " OR ".join(f'"{stem}"' for stem in chosen)
    found = f"{_ARMS[arm]} WHERE {WORD_TABLES[arm]} MATCH ? AND rowid > ?"
    values: list[object] = [words, newest]
    if among is not None:
        found += " AND rowid IN (SELECT value FROM json_each(?))"
        values.append(json.dumps(sorted(among)))
    rows_found = database.execute(f"{found} ORDER BY score DESC LIMIT ?", (*values, limit))
    return tuple(map(TextHit._make, rows_found))


def _rarest(rows: Mapping[str, int], *, most: int | None) -> tuple[str, ...]:
    """The rarest words that together occur in at most so many rows; at least one word. None limits nothing."""
    chosen: list[str] = []
    found = 0
    for word in sorted((word for word in rows if rows[word] > 0), key=lambda word: (rows[word], word)):
        found += rows[word]
        if chosen and most is not None and found > most:
            break
        chosen.append(word)
    return tuple(chosen[:_MOST_STEMS])


def _newest(database: sqlite3.Connection, arm: str) -> int:
    """The row above which the newest rows of an arm begin."""
    last = database.execute(f"SELECT max(rowid) FROM {WORD_TABLES[arm]}").fetchone()[0] or 0
    return max(0, int(last) - _MOST_ROWS)
