"""
The rows that a mind is made of, and the statements that read and write them. Each is part of a caller's transaction.

Every key begins with the mind's id, and every transaction is about one mind: the rows of different minds may lie in
different databases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from consolidation.kernel.turns import TurnKind
from consolidation.transcript.records import decode
from consolidation.transcript.tombstones import id_digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from consolidation.kernel.turns import StoredTurn
    from service.adapters.postgres.database import Cursor

FAR = 10_000  # versions: that a file was removed is told for so long
_ERASED = "erased:"  # before the digest that stands for the id of an erased turn
_TIMELINE = "left(pg_walfile_name(pg_current_wal_lsn()), 8)"
_COLUMNS = f"version, generation, last_sequence, epoch, {_TIMELINE}"
_TOUCH = f"""
UPDATE minds SET version = version + 1, has_work = has_work OR %(works)s WHERE mind_id = %(mind)s AND state = 0
RETURNING {_COLUMNS}
"""  # noqa: S608 - our own names
_BEGIN = f"""
INSERT INTO minds (mind_id, version, has_work) VALUES (%(mind)s, 1, %(works)s) ON CONFLICT (mind_id) DO UPDATE SET
    version = minds.version + 1, state = 0, has_work = minds.has_work OR excluded.has_work,
    last_sequence = CASE minds.state WHEN 2 THEN 0 ELSE minds.last_sequence END
WHERE minds.state <> 1 RETURNING {_COLUMNS}
"""  # noqa: S608 - our own names
_NEWS = f"""
WITH mind AS (SELECT version, generation, state FROM minds WHERE mind_id = %(mind)s)
SELECT 0, {_TIMELINE}, generation, version, NULL::bytea FROM mind WHERE state = 0
UNION ALL SELECT 1, path, 0, version, content FROM files WHERE mind_id = %(mind)s AND version > %(known)s
UNION ALL SELECT 2, path, number, version, content FROM appended WHERE mind_id = %(mind)s AND version > %(known)s
UNION ALL SELECT 3, '', sequence, version, line FROM turns WHERE mind_id = %(mind)s AND version > %(known)s
ORDER BY 1, 2, 3
"""  # noqa: S608 - our own names
_FILE = """
SELECT version, content IS NULL, (
    SELECT coalesce(max(number), 0) FROM appended WHERE appended.mind_id = files.mind_id AND appended.path = files.path
) FROM files WHERE mind_id = %s AND path = %s
"""
_KNOWN = """
SELECT turn_id, line, 0, false FROM turns WHERE mind_id = %(mind)s AND turn_id = ANY(%(ids)s)
UNION ALL SELECT path, NULL, version, content IS NULL FROM files WHERE mind_id = %(mind)s AND path = ANY(%(paths)s)
"""
_PUT = """
INSERT INTO files (mind_id, path, version, content) VALUES (%s, %s, %s, %s) ON CONFLICT (mind_id, path) DO UPDATE
SET version = excluded.version, content = excluded.content
"""
_INSERT_TURNS = """
WITH new AS (
    INSERT INTO turns (mind_id, sequence, turn_id, version, line)
    SELECT %(mind)s, sequence, turn_id, %(version)s, line
    FROM unnest(%(sequences)s::bigint[], %(ids)s::text[], %(lines)s::bytea[]) AS one (sequence, turn_id, line)
)
UPDATE minds SET last_sequence = %(last)s, has_work = true,
    listed_at = CASE last_sequence WHEN 0 THEN clock_timestamp() ELSE listed_at END
WHERE mind_id = %(mind)s
"""
_PUT_SNAPSHOT = f"""
INSERT INTO snapshots (mind_id, generation, format, reach, content)
SELECT mind_id, generation, %(format)s, %(reach)s, %(content)s FROM minds
WHERE mind_id = %(mind)s AND state = 0 AND generation = %(generation)s AND epoch = %(epoch)s
    AND {_TIMELINE} = %(timeline)s
ON CONFLICT (mind_id) DO UPDATE SET generation = excluded.generation, format = excluded.format,
    reach = excluded.reach, content = excluded.content
