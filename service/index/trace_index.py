"""
The index of a mind's traces: where each call stands, in which session and when it was, what it showed and dropped.

Everything in it follows from the files of traces, which are read on from a cursor for each; a file that is lost is made
again. It holds ids and figures, and nobody's words.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import batched
from typing import TYPE_CHECKING, Literal, NamedTuple

from service.index.sqlite_file import SqliteFile
from service.index.text_store import connect_as, with_placeholders

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

_VERSION = 3
SCHEMA = """
CREATE TABLE cursors (day INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
CREATE TABLE calls (
  place INTEGER PRIMARY KEY, trace_id TEXT NOT NULL, session_id TEXT NOT NULL, at INTEGER NOT NULL,
  surfaced INTEGER NOT NULL, ms REAL NOT NULL, degraded TEXT NOT NULL, tokens INTEGER NOT NULL, cost REAL NOT NULL,
  dropped TEXT NOT NULL, is_wonder INTEGER NOT NULL
);
CREATE INDEX calls_by_trace ON calls (trace_id);
CREATE INDEX calls_by_session ON calls (session_id, place);
CREATE INDEX calls_by_session_time ON calls (session_id, at);
CREATE TABLE memories (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
CREATE TABLE uses (memory INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (memory, place)) WITHOUT ROWID;
"""
_DAY_BITS = 40  # a place is its day and its offset in one number, so that places sort by time of writing
_SHOWED = "place IN (SELECT place FROM uses WHERE memory = (SELECT number FROM memories WHERE id = ?))"
_DROPPED = "instr(dropped, ',' || (SELECT number FROM memories WHERE id = ?) || ',')"
_PAGE = 500  # values of one statement; SQLite allows more
_NEWEST_TRACES = 5
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

type Role = Literal["shown", "dropped"]


@dataclass(frozen=True, slots=True)
class IndexedCall:
    """
    A pre-turn call as the index knows it; ``offset`` is its first byte in the file of its day.

    ``ms`` is how long it took, ``degraded`` the rungs taken, ``tokens`` and ``cost`` (US dollars) are its models'.
    ``shown`` and ``dropped`` are ids of memories, and of the turns that they rest on (``episode:<sequence>``).
    """

    offset: int
    trace_id: str
    session_id: str
    at: datetime
    surfaced: bool
    ms: float = 0.0
    degraded: tuple[str, ...] = ()
    tokens: int = 0
    cost: float = 0.0
    shown: frozenset[str] = frozenset()
    dropped: frozenset[str] = frozenset()
    is_wonder: bool = False


@dataclass(frozen=True, slots=True)
class CallFilter:
    """
    Which calls are meant; None is any.

    ``since`` and ``before`` are of the times that the calls tell, ``since`` included. ``memory`` is an id of a memory
    that the call showed or dropped, or only the one of them that ``role`` says. ``is_wonder`` are those that an agent
    made by itself.
    """

    session_id: str | None = None
    since: datetime | None = None
    before: datetime | None = None
    surfaced: bool | None = None
    memory: str | None = None
    role: Role | None = None
    is_wonder: bool | None = None


@dataclass(frozen=True, slots=True)
class CallSpan:
    """The calls of a session after ``since`` (None: all) and up to ``until``, by the times that they tell."""

    session_id: str
    since: datetime | None
    until: datetime


@dataclass(frozen=True, slots=True)
class Use:
    """How often a memory surfaced, when last, and the ids of the newest traces of that, newest first."""

    count: int
    last_at: datetime
    trace_ids: tuple[str, ...]


class CallRow(NamedTuple):
    """The figures of one call: when it was, what came of it, how long it took in ms, what its models cost."""

    at: datetime
    surfaced: bool
    ms: float
    degraded: tuple[str, ...]
    tokens: int
    cost: float


class TraceIndex:
    """The index in *file*; safe to use from several threads. Every method raises IndexUnusable."""

    def __init__(self, file: Path) -> None:
        self._sqlite = SqliteFile(
            file, connect=lambda path: connect_as(path, schema=SCHEMA, version=_VERSION), name="traces"
        )

    def cursors(self) -> dict[int, int]:
        """How many bytes of each day's file are in it."""
        with self._sqlite.opened() as database:
            return dict(database.execute("SELECT day, bytes FROM cursors").fetchall())

    def add(self, day: int, calls: Iterable[IndexedCall], *, start: int, end: int) -> bool:
        """
        Add the calls between two bytes of a day's file and move its cursor, both or neither.

        Returns False, and does nothing, where the cursor is not at *start*.
        """
        with self._sqlite.changed() as database:
            known = database.execute("SELECT bytes FROM cursors WHERE day = ?", (day,)).fetchone()
            if (known[0] if known else 0) != start:
                return False
            for call in calls:
                _put(database, day, call)
            database.execute("INSERT OR REPLACE INTO cursors VALUES (?, ?)", (day, end))
            return True

    def forget(self, days: AbstractSet[int]) -> None:
        """Remove what is known of *days*."""
        with self._sqlite.changed() as database:
            for day in days:
                span = (day << _DAY_BITS, (day + 1) << _DAY_BITS)
                database.execute("DELETE FROM calls WHERE place >= ? AND place < ?", span)
                database.execute("DELETE FROM uses WHERE place >= ? AND place < ?", span)
                database.execute("DELETE FROM cursors WHERE day = ?", (day,))

    def places(self, wanted: CallFilter, *, below: tuple[int, int] | None, limit: int) -> tuple[tuple[int, int], ...]:
        """Day and offset of the newest *limit* calls of a kind that were written before the one at *below*."""
        conditions, values = _conditions(wanted)
        if below is not None:
            conditions.append("place < ?")
            values.append(_place(*below))
        query = " ".join(("SELECT place FROM calls WHERE", " AND ".join(conditions), "ORDER BY place DESC LIMIT ?"))
        with self._sqlite.opened() as database:
            rows = database.execute(query, (*values, limit))
            return tuple(_day_and_offset(place) for (place,) in rows)

    def newest_in(self, span: CallSpan, *, limit: int) -> tuple[tuple[tuple[int, int], str], ...]:
        """Day and offset, and the id, of the calls in *span* that were written last, the last one first."""
        query = (
            "SELECT place, trace_id FROM calls INDEXED BY calls_by_session_time WHERE session_id = ? "
            "AND at > ? AND at <= ? ORDER BY place DESC LIMIT ?"
        )
        since = _microseconds(span.since) if span.since is not None else -(2**62)
        with self._sqlite.opened() as database:
            rows = database.execute(query, (span.session_id, since, _microseconds(span.until), limit))
            return tuple((_day_and_offset(place), trace_id) for place, trace_id in rows)

    def count(self, wanted: CallFilter) -> int:
        """How many calls of a kind there are."""
        conditions, values = _conditions(wanted)
        query = " ".join(("SELECT count(*) FROM calls WHERE", " AND ".join(conditions)))
        with self._sqlite.opened() as database:
            row = database.execute(query, values).fetchone()
        return int(row[0])

    def place_of(self, trace_id: str) -> tuple[int, int] | None:
        """Day and offset of a trace by its id."""
        with self._sqlite.opened() as database:
            row = database.execute("SELECT max(place) FROM calls WHERE trace_id = ?", (trace_id,)).fetchone()
        return _day_and_offset(row[0]) if row[0] is not None else None

    def surfaced(self, memories: Sequence[str]) -> Mapping[str, Use]:
        """How often *memories* surfaced, by id; those that never did are left out."""
        found: dict[str, Use] = {}
        with self._sqlite.opened() as database:
            for page in batched(dict.fromkeys(memories), _PAGE):
                query = with_placeholders("SELECT number, id FROM memories WHERE id IN", len(page))
                for number, memory in database.execute(query, page).fetchall():
                    if (use := _use(database, number)) is not None:
                        found[memory] = use
        return found

    def rows(self, *, since: datetime, before: datetime) -> list[CallRow]:
        """The figures of the calls of a time."""
        query = "SELECT at, surfaced, ms, degraded, tokens, cost FROM calls WHERE at >= ? AND at < ?"
        return self._rows(query, (_microseconds(since), _microseconds(before)))

    def rows_of(self, day: int) -> list[CallRow]:
        """The figures of the calls that stand in a day's file."""
        query = "SELECT at, surfaced, ms, degraded, tokens, cost FROM calls WHERE place >= ? AND place < ?"
        return self._rows(query, (day << _DAY_BITS, (day + 1) << _DAY_BITS))

    def _rows(self, query: str, values: tuple[int, int]) -> list[CallRow]:
        with self._sqlite.opened() as database:
            return [
                CallRow(_EPOCH + timedelta(microseconds=at), bool(surfaced), ms, tuple(rungs.split()), tokens, cost)
                for at, surfaced, ms, rungs, tokens, cost in database.execute(query, values)
            ]

    def drop(self) -> None:
        """Delete the index; it is made again from the files."""
        self._sqlite.drop()

    def close(self) -> None:
        """Close the file for good."""
        self._sqlite.close()


def _put(database: sqlite3.Connection, day: int, call: IndexedCall) -> None:
    place = _place(day, call.offset)
    of_call = (call.trace_id, call.session_id, _microseconds(call.at), call.surfaced)
    shown, dropped = _numbers(database, call.shown), _numbers(database, call.dropped)
    # Of tens a call, each in a row of its own would be written to as many pages. Few ask for these: they are searched.
    figures = (call.ms, " ".join(call.degraded), call.tokens, call.cost, f",{','.join(map(str, dropped))},")
    row = (place, *of_call, *figures, call.is_wonder)
    database.execute("INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    database.executemany("INSERT OR IGNORE INTO uses VALUES (?, ?)", [(number, place) for number in shown])


def _numbers(database: sqlite3.Connection, ids: AbstractSet[str]) -> tuple[int, ...]:
    """The numbers of memories; those that have none get one."""
    every = json.dumps(sorted(ids))
    known = "SELECT id, number FROM memories WHERE id IN (SELECT value FROM json_each(?))"
    found = dict(database.execute(known, (every,)).fetchall())
    for new in sorted(ids - found.keys()):
        found[new] = database.execute("INSERT INTO memories (id) VALUES (?)", (new,)).lastrowid
    return tuple(found.values())


def _use(database: sqlite3.Connection, number: int) -> Use | None:
    of_memory = "FROM uses JOIN calls USING (place) WHERE memory = ?"
    count, last = database.execute(f"SELECT count(*), max(at) {of_memory}", (number,)).fetchone()
    if not count:
        return None
    newest = f"SELECT trace_id {of_memory} ORDER BY place DESC LIMIT ?"
    rows = database.execute(newest, (number, _NEWEST_TRACES))
    return Use(count, _EPOCH + timedelta(microseconds=last), tuple(trace_id for (trace_id,) in rows))


def _conditions(wanted: CallFilter) -> tuple[list[str], list[object]]:
    conditions, values = ["1"], list[object]()
    if wanted.session_id is not None:
        conditions.append("session_id = ?")
        values.append(wanted.session_id)
    if wanted.since is not None:
        conditions.append("at >= ?")
        values.append(_microseconds(wanted.since))
    if wanted.before is not None:
        conditions.append("at < ?")
        values.append(_microseconds(wanted.before))
    if wanted.surfaced is not None:
        conditions.append("surfaced = ?")
        values.append(wanted.surfaced)
    if wanted.is_wonder is not None:
        conditions.append("is_wonder = ?")
        values.append(wanted.is_wonder)
    if wanted.memory is not None:
        chosen = {"shown": (_SHOWED,), "dropped": (_DROPPED,), None: (_SHOWED, _DROPPED)}[wanted.role]
        conditions.append(f"({' OR '.join(chosen)})")
        values += [wanted.memory] * len(chosen)
    return conditions, values


def _place(day: int, offset: int) -> int:
    return day << _DAY_BITS | offset


def _day_and_offset(place: int) -> tuple[int, int]:
    return place >> _DAY_BITS, place & ((1 << _DAY_BITS) - 1)


def _microseconds(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)
