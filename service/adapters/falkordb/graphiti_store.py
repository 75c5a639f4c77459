"""
How Graphiti saves what it has extracted: its seam for that, filled with four statements of ours.

The original writes every entity and fact that an episode touches whole, one statement for each entity, and its vector
again each time. The words of a name and of a fact never change here, so a vector is written once, and beside the mind.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from graphiti_core.driver.graph_operations.graph_operations import GraphOperationsInterface

from consolidation.kernel.errors import GraphUnavailable
from service.index.mind_vectors import FACTS, NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.adapters.falkordb.connection import Rows
    from service.adapters.falkordb.leased_graph import LeasedGraph
    from service.index.mind_vectors import MindVectors

_EPISODES = "UNWIND $rows AS row MERGE (n:Episodic {uuid: row.uuid}) SET n += row"
_NEW_ENTITIES = """
UNWIND $rows AS row
MERGE (n:Entity {uuid: row.uuid})
ON CREATE SET n += row
ON MATCH SET n.summary = row.summary, n.kind = coalesce(row.kind, n.kind)
"""
_KNOWN_ENTITIES = """
UNWIND $rows AS row
MATCH (n:Entity {uuid: row.uuid})
SET n.summary = row.summary, n.kind = coalesce(row.kind, n.kind)
RETURN n.uuid
"""
_MENTIONS = """
UNWIND $rows AS row
MATCH (episode:Episodic {uuid: row.source})
MATCH (entity:Entity {uuid: row.target})
MERGE (episode)-[e:MENTIONS {uuid: row.plain.uuid}]->(entity)
SET e += row.plain
"""
_FACTS = """
UNWIND $rows AS row
MATCH (source:Entity {uuid: row.source})
MATCH (target:Entity {uuid: row.target})
MERGE (source)-[e:RELATES_TO {uuid: row.plain.uuid}]->(target)
ON CREATE SET e += row.plain
ON MATCH SET e.episodes = row.plain.episodes, e.valid_at = row.plain.valid_at, e.invalid_at = row.plain.invalid_at,
  e.expired_at = row.plain.expired_at
"""
_NOT_STORED = frozenset({"labels", "name_embedding", "fact_embedding", "source_node_uuid", "target_node_uuid"})


class GraphitiStore(GraphOperationsInterface):
    """Saves to one graph; what has no method here, Graphiti does by itself."""

    graph: Any  # a LeasedGraph; pydantic need not know
    vectors: Any  # the mind's MindVectors
    kind_of: Any  # the kind of an entity, by its name, as the reader of the turn knows it
    known: Any  # the uuids of entities that GraphitiSearch found in the graph; a set that both share

    async def episodic_node_save_bulk(self, _cls: Any, _driver: Any, _tx: Any, nodes: Sequence[Any], *_: Any) -> None:  # noqa: ANN401
        """Save episodes, with the facts that they touched."""
        await self._write(_EPISODES, [_plain(node) for node in nodes])

    async def node_save_bulk(self, _cls: Any, _driver: Any, _tx: Any, nodes: Sequence[Any], *_: Any) -> None:  # noqa: ANN401
        """
        Save entities: new ones with their vector, and summaries and kinds of those that were found in the graph.

        Raises GraphUnavailable where one of these has gone; then the episode is extracted again.
        """
        kinds = [self.kind_of(node["name"]) or None for node in nodes]
        found = [
            {"uuid": node["uuid"], "summary": node["summary"], "kind": kind}
            for node, kind in zip(nodes, kinds, strict=True)
            if node["uuid"] in self.known
        ]
        if len(await self._write(_KNOWN_ENTITIES, found)) < len(found):
            raise GraphUnavailable("an entity went while its episode was read")
        new = [
            {**node, "kind": kind} for node, kind in zip(nodes, kinds, strict=True) if node["uuid"] not in self.known
        ]
        await self._keep(NAMES, {node["uuid"]: node["name_embedding"] for node in new})
        await self._write(_NEW_ENTITIES, [_plain(node) for node in new])

    async def episodic_edge_save_bulk(self, _cls: Any, _driver: Any, _tx: Any, edges: Sequence[Any], *_: Any) -> None:  # noqa: ANN401
        """Save which episode mentions which entity."""
        rows = [_joining(edge) | {"plain": _plain(edge)} for edge in edges]
        await self._write(_MENTIONS, rows)

    async def edge_save_bulk(self, _cls: Any, _driver: Any, _tx: Any, edges: Sequence[Any], *_: Any) -> None:  # noqa: ANN401
        """Save facts, new ones with their vector."""
        # A retry adds its episode to a fact that has it already.
        told = [{**edge, "episodes": list(dict.fromkeys(edge["episodes"]))} for edge in edges]
        await self._keep(FACTS, {edge["uuid"]: edge["fact_embedding"] for edge in told})
        await self._write(_FACTS, [_joining(edge) | {"plain": _plain(edge)} for edge in told])

    async def _keep(self, kind: str, vectors: Mapping[str, Sequence[float]]) -> None:
        """Write vectors beside the mind, before the graph has what they are of: so nothing in it is without."""
        import numpy as np

        stored: MindVectors = self.vectors
        made = {uuid: np.asarray(one, np.float32) for uuid, one in vectors.items()}
        await anyio.to_thread.run_sync(stored.put, kind, made)

    async def _write(self, cypher: str, rows: Sequence[Mapping[str, object]]) -> Rows:
        graph: LeasedGraph = self.graph
        return await graph.write(cypher, {"rows": list(rows)}) if rows else []


def _joining(edge: Mapping[str, Any]) -> dict[str, object]:
    return {"source": edge["source_node_uuid"], "target": edge["target_node_uuid"]}


def _plain(row: Mapping[str, Any]) -> dict[str, object]:
    """Return the properties that are stored of a row: times as text, and nothing that is None."""
    return {
        key: value.isoformat() if isinstance(value, datetime) else value
        for key, value in row.items()
        if key not in _NOT_STORED and value is not None
    }
