"""
What we read from a mind's graph: what is near a vector, what stands around an entity, facts and entities.

Read-only statements with a time limit; vectors never come back over the wire; sorted and cut before anything
is projected.
"""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from service.adapters.graph.crowding import OLD
from service.adapters.graph.vector_index import ARMS
from service.adapters.graph.vectors import matrix, printed
from service.ports import Extracted, GraphSize, Near, NearBy, StoredEntity, StoredFact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.adapters.graph.connection import Connection
    from service.adapters.graph.vector_index import VectorIndexes
    from service.ports import Vectors

_SIZE = (
    "MATCH (n:Episodic) RETURN count(n)",
    "MATCH (n:Entity) RETURN count(n)",
    "MATCH ()-[e:RELATES_TO]->() RETURN count(e)",
    f"MATCH ()-[e:{OLD}]->() RETURN count(e)",
)
_STEP = """
UNWIND $entities AS origin
MATCH (n:Entity {uuid: origin})
CALL {
  WITH n MATCH (n)-[e:RELATES_TO]-(m:Entity) WHERE e.fact_embedding IS NOT NULL
  RETURN e, m LIMIT $most
}
WITH DISTINCT e, m, vec.cosineDistance(e.fact_embedding, vecf32($vector)) AS distance
ORDER BY distance LIMIT $limit
RETURN e.uuid, distance, m.uuid
"""
_FACT = """e.uuid, e.fact, startNode(e).name, endNode(e).name, e.episodes, e.valid_at,
  coalesce(e.invalid_at, e.expired_at)"""
_FACTS = f"UNWIND $uuids AS uuid MATCH ()-[e:RELATES_TO {{uuid: uuid}}]->() RETURN {_FACT}"
_ENTITIES = """
MATCH (n:Entity) WHERE n.uuid IN $uuids
CALL {
  WITH n OPTIONAL MATCH (p:Episodic)-[:MENTIONS]->(n)
  WITH p LIMIT $seen
  WITH p ORDER BY p.valid_at DESC
  RETURN collect(p.uuid)[0..$most] AS episodes
}
RETURN n.uuid, n.name, n.summary, episodes
"""
_ALL_FACTS = f"MATCH ()-[e:RELATES_TO|{OLD}]->() RETURN {_FACT} ORDER BY e.uuid SKIP $after LIMIT $limit"
_ALL_ENTITIES = "MATCH (n:Entity) RETURN n.uuid, n.name, n.summary, [] ORDER BY n.uuid SKIP $after LIMIT $limit"

_FIRST_STEP, _MIDDLE, _MENTIONS = 40, 8, 50
_HUB, _SEEN = 400, 400  # facts of one entity that a step looks at, mentions that are sorted: a hub has no more


async def size(connection: Connection, graph: str) -> GraphSize:
    """Count episodes, entities and facts."""
    counts = [await connection.read(graph, cypher, {}) for cypher in _SIZE]
    episodes, entities, facts, old = (int(rows[0][0]) if rows else 0 for rows in counts)
    return GraphSize(episodes, entities, facts + old)


async def near(
    indexes: VectorIndexes, graph: str, vectors: Vectors, *, limits: tuple[int, int, int]
) -> tuple[NearBy, ...]:
    """What is near each vector, an arm a statement, all queries in each, the arms at once; *limits* as ARMS."""
    rows, queries = matrix(vectors.tolist()), len(vectors)
    asked = zip(ARMS, limits, strict=True)
    arms = await asyncio.gather(*(indexes.near(graph, arm, rows, queries=queries, limit=limit) for arm, limit in asked))
    return tuple(NearBy(*arm) for arm in zip(*arms, strict=True))


async def neighbours(
    connection: Connection, graph: str, entities: Sequence[str], vector: Vectors, *, limit: int
) -> tuple[Near, ...]:
    """Facts one and two steps from *entities*, nearest first; of a hub, a step looks at no more than at others."""
    best: dict[str, float] = {}
    origins = list(entities)
    for most in (_FIRST_STEP, limit):
        words = f"entities={json.dumps(origins)} vector={printed(vector[0].tolist())} most={_HUB} limit={most}"
        rows = await connection.rows(graph, _STEP, words) if origins else []
        for key, distance, _ in rows:
            best[key] = min(float(distance), best.get(key, 2.0))
        origins = [uuid for uuid in dict.fromkeys(str(row[2]) for row in rows) if uuid not in entities][:_MIDDLE]
    return tuple(
        Near(key, 1 - distance, 1 - distance) for key, distance in sorted(best.items(), key=lambda item: item[1])
    )[:limit]


async def facts(connection: Connection, graph: str, uuids: Sequence[str]) -> tuple[StoredFact, ...]:
    """These facts."""
    rows = await connection.read(graph, _FACTS, {"uuids": list(uuids)}) if uuids else []
    return tuple(_fact(row) for row in rows)


async def entities(connection: Connection, graph: str, uuids: Sequence[str]) -> tuple[StoredEntity, ...]:
    """These entities, with the newest episodes that mention them."""
    words = {"uuids": list(uuids), "most": _MENTIONS, "seen": _SEEN}
    rows = await connection.read(graph, _ENTITIES, words) if uuids else []
    return tuple(_entity(row) for row in rows)


async def everything(connection: Connection, graph: str, *, after: int, limit: int) -> Extracted:
    """A page of facts and of entities."""
    words = {"after": after, "limit": limit}
    found = await connection.read(graph, _ALL_FACTS, words)
    named = await connection.read(graph, _ALL_ENTITIES, words)
    return Extracted(tuple(_fact(row) for row in found), tuple(_entity(row) for row in named))


def instant(text: object) -> datetime | None:
    """A date as Graphiti stores it, None for anything else."""
    if not isinstance(text, str) or not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _fact(row: list[Any]) -> StoredFact:
    uuid, text, source, target, episodes, valid_at, invalid_at = row
    return StoredFact(uuid, text, source, target, tuple(episodes or ()), instant(valid_at), instant(invalid_at))


def _entity(row: list[Any]) -> StoredEntity:
    return StoredEntity(row[0], row[1], row[2] or "", tuple(row[3]))
