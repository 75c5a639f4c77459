"""Version 2 of Zep's API: sessions and memory, as Zep CE has them, and users and threads, as Zep Cloud has."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any, NoReturn

from fastapi import APIRouter, Header, Query, Response, status
from pydantic import BeforeValidator

from consolidation.kernel.errors import InvalidRequest, MindNotFound, SessionNotFound
from service.catalog.minds import page_of_minds
from service.facades.entries import OneSession, WholeMind, list_entries, read_entry
from service.facades.memory_ids import delete as delete_memory
from service.facades.memory_ids import parts_of
from service.facades.translation import refuse
from service.facades.zep.bodies import (
    MessagesIn,
    Profile,
    SessionChange,
    SessionIn,
    SessionSearch,
    ThreadIn,
    UserIn,
)
from service.facades.zep.conversations import (
    found_in,
    keep_messages,
    newest_words,
    one_of,
)
from service.facades.zep.dependencies import CallerOfZep
from service.facades.zep.shapes import (
    fact_v2,
    message_of_session,
    message_of_thread,
    session_v2,
    thread_v2,
    user_v2,
)
from service.facades.zep.users import (
    Caller,
    Thread,
    change_thread,
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

_CE_CLIENT = "zep-python"
_DONE = {"message": "ok"}
_MOST_MINDS = 100  # that are opened for a list of all sessions


def or_default(default: object) -> BeforeValidator:
    """What a client leaves out, some of them send without a value."""
    return BeforeValidator(lambda value: default if value == "" else value)


Most = Annotated[int, or_default(100), Query(ge=1, le=1_000)]
Page = Annotated[int, or_default(1), Query(ge=1, le=1_000_000)]
Behind = Annotated[int, or_default(0), Query(ge=0)]
LeastRating = Annotated[float | None, or_default(None), Query(alias="minRating")]

router = APIRouter(prefix="/zep/api/v2", include_in_schema=False)


@router.post("/users", status_code=status.HTTP_201_CREATED)
async def add_user(posted: UserIn, caller: CallerOfZep) -> dict[str, Any]:
    """A user, whose memory is a mind."""
    if posted.user_id is None:
        raise InvalidRequest("is needed", pointer="#/user_id")
    profile = posted.model_dump(exclude={"user_id"}, exclude_none=True)
    return user_v2(await make_user(caller, posted.user_id, profile))


@router.get("/users-ordered")
async def list_users(
    caller: CallerOfZep,
    number: Annotated[Page, Query(alias="pageNumber")] = 1,
    size: Annotated[Most, Query(alias="pageSize")] = 100,
) -> dict[str, Any]:
    """Users by the ids of their minds."""
    ids = [one for one in caller.memory.minds.ids() if caller.principal.sees(one)]
    shown = [user_v2(one) for one in await read_users(caller, ids[(number - 1) * size : number * size])]
    return {"users": shown, "row_count": len(shown), "total_count": len(ids)}


@router.patch("/users/{user_id:path}")
async def update_user(user_id: str, posted: Profile, caller: CallerOfZep) -> dict[str, Any]:
    """Put other facts in the place of those that are known of a user; what is not sent stays."""
    return user_v2(await change_user(caller, user_id, posted.model_dump(exclude_none=True)))


@router.delete("/users/{user_id:path}")
async def delete_user(user_id: str, caller: CallerOfZep, response: Response) -> dict[str, str]:
    """Erase a user with everything."""
    await erase_user(caller, caller.mind_id(user_id), response)
    return _DONE


@router.get("/users/{user_id:path}/warm")
async def warm(user_id: str, caller: CallerOfZep) -> dict[str, str]:
    """Open the user's mind."""
    await read_user(caller, caller.mind_id(user_id))
    return _DONE


@router.get("/users/{user_id:path}/sessions")
async def sessions_of_user(
    user_id: str, caller: CallerOfZep, x_fern_sdk_name: Annotated[str | None, Header()] = None
) -> list[Any]:
    """The sessions of a user. Zep CE's client reads a list within a list."""
    found = [session_v2(one) for one in await threads_of(caller, caller.mind_id(user_id))]
    return [found] if x_fern_sdk_name == _CE_CLIENT else found


