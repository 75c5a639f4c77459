"""
How Graphiti keeps what it extracted: its seam for saving, filled with four statements of ours.

Stock writes every touched entity and fact whole, one statement an entity, its vector again each time, which an index
takes out and puts in anew. A name and a fact never change their words here, so what is indexed is written once.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphiti_core.driver.graph_operations.graph_operations import GraphOperationsInterface

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.adapters.graph.connection import Connection

_EPISODES = "UNWIND $rows AS row MERGE (n:Episodic {uuid: row.uuid}) SET n += row"
_ENTITIES = """
UNWIND $rows AS row
MERGE (n:Entity {uuid: row.plain.uuid})
ON CREATE SET n += row.plain, n.name_embedding = vecf32(row.vector)
ON MATCH SET n.summary = row.plain.summary
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
ON CREATE SET e += row.plain, e.fact_embedding = vecf32(row.vector)
ON MATCH SET e.episodes = row.plain.episodes, e.valid_at = row.plain.valid_at, e.invalid_at = row.plain.invalid_at,
  e.expired_at = row.plain.expired_at
"""
_NOT_KEPT = frozenset({"labels", "name_embedding", "fact_embedding"})


class Keeping(GraphOperationsInterface):
    """Bound to one graph; whatever is not here, Graphiti does itself."""

    connection: Any  # Connection; pydantic need not know
    graph: str

    async def episodic_node_save_bulk(self, _cls: Any, _driver: Any, _tx: Any, nodes: Sequence[Any], *_: Any) -> None:  # noqa: ANN401
        """Episodes, with the facts they told."""
        await self._write(_EPISODES, [_plain(node) for node in nodes])

    async def node_save_bulk(self, _cls: Any, _driver: Any, _tx: Any, nodes: Sequence[Any], *_: Any) -> None:  # noqa: ANN401
        """Entities, new ones with their vector."""
        await self._write(_ENTITIES, [{"plain": _plain(node), "vector": node["name_embedding"]} for node in nodes])

    async def episodic_edge_save_bulk(self, _cls: Any, _driver: Any, _tx: Any, edges: Sequence[Any], *_: Any) -> None:  # noqa: ANN401
        """Which episode mentions which entity."""
        rows = [
            _joining(edge) | {"plain": _plain(edge, without=("source_node_uuid", "target_node_uuid"))} for edge in edges
        ]
        await self._write(_MENTIONS, rows)

    async def edge_save_bulk(self, _cls: Any, _driver: Any, _tx: Any, edges: Sequence[Any], *_: Any) -> None:  # noqa: ANN401
        """Facts, new ones with their vector."""
        rows = [_joining(edge) | {"plain": _plain(edge), "vector": edge["fact_embedding"]} for edge in edges]
        await self._write(_FACTS, rows)

    async def _write(self, cypher: str, rows: Sequence[Mapping[str, object]]) -> None:
        connection: Connection = self.connection
        if rows:
            await connection.write(self.graph, cypher, {"rows": list(rows)})


def _joining(edge: Mapping[str, Any]) -> dict[str, object]:
    return {"source": edge["source_node_uuid"], "target": edge["target_node_uuid"]}


def _plain(row: Mapping[str, Any], *, without: Sequence[str] = ()) -> dict[str, object]:
    """What is kept of a row as properties: times as text; what is None is not there."""
    return {
        key: value.isoformat() if isinstance(value, datetime) else value
        for key, value in row.items()
        if key not in _NOT_KEPT and key not in without and value is not None
    }
