"""
What Graphiti compares a new episode with: its seam for searching, filled with the mind's vectors.

The original compares every vector with every other, several times for each episode, in the server. Here one search
compares all names of an episode, and one all its facts. Full text finds nothing here: vectors say what two sentences
have in common.
"""

from __future__ import annotations

import asyncio
from datetime import datetime  # noqa: TC003 - pydantic reads it
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio.to_thread
from graphiti_core.driver.driver import GraphProvider
from graphiti_core.driver.search_interface.search_interface import SearchInterface
from graphiti_core.edges import get_entity_edge_from_record
from graphiti_core.nodes import get_entity_node_from_record
from pydantic import PrivateAttr

from service.index.mind_vectors import FACTS, NAMES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from graphiti_core.edges import EntityEdge
    from graphiti_core.nodes import EntityNode
    from graphiti_core.search.search_filters import SearchFilters

    from service.index.mind_vectors import MindVectors
    from service.ports.embedder import Vectors

_EDGE = """
  startNode(e).uuid AS source_node_uuid, endNode(e).uuid AS target_node_uuid,
  e.group_id AS group_id, e.created_at AS created_at, e.name AS name, e.fact AS fact, e.episodes AS episodes,
  e.expired_at AS expired_at, e.valid_at AS valid_at, e.invalid_at AS invalid_at,
  e.reference_time AS reference_time, {} AS attributes
"""
_FACTS = f"UNWIND $uuids AS u MATCH ()-[e:RELATES_TO {{uuid: u}}]->() RETURN e.uuid AS uuid, {_EDGE}"
# Both ends are found first: in one pattern, all facts of one end would be walked, and one may be in every turn.
_BETWEEN = """
UNWIND range(0, size($pairs) - 1) AS i
WITH i, $pairs[i][0] AS one, $pairs[i][1] AS other
MATCH (n:Entity {uuid: one})
WITH i, n, other
MATCH (m:Entity {uuid: other})
WITH i, n, m
MATCH (n)-[e:RELATES_TO]-(m)
RETURN DISTINCT i, e.uuid AS uuid
"""
_NODES = """
UNWIND $uuids AS u MATCH (n:Entity {uuid: u})
RETURN n.uuid AS uuid, n.name AS name, n.group_id AS group_id, n.created_at AS created_at, n.summary AS summary,
  labels(n) AS labels, {} AS attributes
"""
_NAMESAKES = 6  # names that a new one is compared with; the same name is among the nearest few
_IDENTICAL = 0.9999  # the cosine of a name with itself, with vectors rounded as ours; then no other is meant


class _Asked(NamedTuple):
    vector: Sequence[float]
    limit: int
    min_score: float


class _Pair(NamedTuple):
    vector: Sequence[float]
    limit: int
    ends: tuple[str, str]