@router.get("/users/{user_id:path}/threads")
async def threads_of_user(user_id: str, caller: CallerOfZep) -> list[dict[str, Any]]:
    """The threads of a user."""
    return [thread_v2(one) for one in await threads_of(caller, caller.mind_id(user_id))]


@router.get("/users/{user_id:path}/facts")
async def facts_of_user(user_id: str, caller: CallerOfZep) -> dict[str, Any]:
    """Facts that hold, and turns that told none."""
    mind_id = caller.mind_id(user_id)
    with caller.memory.minds.gate.enter(mind_id):
        mind = await caller.memory.minds.find(mind_id)
        return {"facts": [fact_v2(mind_id, one) for one in await list_entries(caller.memory, mind, WholeMind())]}


@router.get("/users/{user_id:path}/node", response_model=None)
async def node_of_user(user_id: str) -> NoReturn:
    """Not served: no entity is the user."""
    _refuse(f"users/{user_id}/node is not served")


@router.get("/users/{user_id:path}")
async def get_user(user_id: str, caller: CallerOfZep) -> dict[str, Any]:
    """One user."""
    return user_v2(await read_user(caller, caller.mind_id(user_id)))


@router.post("/sessions", status_code=status.HTTP_201_CREATED)
async def add_session(posted: SessionIn, caller: CallerOfZep) -> dict[str, Any]:
    """A session of a user, or one with a memory of its own."""
    thread = await create_thread(caller, posted.session_id, user_id=posted.user_id, metadata=posted.metadata)
    return session_v2(thread)


@router.get("/sessions-ordered")
async def list_sessions(caller: CallerOfZep, page_number: Page = 1, page_size: Most = 100) -> dict[str, Any]:
    """All sessions, newest first."""
    found, total = await _page_of_threads(caller, page_number, page_size)
    return {"sessions": [session_v2(one) for one in found], "response_count": len(found), "total_count": total}


@router.post("/sessions/search")
async def search_sessions(
    posted: SessionSearch, caller: CallerOfZep, limit: Annotated[int, or_default(10), Query(ge=1, le=100)] = 10
) -> dict[str, Any]:
    """What answers a query in the memory of a user, or in certain sessions."""
    scopes: list[tuple[str, str | None]] = []
    if posted.user_id is not None:
        scopes = [(caller.mind_id(posted.user_id), None)]
    if posted.session_ids is not None:
        scopes = [(await caller.mind_of(one), one) for one in posted.session_ids]
    if not scopes:
        raise InvalidRequest("needs a user_id or session_ids", pointer="#/user_id")
    found = []
    for mind_id, session_id in scopes:
        scope = OneSession(session_id) if session_id is not None else WholeMind()
        entries = await found_in(caller, mind_id, posted.text, limit=limit, scope=scope, least=posted.min_score)
        found += [(one.score or 0.0, {"session_id": session_id, **_result(mind_id, one, posted)}) for one in entries]
    found.sort(key=lambda one: one[0], reverse=True)
    return {"results": [one for _, one in found[:limit]]}


@router.get("/sessions/{session_id:path}/memory")
async def get_memory(
    session_id: str,
    caller: CallerOfZep,
    lastn: Annotated[int, or_default(10), Query(ge=0, le=500)] = 10,
    min_rating: LeastRating = None,
) -> dict[str, Any]:
    """The newest messages, the facts that belong to them, and what comes to mind."""
    if min_rating:
        _refuse("facts have no ratings here, so there is no min_rating")
    mind_id = await caller.mind_of(session_id)
    said = await messages_of(caller, mind_id, session_id)
    words = newest_words(said)
    facts = await found_in(caller, mind_id, words, limit=10) if words else []
    return {
        "messages": [message_of_session(one) for one in said[max(0, len(said) - lastn) :]],
        "relevant_facts": [fact_v2(mind_id, one) for one in facts],
        "facts": [one.text for one in facts],
        "context": await context_of(caller, mind_id, session_id),
        "metadata": (await read_thread(caller, mind_id, session_id)).metadata,
    }


