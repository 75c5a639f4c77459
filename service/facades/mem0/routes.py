"""mem0's calls, each done by calls of our own API."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response

from consolidation.kernel.errors import MindNotFound, SessionNotFound
from service.access.principal import Principal
from service.catalog.minds import page_of_minds
from service.composition.container import Memory
from service.facades.entries import TurnPlace, first_told, list_entries, read_entry, search_entries, words_of
from service.facades.mem0.bodies import AddIn, DeletesIn, ListIn, SearchIn, UpdateIn, UpdatesIn
from service.facades.mem0.memories import as_json
from service.facades.mem0.scope import OURS, Scope, scope_of, scope_of_query
from service.facades.memory_ids import delete as delete_memory
from service.facades.memory_ids import edit, id_of, parts_of
from service.facades.translation import refuse, turn_in
from service.http.dependencies import CallerDep, MemoryDep
from service.http.routes import erasure, turns
from service.http.schemas.turns import TurnIn

_PAGE = "mem0.md"
_ORGANIZATION = "mind-memory"
_ADDED = "The messages are stored. Facts are read from them in the background."
_NOT_ADDED = "Nothing of the messages is remembered: `dropped` says why."
_DONE = "Memory deleted successfully!"

Page = Annotated[int, Query(ge=1, le=1_000_000)]

router = APIRouter(prefix="/mem0", include_in_schema=False)


@router.get("/v1/ping/")
async def ping() -> dict[str, Any]:
    """The answer to a client that checks its key. It needs an organization and a project, which do not exist here."""
    return {"status": "ok", "org_id": _ORGANIZATION, "project_id": _ORGANIZATION, "user_email": None}


@router.post("/v3/memories/add/")
@router.post("/memories")
async def add(
    posted: AddIn, memory: MemoryDep, caller: CallerDep, idempotency_key: turns.IdempotencyKey = None
) -> dict[str, Any]:
    """Keep the messages as a turn; it is on disk when this answers."""
    scope = posted.scope
    mind_id = scope.mind_id(caller)
    with memory.minds.gate.enter(mind_id):
        kept = await turns.keep(mind_id, _turn(posted, scope), memory, caller, idempotency_key)
        mind = await memory.minds.find(mind_id)
        stored = await mind.transcript.read(kept.sequence)
    words = words_of(stored.turn) if stored.is_remembered and stored.turn.messages else ""
    own_id = TurnPlace(stored.sequence, stored.turn.turn_id).entry_id
    added = {"id": id_of(mind_id, own_id), "memory": words, "data": {"memory": words}, "event": "ADD"}
    return {
        "message": _ADDED if words else _NOT_ADDED,
        "status": "SUCCEEDED",
        "event_id": kept.turn_id,
        "results": [added] if words else [],
        "dropped": [one.model_dump() for one in kept.dropped],
    }


@router.post("/v3/memories/search/")
@router.post("/search")
async def search(posted: SearchIn, memory: MemoryDep, caller: CallerDep) -> dict[str, Any]:
    """What answers a query, best first. A user who was never heard of has no memories."""
    scope = posted.scope
    mind_id = scope.mind_id(caller)
    limit = posted.top_k or posted.limit or 10
    try:
        with memory.minds.gate.enter(mind_id):
            mind = await memory.minds.find(mind_id)
            found = await search_entries(
                memory,
                mind,
                scope,
                posted.query,
                limit=limit,
                least=posted.threshold,
                also_ended=posted.latest_only is False,
            )
            return {"results": await as_json(mind, found)}
    except MindNotFound:
        return {"results": []}


@router.post("/v3/memories/")
async def get_all(
    posted: ListIn,
    memory: MemoryDep,
    caller: CallerDep,
    request: Request,
    page: Page = 1,
    page_size: Annotated[int, Query(ge=1, le=500)] = 100,
) -> dict[str, Any]:
    """All memories that hold, newest first, in pages."""
    return await page_of_memories(memory, caller, posted.scope, request, page, page_size)


@router.get("/memories")
async def get_all_of_server(request: Request, memory: MemoryDep, caller: CallerDep) -> dict[str, Any]:
    """The same for a client of mem0's own server: at most 1,000."""
    return {"results": await memories_of(memory, caller, scope_of_query(request.query_params))}


