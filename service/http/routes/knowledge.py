"""What is known, in pages: facts, entities, and the graph as columns."""

from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Path, Query, Response

from service.catalog.entities import EntityQuery, list_entities, read_entity
from service.catalog.facts import FactQuery, list_facts, read_fact
from service.http.dependencies import MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.knowledge import (
    ENTITIES,
    ENTITY,
    FACT,
    FACTS,
    GRAPH,
    EntitiesAsked,
    EntitiesOut,
    EntityDetailOut,
    EntityOut,
    FactOut,
    FactsAsked,
    FactsOut,
    GraphAsked,
    GraphOut,
    LookalikeOut,
    MonthOut,
    NeighbourOut,
)
from service.retrieval.time_window import TimeWindow

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["knowledge"], route_class=KnownQuery)

_FactId = Annotated[str, Path(max_length=200, examples=["fact:4e8b8f0a-6a5d-4a43-9d3e-2f1b0c9d8e7f"])]
_EntityId = Annotated[str, Path(max_length=200, examples=["entity:9b0f5bb1-3f0a-4a53-8b5b-5d3b0c1d2e3f"])]


@router.get("/facts", summary="List facts", responses=answers(FACTS, 404, 422, 503))
async def facts(mind_id: MindId, asked: Annotated[FactsAsked, Query()], memory: MemoryDep) -> FactsOut:
    """Facts, newest first, each with the turns that told it, or who said it. No graph and no model is asked."""
    query = FactQuery(
        window=TimeWindow(since=asked.since, until=asked.until),
        entity=asked.entity,
        state=asked.state,
        query=asked.query or "",
        cursor=asked.cursor,
        limit=asked.limit,
    )
    found = await list_facts(await memory.minds.find(mind_id), query, now=memory.clock.now())
    return FactsOut(items=[FactOut.model_validate(one) for one in found.items], next_cursor=found.next_cursor)


@router.get("/facts/{fact_id}", summary="One fact", responses=answers(FACT, 404, 422, 503))
async def fact(mind_id: MindId, fact_id: _FactId, memory: MemoryDep) -> FactOut:
    """A fact with the newest 100 turns that told it."""
    found = await read_fact(await memory.minds.find(mind_id), fact_id, now=memory.clock.now())
    return FactOut.model_validate(found)


@router.get("/entities", summary="List entities", responses=answers(ENTITIES, 404, 422, 503))
async def entities(mind_id: MindId, asked: Annotated[EntitiesAsked, Query()], memory: MemoryDep) -> EntitiesOut:
    """People, places, things."""
    query = EntityQuery(asked.query or "", asked.kind, asked.sort, asked.cursor, asked.limit)
    found = await list_entities(await memory.minds.find(mind_id), query, now=memory.clock.now())
    return EntitiesOut(items=[EntityOut.model_validate(one) for one in found.items], next_cursor=found.next_cursor)


@router.get("/entities/{entity_id}", summary="One entity", responses=answers(ENTITY, 404, 422, 503))
async def entity(mind_id: MindId, entity_id: _EntityId, memory: MemoryDep) -> EntityDetailOut:
    """An entity, the months in which it was spoken of, its neighbours, look-alikes and newest facts."""
    found = await read_entity(await memory.minds.find(mind_id), entity_id, now=memory.clock.now())
    return EntityDetailOut(
        **EntityOut.model_validate(found.entity).model_dump(),
        mentions_by_month=[MonthOut.model_validate(one) for one in found.months],
        neighbours=[NeighbourOut.model_validate(one) for one in found.neighbours],
        lookalikes=[LookalikeOut.model_validate(one) for one in found.lookalikes],
        newest_facts=[FactOut.model_validate(one) for one in found.newest_facts],
    )


@router.get("/graph", summary="The graph of a time", response_model=GraphOut, responses=answers(GRAPH, 404, 422, 503))
async def graph(mind_id: MindId, asked: Annotated[GraphAsked, Query()], memory: MemoryDep) -> Response:
    """The most mentioned entities of a time, the facts between them, and the themes that they fall into."""
    mind = await memory.minds.find(mind_id)
    window = TimeWindow(since=asked.since, until=asked.until)
    found = await memory.catalog.graph.read(mind, window, limit=asked.limit, now=memory.clock.now())
    body = await anyio.to_thread.run_sync(lambda: GraphOut.model_validate(found).model_dump_json())  # a megabyte
    return Response(body, media_type="application/json")
