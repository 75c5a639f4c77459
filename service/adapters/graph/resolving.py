"""
What Graphiti compares a new episode with: its seam for searching, filled with our indexes.

Stock compares every vector with every other, several times an episode. Words find nothing here: FalkorDB's full text
misses much and ranks badly, and what two sentences of one person share, their vectors tell.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from graphiti_core.driver.driver import GraphProvider
from graphiti_core.driver.search_interface.search_interface import SearchInterface
from graphiti_core.edges import get_entity_edge_from_record
from graphiti_core.nodes import get_entity_node_from_record
from pydantic import PrivateAttr

from service.adapters.graph.vector_index import ENTITIES, FACTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphiti_core.edges import EntityEdge
    from graphiti_core.nodes import EntityNode
    from graphiti_core.search.search_filters import SearchFilters

    from service.adapters.graph.vector_index import Arm, VectorIndexes
    from service.ports import Near

_EDGE = """
RETURN e.uuid AS uuid, startNode(e).uuid AS source_node_uuid, endNode(e).uuid AS target_node_uuid,
  e.group_id AS group_id, e.created_at AS created_at, e.name AS name, e.fact AS fact, e.episodes AS episodes,
  e.expired_at AS expired_at, e.valid_at AS valid_at, e.invalid_at AS invalid_at,
  e.reference_time AS reference_time, {} AS attributes
"""
_BY_UUID = "UNWIND $uuids AS u MATCH ()-[e:RELATES_TO {uuid: u}]->() " + _EDGE
_BETWEEN = f"""
MATCH (n:Entity {{uuid: $one}})-[e:RELATES_TO]-(m:Entity {{uuid: $other}})
WITH DISTINCT e, vec.cosineDistance(e.fact_embedding, vecf32($vector)) AS distance
ORDER BY distance LIMIT $limit
{_EDGE}
"""
_NODES = """
UNWIND $uuids AS u MATCH (n:Entity {uuid: u})
RETURN n.uuid AS uuid, n.name AS name, n.group_id AS group_id, n.created_at AS created_at, n.summary AS summary,
  labels(n) AS labels, {} AS attributes
"""


_NAMESAKES = 6  # a new name is compared with: the one it is, is among the nearest few


class Resolving(SearchInterface):
    """Bound to the vector indexes of the server; a search without vectors finds nothing."""

    indexes: Any  # VectorIndexes; pydantic need not know
    _waiting: dict[Arm, list[tuple[Sequence[float], asyncio.Future[tuple[Near, ...]]]]] = PrivateAttr(
        default_factory=dict
    )

    async def edge_similarity_search(
        self,
        driver: Any,  # noqa: ANN401
        search_vector: list[float],
        source_node_uuid: str | None,
        target_node_uuid: str | None,
        search_filter: SearchFilters,
        group_ids: list[str] | None = None,
        limit: int = 100,
        min_score: float = 0.7,
    ) -> list[EntityEdge]:
        """The facts nearest to a vector; between two entities, all of their facts are compared."""
        del source_node_uuid, target_node_uuid, group_ids
        ends = list(dict.fromkeys(search_filter.edge_source_node_uuids or ()))
        if ends:
            words = {"one": ends[0], "other": ends[-1], "vector": search_vector, "limit": limit}
            records, _, _ = await driver.execute_query(_BETWEEN, **words)
        else:
            uuids = await self._near(driver, FACTS, search_vector, limit=limit, min_score=min_score)
            records, _, _ = await driver.execute_query(_BY_UUID, uuids=uuids) if uuids else ([], None, None)
        return [get_entity_edge_from_record(record, GraphProvider.FALKORDB) for record in records]

    async def node_similarity_search(
        self,
        driver: Any,  # noqa: ANN401
        search_vector: list[float],
        search_filter: SearchFilters,
        group_ids: list[str] | None = None,
        limit: int = 100,
        min_score: float = 0.7,
    ) -> list[EntityNode]:
        """The entities whose names are nearest to a vector."""
        del search_filter, group_ids
        most = min(limit, _NAMESAKES)
        uuids = await self._near(driver, ENTITIES, search_vector, limit=most, min_score=min_score)
        records, _, _ = await driver.execute_query(_NODES, uuids=uuids) if uuids else ([], None, None)
        return [get_entity_node_from_record(record, GraphProvider.FALKORDB) for record in records]

    async def edge_fulltext_search(self, *_: Any, **__: Any) -> list[EntityEdge]:  # noqa: ANN401
        """Nothing: see above."""
        return []

    async def node_fulltext_search(self, *_: Any, **__: Any) -> list[EntityNode]:  # noqa: ANN401
        """Nothing: see above."""
        return []

    async def episode_fulltext_search(self, *_: Any, **__: Any) -> list[Any]:  # noqa: ANN401
        """Nothing: episodes are searched elsewhere."""
        return []

    async def _near(
        self,
        driver: Any,  # noqa: ANN401
        arm: Arm,
        vector: Sequence[float],
        *,
        limit: int,
        min_score: float,
    ) -> list[str]:
        """Keys by nearness; Graphiti's scores are (1 + cosine) / 2. What is asked in one breath is asked at once."""
        indexes: VectorIndexes = self.indexes
        waiting = self._waiting.setdefault(arm, [])
        answered: asyncio.Future[tuple[Near, ...]] = asyncio.get_running_loop().create_future()
        waiting.append((vector, answered))
        if len(waiting) == 1:
            await asyncio.sleep(0)
            del self._waiting[arm]
            try:
                printed = json.dumps([one for one, _ in waiting])
                found = await indexes.near(driver.graph, arm, printed, queries=len(waiting), limit=limit)
            except BaseException as error:
                for _, one in waiting[1:]:
                    one.cancel() if isinstance(error, asyncio.CancelledError) else one.set_exception(error)
                raise
            for (_, one), near in zip(waiting, found, strict=True):
                one.set_result(near)
        return [one.key for one in await answered if (1 + one.similarity) / 2 > min_score]