@router.get("/v1/memories/{memory_id}/")
@router.get("/memories/{memory_id}")
async def get(memory_id: str, memory: MemoryDep, caller: CallerDep) -> dict[str, Any]:
    """One memory."""
    mind_id, entry_id = parts_of(memory_id, caller)
    with memory.minds.gate.enter(mind_id):
        mind = await memory.minds.find(mind_id)
        return (await as_json(mind, [await read_entry(memory, mind, entry_id)]))[0]


@router.put("/v1/memories/{memory_id}/")
@router.put("/memories/{memory_id}")
async def update(memory_id: str, posted: UpdateIn, memory: MemoryDep, caller: CallerDep) -> dict[str, Any]:
    """Put new words in a memory's place: a person's correction, which the log keeps."""
    await edit(memory_id, posted.text, memory, caller)
    return await get(memory_id, memory, caller)


@router.delete("/v1/memories/{memory_id}/")
@router.delete("/memories/{memory_id}")
async def delete(memory_id: str, memory: MemoryDep, caller: CallerDep) -> dict[str, str]:
    """Erase a turn; of a fact, say that it is wrong, so that it does not come up."""
    await delete_memory(memory_id, memory, caller)
    return {"message": _DONE}


@router.get("/v1/memories/{memory_id}/history/")
@router.get("/memories/{memory_id}/history")
async def history(memory_id: str, memory: MemoryDep, caller: CallerDep) -> list[dict[str, Any]]:
    """How a memory came to be, and what people made of it, oldest first."""
    mind_id, entry_id = parts_of(memory_id, caller)
    with memory.minds.gate.enter(mind_id):
        mind = await memory.minds.find(mind_id)
        entry, decided = await first_told(memory, mind, entry_id)
    text = entry.text
    lines = [_line(memory_id, None, text, entry.created_at, "ADD")]
    for one in decided:
        lines.append(_line(memory_id, text, one.to, one.at, "UPDATE" if one.to is not None else "DELETE"))
        text = one.to or text
    return lines


@router.put("/v1/batch/")
async def update_many(posted: UpdatesIn, memory: MemoryDep, caller: CallerDep) -> dict[str, str]:
    """Put new words in the place of many memories, one after the other, until one can not be updated."""
    for one in posted.memories:
        await edit(one.memory_id, one.text, memory, caller)
    return {"message": f"Successfully updated {len(posted.memories)} memories"}


@router.delete("/v1/batch/")
async def delete_many(posted: DeletesIn, memory: MemoryDep, caller: CallerDep) -> dict[str, str]:
    """Delete many memories, one after the other, until one can not be deleted."""
    for one in posted.memories:
        await delete_memory(one.memory_id, memory, caller)
    return {"message": f"Successfully deleted {len(posted.memories)} memories"}


@router.delete("/v1/memories/")
@router.delete("/memories")
async def delete_all(request: Request, memory: MemoryDep, caller: CallerDep) -> dict[str, str]:
    """Erase everything of a user, agent or app, or one run. One that was never heard of has nothing, as in mem0."""
    scope = scope_of_query(request.query_params)
    mind_id = scope.mind_id(caller)
    response, how = Response(), erasure.HowToErase()
    if not scope.is_whole_mind and not scope.ids.keys() <= {"user_id", "run_id"}:
        refuse("delete a user, an agent, an app or a run: several agents of one user share its memories", page=_PAGE)
    with suppress(MindNotFound, SessionNotFound):
        if scope.is_whole_mind:
            await erasure.erase(mind_id, memory, caller.name, response, how)
        else:
            await erasure.erase_session(mind_id, scope.session_id, memory, caller.name, response, how)
    return {"message": "Memories deleted successfully!"}


