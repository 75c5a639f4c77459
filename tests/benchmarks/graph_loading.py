"""
A made-up mind's graph and its vectors, written in bulk by the service's own statements; and the same graph for stock
Graphiti, which looks for vectors in it.

The embedded server does not append to its log meanwhile; what is kept is what its first rewrite leaves.
"""

from __future__ import annotations

import asyncio
import shutil
from contextlib import asynccontextmanager
from itertools import batched
from typing import TYPE_CHECKING

from consolidation.workspace import workspace_of
from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.graphiti_store import GraphitiStore
from service.adapters.falkordb.graphs import FalkorGraphs
from service.adapters.falkordb.schema import index_keys
from service.adapters.falkordb.server import EmbeddedServer
from service.adapters.falkordb.vectors import printed
from service.ports.embedder import EmbedderIdentity
from tests.benchmarks.contents import GRAPH, MIND, PREFIX
from tests.benchmarks.synthetic import entity_uuid
from tests.benchmarks.vectors import WordVectors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from falkordb.asyncio import FalkorDB

    from tests.benchmarks.contents import Contents

_BATCH = 250
_NAME_VECTORS = "UNWIND $rows AS row MATCH (n:Entity {uuid: row.uuid}) SET n.name_embedding = vecf32(row.vector)"
_FACT_VECTORS = (
    "UNWIND $rows AS row MATCH ()-[e:RELATES_TO {uuid: row.uuid}]->() SET e.fact_embedding = vecf32(row.vector)"
)


async def store(home: Path, held: Contents) -> None:
    """Fill the embedded server of a home, which must be empty, and stop it."""
    async with _filling(home / "graph") as connection:
        await _fill(connection, held, home)


async def store_for_stock(home: Path, made: Path, held: Contents) -> None:
    """Fill *home* with the graph of the home *made*, and its vectors in it, as Graphiti has them."""
    shutil.copytree(made / "graph", home / "graph")
    async with _filling(home / "graph") as connection:
        for cypher, rows, vector in (
            (_NAME_VECTORS, _entities(held), "name_embedding"),
            (_FACT_VECTORS, _facts(held), "fact_embedding"),
        ):
            for batch in batched(rows, _BATCH):
                words = [{"uuid": row["uuid"], "vector": printed(row[vector])} for row in batch]
                await connection.write(GRAPH, cypher, {"rows": words})


@asynccontextmanager
async def _filling(folder: Path) -> AsyncIterator[GraphConnection]:
    server = EmbeddedServer(folder)
    await server.start()
    connection = GraphConnection(server.url, write_seconds=300)
    try:
        await server.wait_until_ready()
        client = await connection.client()
        await client.execute_command("CONFIG", "SET", "appendonly", "no")
        yield connection
        await client.execute_command("CONFIG", "SET", "appendonly", "yes")
        await _rewritten(client)
    finally:
        await connection.close()
        await server.stop()


async def _fill(connection: GraphConnection, held: Contents, home: Path) -> None:
    graphs = FalkorGraphs(
        connection,
        prefix=PREFIX,
        readers=None,
        embedder=WordVectors(),
        vectors_of=lambda mind_id: workspace_of(home, mind_id).vectors,
    )
    graph = graphs.of(MIND)
    await graph.prepare(embedder=EmbedderIdentity(WordVectors.name, WordVectors.dimension))
    await index_keys(graph.leased())
    for places in batched(range(len(held.episodes)), _BATCH):
        episodes = [held.episodes[at] for at in places]
        own, leaning = (
            {held.episodes[at].passages[0].uuid: held.vectors[arm][at] for at in places} for arm in ("own", "turns")
        )
        await graph.save(
            episodes,
            own=own,
            leaning=leaning,
            after=episodes[0].sequence - 1,
            cursor=episodes[-1].sequence,
            turn_id=episodes[-1].turn_id,
        )
    store = GraphitiStore(graph=graph.leased(), vectors=graph.vectors, kind_of=lambda _: "", known=set())
    for save, rows in (
        (store.node_save_bulk, _entities(held)),
        (store.edge_save_bulk, _facts(held)),
        (store.episodic_edge_save_bulk, _mentions(held)),
        (store.episodic_node_save_bulk, _edges_of(held)),
    ):
        for batch in batched(rows, _BATCH):
            await save(None, None, None, batch)
    await graph.mark_extracted(held.episodes[-1].sequence, turn_id=held.episodes[-1].turn_id, after=0)
    await graph.close()


def _entities(held: Contents) -> Iterator[dict[str, object]]:
    for entity, vector in zip(held.entities, held.vectors["entities"], strict=True):
        yield {
            "uuid": entity.uuid,
            "name": entity.name,
            "group_id": GRAPH,
            "summary": entity.summary,
            "created_at": held.told[0].kept.occurred_at.isoformat(),
            "name_embedding": vector.tolist(),
        }


def _facts(held: Contents) -> Iterator[dict[str, object]]:
    told = (fact for one in held.told for fact in one.facts)
    for fact, stored, vector in zip(told, held.facts, held.vectors["facts"], strict=True):
        at, ended = fact.valid_at.isoformat(), fact.invalid_at and fact.invalid_at.isoformat()
        yield {
            "uuid": fact.uuid,
            "source_node_uuid": entity_uuid(fact.source),
            "target_node_uuid": entity_uuid(fact.target),
            "name": fact.relation,
            "fact": fact.text,
            "group_id": GRAPH,
            "episodes": list(stored.episodes),
            "created_at": at,
            "expired_at": ended,
            "valid_at": at,
            "invalid_at": ended,
            "reference_time": at,
            "fact_embedding": vector.tolist(),
        }


def _mentions(held: Contents) -> Iterator[dict[str, object]]:
    for one, episode in zip(held.told, held.episodes, strict=True):
        for number in one.entities:
            yield {
                "uuid": f"{episode.uuid[:24]}{number:012x}",
                "source_node_uuid": episode.uuid,
                "target_node_uuid": entity_uuid(number),
                "group_id": GRAPH,
                "created_at": episode.occurred_at.isoformat(),
            }


def _edges_of(held: Contents) -> Iterator[dict[str, object]]:
    for one, episode in zip(held.told, held.episodes, strict=True):
        yield {"uuid": episode.uuid, "entity_edges": [fact.uuid for fact in one.facts]}


async def _rewritten(client: FalkorDB) -> None:
    """Wait until the append-only log holds everything."""
    while True:
        told = await client.connection.info("persistence")
        if not told["aof_rewrite_in_progress"] and not told["aof_rewrite_scheduled"]:
            break
        await asyncio.sleep(0.1)
    if told["aof_last_bgrewrite_status"] != "ok":
        raise RuntimeError("the embedded server could not write its log")
