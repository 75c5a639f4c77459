"""
Users and threads of Zep as minds and sessions.

What Zep knows of a user or a thread (names, metadata) is kept as turns that are never remembered, so whatever copies or
erases a mind reaches them too. The newest record of a kind is true.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from consolidation.kernel.errors import InvalidRequest, MindNotFound, SessionNotFound
from service.catalog.sessions import list_sessions
from service.facades.memory_ids import mind_for, parts_of
from service.facades.records import OWN_SESSIONS, USER_SESSION, check_new, check_thread
from service.facades.translation import turn_in
from service.facades.worker_of_mind import in_worker_of_mind
from service.facades.zep.messages import OURS, said_in
from service.http.routes import erasure, turns
from service.http.routes.resonance import resonate
from service.http.schemas.resonance import ResonanceIn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from fastapi import Response

    from consolidation.kernel.turns import StoredTurn
    from service.access.principal import Principal
    from service.composition.container import Memory
    from service.facades.zep.messages import Said
    from service.facades.zep.thread_places import ThreadPlaces
    from service.mind.minds import Mind

_NO_THREAD = "no thread or session has this id; create it first"
_RECORD = "A record of Zep's API."
_WITHOUT_USER = "session:"  # begins the name of a mind that has one session and no user
_LOOKED_AT = 10  # messages of a thread for which context is wanted
_MOST_SESSIONS = 500
_NAMESPACE = uuid.UUID("2d6a3c0e-7f64-4a57-9a55-0c1e5c2b8a41")
_ROLES_FOR_CONTEXT = frozenset({"user", "assistant"})


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and what its calls need."""

    memory: Memory
    principal: Principal
    places: ThreadPlaces

    def mind_id(self, name: str, *, pointer: str = "#/user_id") -> str:
        """The mind of a user. Raises InvalidMindId, MindNotFound."""
        return mind_for(name, self.principal, pointer=pointer)

    async def mind_of(self, thread_id: str) -> str:
        """The mind of a thread that this door began. Raises SessionNotFound, InvalidRequest where several have one."""
        check_thread(thread_id)
        return await self.places.mind_of(thread_id, self.memory, caller=self.principal)

    def thread_of(self, uuid: str) -> tuple[str, str]:
        """The mind and the session that a thread's uuid names. Raises MemoryNotFound, SessionNotFound, MindNotFound."""
        mind_id, thread_id = parts_of(uuid, self.principal)
        check_thread(thread_id)
        return mind_id, thread_id


@dataclass(frozen=True, slots=True)
class User:
    """A user as it was last sent, and since when its mind exists."""

    mind_id: str
    user_id: str
    created_at: datetime
    updated_at: datetime
    profile: dict[str, Any] = field(default_factory=dict)
    threads: int = 0


@dataclass(frozen=True, slots=True)
class Thread:
    """A session as Zep knows it; ``user_id`` is None for one that was begun without a user."""

    mind_id: str
    thread_id: str
    user_id: str | None
    created_at: datetime
    updated_at: datetime
    metadata: dict[str, Any] | None = None


async def make_user(caller: Caller, user_id: str | None, profile: dict[str, Any], *, key: str | None = None) -> User:
    """
    Begin a user, with an id of our own where none is given. The same *key* again means the same user.

    Raises InvalidRequest for one that exists, TurnConflict where something else was sent with the key.
    """
    if user_id is None:
        of_key = uuid.uuid5(_NAMESPACE, f"{caller.principal.name}:{key}").hex
        user_id = f"user-{of_key if key else caller.memory.clock.fresh_id()}"
    mind_id = caller.mind_id(user_id)
    turn_id = f"zep:user:{key}" if key else None
    if await _user_or_none(caller, mind_id) is not None and not await has_turn(caller.memory, mind_id, turn_id):
        raise InvalidRequest("this user exists already", pointer="#/user_id")
    await keep_record(caller, mind_id, USER_SESSION, {"user": {**profile, "user_id": user_id}}, turn_id=turn_id)
    return await read_user(caller, mind_id)