@router.post("/sessions/{session_id:path}/memory")
async def add_memory(
    session_id: str, posted: MessagesIn, caller: CallerOfZep, idempotency_key: IdempotencyKey = None
) -> dict[str, Any]:
    """Keep messages. As in Zep CE, a session that was never heard of begins with them."""
    try:
        mind_id = await caller.mind_of(session_id)
    except SessionNotFound:
        mind_id = (await create_thread(caller, session_id, user_id=None)).mind_id
    kept = await keep_messages(caller, mind_id, session_id, posted, key=idempotency_key)
    return {"message": "ok", "context": kept.context}


@router.delete("/sessions/{session_id:path}/memory")
async def delete_memory_of_session(session_id: str, caller: CallerOfZep, response: Response) -> dict[str, str]:
    """Erase a session with everything that only it told."""
    await erase_thread(caller, await caller.mind_of(session_id), session_id, response)
    return _DONE


@router.get("/sessions/{session_id:path}/messages/{message_uuid}")
async def get_message(session_id: str, message_uuid: str, caller: CallerOfZep) -> dict[str, Any]:
    """One message of a session."""
    return message_of_session(
        one_of(await messages_of(caller, await caller.mind_of(session_id), session_id), message_uuid)
    )


@router.get("/sessions/{session_id:path}/messages")
async def get_session_messages(
    session_id: str, caller: CallerOfZep, limit: Most = 100, cursor: Behind = 0
) -> dict[str, Any]:
    """The messages of a session, oldest first; ``cursor`` of them are left out."""
    said = await messages_of(caller, await caller.mind_of(session_id), session_id)
    shown = [message_of_session(one) for one in said[cursor : cursor + limit]]
    return {"messages": shown, "row_count": len(shown), "total_count": len(said)}


@router.get("/sessions/{session_id:path}/facts")
async def get_session_facts(session_id: str, caller: CallerOfZep) -> dict[str, Any]:
    """Facts that a session told, and its turns that told none."""
    mind_id = await caller.mind_of(session_id)
    with caller.memory.minds.gate.enter(mind_id):
        mind = await caller.memory.minds.find(mind_id)
        found = await list_entries(caller.memory, mind, OneSession(session_id))
        return {"facts": [fact_v2(mind_id, one) for one in found]}


@router.get("/sessions/{session_id:path}")
async def get_session(session_id: str, caller: CallerOfZep) -> dict[str, Any]:
    """One session."""
    return session_v2(await read_thread(caller, await caller.mind_of(session_id), session_id))


@router.patch("/sessions/{session_id:path}/messages/{message_uuid}", response_model=None)
async def update_message(session_id: str, message_uuid: str) -> NoReturn:
    """Not served: what was said stays as it was said."""
    _refuse(f"messages are not changed here: {message_uuid} of {session_id} stays as it was sent")


@router.patch("/sessions/{session_id:path}")
async def update_session(session_id: str, posted: SessionChange, caller: CallerOfZep) -> dict[str, Any]:
    """Add metadata to a session's."""
    return session_v2(await change_thread(caller, await caller.mind_of(session_id), session_id, posted.metadata))


@router.get("/facts/{fact_uuid:path}")
async def get_fact(fact_uuid: str, caller: CallerOfZep) -> dict[str, Any]:
    """One fact, or one turn that a search answered."""
    mind_id, entry_id = parts_of(fact_uuid, caller.principal)
    with caller.memory.minds.gate.enter(mind_id):
        mind = await caller.memory.minds.find(mind_id)
        return {"fact": fact_v2(mind_id, await read_entry(caller.memory, mind, entry_id))}


@router.delete("/facts/{uuid:path}")
async def delete_fact(uuid: str, caller: CallerOfZep) -> str:
    """Say of a fact that it is wrong, so that it does not come up; erase a turn that a search answered."""
    await delete_memory(uuid, caller.memory, caller.principal)
    return "ok"


@router.post("/threads", status_code=status.HTTP_201_CREATED)
async def add_thread(posted: ThreadIn, caller: CallerOfZep) -> dict[str, Any]:
    """A thread of a user, who exists."""
    return thread_v2(await create_thread(caller, posted.thread_id, user_id=posted.user_id))


