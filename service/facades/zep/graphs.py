"""Graphs of Zep without a user, as minds. What is known of one is kept as that of a user is."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from consolidation.kernel.errors import InvalidRequest, MindNotFound
from service.facades.records import USER_SESSION
from service.facades.worker_of_mind import in_worker_of_mind
from service.facades.zep.users import has_turn, keep_record, last_sent

if TYPE_CHECKING:
    from datetime import datetime

    from service.composition.container import Memory
    from service.facades.zep.users import Caller

_NAMESPACE = uuid.UUID("0a0d0c53-6f7e-4a35-8a43-2f3f3ea3a6c2")


@dataclass(frozen=True, slots=True)
class Graph:
    """
    A graph as it was last sent, and since when its mind exists.

    One that data alone began is known by its mind's id.
    """

    mind_id: str
    graph_id: str
    created_at: datetime
    updated_at: datetime
    about: dict[str, Any] = field(default_factory=dict)


async def make_graph(caller: Caller, graph_id: str | None, about: dict[str, Any], *, key: str | None = None) -> Graph:
    """
    Begin a graph, with an id of our own where none is given. The same *key* again means the same graph.

    Raises InvalidRequest for one that exists, and for the id of a user.
    """
    if graph_id is None:
        of_key = uuid.uuid5(_NAMESPACE, f"{caller.principal.name}:{key}").hex
        graph_id = f"graph-{of_key if key else caller.memory.clock.fresh_id()}"
    mind_id = caller.mind_id(graph_id, pointer="#/graph_id")
    turn_id = f"zep:new-graph:{key}" if key else None
    try:
        await read_graph(caller, mind_id)
    except MindNotFound:
        pass
    else:
        if not await has_turn(caller.memory, mind_id, turn_id):
            raise InvalidRequest("a graph or a user with this id exists already", pointer="#/graph_id")
    record = {"graph": {**about, "graph_id": graph_id}}
    await keep_record(caller, mind_id, USER_SESSION, record, turn_id=turn_id)
    return await read_graph(caller, mind_id)


async def change_graph(caller: Caller, graph_id: str, about: dict[str, Any]) -> Graph:
    """Put other facts in the place of those that are known of a graph. Raises MindNotFound."""
    mind_id = caller.mind_id(graph_id, pointer="#/graph_id")
    before = await read_graph(caller, mind_id)
    record = {**before.about, **about, "graph_id": before.graph_id}
    await keep_record(caller, mind_id, USER_SESSION, {"graph": record})
    return await read_graph(caller, mind_id)


async def read_graph(caller: Caller, mind_id: str) -> Graph:
    """One graph. Raises MindNotFound."""
    return await _graph(caller.memory, mind_id)


@in_worker_of_mind
async def _graph(memory: Memory, mind_id: str) -> Graph:
    with memory.minds.gate.enter(mind_id):
        mind = await memory.minds.find(mind_id)
        created_at, updated_at, sent = await last_sent(mind, "graph", now=memory.clock.now())
        return Graph(mind_id, str(sent.pop("graph_id", mind_id)), created_at, updated_at, sent)
