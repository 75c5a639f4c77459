"""Version 2 of Zep's API: graphs of users and without one, their data, and searches, as Zep Cloud has them."""

from __future__ import annotations

from typing import Annotated, Any, NoReturn

from fastapi import APIRouter, Query, Response, status

from consolidation.kernel.errors import InvalidRequest, MemoryNotFound, MindNotFound
from service.facades.entries import EPISODE, read_entry
from service.facades.memory_ids import delete as delete_memory
from service.facades.memory_ids import parts_of
from service.facades.translation import refuse
from service.facades.zep.bodies import DataBatch, DataIn, GraphChange, GraphIn, GraphSearch
from service.facades.zep.conversations import episodes_of, keep_data, one_episode, search_graph
from service.facades.zep.dependencies import CallerOfZep
from service.facades.zep.graphs import change_graph, make_graph, read_graph
from service.facades.zep.routes_v2 import or_default
from service.facades.zep.shapes import edge, graph_v2
from service.facades.zep.users import Caller, erase_user

_EPISODES = "episodes"
_DONE = {"message": "ok"}

router = APIRouter(prefix="/zep/api/v2/graph", include_in_schema=False)


@router.post("/create", status_code=status.HTTP_201_CREATED)
async def create_graph(posted: GraphIn, caller: CallerOfZep) -> dict[str, Any]:
    """A graph without a user, which is a mind as well."""
    if posted.graph_id is None:
        raise InvalidRequest("is needed", pointer="#/graph_id")
    about = posted.model_dump(exclude={"graph_id"}, exclude_none=True)
    return graph_v2(await make_graph(caller, posted.graph_id, about))


@router.post("/search")
async def search(posted: GraphSearch, caller: CallerOfZep) -> dict[str, Any]:
    """Edges, nodes or episodes that answer a query, best first. A user never heard of has none."""
    mind_id = _owner(caller, posted.user_id, posted.graph_id)
    try:
        found = await search_graph(
            caller, mind_id, posted.query, scope=posted.scope, limit=posted.limit, episode_field=_EPISODES
        )
    except MindNotFound:
        found = []
    return {posted.scope: found}


@router.post("", status_code=status.HTTP_202_ACCEPTED)
async def add_data(posted: DataIn, caller: CallerOfZep) -> dict[str, Any]:
    """Keep data for a graph."""
    mind_id = _owner(caller, posted.user_id, posted.graph_id)
    (kept,) = await keep_data(caller, mind_id, [posted], graph_id=posted.graph_id)
    return kept


@router.post("-batch", status_code=status.HTTP_202_ACCEPTED)
async def add_batch(posted: DataBatch, caller: CallerOfZep) -> list[dict[str, Any]]:
    """Keep data for a graph, all of it or none."""
    mind_id = _owner(caller, posted.user_id, posted.graph_id)
    return await keep_data(caller, mind_id, posted.episodes, graph_id=posted.graph_id)


@router.get("/episodes/user/{name:path}")
@router.get("/episodes/graph/{name:path}")
async def get_episodes(
    name: str, caller: CallerOfZep, lastn: Annotated[int, or_default(100), Query(ge=1, le=500)] = 100
) -> dict[str, Any]:
    """The newest turns of a user or a graph, newest first."""
    return {"episodes": await episodes_of(caller, caller.mind_id(name), most=lastn)}


@router.get("/episodes/{uuid:path}")
async def get_episode(uuid: str, caller: CallerOfZep) -> dict[str, Any]:
    """One turn."""
    mind_id, entry_id = parts_of(uuid, caller.principal)
    if not entry_id.startswith(EPISODE):
        raise MemoryNotFound("no episode has this uuid")
    return await one_episode(caller, mind_id, entry_id)


@router.get("/edge/{uuid:path}")
async def get_edge(uuid: str, caller: CallerOfZep) -> dict[str, Any]:
    """One fact."""
    mind_id, entry_id = parts_of(uuid, caller.principal)
    with caller.memory.minds.gate.enter(mind_id):
        mind = await caller.memory.minds.find(mind_id)
        return edge(mind_id, await read_entry(caller.memory, mind, entry_id), episode_field=_EPISODES)


@router.delete("/edge/{uuid:path}")
@router.delete("/episodes/{uuid:path}")
async def delete_edge(uuid: str, caller: CallerOfZep) -> dict[str, str]:
    """Erase an episode, or call a fact wrong."""
    await delete_memory(uuid, caller.memory, caller.principal)
    return _DONE


@router.get("/list-all", response_model=None)
async def list_graphs() -> NoReturn:
    """Not served: what a graph is called is known to its mind alone."""
    refuse("graphs are not listed here", page="zep.md")


@router.get("/{graph_id}")
async def get_graph(graph_id: str, caller: CallerOfZep) -> dict[str, Any]:
    """One graph."""
    return graph_v2(await read_graph(caller, caller.mind_id(graph_id)))


@router.patch("/{graph_id}")
async def update_graph(graph_id: str, posted: GraphChange, caller: CallerOfZep) -> dict[str, Any]:
    """Put other facts in the place of those that are known of a graph; what is not sent stays."""
    return graph_v2(await change_graph(caller, graph_id, posted.model_dump(exclude_none=True)))


@router.delete("/{graph_id}")
async def delete_graph(graph_id: str, caller: CallerOfZep, response: Response) -> dict[str, str]:
    """Erase a graph with everything."""
    await erase_user(caller, caller.mind_id(graph_id), response)
    return _DONE


def _owner(caller: Caller, user_id: str | None, graph_id: str | None) -> str:
    """The mind of a user or of a graph without one. Raises InvalidRequest, MindNotFound."""
    name = user_id or graph_id
    if not name or (user_id and graph_id):
        raise InvalidRequest("needs a user_id or a graph_id", pointer="#/user_id")
    return caller.mind_id(name)