async def change_user(caller: Caller, user_id: str, profile: dict[str, Any]) -> User:
    """Put other facts in the place of those that are known of a user. Raises MindNotFound."""
    mind_id = caller.mind_id(user_id)
    before = await read_user(caller, mind_id)
    record = {**before.profile, **profile, "user_id": before.user_id}
    await keep_record(caller, mind_id, USER_SESSION, {"user": record})
    return await read_user(caller, mind_id)


async def read_user(caller: Caller, mind_id: str) -> User:
    """One user. Raises MindNotFound."""
    return await _user(caller.memory, mind_id)


@in_worker_of_mind
async def _user(memory: Memory, mind_id: str) -> User:
    with memory.minds.gate.enter(mind_id):
        mind = await memory.minds.find(mind_id)
        created_at, updated_at, sent = await last_sent(mind, "user", now=memory.clock.now())
        positions = mind.transcript.positions
        threads = positions.sessions() - sum(1 for one in OWN_SESSIONS if positions.in_session(one))
        return User(mind_id, str(sent.pop("user_id", mind_id)), created_at, updated_at, sent, threads)


async def read_users(caller: Caller, mind_ids: Sequence[str]) -> list[User]:
    """The users of *mind_ids*, without those that another service has erased since the ids were listed."""
    found = [await _user_or_none(caller, one) for one in mind_ids]
    return [one for one in found if one is not None]


async def create_thread(
    caller: Caller, thread_id: str, *, user_id: str | None, metadata: dict[str, Any] | None = None
) -> Thread:
    """Begin a thread. Raises InvalidRequest where its id is taken, MindNotFound for a user never heard of."""
    check_new(thread_id, pointer="#/thread_id")
    mind_id = caller.mind_id(user_id if user_id is not None else f"{_WITHOUT_USER}{thread_id}")
    if user_id is not None:
        user_id = (await read_user(caller, mind_id)).user_id
    if await caller.places.noted(thread_id, caller.memory, caller=caller.principal):
        raise InvalidRequest("a thread or session with this id exists already", pointer="#/thread_id")
    record = {"user_id": user_id, "metadata": metadata}
    await keep_record(caller, mind_id, thread_id, {"thread": record})
    await caller.places.note(thread_id, caller.memory, mind_id=mind_id, begun_by=caller.principal)
    return await read_thread(caller, mind_id, thread_id)


async def change_thread(caller: Caller, mind_id: str, thread_id: str, metadata: dict[str, Any]) -> Thread:
    """Put other metadata in the place of a thread's. Raises SessionNotFound."""
    before = await read_thread(caller, mind_id, thread_id)
    known = {**(before.metadata or {}), **metadata}
    record = {"user_id": before.user_id, "metadata": known}
    await keep_record(caller, mind_id, thread_id, {"thread": record})
    return await read_thread(caller, mind_id, thread_id)


async def read_thread(caller: Caller, mind_id: str, thread_id: str) -> Thread:
    """One thread. Raises SessionNotFound, MindNotFound."""
    with caller.memory.minds.gate.enter(mind_id):
        return await _thread(await caller.memory.minds.find(mind_id), thread_id)


async def threads_of(caller: Caller, mind_id: str) -> list[Thread]:
    """Every session of a user, the one with the newest turn first. Raises MindNotFound."""
    return await _threads(caller.memory, mind_id)


