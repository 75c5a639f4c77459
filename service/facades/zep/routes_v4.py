"""Version 4 of Zep's API, for its newest client: users and threads by uuid, messages, context, search."""

from __future__ import annotations

from typing import Annotated, Any, NoReturn

from fastapi import APIRouter, Query, Response, status

from consolidation.kernel.errors import InvalidRequest, MemoryNotFound, SessionNotFound
from service.facades.entries import EPISODE, read_entry
from service.facades.memory_ids import delete as delete_memory
from service.facades.memory_ids import parts_of
from service.facades.records import check_new
from service.facades.translation import refuse
from service.facades.zep.bodies import (
    DataIn,
    GraphChange,
    GraphIn,
    GraphQuestion,
    MessagesIn,
    Profile,
    ThreadOfUser,
    UserAsked,
    UserIn,
    UsersAsked,
)
from service.facades.zep.conversations import keep_data, keep_messages, one_episode, one_of, search_graph
from service.facades.zep.dependencies import CallerOfZep
from service.facades.zep.graphs import change_graph, make_graph, read_graph
from service.facades.zep.shapes import TASK, edge, graph_v4, message_v4, thread_v4, user_v4
from service.facades.zep.users import (
    change_user,
    context_of,
    create_thread,
    erase_thread,
    erase_user,
    make_user,
    messages_of,
    read_thread,
    read_user,
    read_users,
    threads_of,
)
from service.http.routes.turns import IdempotencyKey

Size = Annotated[int, Query(ge=1, le=200)]
Cursor = Annotated[str | None, Query(pattern="^[0-9]{1,9}$")]
Order = Annotated[str | None, Query(pattern="^(asc|desc)$")]

router = APIRouter(prefix="/zep/api/v4", include_in_schema=False)

_PARTS_OF_THREADS = frozenset({"summary", "episodes"})
_PARTS_OF_EPISODES = frozenset({"debug-logs", "ingestion-traces"})
_EPISODES = "episode_uuids"  # what this version calls the turns behind a fact


@router.post("/users", status_code=status.HTTP_201_CREATED)
async def create_user(posted: UserIn, caller: CallerOfZep, idempotency_key: IdempotencyKey = None) -> dict[str, Any]:
    """A user, whose memory is a mind; its uuid is the mind's id. The same Idempotency-Key again means the same user."""
    profile = posted.model_dump(exclude={"user_id"}, exclude_none=True)
    return user_v4(await make_user(caller, posted.user_id or None, profile, key=idempotency_key))


@router.post("/users/list")
async def list_users(
    posted: UsersAsked, caller: CallerOfZep, page_size: Size = 50, cursor: Cursor = None
) -> dict[str, Any]:
    """Users by the ids of their minds."""
    del posted  # holds nothing: a search is refused
    ids = [one for one in caller.memory.minds.ids() if caller.principal.sees(one)]
    shown, page = _paged(ids, size=page_size, cursor=cursor)
    return {"items": [user_v4(one) for one in await read_users(caller, shown)], **page}


@router.post("/users/lookup")
async def look_up_user(posted: UserAsked, caller: CallerOfZep) -> dict[str, Any]:
    """The user with this own id, or of this thread."""
    if posted.user_id is not None:
        return user_v4(await read_user(caller, caller.mind_id(posted.user_id)))
    if posted.thread_id is not None:
        return user_v4(await read_user(caller, await caller.mind_of(posted.thread_id)))
    if posted.graph_id is not None:
        return user_v4(await read_user(caller, caller.mind_id(posted.graph_id)))
    raise InvalidRequest("needs a user_id, a thread_id or a graph_id", pointer="#/user_id")


@router.get("/users/{user_uuid}")
async def get_user(user_uuid: str, caller: CallerOfZep) -> dict[str, Any]:
    """One user."""
    return user_v4(await read_user(caller, caller.mind_id(user_uuid)))


@router.patch("/users/{user_uuid}")
async def update_user(user_uuid: str, posted: Profile, caller: CallerOfZep) -> dict[str, Any]:
    """Put other facts in the place of those that are known of a user; what is not sent stays."""
    return user_v4(await change_user(caller, user_uuid, posted.model_dump(exclude_none=True)))


@router.delete("/users/{user_uuid}")
async def delete_user(user_uuid: str, caller: CallerOfZep, response: Response) -> dict[str, Any]:
    """Erase a user with everything."""
    await erase_user(caller, caller.mind_id(user_uuid), response)
    return {"task": TASK}


@router.post("/threads", status_code=status.HTTP_201_CREATED)
async def add_thread(
    posted: ThreadOfUser, caller: CallerOfZep, idempotency_key: IdempotencyKey = None
) -> dict[str, Any]:
    """A new thread of a user. The same Idempotency-Key again means the same thread."""
    thread_id = idempotency_key or caller.memory.clock.fresh_id()
    check_new(thread_id, pointer="header/Idempotency-Key")
    mind_id = caller.mind_id(posted.user_uuid)
    try:
        return thread_v4(await read_thread(caller, mind_id, thread_id))
    except SessionNotFound:
        return thread_v4(await create_thread(caller, thread_id, user_id=posted.user_uuid))


