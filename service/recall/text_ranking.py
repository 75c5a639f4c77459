"""Which rows of an arm hold the words asked for, ranked by BM25: a budget of rows is looked at, rare words first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.recall.neighbourhood import WEIGHTS
from service.recall.text_store import WORDS, counted

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

_ARMS = {
    "turns": f"SELECT rowid, -bm25(turn_words, {', '.join(map(str, WEIGHTS))}) AS score FROM turn_words",
    "facts": "SELECT rowid, -bm25(fact_words) AS score FROM fact_words",
    "entities": "SELECT rowid, -bm25(entity_words) AS score FROM entity_words",
}
_MOST_STEMS = 64
_MOST_ROWS = 3_000  # that hold the words asked for; measured: tests/benchmarks/README.md


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that holds some of the words: a turn's sequence, or the number of a fact or entity; higher is better."""

    number: int
    score: float


def ranked(database: sqlite3.Connection, arm: str, stems: Sequence[str], *, limit: int) -> tuple[Hit, ...]:
    """
    Rows of an arm (``turns``, ``facts``, ``entities``) with any of *stems*, best first.

    Of many rows, the rarest stems choose; where even the rarest is in very many, the newest rows.
    """
    rows = counted(database, arm, tuple(dict.fromkeys(stems)))
    chosen = _rarest(rows)
    if not chosen:
        return ()
    words = " OR ".join(f'"{stem}"' for stem in chosen)
    newest = _newest(database, arm) if rows[chosen[0]] > _MOST_ROWS else 0
    asked = f"{_ARMS[arm]} WHERE {WORDS[arm]} MATCH ? AND rowid > ? ORDER BY score DESC LIMIT ?"
    return tuple(Hit(*row) for row in database.execute(asked, (words, newest, limit)))


def _rarest(rows: Mapping[str, int]) -> tuple[str, ...]:
    """The rarest words, as many as stand in no more rows altogether than we look at; at least one."""
    chosen: list[str] = []
    room = _MOST_ROWS
    for word in sorted((word for word in rows if rows[word] > 0), key=lambda word: (rows[word], word)):
        room -= rows[word]
        if chosen and room < 0:
            break
        chosen.append(word)
    return tuple(chosen[:_MOST_STEMS])


def _newest(database: sqlite3.Connection, arm: str) -> int:
    """The row above which the newest of an arm stand."""
    last = database.execute(f"SELECT max(rowid) FROM {WORDS[arm]}").fetchone()[0] or 0
    return max(0, int(last) - _MOST_ROWS)
