"""
A made-up mind's graph, in bulk: what the service writes by its own statements, what Graphiti writes by Graphiti's.

The embedded server does not append to its log meanwhile; what is kept is what its first rewrite leaves.
"""

from __future__ import annotations

import asyncio
from itertools import batched
from typing import TYPE_CHECKING

from service.adapters.graph import writing
from service.adapters.graph.connection import Connection
from service.adapters.graph.server import EmbeddedServer
from service.adapters.quiet import hush_graphiti
from service.ports import Identity
from tests.benchmarks.contents import GRAPH
from tests.benchmarks.synthetic import entity_uuid
from tests.benchmarks.vectors import DECIMALS, WordVectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import numpy as np
    from falkordb.asyncio import FalkorDB

    from tests.benchmarks.contents import Contents

_BATCH = 250
_SCALE = 10**DECIMALS
_DIGITS = [f"{number / _SCALE:.{DECIMALS}f}" for number in range(-_SCALE, _SCALE + 1)]
_EDGES_OF = "UNWIND $rows AS r MATCH (n:Episodic {uuid: r.uuid}) SET n.entity_edges = r.edges"


async def store(folder: Path, held: Contents) -> None:
    """Fill the embedded server in *folder*, which must be empty, and stop it."""
    server = EmbeddedServer(folder)
    await server.start()
    connection = Connection(server.url, write_seconds=300)
    try:
        await server.wait_until_ready()
        client = await connection.client()
        await client.execute_command("CONFIG", "SET", "appendonly", "no")
        await _fill(connection, held)
        await client.execute_command("CONFIG", "SET", "appendonly", "yes")
        await _rewritten(client)
    finally:
        await connection.close()
        await server.stop()


async def _fill(connection: Connection, held: Contents) -> None:
    await writing.prepare(connection, GRAPH, embedder=Identity(WordVectors.name, WordVectors.dimension))
    for places in batched(range(len(held.episodes)), _BATCH):
        episodes = [held.episodes[at] for at in places]
        own, leaning = (
            {held.episodes[at].passages[0].uuid: held.vectors[arm][at] for at in places} for arm in ("own", "turns")
        )
        await writing.save(connection, GRAPH, episodes, own=own, leaning=leaning, cursor=episodes[-1].sequence)
    entities, facts, mentions = _statements()
    await _in_batches(connection, entities, "nodes", _entities(held))
    await _in_batches(connection, facts, "entity_edges", _facts(held))
    await _in_batches(connection, mentions, "episodic_edges", _mentions(held))
    await _in_batches(connection, _EDGES_OF, "rows", _edges_of(held))
    await writing.complete(connection, GRAPH, held.episodes[-1].sequence)


def _statements() -> tuple[str, str, str]:
    """Graphiti's own: for entities (of which it sends one at a time), facts and mentions."""
    hush_graphiti(dimension=WordVectors.dimension)
    from graphiti_core.driver.driver import GraphProvider
    from graphiti_core.models.edges.edge_db_queries import (
        get_entity_edge_save_bulk_query,
        get_episodic_edge_save_bulk_query,
    )
    from graphiti_core.models.nodes.node_db_queries import get_entity_node_save_bulk_query

    falkor = GraphProvider.FALKORDB
    [(entities, _)] = get_entity_node_save_bulk_query(falkor, [{"labels": ["Entity"]}])
    return entities, get_entity_edge_save_bulk_query(falkor), get_episodic_edge_save_bulk_query(falkor)


async def _in_batches(connection: Connection, cypher: str, name: str, rows: Iterable[dict[str, object]]) -> None:
    for batch in batched(rows, _BATCH):
        await connection.write(GRAPH, cypher, {name: list(batch)})


def _entities(held: Contents) -> Iterator[dict[str, object]]:
    for entity, vector in zip(held.entities, held.vectors["entities"], strict=True):
        yield {
            "uuid": entity.uuid,
            "name": entity.name,
            "group_id": GRAPH,
            "summary": entity.summary,
            "created_at": held.told[0].kept.occurred_at.isoformat(),
            "name_embedding": _Digits(vector),
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
            "fact_embedding": _Digits(vector),
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
        yield {"uuid": episode.uuid, "edges": [fact.uuid for fact in one.facts]}


class _Digits:
    """A vector that the client writes into a statement as it stands: fifteen times as fast as a list of floats."""

    def __init__(self, vector: np.ndarray) -> None:
        self._vector = vector

    def __str__(self) -> str:
        places = (self._vector * _SCALE).round().astype(int) + _SCALE
        return f"[{','.join([_DIGITS[place] for place in places.tolist()])}]"


async def _rewritten(client: FalkorDB) -> None:
    """Wait until the append-only log holds everything."""
    while True:
        told = await client.connection.info("persistence")
        if not told["aof_rewrite_in_progress"] and not told["aof_rewrite_scheduled"]:
            break
        await asyncio.sleep(0.1)
    if told["aof_last_bgrewrite_status"] != "ok":
        raise RuntimeError("the embedded server could not write its log")