@router.get("/threads")
async def list_threads(
    caller: CallerOfZep,
    user_uuid: str | None = None,
    page_size: Size = 50,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """The threads of a user, the one with the newest message first."""
    if user_uuid is None:
        _refuse("threads are listed of one user: give user_uuid")
    shown, page = _paged(await threads_of(caller, caller.mind_id(user_uuid)), size=page_size, cursor=cursor)
    return {"items": [thread_v4(one) for one in shown], **page}


@router.post("/threads/lookup")
async def look_up_thread(posted: UserAsked, caller: CallerOfZep) -> dict[str, Any]:
    """The thread with this own id."""
    if posted.thread_id is None:
        raise InvalidRequest("is needed", pointer="#/thread_id")
    return thread_v4(await read_thread(caller, await caller.mind_of(posted.thread_id), posted.thread_id))


@router.get("/threads/{thread_uuid:path}/context")
async def get_context(thread_uuid: str, caller: CallerOfZep, template_uuid: str | None = None) -> dict[str, str]:
    """The story, and what comes to mind for the newest messages."""
    if template_uuid:
        _refuse("context has no templates here")
    mind_id, thread_id = caller.thread_of(thread_uuid)
    return {"context": await context_of(caller, mind_id, thread_id)}


@router.get("/threads/{thread_uuid:path}/messages/{message_uuid}")
async def get_message(thread_uuid: str, message_uuid: str, caller: CallerOfZep) -> dict[str, Any]:
    """One message."""
    mind_id, thread_id = caller.thread_of(thread_uuid)
    return message_v4(one_of(await messages_of(caller, mind_id, thread_id), message_uuid), thread_uuid=thread_uuid)


@router.get("/threads/{thread_uuid:path}/messages")
async def list_messages(
    thread_uuid: str, caller: CallerOfZep, page_size: Size = 50, cursor: Cursor = None, order: Order = None
) -> dict[str, Any]:
    """The messages of a thread, oldest first unless ``order`` is desc."""
    mind_id, thread_id = caller.thread_of(thread_uuid)
    said = await messages_of(caller, mind_id, thread_id)
    shown, page = _paged(said[::-1] if order == "desc" else said, size=page_size, cursor=cursor)
    return {"items": [message_v4(one, thread_uuid=thread_uuid) for one in shown], **page}


@router.post("/threads/{thread_uuid:path}/messages")
async def add_messages(
    thread_uuid: str, posted: MessagesIn, caller: CallerOfZep, idempotency_key: IdempotencyKey = None
) -> dict[str, Any]:
    """Keep messages; they are on disk when this answers."""
    mind_id, thread_id = caller.thread_of(thread_uuid)
    await read_thread(caller, mind_id, thread_id)  # a thread that does not exist gets no messages
    kept = await keep_messages(caller, mind_id, thread_id, posted, key=idempotency_key)
    shown = [message_v4(one, thread_uuid=thread_uuid) for one in kept.said]
    return {"messages": shown, "context": kept.context, "task": TASK}


@router.get("/threads/{thread_uuid:path}")
async def get_thread(thread_uuid: str, caller: CallerOfZep) -> dict[str, Any]:
    """One thread. An id may hold slashes, so a part of a thread that is not served is known by there being none."""
    mind_id, thread_id = caller.thread_of(thread_uuid)
    try:
        return thread_v4(await read_thread(caller, mind_id, thread_id))
    except SessionNotFound:
        part = thread_id.rpartition("/")[2]
        if part in _PARTS_OF_THREADS:
            _refuse(f"the {part} of a thread is not served")
        raise


@router.delete("/threads/{thread_uuid:path}")
async def delete_thread(thread_uuid: str, caller: CallerOfZep, response: Response) -> dict[str, Any]:
    """Erase a thread with everything that only it told."""
    mind_id, thread_id = caller.thread_of(thread_uuid)
    await erase_thread(caller, mind_id, thread_id, response)
    return {"task": TASK}


@router.post("/graphs", status_code=status.HTTP_201_CREATED)
async def create_graph(posted: GraphIn, caller: CallerOfZep, idempotency_key: IdempotencyKey = None) -> dict[str, Any]:
    """A graph without a user, which is a mind. The same Idempotency-Key again means the same graph."""
    about = posted.model_dump(exclude={"graph_id"}, exclude_none=True)
    return graph_v4(await make_graph(caller, posted.graph_id, about, key=idempotency_key))


@router.get("/graphs/{graph_uuid}")
async def get_graph(graph_uuid: str, caller: CallerOfZep) -> dict[str, Any]:
    """One graph."""
    return graph_v4(await read_graph(caller, caller.mind_id(graph_uuid)))


@router.patch("/graphs/{graph_uuid}")
async def update_graph(graph_uuid: str, posted: GraphChange, caller: CallerOfZep) -> dict[str, Any]:
    """Put other facts in the place of those that are known of a graph; what is not sent stays."""
    return graph_v4(await change_graph(caller, graph_uuid, posted.model_dump(exclude_none=True)))


@router.delete("/graphs/{graph_uuid}", status_code=status.HTTP_202_ACCEPTED)
async def delete_graph(graph_uuid: str, caller: CallerOfZep, response: Response) -> dict[str, Any]:
    """Erase a graph with everything."""
    await erase_user(caller, caller.mind_id(graph_uuid), response)
    return {"task": TASK}


@router.post("/graphs/{graph_uuid}/episodes", status_code=status.HTTP_202_ACCEPTED)
async def add_episode(
    graph_uuid: str, posted: DataIn, caller: CallerOfZep, idempotency_key: IdempotencyKey = None
) -> dict[str, Any]:
    """Keep data for a graph. The same Idempotency-Key again stores nothing twice."""
    mind_id = caller.mind_id(graph_uuid)
    (kept,) = await keep_data(caller, mind_id, [posted], graph_id=posted.graph_id, key=idempotency_key)
    return {"episode": kept, "task": TASK}


@router.post("/graphs/{graph_uuid}/search/{scope}")
async def search(
    graph_uuid: str, scope: str, posted: GraphQuestion, caller: CallerOfZep, page_size: Size = 10, cursor: Cursor = None
) -> dict[str, Any]:
    """Edges, nodes or episodes that answer a query, best first."""
    if scope not in {"edges", "nodes", "episodes"} or cursor:
        _refuse("a search goes through edges, nodes or episodes, and has one page")
    found = await search_graph(
        caller,
        caller.mind_id(graph_uuid),
        posted.query,
        scope=scope,
        limit=min(page_size, 100),
        episode_field=_EPISODES,
    )
    return {"items": found, "total_size": len(found)}


@router.get("/graphs/{graph_uuid}/edges/{edge_uuid:path}")
async def get_edge(graph_uuid: str, edge_uuid: str, caller: CallerOfZep) -> dict[str, Any]:
    """One fact, or a turn that a search for edges answered."""
    mind_id, entry_id = _within(graph_uuid, edge_uuid, caller)
    with caller.memory.minds.gate.enter(mind_id):
        mind = await caller.memory.minds.find(mind_id)
        return edge(mind_id, await read_entry(caller.memory, mind, entry_id), episode_field=_EPISODES)


@router.get("/graphs/{graph_uuid}/episodes/{episode_uuid:path}")
async def get_episode(graph_uuid: str, episode_uuid: str, caller: CallerOfZep) -> dict[str, Any]:
    """One turn."""
    part = episode_uuid.rpartition("/")[2]
    if part in _PARTS_OF_EPISODES:
        _refuse(f"the {part} of an episode are not served")
    mind_id, entry_id = _within(graph_uuid, episode_uuid, caller)
    if not entry_id.startswith(EPISODE):
        raise MemoryNotFound("no episode has this uuid")
    return await one_episode(caller, mind_id, entry_id)


@router.delete("/graphs/{graph_uuid}/edges/{uuid:path}", status_code=status.HTTP_202_ACCEPTED)
@router.delete("/graphs/{graph_uuid}/episodes/{uuid:path}", status_code=status.HTTP_202_ACCEPTED)
async def delete_entry(graph_uuid: str, uuid: str, caller: CallerOfZep) -> dict[str, Any]:
    """Say of a fact that it is wrong, so that it does not come up; erase a turn."""
    _within(graph_uuid, uuid, caller)
    await delete_memory(uuid, caller.memory, caller.principal)
    return {"task": TASK}


def _within(graph_uuid: str, uuid: str, caller: CallerOfZep) -> tuple[str, str]:
    """The mind of a graph, and the memory of it that has this uuid. Raises MemoryNotFound, MindNotFound."""
    mind_id, entry_id = parts_of(uuid, caller.principal)
    if mind_id != caller.mind_id(graph_uuid):
        raise MemoryNotFound("this graph has nothing with this uuid")
    return mind_id, entry_id


@router.api_route("/{path:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], response_model=None)
async def not_served(path: str) -> NoReturn:
    """Every other call."""
    _refuse(f"{path.strip('/')} is not served")


def _refuse(reason: str) -> NoReturn:
    refuse(reason, page="zep.md")


def _paged[Item](items: list[Item], *, size: int, cursor: str | None) -> tuple[list[Item], dict[str, Any]]:
    first = int(cursor or 0)
    following = first + size
    return items[first:following], {
        "total_size": len(items),
        "next_cursor": str(following) if following < len(items) else None,
    }