@router.get("/threads")
async def list_threads(caller: CallerOfZep, page_number: Page = 1, page_size: Most = 100) -> dict[str, Any]:
    """All threads, newest first."""
    found, total = await _page_of_threads(caller, page_number, page_size)
    return {"threads": [thread_v2(one) for one in found], "response_count": len(found), "total_count": total}


@router.get("/threads/{thread_id:path}/context")
async def get_context(
    thread_id: str, caller: CallerOfZep, template_id: str | None = None, min_rating: LeastRating = None
) -> dict[str, str]:
    """The story, and what comes to mind for the newest messages. ``mode`` changes nothing."""
    if template_id or min_rating:
        _refuse("context has no templates and facts have no ratings here")
    return {"context": await context_of(caller, await caller.mind_of(thread_id), thread_id)}


@router.get("/threads/{thread_id:path}/messages")
async def get_thread_messages(
    thread_id: str,
    caller: CallerOfZep,
    limit: Most = 100,
    cursor: Behind = 0,
    lastn: Annotated[int, or_default(0), Query(ge=0, le=1_000)] = 0,
) -> dict[str, Any]:
    """The messages of a thread, oldest first: ``lastn`` of them, or those behind ``cursor``."""
    mind_id = await caller.mind_of(thread_id)
    thread = await read_thread(caller, mind_id, thread_id)
    said = await messages_of(caller, mind_id, thread_id)
    part = said[-lastn:] if lastn else said[cursor : cursor + limit]
    return {
        "messages": [message_of_thread(one) for one in part],
        "row_count": len(part),
        "total_count": len(said),
        "thread_created_at": thread.created_at.isoformat(),
        "user_id": thread.user_id,
        "user_uuid": thread.mind_id,
    }


@router.post("/threads/{thread_id:path}/messages")
@router.post("/threads/{thread_id:path}/messages-batch")
async def add_thread_messages(
    thread_id: str, posted: MessagesIn, caller: CallerOfZep, idempotency_key: IdempotencyKey = None
) -> dict[str, Any]:
    """Keep messages of a thread that exists."""
    mind_id = await caller.mind_of(thread_id)
    kept = await keep_messages(caller, mind_id, thread_id, posted, key=idempotency_key)
    return {"message_uuids": kept.ids, "context": kept.context}


@router.delete("/threads/{thread_id:path}")
async def delete_thread(thread_id: str, caller: CallerOfZep, response: Response) -> dict[str, str]:
    """Erase a thread with everything that only it told."""
    await erase_thread(caller, await caller.mind_of(thread_id), thread_id, response)
    return _DONE


@router.api_route("/{path:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], response_model=None)
async def not_served(path: str) -> NoReturn:
    """Every other call."""
    _refuse(f"{path.strip('/')} is not served")


def _refuse(reason: str) -> NoReturn:
    refuse(reason, page="zep.md")


def _result(mind_id: str, entry: Any, posted: SessionSearch) -> dict[str, Any]:  # noqa: ANN401
    fact = fact_v2(mind_id, entry)
    if posted.search_scope == "messages":
        message = {"uuid": fact["uuid"], "content": entry.text, "created_at": fact["created_at"]}
        return {"message": message, "score": entry.score}
    return {"fact": fact, "score": entry.score}


async def _page_of_threads(caller: Caller, number: int, size: int) -> tuple[list[Thread], int]:
    """Threads of every user, newest first, and how many there are. Raises InvalidRequest for too many users."""
    memory = caller.memory
    page = await page_of_minds(memory.minds, among=caller.principal.minds, limit=_MOST_MINDS, fleet=memory.fleet)
    if page.next_cursor is not None:
        raise InvalidRequest(f"there are more than {_MOST_MINDS} users: list the threads of one", pointer="#")
    found: list[Thread] = []
    for one in page.items:
        with suppress(MindNotFound):  # another service has erased it since they were listed
            found += await threads_of(caller, one.mind_id)
    found.sort(key=lambda one: one.updated_at, reverse=True)
    return found[(number - 1) * size : number * size], len(found)
