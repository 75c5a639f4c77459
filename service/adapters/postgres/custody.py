"""
Which replica works for which mind. The database's clock alone decides who is alive; its epochs prove who may write.

A replica is a fresh id at each start and renews one row. A mind whose owner is not alive may be claimed by another
replica, with a higher epoch; a write under the epoch of before is refused where it is made. What this process believes
of the time is a courtesy: it begins nothing that it could not end.

Each replica tells which graphs it writes to. One that has others than the rest claims nothing: what it wrote would be
found by none of them, and erased by none.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from consolidation.kernel.errors import GraphUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from service.adapters.postgres.database import Database

_LEASE = "interval '6 seconds'"
_KEPT = "interval '1 hour'"  # after which the row of a replica that never came back is deleted
_FORGOTTEN_SECONDS = 3540.0  # a minute before the others do without it
_BEGIN_SECONDS = 5.0  # shorter than the lease: no step begins once another replica may have claimed the mind
_WAS_ALIVE = "SELECT alive_until > clock_timestamp() FROM replicas WHERE replica = %(me)s FOR UPDATE"
_RENEW = f"""
INSERT INTO replicas AS known (replica, alive_until, narrates, graph, graph_since)
VALUES (%(me)s, clock_timestamp() + {_LEASE}, %(narrates)s, %(graph)s, clock_timestamp())
ON CONFLICT (replica) DO UPDATE SET alive_until = excluded.alive_until, narrates = excluded.narrates,
    graph = excluded.graph,
    graph_since = CASE WHEN known.graph = excluded.graph AND NOT %(has_other_graph)s THEN known.graph_since
        ELSE excluded.graph_since END
"""  # noqa: S608 - an interval of our own
# Two that begin at once must see each other: whoever is second waits.
_BEGIN_GRAPH = "SELECT pg_advisory_xact_lock(hashtext('mind-memory: graph of a replica'))"
# The graphs of whoever uses theirs for longest are the right ones. One with others begins anew each time, so that it
# is not the first after a pause of all.
_RIGHT_GRAPH = """
SELECT r.graph FROM replicas r WHERE r.graph IS NOT NULL AND r.alive_until > clock_timestamp()
ORDER BY r.graph_since, r.replica LIMIT 1
"""
_CLEAN = f"DELETE FROM replicas WHERE alive_until < clock_timestamp() - {_KEPT}"  # noqa: S608 - the same
_FREE = """
    EXISTS (SELECT FROM replicas r WHERE r.replica = %(me)s AND r.alive_until > clock_timestamp())
    AND (m.owner IS NULL OR m.owner = %(me)s OR NOT EXISTS (
        SELECT FROM replicas r WHERE r.replica = m.owner AND r.alive_until > clock_timestamp()))
"""
# An epoch is never lower than the clock, so that a mind that left and came back goes on above what it had.
_TAKE = """
UPDATE minds SET owner = %(me)s, epoch = greatest(minds.epoch + 1, floor(extract(epoch FROM clock_timestamp()))::bigint)
FROM free WHERE minds.mind_id = free.mind_id RETURNING minds.mind_id, minds.epoch
"""
_CLAIM = f"""
WITH free AS (
    SELECT m.mind_id FROM minds m WHERE m.has_work AND m.mind_id <> ALL(%(held)s) AND {_FREE}
    LIMIT %(most)s FOR UPDATE OF m SKIP LOCKED
)
{_TAKE}"""  # noqa: S608 - statements of our own; values are bound
_CLAIM_ONE = f"""
WITH free AS (SELECT m.mind_id FROM minds m WHERE m.mind_id = %(mind)s AND {_FREE} FOR UPDATE OF m)
{_TAKE}"""  # noqa: S608 - the same
# A mind that was erased is nobody's: whoever had it would look for it as long as it runs.
_STILL_MINE = "SELECT mind_id, epoch FROM minds WHERE mind_id = ANY(%(held)s) AND owner = %(me)s AND state <> 2"
_RELEASE = """
UPDATE minds SET owner = NULL WHERE mind_id = %(mind)s AND owner = %(me)s AND epoch = %(epoch)s AND NOT has_work
RETURNING true
"""
# Whoever has it, and whether that one is alive: every write of its is refused from then on.
_STEAL = f"""
WITH free AS (SELECT m.mind_id FROM minds m WHERE m.mind_id = %(mind)s AND m.state = 0 FOR UPDATE OF m)
{_TAKE}"""  # noqa: S608 - the same
_IS_MINE = """
SELECT coalesce(owner = %(me)s AND epoch = %(epoch)s, false) FROM minds WHERE mind_id = %(mind)s AND state = 0
FOR UPDATE
"""
_NARRATED = """
SELECT FROM minds m JOIN replicas r ON r.replica = m.owner
WHERE m.mind_id = %(mind)s AND r.replica <> %(me)s AND r.alive_until > clock_timestamp()
    AND %(mind)s = ANY(r.narrates)