class GraphitiSearch(SearchInterface):
    """Searches by the mind's vectors; a search without vectors finds nothing."""

    vectors: Any  # the mind's MindVectors; pydantic need not know
    known: Any  # the uuids of the entities that were found; a set that GraphitiStore shares
    at: datetime  # of the episode
    _waiting: dict[str, list[tuple[Any, asyncio.Future[Any]]]] = PrivateAttr(default_factory=dict)

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
        """
        Find the facts nearest to a vector; between two entities, all of their facts are compared.

        A new fact may repeat one of these. One that has ended is none of them: told again, it holds again.
        """
        del source_node_uuid, target_node_uuid, group_ids
        ends = list(dict.fromkeys(search_filter.edge_source_node_uuids or ()))
        if ends:
            pair = _Pair(search_vector, limit, (ends[0], ends[-1]))
            records = await self._batched("between", pair, lambda pairs: self._between(driver, pairs))
        else:
            asked = _Asked(search_vector, limit, min_score)
            records = await self._batched("facts", asked, lambda all_: self._near(driver, FACTS, all_))
        edges = [get_entity_edge_from_record(record, GraphProvider.FALKORDB) for record in records]
        return [one for one in edges if not (ends and one.invalid_at is not None and one.invalid_at <= self.at)]

    async def node_similarity_search(
        self,
        driver: Any,  # noqa: ANN401
        search_vector: list[float],
        search_filter: SearchFilters,
        group_ids: list[str] | None = None,
        limit: int = 100,
        min_score: float = 0.7,
    ) -> list[EntityNode]:
        """Find the entities whose names are nearest to a vector; where one has that very name, only that one."""
        del search_filter, group_ids
        asked = _Asked(search_vector, min(limit, _NAMESAKES), min_score)
        records = await self._batched("names", asked, lambda all_: self._near(driver, NAMES, all_))
        self.known.update(record["uuid"] for record in records)
        return [get_entity_node_from_record(record, GraphProvider.FALKORDB) for record in records]

    async def edge_fulltext_search(self, *_: Any, **__: Any) -> list[EntityEdge]:  # noqa: ANN401
        """Find nothing."""
        return []

    async def node_fulltext_search(self, *_: Any, **__: Any) -> list[EntityNode]:  # noqa: ANN401
        """Find nothing."""
        return []

    async def episode_fulltext_search(self, *_: Any, **__: Any) -> list[Any]:  # noqa: ANN401
        """Find nothing: episodes are not compared."""
        return []

    async def _batched[Ask](
        self, kind: str, asked: Ask, answer: Callable[[list[Ask]], Awaitable[list[list[dict[str, Any]]]]]
    ) -> list[dict[str, Any]]:
        """Share one call of *answer* between all who ask in the same round of the event loop; the first calls it."""
        waiting = self._waiting.setdefault(kind, [])
        answered: asyncio.Future[list[dict[str, Any]]] = asyncio.get_running_loop().create_future()
        waiting.append((asked, answered))
        if len(waiting) == 1:
            await asyncio.sleep(0)
            del self._waiting[kind]
            try:
                found = await answer([one for one, _ in waiting])
            except BaseException as error:
                for _, one in waiting[1:]:
                    one.cancel() if isinstance(error, asyncio.CancelledError) else one.set_exception(error)
                raise
            for (_, one), records in zip(waiting, found, strict=True):
                one.set_result(records)
        return await answered

    async def _near(self, driver: Any, kind: str, asked: Sequence[_Asked]) -> list[list[dict[str, Any]]]:  # noqa: ANN401
        """Return what is near each vector, nearest first; Graphiti's scores are (1 + cosine) / 2."""
        stored: MindVectors = self.vectors
        limit = max(one.limit for one in asked)
        pages = await anyio.to_thread.run_sync(lambda: stored.near(kind, _matrix(asked), limit=limit))
        wanted = []
        for one, page in zip(asked, pages, strict=True):
            is_there = kind == NAMES and bool(page) and page[0].similarity >= _IDENTICAL
            least = _IDENTICAL if is_there else 2 * one.min_score - 1
            wanted.append([near.key for near in page[: one.limit] if near.similarity > least])
        return await _records(driver, _NODES if kind == NAMES else _FACTS, wanted)

    async def _between(self, driver: Any, pairs: Sequence[_Pair]) -> list[list[dict[str, Any]]]:  # noqa: ANN401
        """Return the facts between each two entities, nearest first."""
        stored: MindVectors = self.vectors
        found, _, _ = await driver.execute_query(_BETWEEN, pairs=[list(pair.ends) for pair in pairs])
        told: list[list[str]] = [[] for _ in pairs]
        for record in found:
            told[record["i"]].append(record["uuid"])

        def best() -> list[list[str]]:
            near = [stored.cosines(FACTS, uuids, row) for uuids, row in zip(told, _matrix(pairs), strict=True)]
            return [
                sorted(cosines, key=lambda uuid: -cosines[uuid])[: pair.limit]
                for cosines, pair in zip(near, pairs, strict=True)
            ]

        return await _records(driver, _FACTS, await anyio.to_thread.run_sync(best) if found else told)


async def _records(driver: Any, cypher: str, wanted: Sequence[Sequence[str]]) -> list[list[dict[str, Any]]]:  # noqa: ANN401
    """Return what *cypher* reads of each page of uuids, in order; what is gone is left out."""
    uuids = list(dict.fromkeys(uuid for page in wanted for uuid in page))
    records, _, _ = await driver.execute_query(cypher, uuids=uuids) if uuids else ([], None, None)
    by_uuid = {record["uuid"]: record for record in records}
    return [[by_uuid[uuid] for uuid in page if uuid in by_uuid] for page in wanted]


def _matrix(asked: Sequence[_Asked | _Pair]) -> Vectors:
    import numpy as np

    return np.asarray([one.vector for one in asked], np.float32)
