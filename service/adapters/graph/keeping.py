"""
How Graphiti keeps what it extracted: its seam for saving, filled with four statements of ours.

Stock writes every touched entity and fact whole, one statement an entity, its vector again each time, which an index
takes out and puts in anew. A name and a fact never change their words here, so what is indexed is written once.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphiti_core.driver.graph_operations.graph_operations import GraphOperationsInterface

from consolidation.kernel.errors import GraphUnavailable
from service.adapters.graph.schema import NAME
from service.adapters.graph.vectors import printed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.adapters.graph.connection import Connection, Rows

_EPISODES = "UNWIND $rows AS row MERGE (n:Episodic {uuid: row.uuid}) SET n += row"
_NEW_ENTITIES = (
    """
UNWIND $rows AS row
MERGE (n:Entity {uuid: row.plain.uuid})
ON CREATE SET n += row.plain, n.name_embedding = vecf32(row.vector)
ON MATCH SET n.summary = row.plain.summary
WITH n
"""
    + NAME
)
_KNOWN_ENTITIES = "UNWIND $rows AS row MATCH (n:Entity {uuid: row.uuid}) SET n.summary = row.summary RETURN n.uuid"
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
    known: Any  # a set of uuids, not copied: the entities that were found in the graph while the episode was compared

    async def episodic_node_save_bulk(self, _cls: Any, _driver: Any, _tx: Any, nodes: Sequence[Any], *_: Any) -> None:  # noqa: ANN401
        """Episodes, with the facts they told."""
        await self._write(_EPISODES, [_plain(node) for node in nodes])

    async def node_save_bulk(self, _cls: Any, _driver: Any, _tx: Any, nodes: Sequence[Any], *_: Any) -> None:  # noqa: ANN401
        """
        Entities, new ones with their vector; of those that were found, what is told of them.

        Raises GraphUnavailable where one of these has gone: the episode is extracted again.
        """
        found = [{"uuid": node["uuid"], "summary": node["summary"]} for node in nodes if node["uuid"] in self.known]
        if len(await self._write(_KNOWN_ENTITIES, found)) < len(found):
            raise GraphUnavailable("an entity went while its episode was read")
        new = [
            {"plain": _plain(node), "vector": printed(node["name_embedding"])}
            for node in nodes
            if node["uuid"] not in self.known
        ]
        await self._write(_NEW_ENTITIES, new)

    async def episodic_edge_save_bulk(self, _cls: Any, _driver: Any, _tx: Any, edges: Sequence[Any], *_: Any) -> None:  # noqa: ANN401
        """Which episode mentions which entity."""
        rows = [
            _joining(edge) | {"plain": _plain(edge, without=("source_node_uuid", "target_node_uuid"))} for edge in edges
        ]
        await self._write(_MENTIONS, rows)

    async def edge_save_bulk(self, _cls: Any, _driver: Any, _tx: Any, edges: Sequence[Any], *_: Any) -> None:  # noqa: ANN401
        """Facts, new ones with their vector."""
        rows = [_joining(edge) | {"plain": _plain(edge), "vector": printed(edge["fact_embedding"])} for edge in edges]
        await self._write(_FACTS, rows)

    async def _write(self, cypher: str, rows: Sequence[Mapping[str, object]]) -> Rows:
        connection: Connection = self.connection
        return await connection.write(self.graph, cypher, {"rows": list(rows)}) if rows else []


def _joining(edge: Mapping[str, Any]) -> dict[str, object]:
    return {"source": edge["source_node_uuid"], "target": edge["target_node_uuid"]}


def _plain(row: Mapping[str, Any], *, without: Sequence[str] = ()) -> dict[str, object]:
    """What is kept of a row as properties: times as text; what is None is not there."""
    return {
        key: value.isoformat() if isinstance(value, datetime) else value
        for key, value in row.items()
        if key not in _NOT_KEPT and key not in without and value is not None
    }