"""  # a statement of its own: it sees what the one wrote who had the lock before
_NARRATES = "UPDATE replicas SET narrates = %(narrates)s WHERE replica = %(me)s"
_REST = """
UPDATE minds SET owner = NULL, has_work = false
WHERE mind_id = %(mind)s AND owner = %(me)s AND epoch = %(epoch)s AND last_sequence = %(last)s
    AND (%(version)s::bigint IS NULL OR version = %(version)s)
RETURNING true
"""
_LAST = "SELECT last_sequence FROM minds WHERE mind_id = %(mind)s AND state = 0"
_VERSIONS = "SELECT mind_id, version FROM minds WHERE mind_id = ANY(%(held)s) AND state = 0"
_ERASED = """
SELECT clock_timestamp(), array(
    SELECT mind_id FROM minds WHERE erased_at > %(since)s::timestamptz - interval '2 minutes'
)
"""  # a long transaction shows what it erased only at its end
_CLEAN_SINCE = "UPDATE replicas SET clean_since = %(at)s WHERE replica = %(me)s"
_OTHERS = """
SELECT NOT EXISTS (
    SELECT FROM replicas WHERE replica <> %(me)s AND alive_until > clock_timestamp()
    AND (clean_since IS NULL OR clean_since <= %(at)s)
)
"""
_UNREACHED = f"""
SELECT alive_until - {_LEASE} FROM replicas WHERE replica <> %(me)s AND (clean_since IS NULL OR clean_since <= %(at)s)
AND alive_until <= clock_timestamp() AND alive_until > clock_timestamp() - {_KEPT} ORDER BY 1
"""  # noqa: S608 - intervals of our own
_LEAVE = "UPDATE minds SET owner = NULL WHERE mind_id = ANY(%(held)s) AND owner = %(me)s"
_OTHER_GRAPH = (
    "other services on this database use other graphs: set one FALKORDB_URL and MIND_MEMORY_GRAPH_PREFIX for all"
)
_SECONDS = 3.0  # a renewal that takes longer comes too late for the next one


class PostgresCustody:
    """
    The minds that this replica works for. Every method but ``held`` and ``may_begin`` raises DatabaseUnavailable.

    Set ``graph`` to the id of the graphs that this replica writes to; the next renewal tells it.
    """

    is_shared = True

    def __init__(self, database: Database, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.replica = uuid.uuid4()
        self._database = database
        self._monotonic = monotonic
        self._renewed_at: float | None = None
        self._held: Mapping[str, int] = MappingProxyType({})
        self._narrated = Counter[str]()
        self.graph: uuid.UUID | None = None
        self._told_graph: uuid.UUID | None = None
        self._has_other_graph = False
        self._lock = threading.RLock()

    def renew(self) -> bool:
        """
        Stay alive for six more seconds; call it each second.

        False when the lease had run out: others may have claimed what was held, so what is cached has to be dropped.
        ``held`` is then what nobody else has taken.
        """
        with self._lock:
            began, is_first, graph = self._monotonic(), self._renewed_at is None, self.graph
            with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
                if is_first:
                    cursor.execute(_CLEAN)
                if graph != self._told_graph:
                    cursor.execute(_BEGIN_GRAPH)
                cursor.execute(_WAS_ALIVE, self._words())
                was_alive = (True,) in cursor.fetchall()
                cursor.execute(_RENEW, self._words(graph=graph, has_other_graph=self._has_other_graph))
                right = cursor.execute(_RIGHT_GRAPH).fetchone()
                has_other_graph = None not in {graph, right} and right != (graph,)
                if has_other_graph:
                    cursor.execute(_LEAVE, self._words())
                cursor.execute(_STILL_MINE, self._words())
                mine = set(cursor.fetchall())
            self._told_graph, self._has_other_graph = graph, has_other_graph
            self._held = MappingProxyType({mind: at for mind, at in self._held.items() if (mind, at) in mine})
            self._renewed_at = began
            return is_first or was_alive

    def other_graph(self) -> str | None:
        """Why nothing is claimed here, as of the last renewal; None while our graphs are those of the others."""
        return _OTHER_GRAPH if self._has_other_graph else None

    def claim(self, most: int) -> Mapping[str, int]:
        """Take up to *most* more minds that have work and no living owner; return the epoch of each."""
        with self._lock:
            return {} if self._has_other_graph else self._take(_CLAIM, most=most)

    def claim_one(self, mind_id: str) -> int | None:
        """Take one mind, whether it has work or not; its epoch, or None while another replica has it or it is gone."""
        with self._lock:
            if mind_id in self._held:
                return self._held[mind_id]
            if self._has_other_graph:
                return None
            return self._take(_CLAIM_ONE, mind=mind_id).get(mind_id)

    def take(self, mind_id: str) -> int | None:
        """
        Claim a mind, even from a living process. Return its epoch, or None if the mind does not exist.

        Raises GraphUnavailable where our graphs are others than theirs.
        """
        with self._lock:
            self._check_graph()
            return self._take(_STEAL, mind=mind_id).get(mind_id)

    def begin_story(self, mind_id: str) -> bool:
        """
        Claim a mind to write its story, even from a living process; False while that one writes the story itself.

        Raises GraphUnavailable where our graphs are others than theirs.
        """
        with self._lock:
            self._check_graph()
            narrated = self._narrated + Counter([mind_id])
            words = self._words(mind=mind_id, epoch=self._held.get(mind_id), narrates=list(narrated))
            taken: dict[str, int] = {}
            with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
                is_mine = cursor.execute(_IS_MINE, words).fetchone()
                if is_mine is not None and cursor.execute(_NARRATED, words).fetchone() is not None:
                    return False
                if is_mine == (False,):
                    taken = dict(cursor.execute(_STEAL.encode(), words).fetchall())
                cursor.execute(_NARRATES, words)
            self._held = MappingProxyType({**self._held, **taken})
            self._narrated = narrated
            return True

    def end_story(self, mind_id: str) -> None:
        """Let others know that the story is written. Where they can not be told, the next renewal tells them."""
        with self._lock:
            self._narrated -= Counter([mind_id])
            with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
                cursor.execute(_NARRATES, self._words())

    def rest(self, mind_id: str, *, last: int, version: int | None = None) -> bool:
        """
        Give a mind back that has no work up to its turn *last*, and up to a *version* where one is named.

        False where there is more, or it is not ours.
        """
        with self._lock:
            if mind_id not in self._held:
                return False
            words = self._words(mind=mind_id, epoch=self._held[mind_id], last=last, version=version)
            with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
                cursor.execute(_REST, words)
                is_given_back = cursor.fetchone() is not None
            if is_given_back:
                self._held = MappingProxyType({one: at for one, at in self._held.items() if one != mind_id})
            return is_given_back

    def versions(self) -> Mapping[str, int]:
        """The version of each mind that is held, as the database has it now."""
        with self._database.read_transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_VERSIONS, self._words())
            return {str(mind): int(str(version)) for mind, version in cursor.fetchall()}

    def last_turn(self, mind_id: str) -> int | None:
        """The sequence number of a mind's last turn, whichever machine accepted it; None if there is no such mind."""
        with self._database.read_transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_LAST, {"mind": mind_id})
            return next((int(str(last)) for (last,) in cursor.fetchall()), None)

    def holds(self, mind_id: str) -> bool:
        """Whether a step of a mind's background work may begin here."""
        return mind_id in self._held and self.may_begin()

    def epoch(self, mind_id: str) -> int | None:
        """The epoch under which this replica writes to a mind; 0, which every write is above, where it does not."""
        return self._held.get(mind_id, 0)

    def erased(self, since: datetime) -> tuple[datetime, tuple[str, ...]]:
        """The database's time, and the minds of which something was erased since an earlier answer, and some before."""
        with self._database.read_transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_ERASED, {"since": since})
            [(now, minds)] = cast("list[tuple[datetime, list[str]]]", cursor.fetchall())
        return now, tuple(minds)

    def is_clean(self, at: datetime) -> None:
        """Tell the others that nothing is left here of what was erased before a time of the database."""
        with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_CLEAN_SINCE, self._words(at=at))

    def are_others_clean(self, at: datetime) -> bool:
        """Whether every other replica that is alive has nothing left of what was erased before *at*."""
        with self._database.read_transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_OTHERS, self._words(at=at))
            return cursor.fetchone() == (True,)

    def unreached(self, at: datetime) -> tuple[datetime, ...]:
        """
        When replicas were alive last that did not end, and may have something left of what was erased before *at*.

        One is forgotten after an hour: it knows by then that it is.
        """
        with self._database.read_transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(_UNREACHED, self._words(at=at))
            return tuple(cast("datetime", since) for (since,) in cursor.fetchall())

    def is_forgotten(self) -> bool:
        """Whether the others may do without this replica, which could not renew its lease for so long. Asks nobody."""
        return self._renewed_at is None or self._monotonic() - self._renewed_at >= _FORGOTTEN_SECONDS

    def succeed(self, earlier: uuid.UUID) -> None:
        """Let the others know that a replica has ended, and has nothing left."""
        with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute("DELETE FROM replicas WHERE replica = %(earlier)s", {"earlier": earlier})

    def held(self) -> Mapping[str, int]:
        """The minds that are held as far as this process knows, each with the epoch under which it writes."""
        return self._held

    def release(self, mind_id: str) -> bool:
        """Give a mind back if nothing waits for it; whether it was. One that another replica has is held no longer."""
        with self._lock:
            if mind_id not in self._held:
                return False
            words = self._words(mind=mind_id, epoch=self._held[mind_id])
            with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
                cursor.execute(_RELEASE, words)
                is_given_back = cursor.fetchone() is not None
                cursor.execute(_STILL_MINE, words)
                is_mine = (mind_id, words["epoch"]) in cursor.fetchall()
            if not is_mine:
                self._held = MappingProxyType({one: at for one, at in self._held.items() if one != mind_id})
            return is_given_back

    def may_begin(self) -> bool:
        """Whether the last renewal is young enough to begin a step. The proof is the fence of each write, not this."""
        return self._renewed_at is not None and self._monotonic() - self._renewed_at < _BEGIN_SECONDS

    def end(self) -> None:
        """Give everything back, at a clean stop."""
        with self._lock:
            with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
                cursor.execute(_LEAVE, self._words())
                cursor.execute("DELETE FROM replicas WHERE replica = %(me)s", self._words())
            self._held, self._renewed_at = MappingProxyType({}), None

    def _check_graph(self) -> None:
        if (reason := self.other_graph()) is not None:
            raise GraphUnavailable(reason)

    def _take(self, statement: str, **more: object) -> Mapping[str, int]:
        with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
            cursor.execute(statement.encode(), self._words(**more))
            taken: dict[str, int] = dict(cursor.fetchall())
        self._held = MappingProxyType({**self._held, **taken})
        return taken

    def _words(self, **more: object) -> dict[str, object]:
        return {"me": self.replica, "held": list(self._held), "narrates": list(self._narrated), **more}
