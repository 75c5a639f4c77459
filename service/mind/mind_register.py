"""
What is known of the minds that are closed: one row each in a file of the home.

The file makes a start and a sweep independent of the number of minds: who is *resting* was closed with nothing left to
do, and needs a look only when its story is due. A row says so from the moment its mind is closed to the moment it is
opened again, whichever process dies when. The file is derived: a mind without a row is opened once.

Where several processes serve the home, they share the file, and each sees the rows of its own minds.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from service.index.sqlite_file import SqliteFile
from service.mind.health import LaneName
from service.mind.story_progress import PendingTurns
from service.mind.summary import AgentActivity, MindSummary, Narration, Totals
from service.mind.trace_log import PreTurnCalls
from service.workers.share import WHOLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from service.workers.share import Share

_VERSION = 1
_SCHEMA = """
CREATE TABLE minds (
  mind_id TEXT PRIMARY KEY, is_resting INTEGER NOT NULL, used_at REAL NOT NULL, story_due_at REAL, embedder TEXT,
  pending_turns INTEGER NOT NULL, pending_tokens INTEGER NOT NULL, parked INTEGER NOT NULL,
  has_failed INTEGER NOT NULL, known TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX due ON minds (story_due_at) WHERE is_resting AND story_due_at IS NOT NULL;
"""
# What is asked of all rows at once, apart from their long texts; a file of before gets it at its next opening.
_ALL_ROWS = """
CREATE INDEX IF NOT EXISTS sums ON minds (is_resting, pending_turns, pending_tokens, parked, has_failed, embedder)
"""
_ADD = "INSERT OR REPLACE INTO minds VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?)"
_WAKE = "UPDATE minds SET is_resting = 0 WHERE mind_id = ? AND is_resting"
_SUMS = """
SELECT count(*), coalesce(sum(pending_turns), 0), coalesce(sum(pending_tokens), 0), coalesce(sum(parked), 0),
  coalesce(sum(has_failed), 0) FROM minds WHERE is_resting
"""
_OF_OURS = " AND is_ours(mind_id)"  # asked of each row, so only where there are others' rows
_MOST_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class RestingStory:
    """
    How far the story of a closed mind was. Times are of the wall clock, in seconds.

    Everything as in ``StoryProgress``; ``due_at`` is when a run begins by itself, None for never.
    """

    owed: PendingTurns
    last_turn_at: float
    failures: int
    failed_at: float
    is_checked: bool
    due_at: float | None


@dataclass(frozen=True, slots=True)
class RestingMind:
    """A closed mind: what lists show of it, where its lanes were, its story, and which embedder made its vectors."""

    summary: MindSummary
    cursors: Mapping[LaneName, int]
    story: RestingStory
    used_at: float
    embedder: str | None


class MindRegister:
    """The rows. Every method reads or writes the file, and may raise IndexUnusable: call it in a thread."""

    def __init__(self, file: Path, *, share: Share = WHOLE) -> None:
        self._file = SqliteFile(file, connect=partial(_connect, share=share), name="the register of minds")
        self._of_ours = "" if share.is_whole else _OF_OURS

    def resting_ids(self) -> set[str]:
        """The ids of all minds that are resting."""
        with self._file.opened() as database:
            rows = database.execute(f"SELECT mind_id FROM minds WHERE is_resting{self._of_ours}")  # noqa: S608
            return {mind_id for (mind_id,) in rows}

    def get(self, mind_ids: Iterable[str]) -> dict[str, RestingMind]:
        """Those of the minds that are resting, by id; at most 500 are asked for."""
        wanted = tuple(mind_ids)
        assert len(wanted) <= _MOST_AT_ONCE  # noqa: S101 - callers have pages
        marks = ", ".join("?" * len(wanted))
        rows = f"SELECT mind_id, used_at, embedder, known FROM minds WHERE is_resting AND mind_id IN ({marks})"  # noqa: S608
        with self._file.opened() as database:
            return {mind_id: _decoded(mind_id, *row) for mind_id, *row in database.execute(rows, wanted)}

    def rest(self, mind: RestingMind) -> bool:
        """A mind is closed, with nothing left to do but maybe a story; True once that is on the disk."""
        summary, story = mind.summary, mind.story
        row = (
            summary.mind_id,
            mind.used_at,
            story.due_at,
            mind.embedder,
            summary.pending.turns,
            summary.pending.tokens,
            summary.parked,
            summary.narration.error is not None,
            _encoded(mind),
        )
        with self._file.changed() as database:
            database.execute(_ADD, row)
        return True

    def wake(self, mind_id: str) -> None:
        """A mind is about to be opened: from now on, whatever dies, it is looked at."""
        with self._file.changed() as database:
            database.execute(_WAKE, (mind_id,))

    def forget(self, mind_id: str) -> None:
        """A mind does not exist any more."""
        with self._file.changed() as database:
            database.execute("DELETE FROM minds WHERE mind_id = ?", (mind_id,))

    def due(self, now: float, *, limit: int) -> tuple[str, ...]:
        """Resting minds whose story is due, the longest due first."""
        of_ours = self._of_ours
        rows = (
            f"SELECT mind_id FROM minds WHERE is_resting AND story_due_at <= ?{of_ours} ORDER BY story_due_at LIMIT ?"  # noqa: S608
        )
        with self._file.opened() as database:
            return tuple(mind_id for (mind_id,) in database.execute(rows, (now, limit)))

    def least_used(self, mind_ids: Iterable[str], *, limit: int) -> tuple[str, ...]:
        """Those of *mind_ids* that are resting, the least recently used first."""
        with self._file.opened() as database:
            rows = database.execute(
                "SELECT mind_id FROM minds WHERE is_resting AND mind_id IN (SELECT value FROM json_each(?))"  # noqa: S608
                f"{self._of_ours} ORDER BY used_at LIMIT ?",
                (json.dumps(sorted(mind_ids)), limit),
            )
            return tuple(mind_id for (mind_id,) in rows)

    def of_other_embedders(self, embedder: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        """The resting minds of which no embedder is known; and, with their embedder, those of another one."""
        rows = f"SELECT mind_id, embedder FROM minds WHERE is_resting AND embedder IS NOT ?{self._of_ours}"  # noqa: S608
        with self._file.opened() as database:
            found = database.execute(rows, (embedder,)).fetchall()
        return tuple(mind_id for mind_id, name in found if name is None), tuple(row for row in found if row[1])

    def totals(self) -> Totals:
        """Sums over the minds that are resting."""
        with self._file.opened() as database:
            minds, turns, tokens, parked, failed = database.execute(_SUMS + self._of_ours).fetchone()
        return Totals(minds, PendingTurns(turns, tokens), parked, failed)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _connect(file: Path, *, share: Share) -> sqlite3.Connection:
    database = sqlite3.connect(file, check_same_thread=False, timeout=5)
    database.create_function("is_ours", 1, share.owns, deterministic=True)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")  # a mind that is awake must not seem to rest after a power cut
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version != _VERSION:
        _make_anew(database)
    database.execute(_ALL_ROWS)
    return database


def _make_anew(database: sqlite3.Connection) -> None:
    """Make the table, unless another process has done so meanwhile."""
    database.execute("BEGIN IMMEDIATE")
    with database:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version == _VERSION:
            return
        for table, kind in database.execute("SELECT name, type FROM sqlite_master WHERE type = 'table'").fetchall():
            database.execute(f"DROP {kind} {table}")
        for statement in _SCHEMA.split(";")[:-1]:
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {_VERSION}")


def _encoded(mind: RestingMind) -> str:
    one, story = mind.summary, mind.story
    return json.dumps(
        {
            "turns": one.turns,
            "sessions": one.sessions,
            "pending": [one.pending.turns, one.pending.tokens],
            "calls": [one.calls.calls, one.calls.surfaced, _text(one.calls.last_at), one.calls.last_surfaced],
            "agent": [one.agent.actions, one.agent.dreams, _text(one.agent.last_dream_at)],
            "error": one.narration.error,
            "parked": one.parked,
            "cursors": {lane.value: cursor for lane, cursor in mind.cursors.items()},
            "story": {
                "owed": [story.owed.turns, story.owed.tokens],
                "last_turn_at": story.last_turn_at,
                "failures": story.failures,
                "failed_at": story.failed_at,
                "is_checked": story.is_checked,
                "due_at": story.due_at,
            },
        }
    )


def _decoded(mind_id: str, used_at: float, embedder: str | None, known: str) -> RestingMind:
    found: dict[str, Any] = json.loads(known)
    calls, surfaced, last_at, last_surfaced = found["calls"]
    actions, dreams, last_dream_at = found["agent"]
    story: dict[str, Any] = found["story"]
    return RestingMind(
        summary=MindSummary(
            mind_id=mind_id,
            turns=found["turns"],
            sessions=found["sessions"],
            pending=PendingTurns(*found["pending"]),
            calls=PreTurnCalls(calls, surfaced, _instant(last_at), last_surfaced),
            agent=AgentActivity(actions, dreams, _instant(last_dream_at)),
            narration=Narration(error=found["error"]),
            parked=found["parked"],
        ),
        cursors={LaneName(lane): cursor for lane, cursor in found["cursors"].items()},
        story=RestingStory(**{**story, "owed": PendingTurns(*story["owed"])}),
        used_at=used_at,
        embedder=embedder,
    )


def _text(instant: datetime | None) -> str | None:
    return None if instant is None else instant.isoformat()


def _instant(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