@router.get("/v1/entities/")
async def users(
    memory: MemoryDep,
    caller: CallerDep,
    request: Request,
    page: Page = 1,
    page_size: Annotated[int | None, Query(ge=1, le=1_000)] = None,
) -> dict[str, Any]:
    """The users, by the ids of their minds, each of which is accepted as its `user_id`; all, or a page of them."""
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        minds = await page_of_minds(
            memory.minds, among=caller.minds, cursor=cursor, limit=500, fleet=memory.fleet, is_whole=True
        )
        found += [
            {"id": one.mind_id, "name": one.mind_id, "type": "user", "total_memories": one.turns} for one in minds.items
        ]
        cursor = minds.next_cursor
        if cursor is None:
            break
    size = page_size or max(len(found), 1)
    return _paged(found[(page - 1) * size : page * size], len(found), request, page, size)


@router.delete("/v1/entities/{kind}/{name:path}/")
@router.delete("/v2/entities/{kind}/{name:path}/")
async def delete_user(
    kind: Literal["user", "agent", "app", "run"], name: str, memory: MemoryDep, caller: CallerDep
) -> dict[str, str]:
    """Erase a user, an agent, an app or a run."""
    scope = scope_of({f"{kind}_id": name})
    mind_id = scope.mind_id(caller)
    response, how = Response(), erasure.HowToErase()
    if kind == "run":
        await erasure.erase_session(mind_id, name, memory, caller.name, response, how)
    else:
        await erasure.erase(mind_id, memory, caller.name, response, how)
    return {"message": "Entity deleted successfully!"}


def _turn(posted: AddIn, scope: Scope) -> TurnIn:
    """The messages as our own API takes them, with the ids as they were sent. Raises RequestValidationError."""
    ids = {OURS: scope.ids}  # first, since only some of many fields can be searched for
    at = datetime.fromtimestamp(posted.timestamp, UTC).isoformat() if posted.timestamp is not None else None
    sent = {
        "session_id": scope.session_id,
        "messages": [{**one.model_dump(exclude_none=True), "timestamp": at} for one in posted.messages],
        "metadata": ids | posted.metadata | ids,
    }
    return turn_in(sent)


async def page_of_memories(
    memory: Memory, caller: Principal, scope: Scope, request: Request, page: int, page_size: int
) -> dict[str, Any]:
    """One page of the memories of *scope*, newest first, with the addresses of the pages beside it."""
    shown, count = await _part(memory, caller, scope, first=(page - 1) * page_size, most=page_size)
    return _paged(shown, count, request, page, page_size)


async def memories_of(memory: Memory, caller: Principal, scope: Scope) -> list[dict[str, Any]]:
    """The memories of *scope*, newest first, for callers that read no pages: at most 1,000."""
    return (await _part(memory, caller, scope, first=0, most=1_000))[0]


def _paged(shown: list[dict[str, Any]], count: int, request: Request, page: int, page_size: int) -> dict[str, Any]:
    def link(to: int) -> str:
        return str(request.url.include_query_params(page=to, page_size=page_size))

    return {
        "count": count,
        "next": link(page + 1) if page * page_size < count else None,
        "previous": link(page - 1) if page > 1 else None,
        "results": shown,
    }


async def _part(
    memory: Memory, caller: Principal, scope: Scope, *, first: int, most: int
) -> tuple[list[dict[str, Any]], int]:
    """*most* memories from *first* on, and how many there are."""
    mind_id = scope.mind_id(caller)
    try:
        with memory.minds.gate.enter(mind_id):
            mind = await memory.minds.find(mind_id)
            entries = await list_entries(memory, mind, scope)
            return await as_json(mind, entries[first : first + most]), len(entries)
    except MindNotFound:
        return [], 0


def _line(
    memory_id: str, old: str | None, new: str | None, at: datetime | None, event: Literal["ADD", "UPDATE", "DELETE"]
) -> dict[str, Any]:
    when = at.isoformat() if at is not None else None
    return {
        "id": f"{memory_id}:{when}",
        "memory_id": memory_id,
        "old_memory": old,
        "new_memory": new,
        "event": event,
        "created_at": when,
        "updated_at": when,
    }