"""  # noqa: S608 - our own names
_SNAPSHOT_REACH = """
SELECT reach FROM snapshots JOIN minds USING (mind_id, generation) WHERE mind_id = %s AND format = %s
"""
_MIND, _WHOLE, _PART, _TURN = range(4)
_FILES = ("files", "appended")
_TABLES = (*_FILES, "turns", "threads", "snapshots")
OUTBOX_TABLES = ("webhook_deliveries", "webhook_positions")
_FORGET_EVENTS = """
DELETE FROM webhook_deliveries d USING turns t
WHERE t.mind_id = %(mind)s AND t.sequence = ANY(%(sequences)s) AND d.mind_id = t.mind_id AND d.turn_id = t.turn_id
"""


class Touched(NamedTuple):
    """The row of a mind, once it is locked and its version is raised."""

    version: int
    generation: int
    last_sequence: int
    epoch: int
    timeline: str


class WholeFile(NamedTuple):
    """A whole file as it is since a version; ``content`` is None where it was removed."""

    path: str
    version: int
    content: bytes | None


class AppendedPart(NamedTuple):
    """What was appended to a file at once; parts of a file are numbered from 1."""

    path: str
    number: int
    content: bytes


class News(NamedTuple):
    """
    Everything of a mind that is above a version, and which version that brings a copy to. Turns are by sequence.

    ``timeline`` is PostgreSQL's: another server has been promoted where it is another one, and what only the earlier
    one had is gone.
    """

    timeline: str
    version: int
    generation: int
    files: tuple[WholeFile, ...]
    parts: tuple[AppendedPart, ...]
    turns: tuple[tuple[int, bytes], ...]


class FileState(NamedTuple):
    """Since which version a whole file is as it is, whether it was removed, and how many parts stand behind it."""

    version: int
    is_gone: bool
    parts: int


def touch(cursor: Cursor, mind_id: str, *, begins: bool, works: bool = False) -> Touched | None:
    """
    Lock the row of a mind, raise its version, and return what the row says now.

    None where there is no such mind, or where it is being erased. A mind that *begins* gets a row if it has none.

    Where the write *works*, somebody has to look at the mind: whoever has its custody, or claims it.
    """
    cursor.execute(_BEGIN if begins else _TOUCH, {"mind": mind_id, "works": works})
    row = cursor.fetchone()
    return None if row is None else Touched(*cast("tuple[int, int, int, int, str]", row))


def news_of(cursor: Cursor, mind_id: str, *, known: int) -> News | None:
    """What is above the version that is *known*, in one look; None where there is no such mind."""
    rows: list[Any] = cursor.execute(_NEWS, {"mind": mind_id, "known": known}).fetchall()
    if not rows or rows[0][0] != _MIND:
        return None
    return News(
        timeline=rows[0][1],
        version=rows[0][3],
        generation=rows[0][2],
        files=tuple(
            WholeFile(path, version, None if content is None else bytes(content))
            for kind, path, _, version, content in rows
            if kind == _WHOLE
        ),
        parts=tuple(
            AppendedPart(path, number, bytes(content)) for kind, path, number, _, content in rows if kind == _PART
        ),
        turns=tuple((number, bytes(line)) for kind, _, number, _, line in rows if kind == _TURN),
    )


def file_state(cursor: Cursor, mind_id: str, path: str) -> FileState | None:
    """How a file is; None where there never was one."""
    row = cursor.execute(_FILE, (mind_id, path)).fetchone()
    return None if row is None else FileState(*cast("tuple[int, bool, int]", row))


def put_file(cursor: Cursor, mind_id: str, path: str, content: bytes | None, *, version: int) -> None:
    """Let a whole file be *content*, without anything behind it; None: it is removed."""
    cursor.execute("DELETE FROM appended WHERE mind_id = %s AND path = %s", (mind_id, path))
    cursor.execute(_PUT, (mind_id, path, version, content))
    if content is None:
        known = (mind_id, version - FAR)
        cursor.execute("DELETE FROM files WHERE mind_id = %s AND content IS NULL AND version < %s", known)


def append_part(cursor: Cursor, mind_id: str, path: str, content: bytes, *, version: int, number: int) -> None:
    """Append to a file that is there."""
    cursor.execute(
        "INSERT INTO appended (mind_id, path, number, version, content) VALUES (%s, %s, %s, %s, %s)",
        (mind_id, path, number, version, content),
    )


def parts_after(cursor: Cursor, mind_id: str, path: str, *, number: int) -> bytes:
    """What stands behind part *number* of a file."""
    query = "SELECT content FROM appended WHERE mind_id = %s AND path = %s AND number > %s ORDER BY number"
    rows: list[Any] = cursor.execute(query, (mind_id, path, number)).fetchall()
    return b"".join(bytes(row[0]) for row in rows)


def known_of(
    cursor: Cursor, mind_id: str, turn_ids: Sequence[str], *, paths: Sequence[str]
) -> tuple[dict[str, StoredTurn], dict[str, FileState]]:
    """
    In one look: those of *turn_ids* that are taken, each with its turn, or its tombstone where it was erased; and how
    those files are that there are or were, to which nothing is ever appended.
    """
    marks = {erased_id(one): one for one in turn_ids}
    words = {"mind": mind_id, "ids": [*turn_ids, *marks], "paths": list(paths)}
    rows: list[Any] = cursor.execute(_KNOWN, words).fetchall()
    turns = {marks.get(key, key): decode(bytes(line)) for key, line, _, _ in rows if line is not None}
    files = {key: FileState(version, is_gone, 0) for key, line, version, is_gone in rows if line is None}
    return turns, files


def insert_turns(cursor: Cursor, mind_id: str, turns: Sequence[tuple[StoredTurn, bytes]], *, version: int) -> None:
    """Store turns, each with its line, ascending and above all that there are; the mind has work then."""
    if turns:
        words = {
            "mind": mind_id,
            "version": version,
            "sequences": [kept.sequence for kept, _ in turns],
            "ids": [_id_of(kept) for kept, _ in turns],
            "lines": [line for _, line in turns],
            "last": turns[-1][0].sequence,
        }
        cursor.execute(_INSERT_TURNS, words)


def overwrite_turns(cursor: Cursor, mind_id: str, lines: Mapping[int, bytes], *, version: int) -> None:
    """Put tombstones in the place of turns, whose events go; every copy of the mind has to be made anew."""
    delete_snapshot(cursor, mind_id)
    cursor.execute(_FORGET_EVENTS, {"mind": mind_id, "sequences": list(lines)})
    for sequence, line in lines.items():
        cursor.execute(
            "UPDATE turns SET line = %s, turn_id = %s, version = %s WHERE mind_id = %s AND sequence = %s",
            (line, _id_of(decode(line)), version, mind_id, sequence),
        )
    cursor.execute(
        "UPDATE minds SET generation = generation + 1, erased_at = clock_timestamp() WHERE mind_id = %s", (mind_id,)
    )


class Snapshot(NamedTuple):
    """Full text up to the turn at ``reach``, in a format, and the past of the copy that it was made from."""

    content: bytes
    reach: int
    format: int
    generation: int
    timeline: str


def put_snapshot(cursor: Cursor, mind_id: str, snapshot: Snapshot, *, epoch: int | None) -> None:
    """Store full text; nothing where the mind has another past by now, or is another process's."""
    cursor.execute(_PUT_SNAPSHOT, {"mind": mind_id, "epoch": epoch, **snapshot._asdict()})


