"""The calls of Graphiti's sample server, each done by calls of our own API. A group is a mind."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any, NoReturn

from fastapi import APIRouter, Query, Response, status

from consolidation.kernel.errors import InvalidRequest, MindNotFound, TurnErased, TurnNotFound
from consolidation.kernel.turns import StoredTurn
from service.access.principal import Principal
from service.catalog.turns import TurnQuery
from service.composition.container import Memory
from service.facades.entries import Entry, WholeMind, read_entry, search_entries, with_whole_words
from service.facades.graphiti.bodies import EntityIn, MemoryAsked, MessagesIn, SearchIn
from service.facades.graphiti.episodes import (
    OURS,
    as_entity,
    as_episode,
    as_fact,
    query_of,
    turn_of,
    turn_of_entity,
)
from service.facades.memory_ids import delete as delete_memory
from service.facades.memory_ids import mind_for, parts_of
from service.facades.records import is_record
from service.facades.translation import refuse
from service.facades.worker_of_mind import in_worker_of_mind
from service.http.dependencies import CallerDep, MemoryDep
from service.http.routes import erasure
from service.ingest.intake import emptiness
from service.mind.minds import Mind

_MOST_MINDS = 100  # that are looked through for an episode, or searched where no group is named
_LONGEST_QUERY = 2_000

router = APIRouter(prefix="/graphiti", include_in_schema=False)


@router.get("/healthcheck")
async def healthcheck() -> dict[str, str]:
    """The answer to who asks whether it lives. The state of what it depends on is at our own `/readyz`."""
    return {"status": "healthy"}


@router.post("/messages", status_code=status.HTTP_202_ACCEPTED)
async def add_messages(posted: MessagesIn, memory: MemoryDep, caller: CallerDep) -> dict[str, Any]:
    """Keep each message as a turn, all of them or none; they are on disk when this answers."""
    mind_id = _mind_of(posted.group_id, caller)
    _check_ids([one.uuid for one in posted.messages])
    said = [one for one in posted.messages if not emptiness(one.content)]
    turns = [turn_of(one, group_id=posted.group_id, fresh_id=memory.clock.fresh_id()) for one in said]
    with memory.minds.gate.enter(mind_id):
        await memory.new_minds.check(mind_id, by=caller)
        if turns:
            await memory.intake.accept_parts(mind_id, turns)
    empty = len(posted.messages) - len(said)
    left_out = f"; {empty} without words left out" if empty else ""
    return _result(f"Messages stored, facts are read from them in the background{left_out}")


@router.post("/entity-node", status_code=status.HTTP_201_CREATED)
async def add_entity_node(posted: EntityIn, memory: MemoryDep, caller: CallerDep) -> dict[str, Any]:
    """Keep what is to be known of an entity as a thought of the bot's own. Facts and entities are read from it."""
    mind_id = _mind_of(posted.group_id, caller)
    with memory.minds.gate.enter(mind_id):
        await memory.new_minds.check(mind_id, by=caller)
        (kept,) = await memory.intake.accept_notes(mind_id, [turn_of_entity(posted)])
    return as_entity(posted, created_at=kept.accepted_at)


@router.post("/search")
async def search(posted: SearchIn, memory: MemoryDep, caller: CallerDep) -> dict[str, Any]:
    """Facts, and turns that told none, that answer a query, best first. A group never heard of has none."""
    mind_ids = _minds_of(posted.group_ids, memory, caller)
    return {"facts": await _facts(memory, mind_ids, posted.query[:_LONGEST_QUERY], limit=posted.max_facts)}


@router.post("/get-memory")
async def get_memory(posted: MemoryAsked, memory: MemoryDep, caller: CallerDep) -> dict[str, Any]:
    """Facts, and turns that told none, that belong to the newest messages."""
    mind_id, query = _mind_of(posted.group_id, caller), query_of(posted.messages)
    return {"facts": await _facts(memory, [mind_id], query, limit=posted.max_facts) if query else []}


@router.get("/episodes/{group_id:path}")
async def get_episodes(
    group_id: str, last_n: Annotated[int, Query(ge=1, le=500)], memory: MemoryDep, caller: CallerDep
) -> list[dict[str, Any]]:
    """The newest turns of a group, oldest first."""
    mind_id = _mind_of(group_id, caller)
    try:
        with memory.minds.gate.enter(mind_id):
            found = await _newest(memory, await memory.minds.find(mind_id), most=last_n)
    except MindNotFound:
        return []
    return [as_episode(one, mind_id=mind_id) for one in reversed(found)]


@router.get("/entity-edge/{uuid:path}")
async def get_entity_edge(uuid: str, memory: MemoryDep, caller: CallerDep) -> dict[str, Any]:
    """One fact, or one turn that a search answered."""
    mind_id, entry_id = parts_of(uuid, caller)
    with memory.minds.gate.enter(mind_id):
        mind = await memory.minds.find(mind_id)
        return as_fact(mind_id, await read_entry(memory, mind, entry_id))


@router.delete("/entity-edge/{uuid:path}")
async def delete_entity_edge(uuid: str, memory: MemoryDep, caller: CallerDep) -> dict[str, Any]:
    """Say of a fact that it is wrong, so that it does not come up; erase a turn that a search answered."""
    await delete_memory(uuid, memory, caller)
    return _result("Entity Edge deleted")


@router.delete("/group/{group_id:path}")
async def delete_group(group_id: str, memory: MemoryDep, caller: CallerDep) -> dict[str, Any]:
    """Erase a mind everywhere. A group never heard of is gone already."""
    mind_id = _mind_of(group_id, caller)
    try:
        await erasure.erase(mind_id, memory, caller.name, Response(), erasure.HowToErase())
    except MindNotFound:
        return _result("Group deleted: it did not exist")
    return _result("Group deleted")


