"""
The outbox of a home that several machines share: rows beside the minds, so that any service may note and send.

Each transaction that notes something locks the row of its mind, as every write to the mind does, and notes nothing
where something of it was erased since it was read. A position moves from where it was read only: of two services that
read the same mind, one notes an event. To an endpoint one service sends, as long as it is alive by the database's
clock; what it had sent and not noted when it died is sent again, under the same id.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple, cast

from service.adapters.postgres.mind_rows import OUTBOX_TABLES, erased_id
from service.ports.webhooks import Delivery, Due, EndpointState, Noted, RemovedEndpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from uuid import UUID

    from service.adapters.postgres.database import Database

_SECONDS, _LONG_SECONDS = 3.0, 60.0
_WAITING, _GIVEN_UP = 0, 1
_COLUMNS = "id, endpoint, mind_id, kind, at, body, attempts, turn_id, session_id"
_KNOW = "INSERT INTO webhook_endpoints (name, since) SELECT unnest(%(names)s::text[]), %(now)s ON CONFLICT DO NOTHING"
_HAVE = "UPDATE replicas SET webhooks = %(names)s WHERE replica = %(me)s"
_IS_HAD = """
EXISTS (SELECT FROM replicas WHERE name = ANY(webhooks) AND (replica = %(me)s OR alive_until > clock_timestamp()))
"""
_NOTE_REMOVED = f"""
UPDATE webhook_endpoints SET removed_at = CASE WHEN removed_at IS NULL THEN %(now)s::timestamptz END
WHERE (removed_at IS NULL) <> {_IS_HAD}
"""  # noqa: S608 - our own statements; values are bound
_REMOVED = """
SELECT name, (SELECT count(*) FROM webhook_deliveries WHERE endpoint = name) FROM webhook_endpoints
WHERE removed_at IS NOT NULL ORDER BY name
"""
_DROP_REMOVED = "DELETE FROM webhook_endpoints WHERE removed_at < %(before)s RETURNING name"
_LOCK = "SELECT generation FROM minds WHERE mind_id = %(mind)s AND state = 0 FOR NO KEY UPDATE"
_BEGIN = """
INSERT INTO webhook_positions (mind_id, endpoint, source, position)
VALUES (%(mind)s, %(endpoint)s, %(source)s, %(position)s) ON CONFLICT DO NOTHING RETURNING true
"""
_MOVE = """
UPDATE webhook_positions SET position = %(position)s
WHERE mind_id = %(mind)s AND endpoint = %(endpoint)s AND source = %(source)s AND position = %(before)s RETURNING true
"""
_ADD = """
INSERT INTO webhook_deliveries (mind_id, id, endpoint, kind, at, body, turn_id, session_id)
SELECT %(mind)s, id, %(endpoint)s, kind, at, body, turn_id, session_id
FROM unnest(
    %(ids)s::text[], %(kinds)s::text[], %(times)s::timestamptz[], %(bodies)s::text[], %(turns)s::text[],
    %(sessions)s::text[]
) WITH ORDINALITY AS one (id, kind, at, body, turn_id, session_id, number)
WHERE one.turn_id IS NULL OR EXISTS (
    SELECT FROM turns WHERE turns.mind_id = %(mind)s AND turns.turn_id = one.turn_id)