@in_worker_of_mind
async def _threads(memory: Memory, mind_id: str) -> list[Thread]:
    with memory.minds.gate.enter(mind_id):
        mind = await memory.minds.find(mind_id)
        ids: list[str] = []
        cursor: str | None = None
        while True:
            page = await list_sessions(mind, before=None, cursor=cursor, limit=_MOST_SESSIONS)
            ids += [one.session_id for one in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        return [await _thread(mind, one) for one in ids if one not in OWN_SESSIONS]


async def messages_of(caller: Caller, mind_id: str, thread_id: str) -> list[Said]:
    """Every message of a thread, oldest first. Raises MindNotFound."""
    with caller.memory.minds.gate.enter(mind_id):
        mind = await caller.memory.minds.find(mind_id)
        return list(said_in(await mind.transcript.read_many(mind.transcript.positions.in_session(thread_id))))


async def erase_thread(caller: Caller, mind_id: str, thread_id: str, response: Response) -> None:
    """Erase a thread with everything that only it told. Raises SessionNotFound, MindNotFound."""
    how = erasure.HowToErase()
    await erasure.erase_session(mind_id, thread_id, caller.memory, caller.principal.name, response, how)
    await caller.places.forget(thread_id, caller.memory, mind_id=mind_id)


async def erase_user(caller: Caller, mind_id: str, response: Response) -> None:
    """Erase a user with everything. Raises MindNotFound."""
    await erasure.erase(mind_id, caller.memory, caller.principal.name, response, erasure.HowToErase())


async def context_of(caller: Caller, mind_id: str, thread_id: str) -> str:
    """
    What the pre-turn call of our own API brings for a thread's newest messages: the story, and what comes to mind.

    Raises MindNotFound.
    """
    said = [one for one in await messages_of(caller, mind_id, thread_id) if one.message.role in _ROLES_FOR_CONTEXT]
    if not said:
        return ""
    window = [
        {"role": one.message.role.value, "content": one.message.content, "id": one.id, "name": one.message.name}
        for one in said[-_LOOKED_AT:]
    ]
    asked = {"session_id": thread_id, "messages": window, "include": ["flashbacks", "story"]}
    with caller.memory.minds.gate.enter(mind_id):
        found = await resonate(mind_id, ResonanceIn.model_validate(asked), caller.memory, caller.principal)
    return "\n\n".join(filter(None, (found.stable.text, found.block)))


async def _user_or_none(caller: Caller, mind_id: str) -> User | None:
    try:
        return await read_user(caller, mind_id)
    except MindNotFound:
        return None


async def _thread(mind: Mind, thread_id: str) -> Thread:
    kept = await mind.transcript.read_many(mind.transcript.positions.in_session(thread_id))
    if not kept:
        raise SessionNotFound(_NO_THREAD)
    record = _newest_record(kept, "thread")
    sent = record[1] if record is not None else {}
    user_id = sent.get("user_id") if record is not None else mind.mind_id
    return Thread(mind.mind_id, thread_id, user_id, kept[0].accepted_at, kept[-1].accepted_at, sent.get("metadata"))


async def last_sent(mind: Mind, kind: str, *, now: datetime) -> tuple[datetime, datetime, dict[str, Any]]:
    """
    Since when a mind exists, when its record of a kind was last sent, and that record.

    Where nothing of it is left, it exists since *now*.
    """
    positions = mind.transcript.positions
    left = (one for one in positions.forwards(0, session_id=None) if not positions.is_tombstone(one))
    first = await mind.transcript.read_many([*islice(left, 1)])  # an erased turn does not know when it was accepted
    created_at = first[0].accepted_at if first else now
    record = _newest_record(await mind.transcript.read_many(positions.in_session(USER_SESSION)), kind)
    return (created_at, created_at, {}) if record is None else (created_at, record[0].accepted_at, dict(record[1]))


def _newest_record(turns: tuple[StoredTurn, ...], kind: str) -> tuple[StoredTurn, dict[str, Any]] | None:
    """The newest record of a kind among *turns*, and its turn; None where there is none."""
    for turn in reversed(turns):
        kept = turn.turn.metadata.get(OURS)
        record = kept.get(kind) if isinstance(kept, dict) else None
        if isinstance(record, dict):
            return turn, record
    return None


@in_worker_of_mind
async def has_turn(memory: Memory, mind_id: str, turn_id: str | None) -> bool:
    """Whether a mind has a turn of this id. Raises MindNotFound."""
    with memory.minds.gate.enter(mind_id):
        positions = (await memory.minds.find(mind_id)).transcript.positions
        return turn_id is not None and positions.sequence_of(turn_id) is not None


async def keep_record(
    caller: Caller, mind_id: str, session_id: str, record: dict[str, Any], *, turn_id: str | None = None
) -> None:
    """Keep what is known of a user, a graph or a thread, as a turn that is never remembered."""
    body = {
        "turn_id": turn_id,
        "session_id": session_id,
        "kind": "probe",  # kept, and never remembered
        "messages": [{"role": "system", "content": _RECORD}],
        "metadata": {OURS: record},
    }
    with caller.memory.minds.gate.enter(mind_id):
        await turns.keep(mind_id, turn_in(body), caller.memory, caller.principal, None)