@router.delete("/episode/{uuid:path}")
async def delete_episode(
    uuid: str, memory: MemoryDep, caller: CallerDep, group_id: str | None = None
) -> dict[str, Any]:
    """
    Erase a turn everywhere. Graphiti's call names no group, so the caller's minds are looked through.

    Raises TurnNotFound, TurnErased.
    """
    mind_ids = [_mind_of(group_id, caller)] if group_id is not None else _all_minds(memory, caller)
    was_erased = False
    for mind_id in mind_ids:
        try:
            if await _erase_episode(memory, mind_id, uuid, caller):
                return _result("Episode deleted")
        except TurnErased:
            was_erased = True
    raise TurnErased("this episode was erased") if was_erased else TurnNotFound("no episode has this uuid")


@router.post("/clear")
async def clear(memory: MemoryDep, caller: CallerDep) -> dict[str, Any]:
    """Erase every group that this door made. A mind whose first turn came by another door stays."""
    erased = 0
    for mind_id in (one for one in memory.minds.ids() if caller.sees(one)):
        erased += await _erase_if_ours(memory, mind_id, caller)
    return _result(f"Graph cleared: {erased} groups of this door erased")


@router.api_route("/{path:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], response_model=None)
async def not_served(path: str) -> NoReturn:
    """Every other call."""
    refuse(f"{path.strip('/')} is not served", page="graphiti.md")


def _result(message: str) -> dict[str, Any]:
    return {"message": message, "success": True}


def _mind_of(group_id: str, caller: Principal) -> str:
    """The mind of a group. Raises InvalidMindId, and MindNotFound for one that *caller* may not see."""
    return mind_for(group_id, caller, pointer="#/group_id")


def _minds_of(group_ids: list[str] | None, memory: Memory, caller: Principal) -> list[str]:
    if group_ids is None:
        return _all_minds(memory, caller)
    return list(dict.fromkeys(_mind_of(one, caller) for one in group_ids))


def _all_minds(memory: Memory, caller: Principal) -> list[str]:
    """Every mind of *caller*. Raises InvalidRequest where they are too many to be looked through."""
    found = [one for one in memory.minds.ids() if caller.sees(one)]
    if len(found) > _MOST_MINDS:
        raise InvalidRequest(
            f"there are more than {_MOST_MINDS} groups: name those that are meant, by group_ids in a search, or by "
            "?group_id= behind an episode",
            pointer="#/group_ids",
        )
    return found


async def _facts(memory: Memory, mind_ids: list[str], query: str, *, limit: int) -> list[dict[str, Any]]:
    """The best of all *mind_ids*."""
    found: list[tuple[str, Entry]] = []
    for mind_id in mind_ids:
        with suppress(MindNotFound):
            found += [(mind_id, one) for one in await _entries(memory, mind_id, query, limit=limit)]
    found.sort(key=lambda one: one[1].score or 0.0, reverse=True)
    return [as_fact(mind_id, entry) for mind_id, entry in found[:limit]]


@in_worker_of_mind
async def _entries(memory: Memory, mind_id: str, query: str, *, limit: int) -> list[Entry]:
    with memory.minds.gate.enter(mind_id):
        mind = await memory.minds.find(mind_id)
        found = await search_entries(memory, mind, WholeMind(), query, limit=limit, least=0.0, also_ended=False)
        return await with_whole_words(mind, found)


async def _newest(memory: Memory, mind: Mind, *, most: int) -> list[StoredTurn]:
    """The newest turns that somebody said, newest first."""
    found: list[StoredTurn] = []
    cursor: str | None = None
    while len(found) < most:
        page = await memory.catalog.turns.page(mind, TurnQuery(cursor=cursor, limit=most))
        found += [one.turn for one in page.items if not is_record(one.turn)]
        cursor = page.next_cursor
        if cursor is None:
            break
    return found[:most]


@in_worker_of_mind
async def _erase_episode(memory: Memory, mind_id: str, uuid: str, caller: Principal) -> bool:
    """Whether the mind had a turn of this id, which is erased now. Raises TurnErased for one that was before."""
    with memory.minds.gate.enter(mind_id):
        transcript = (await memory.minds.find(mind_id)).transcript
        if transcript.positions.is_erased(uuid):
            raise TurnErased("this episode was erased")
        sequence = transcript.positions.sequence_of(uuid)
        if sequence is None or is_record(await transcript.read(sequence)):
            return False
    await erasure.erase_turn(mind_id, uuid, memory, caller.name, Response(), erasure.HowToErase())
    return True


@in_worker_of_mind
async def _erase_if_ours(memory: Memory, mind_id: str, caller: Principal) -> bool:
    """Whether this door made the mind, which is erased now."""
    with memory.minds.gate.enter(mind_id):
        mind = await memory.minds.find(mind_id)
        first = (await memory.catalog.turns.page(mind, TurnQuery(after=0, limit=1))).items
    if not first or OURS not in first[0].turn.turn.metadata:
        return False
    await erasure.erase(mind_id, memory, caller.name, Response(), erasure.HowToErase())
    return True


def _check_ids(uuids: list[str | None]) -> None:
    known: set[str] = set()
    for at, one in enumerate(uuids):
        if one is not None and one in known:
            raise InvalidRequest("is the uuid of an earlier message", pointer=f"#/messages/{at}/uuid")
        known |= {one} if one is not None else set()