ORDER BY number ON CONFLICT DO NOTHING
"""  # the id of an erased turn is another one
# Turns that are not where they were read: a copy may hold one that a database took back, while another has its place.
_ELSEWHERE = """
SELECT EXISTS (
    SELECT FROM unnest(%(turns)s::text[], %(erased)s::text[], %(bodies)s::text[]) AS one (turn_id, erased, body)
    WHERE one.turn_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM turns WHERE turns.mind_id = %(mind)s AND turns.turn_id IN (one.turn_id, one.erased)
        AND turns.sequence = (one.body::jsonb #>> '{data,sequence}')::bigint))
"""
_IS_ALIVE = "EXISTS (SELECT FROM replicas WHERE replica = %(me)s AND alive_until > clock_timestamp())"
_IS_FREE = """
(e.sender IS NULL OR NOT EXISTS (SELECT FROM replicas WHERE replica = e.sender AND alive_until > clock_timestamp()))
"""
_TURN = f"""
SELECT e.sender = %(me)s AND {_IS_ALIVE}, {_IS_FREE}, nullif(greatest(e.rests_until, %(now)s), %(now)s)
FROM webhook_endpoints e WHERE e.name = %(endpoint)s AND e.removed_at IS NULL
"""  # noqa: S608 - statements of our own; values are bound
_CLAIM = f"""
UPDATE webhook_endpoints e SET sender = %(me)s WHERE e.name = %(endpoint)s AND {_IS_ALIVE} AND {_IS_FREE} RETURNING true
"""  # noqa: S608 - the same
_OLDEST = f"""
SELECT {_COLUMNS} FROM webhook_deliveries
WHERE endpoint = %(endpoint)s AND state = 0 AND (due IS NULL OR due <= %(now)s) ORDER BY number LIMIT 1
"""  # noqa: S608 - our own names
_NEXT = "SELECT min(coalesce(due, at)) FROM webhook_deliveries WHERE endpoint = %(endpoint)s AND state = 0"
_IS_DUE = f"""
SELECT EXISTS (SELECT FROM webhook_deliveries WHERE mind_id = %(mind)s AND id = %(id)s AND state = 0)
    AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.name = %(endpoint)s AND e.sender = %(me)s) AND {_IS_ALIVE}
"""  # noqa: S608 - the same
_MADE = """
WITH gone AS (DELETE FROM webhook_deliveries WHERE mind_id = %(mind)s AND id = %(id)s RETURNING true)
UPDATE webhook_endpoints
SET delivered = delivered + 1, delivered_at = %(now)s, error = NULL, rests_until = NULL
WHERE name = %(endpoint)s AND EXISTS (SELECT FROM gone)
"""
_FAILED = """
UPDATE webhook_deliveries SET state = %(state)s, attempts = attempts + 1, due = %(due)s
WHERE mind_id = %(mind)s AND id = %(id)s
"""
_REST = """
UPDATE webhook_endpoints SET error = %(error)s, failed_at = %(now)s, rests_until = %(rests)s
WHERE name = %(endpoint)s
"""
_DROP = "DELETE FROM webhook_deliveries WHERE mind_id = %(mind)s AND id = %(id)s"
_AGAIN = "UPDATE webhook_deliveries SET state = 0, due = NULL, attempts = 0 WHERE endpoint = %(endpoint)s"
_RESTED = "UPDATE webhook_endpoints SET rests_until = NULL WHERE name = %(endpoint)s"
_FORGET_TURNS = """
DELETE FROM webhook_deliveries
WHERE mind_id = %(mind)s AND (turn_id = ANY(%(turns)s::text[]) OR session_id = %(session)s::text)
"""
_STATE = """
SELECT count(*) FILTER (WHERE state = 0), count(*) FILTER (WHERE state = 1),
    min(at) FILTER (WHERE state = 0), min(coalesce(due, at)) FILTER (WHERE state = 0)
FROM webhook_deliveries WHERE endpoint = %(endpoint)s
"""
_OF_ENDPOINT = (
    "SELECT delivered, delivered_at, failed_at, error, rests_until FROM webhook_endpoints WHERE name = %(endpoint)s"
)


class _Turn(NamedTuple):
    """Whether it is this process that sends to an endpoint, or anybody may, and until when the endpoint rests."""

    is_ours: bool
    is_free: bool
    rests_until: datetime | None


class PostgresOutbox:
    """The outbox in one database; see ``WebhookOutbox``. Every method raises DatabaseUnavailable."""

    def __init__(self, database: Database, *, replica: UUID, generation_of: Callable[[str], int]) -> None:
        """*replica* is this process, and *generation_of* says how often something was erased in its copy of a mind."""
        self._database = database
        self._replica = replica
        self._generation_of = generation_of
        self._names: tuple[str, ...] = ()
        self._since: dict[str, datetime] = {}

    def register(self, names: Iterable[str], *, now: datetime) -> None:
        """Know the endpoints that are configured, and since when no living process has another one."""
        self._names = tuple(names)
        words = {"names": list(self._names), "now": now, "me": self._replica}
        with self._database.transaction(deadline_seconds=_LONG_SECONDS) as cursor:
            cursor.execute(_KNOW, words)
            cursor.execute(_HAVE, words)
            cursor.execute(_NOTE_REMOVED, words)
            cursor.execute("SELECT name, since FROM webhook_endpoints WHERE name = ANY(%(names)s)", words)
            found = cast("list[tuple[str, datetime]]", cursor.fetchall())
            self._since = {name: since.astimezone(UTC) for name, since in found}

    def drop_removed(self, *, before: datetime) -> tuple[RemovedEndpoint, ...]:
        """Drop endpoints that were removed *before*, with their events; return all that nobody has any more."""
        with self._database.transaction(deadline_seconds=_LONG_SECONDS) as cursor:
            cursor.execute(_REMOVED)
            found = cast("list[tuple[str, int]]", cursor.fetchall())
            cursor.execute(_DROP_REMOVED, {"before": before})
            gone = [str(name) for (name,) in cursor.fetchall()]
            for table in OUTBOX_TABLES:
                cursor.execute(f"DELETE FROM {table} WHERE endpoint = ANY(%s)".encode(), (gone,))  # noqa: S608 - our own names
        return tuple(RemovedEndpoint(name, events, name in gone) for name, events in found)

    def since(self, name: str) -> datetime:
        """From when on an endpoint is told of what happens: when any service had it first."""
        return self._since[name]

    def noted(self, mind_id: str) -> Noted:
        """How far the stores of a mind were read, and how often something was erased in this machine's copy of it."""
        generation = self._generation_of(mind_id)
        with self._database.read_transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute("SELECT endpoint, source, position FROM webhook_positions WHERE mind_id = %s", (mind_id,))
            rows = cast("list[tuple[str, str, str]]", cursor.fetchall())
        return Noted({(endpoint, source): position for endpoint, source, position in rows}, generation)

    def advance(
        self,
        endpoint: str,
        mind_id: str,
        source: str,
        *,
        deliveries: Iterable[Delivery],
        before: str | None,
        position: str,
        generation: int,
    ) -> bool:
        """
        Have *deliveries* made and move a position, in one transaction; False where somebody else has, or erased.

        Also where a turn that they tell of stands elsewhere than in this machine's copy: that copy is outdated.
        """
        words = {
            "mind": mind_id, "endpoint": endpoint, "source": source, "before": before, "position": position,
        }  # fmt: skip
        added = _rows_of(mind_id, endpoint, tuple(deliveries))
        with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_LOCK, words)
            if cursor.fetchone() != (generation,):
                return False
            cursor.execute(_ELSEWHERE, added)
            if cursor.fetchone() != (False,):
                return False
            cursor.execute(_BEGIN if before is None else _MOVE, words)
            if cursor.fetchone() is None:
                return False
            cursor.execute(_ADD, added)
        return True

    def due(self, endpoint: str, *, now: datetime) -> Due:
        """The oldest delivery to an endpoint whose time has come, where this process sends to it; it claims one."""
        words = {"endpoint": endpoint, "me": self._replica, "now": now}
        try:
            due = self._look(words)
        except LookupError:  # while this process was stopped, one started that has other endpoints
            self.register(self._names, now=now)
            return Due()
        if due is None and self._claim(words):
            due = self._look(words)
        return due or Due()

    def _look(self, words: dict[str, object]) -> Due | None:
        """
        What is due; nothing where another process sends to the endpoint, and None where anybody may.

        Raises LookupError where the endpoint is not known, or was taken for removed.
        """
        with self._database.read_transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_TURN, words)
            row = cursor.fetchone()
            if row is None:
                raise LookupError(words["endpoint"])
            turn = _Turn(*cast("tuple[bool, bool, datetime | None]", row))
            if not turn.is_ours:
                return None if turn.is_free else Due()
            if turn.rests_until is None:
                cursor.execute(_OLDEST, words)
                row = cursor.fetchone()
                if row is not None:
                    return Due(_delivery(row))
            cursor.execute(_NEXT, words)
            [(next_at,)] = cast("list[tuple[datetime | None]]", cursor.fetchall())
        return Due(next_at=_later(next_at, turn.rests_until))

    def _claim(self, words: dict[str, object]) -> bool:
        with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_CLAIM, words)
            return cursor.fetchone() is not None

    def is_due(self, delivery: Delivery) -> bool:
        """Whether a delivery that was due is to be made still, and by this process."""
        with self._database.read_transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_IS_DUE, {**_words(delivery), "me": self._replica})
            return cursor.fetchone() == (True,)

    def made(self, delivery: Delivery, *, now: datetime) -> None:
        """A delivery was made: it is forgotten."""
        with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_MADE, {**_words(delivery), "now": now})

    def failed(self, delivery: Delivery, error: str, *, now: datetime, due: datetime | None, rests: bool) -> None:
        """An attempt failed; the next one is *due*, and nothing else before where the endpoint *rests*."""
        state = _WAITING if due is not None else _GIVEN_UP
        words = {**_words(delivery), "state": state, "due": due, "error": error, "now": now}
        with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_FAILED, words)
            cursor.execute(_REST, {**words, "rests": due if rests else None})

    def drop(self, delivery: Delivery) -> None:
        """Make a delivery no more."""
        with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_DROP, _words(delivery))

    def retry(self, endpoint: str, *, now: datetime) -> int:  # noqa: ARG002 - what has no time is due
        """Have everything that waits, or was given up, sent now. Returns how much that is."""
        with self._database.transaction(deadline_seconds=_LONG_SECONDS) as cursor:
            found = cursor.execute(_AGAIN, {"endpoint": endpoint}).rowcount
            cursor.execute(_RESTED, {"endpoint": endpoint})
        return found

    def forget(self, mind_id: str) -> None:
        """Drop all that is of a mind: it is erased."""
        with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
            for table in OUTBOX_TABLES:
                cursor.execute(f"DELETE FROM {table} WHERE mind_id = %s".encode(), (mind_id,))  # noqa: S608 - our own names

    def forget_turns(self, mind_id: str, turn_ids: Iterable[str], *, session_id: str | None) -> None:
        """Drop what is of turns, and of a session where it is erased as a whole."""
        with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_FORGET_TURNS, {"mind": mind_id, "turns": list(turn_ids), "session": session_id})

    def state(self, endpoint: str) -> EndpointState:
        """How the deliveries to an endpoint stand, whichever service sends them."""
        words = {"endpoint": endpoint}
        with self._database.read_transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_STATE, words)
            [(waiting, given_up, oldest, next_at)] = cast(
                "list[tuple[int, int, datetime | None, datetime | None]]", cursor.fetchall()
            )
            cursor.execute(_OF_ENDPOINT, words)
            delivered, delivered_at, failed_at, error, rests_until = cast(
                "tuple[int, datetime | None, datetime | None, str | None, datetime | None]",
                cursor.fetchone() or (0, None, None, None, None),
            )
        return EndpointState(
            waiting=waiting,
            given_up=given_up,
            delivered=delivered,
            oldest_waiting_at=_utc(oldest),
            next_attempt_at=_later(next_at, rests_until),
            delivered_at=_utc(delivered_at),
            failed_at=_utc(failed_at),
            error=error,
        )


def _rows_of(mind_id: str, endpoint: str, deliveries: tuple[Delivery, ...]) -> dict[str, object]:
    return {
        "mind": mind_id,
        "endpoint": endpoint,
        "ids": [one.id for one in deliveries],
        "kinds": [one.kind for one in deliveries],
        "times": [one.at for one in deliveries],
        "bodies": [one.body for one in deliveries],
        "turns": [one.turn_id for one in deliveries],
        "erased": [one.turn_id and erased_id(one.turn_id) for one in deliveries],
        "sessions": [one.session_id for one in deliveries],
    }


def _words(delivery: Delivery) -> dict[str, object]:
    return {"mind": delivery.mind_id, "id": delivery.id, "endpoint": delivery.endpoint}


def _delivery(row: tuple[object, ...]) -> Delivery:
    return Delivery(*cast("tuple[str, str, str, str, datetime, str, int, str | None, str | None]", row))


def _later(at: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two times; None where the first one is None."""
    return _utc(at if at is None or other is None else max(at, other))


def _utc(at: datetime | None) -> datetime | None:
    """A time as it is written everywhere, whatever zone the server has."""
    return None if at is None else at.astimezone(UTC)