def snapshot_of(cursor: Cursor, mind_id: str, *, generation: int, form: int) -> bytes | None:
    """Full text as it was stored for this generation of the mind, in this format."""
    query = "SELECT content FROM snapshots WHERE mind_id = %s AND generation = %s AND format = %s"
    row: Any = cursor.execute(query, (mind_id, generation, form)).fetchone()
    return None if row is None else bytes(row[0])


def snapshot_reach(cursor: Cursor, mind_id: str, *, form: int) -> int:
    """Up to which turn the snapshot goes that is of use now; 0 where there is none."""
    row: Any = cursor.execute(_SNAPSHOT_REACH, (mind_id, form)).fetchone()
    return 0 if row is None else int(row[0])


def delete_snapshot(cursor: Cursor, mind_id: str) -> None:
    """Delete what is stored of a mind's full text."""
    cursor.execute("DELETE FROM snapshots WHERE mind_id = %s", (mind_id,))


def with_old_snapshot(cursor: Cursor, mind_ids: Sequence[str]) -> tuple[str, ...]:
    """Those of *mind_ids* whose full text is of an earlier generation of the mind."""
    query = (
        "SELECT mind_id FROM snapshots s JOIN minds m USING (mind_id) "
        "WHERE mind_id = ANY(%s) AND m.generation <> s.generation"
    )
    rows: list[Any] = cursor.execute(query, (list(mind_ids),)).fetchall()
    return tuple(row[0] for row in rows)


def delete_old_snapshot(cursor: Cursor, mind_id: str) -> None:
    """Delete it where it is of an earlier generation of the mind."""
    cursor.execute(
        "DELETE FROM snapshots s USING minds m "
        "WHERE s.mind_id = %s AND m.mind_id = s.mind_id AND m.generation <> s.generation",
        (mind_id,),
    )


def delete_mind(cursor: Cursor, mind_id: str) -> None:
    """Delete all rows of a mind but its own. No mind of this id begins until ``end_erasure``."""
    cursor.execute(
        "UPDATE minds SET state = 1, version = version + 1, generation = generation + 1, has_work = false, "
        "erased_at = clock_timestamp(), listed_at = clock_timestamp() WHERE mind_id = %s",
        (mind_id,),
    )
    for table in (*_TABLES, *OUTBOX_TABLES):
        cursor.execute(f"DELETE FROM {table} WHERE mind_id = %s".encode(), (mind_id,))  # noqa: S608 - our own names


def end_erasure(cursor: Cursor, mind_id: str) -> None:
    """Allow a mind of this id to begin again, if one was erased."""
    cursor.execute(
        "UPDATE minds SET state = 2, listed_at = clock_timestamp() WHERE mind_id = %s AND state = 1", (mind_id,)
    )


def delete_files(cursor: Cursor, mind_id: str) -> None:
    """Delete the files of a mind."""
    for table in _FILES:
        cursor.execute(f"DELETE FROM {table} WHERE mind_id = %s".encode(), (mind_id,))  # noqa: S608 - our own names


def erased_id(turn_id: str) -> str:
    """The id in the row of a turn once it is erased."""
    return _ERASED + id_digest(turn_id)


def _id_of(kept: StoredTurn) -> str:
    return _ERASED + kept.turn.turn_id if kept.turn.kind is TurnKind.ERASED else kept.turn.turn_id
