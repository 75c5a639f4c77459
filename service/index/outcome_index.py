"""
The projection of a mind's outcomes: each that stands, and what they come to for each memory. One SQLite file.

Everything in it follows from the log of outcomes, which is read on from the cursor; a file that is lost is made again.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from itertools import batched
from typing import TYPE_CHECKING, NamedTuple

from service.index.salience import Salience, Signal, salience_of
from service.index.sqlite_file import SqliteFile
from service.index.text_store import connect_as, with_placeholders

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from service.index.salience import Outcome

_VERSION = 2
_SCHEMA = """
CREATE TABLE cursor (bytes INTEGER NOT NULL);
INSERT INTO cursor VALUES (0);
CREATE TABLE signals (
  number INTEGER PRIMARY KEY AUTOINCREMENT, trace_id TEXT NOT NULL, reported TEXT NOT NULL, memory TEXT NOT NULL,
  outcome TEXT NOT NULL, reporter TEXT NOT NULL, weight REAL NOT NULL, at TEXT NOT NULL, newest INTEGER NOT NULL,
  UNIQUE (trace_id, reported, memory)
);
CREATE INDEX signals_by_memory ON signals (memory, number);
CREATE TABLE answers (sequence INTEGER NOT NULL, memory TEXT NOT NULL, PRIMARY KEY (sequence, memory)) WITHOUT ROWID;
CREATE TABLE salience (
  memory TEXT PRIMARY KEY, usefulness REAL NOT NULL, doubt REAL NOT NULL, last_at TEXT, doubted_at INTEGER NOT NULL,
  is_wrong INTEGER NOT NULL
) WITHOUT ROWID;
"""
_LAST = "9999"  # behind every time
_PAGE = 500  # values of one statement; SQLite allows more


class StandingOutcome(NamedTuple):
    """An outcome that stands: of which memory, in whose words, reported by whom, and when."""

    memory: str
    outcome: Outcome
    reporter: str
    at: datetime


class Weighted(NamedTuple):
    """One reported outcome with every memory it counts for, each with its weight."""

    trace_id: str
    reported: str
    outcome: Outcome
    reporter: str
    at: datetime
    newest: int
    memories: Mapping[str, float]


class OutcomeIndex:
    """The projection in *file*. Every method raises IndexUnusable."""

    def __init__(self, file: Path) -> None:
        self._sqlite = SqliteFile(
            file, connect=lambda path: connect_as(path, schema=_SCHEMA, version=_VERSION), name="outcomes"
        )

    def cursor(self) -> int:
        """How many bytes of the log are in it."""
        with self._sqlite.opened() as database:
            return int(database.execute("SELECT bytes FROM cursor").fetchone()[0])

    def add(self, reported: Iterable[Weighted], *, cursor: int) -> None:
        """Add what was reported, oldest first, and move the cursor, both or neither."""
        with self._sqlite.changed() as database:
            touched: set[str] = set()
            for one in reported:
                touched |= _replace(database, one)
            for memory in touched:
                _weigh(database, memory)
            database.execute("UPDATE cursor SET bytes = ?", (cursor,))

    def salience_by(
        self, instant: datetime | None, memories: Sequence[str], *, is_told: bool = False
    ) -> dict[str, Salience]:
        """
        What was known of *memories* by *instant* (None: by now), of the reports that still stand.

        Where *is_told*, only what a caller reported counts, not what was noticed.
        """
        found: dict[str, list[Signal]] = {}
        until = _text(instant) if instant is not None else _LAST
        with self._sqlite.opened() as database:
            for page in batched(memories, _PAGE):
                query = with_placeholders(
                    "SELECT memory, outcome, weight, at, newest FROM signals"
                    " WHERE at <= ? AND reporter IN ('caller', ?) AND memory IN",
                    len(page),
                )
                for memory, *signal in database.execute(
                    f"{query} ORDER BY number", (until, "caller" if is_told else "noticed", *page)
                ):
                    outcome, weight, at, newest = signal
                    found.setdefault(memory, []).append(Signal(outcome, weight, datetime.fromisoformat(at), newest))
        return {memory: salience_of(signals) for memory, signals in found.items()}

    def salience(self, memories: Sequence[str]) -> dict[str, Salience]:
        """What is known of *memories*, by id; those without an outcome are left out."""
        found: dict[str, Salience] = {}
        with self._sqlite.opened() as database:
            for page in batched(memories, _PAGE):
                query = with_placeholders("SELECT * FROM salience WHERE memory IN", len(page))
                rows = database.execute(query, page)
                for memory, usefulness, doubt, last_at, doubted_at, is_wrong in rows:
                    found[memory] = Salience(usefulness, doubt, _instant(last_at), doubted_at, bool(is_wrong))
        return found

    def contradicted_facts(self, turns: Sequence[str]) -> dict[str, frozenset[str]]:
        """By turn (its memory's id), the ids of its facts that were contradicted."""
        found: dict[str, set[str]] = {}
        with self._sqlite.opened() as database:
            for page in batched(turns, _PAGE):
                query = with_placeholders(
                    "SELECT DISTINCT memory, reported FROM signals"
                    " WHERE outcome = 'contradicted' AND reported <> memory AND memory IN",
                    len(page),
                )
                rows = database.execute(query, page)
                for memory, reported in rows:
                    found.setdefault(memory, set()).add(reported)
        return {memory: frozenset(facts) for memory, facts in found.items()}

    def ever_contradicted(self, *, limit: int) -> tuple[str, ...]:
        """The ids of memories that were ever contradicted, also for a fact that they told, the latest first."""
        query = "SELECT memory FROM salience WHERE doubted_at > 0 ORDER BY doubted_at DESC LIMIT ?"
        with self._sqlite.opened() as database:
            return tuple(memory for (memory,) in database.execute(query, (limit,)))

    def used_by(self, sequences: Sequence[int]) -> dict[int, frozenset[str]]:
        """By turn, the ids of the memories that its answer was seen to use."""
        found: dict[int, set[str]] = {}
        with self._sqlite.opened() as database:
            for page in batched(sequences, _PAGE):
                query = with_placeholders("SELECT sequence, memory FROM answers WHERE sequence IN", len(page))
                for sequence, memory in database.execute(query, page):
                    found.setdefault(sequence, set()).add(memory)
        return {sequence: frozenset(memories) for sequence, memories in found.items()}

    def of_trace(self, trace_id: str) -> tuple[StandingOutcome, ...]:
        """The outcomes that stand for what one trace showed, in the order of their reports."""
        with self._sqlite.opened() as database:
            rows = database.execute(
                "SELECT memory, outcome, reporter, at FROM signals WHERE trace_id = ? AND memory = reported"
                " ORDER BY number",
                (trace_id,),
            ).fetchall()
        return tuple(StandingOutcome(memory, said, by, datetime.fromisoformat(at)) for memory, said, by, at in rows)

    def counts(self, *, since: datetime | None = None, before: datetime | None = None) -> Counter[str]:
        """How many reports of each outcome stand, of a time, *since* included; None is any."""
        query = "SELECT outcome, COUNT(*) FROM signals WHERE memory = reported AND at >= ? AND at < ? GROUP BY outcome"
        span = (_text(since) if since is not None else "", _text(before) if before is not None else _LAST)
        with self._sqlite.opened() as database:
            return Counter(dict(database.execute(query, span).fetchall()))

    def drop(self) -> None:
        """Delete the projection; the next use makes it again from the log."""
        self._sqlite.drop()

    def close(self) -> None:
        """Close the file for good."""
        self._sqlite.close()


def _replace(database: sqlite3.Connection, one: Weighted) -> set[str]:
    """Let *one* take the place of what was reported before of the same memory of the same trace; what that touches."""
    key = (one.trace_id, one.reported)
    if one.outcome == "used" and one.reporter == "noticed":  # in the turn that was the newest; it stays true
        database.execute("INSERT OR IGNORE INTO answers VALUES (?, ?)", (one.newest, one.reported))
    told = database.execute("SELECT reporter FROM signals WHERE trace_id = ? AND reported = ? LIMIT 1", key).fetchone()
    if one.reporter == "noticed" and told == ("caller",):
        return set()  # whoever tells knows better
    old = database.execute("SELECT memory FROM signals WHERE trace_id = ? AND reported = ?", key).fetchall()
    database.execute("DELETE FROM signals WHERE trace_id = ? AND reported = ?", key)
    database.executemany(
        "INSERT INTO signals (trace_id, reported, memory, outcome, reporter, weight, at, newest)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (*key, memory, one.outcome, one.reporter, weight, one.at.isoformat(), one.newest)
            for memory, weight in one.memories.items()
        ],
    )
    return {memory for (memory,) in old} | set(one.memories)


def _weigh(database: sqlite3.Connection, memory: str) -> None:
    rows = database.execute(
        "SELECT outcome, weight, at, newest FROM signals WHERE memory = ? ORDER BY number", (memory,)
    ).fetchall()
    if not rows:
        database.execute("DELETE FROM salience WHERE memory = ?", (memory,))
        return
    found = salience_of(
        Signal(outcome, weight, datetime.fromisoformat(at), newest) for outcome, weight, at, newest in rows
    )
    last_at = found.last_at.isoformat() if found.last_at is not None else None
    database.execute(
        "INSERT OR REPLACE INTO salience VALUES (?, ?, ?, ?, ?, ?)",
        (memory, found.usefulness, found.doubt, last_at, found.doubted_at, found.is_wrong),
    )


def _text(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat()


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text is not None else None
