"""
What we read from a mind's graph: what is near a vector, what stands around an entity, facts and entities.

Read-only statements with a time limit; vectors never come back over the wire; sorted and cut before anything
is projected. Similarity is one exact scan per arm for all queries of a turn.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from service.adapters.graph.vectors import literal
from service.ports import Extracted, GraphSize, Near, NearBy, StoredEntity, StoredFact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.adapters.graph.connection import Connection, Rows
    from service.ports import Vectors

_SIZE = (
    "MATCH (n:Episodic) RETURN count(n)",
    "MATCH (n:Entity) RETURN count(n)",
    "MATCH ()-[e:RELATES_TO]->() RETURN count(e)",
)
_NEAR_TURNS = """
UNWIND range(0, size($vectors) - 1) AS i
WITH i, vecf32($vectors[i]) AS v
MATCH (p:Passage)
WITH i, p.sequence AS key, min(vec.cosineDistance(p.{field}, v)) AS distance
ORDER BY i, distance
WITH i, collect([toString(key), distance])[0..$limit] AS best
RETURN i, best
"""
_NEAR_FACTS = """
UNWIND range(0, size($vectors) - 1) AS i
WITH i, vecf32($vectors[i]) AS v
MATCH ()-[e:RELATES_TO]->()
WHERE e.fact_embedding IS NOT NULL
WITH i, e.uuid AS key, vec.cosineDistance(e.fact_embedding, v) AS distance
ORDER BY i, distance
WITH i, collect([key, distance])[0..$limit] AS best
RETURN i, best
"""
_NEAR_ENTITIES = """
UNWIND range(0, size($vectors) - 1) AS i
WITH i, vecf32($vectors[i]) AS v
MATCH (n:Entity)
WHERE n.name_embedding IS NOT NULL
WITH i, n.uuid AS key, vec.cosineDistance(n.name_embedding, v) AS distance
ORDER BY i, distance
WITH i, collect([key, distance])[0..$limit] AS best
RETURN i, best
"""
_NEIGHBOURS = """
UNWIND $entities AS origin
MATCH (n:Entity {uuid: origin})-[e:RELATES_TO]-(m:Entity)
WHERE e.fact_embedding IS NOT NULL
WITH m, e, vec.cosineDistance(e.fact_embedding, vecf32($vector)) AS distance
ORDER BY distance LIMIT $first
WITH collect([e.uuid, distance]) AS near, collect(DISTINCT m)[0..$hubs] AS middle
UNWIND (CASE WHEN size(middle) = 0 THEN [NULL] ELSE middle END) AS m
OPTIONAL MATCH (m)-[f:RELATES_TO]-(:Entity)
WITH near, f, vec.cosineDistance(f.fact_embedding, vecf32($vector)) AS distance
ORDER BY distance LIMIT $limit
RETURN near, collect([f.uuid, distance]) AS far
"""
_FACT = """e.uuid, e.fact, startNode(e).name, endNode(e).name, e.episodes, e.valid_at,
  coalesce(e.invalid_at, e.expired_at)"""
_FACTS = f"MATCH ()-[e:RELATES_TO]->() WHERE e.uuid IN $uuids RETURN {_FACT}"
_ENTITIES = """
MATCH (n:Entity) WHERE n.uuid IN $uuids
OPTIONAL MATCH (p:Episodic)-[:MENTIONS]->(n)
WITH n, p ORDER BY p.valid_at DESC
RETURN n.uuid, n.name, n.summary, collect(p.uuid)[0..$most]
"""
_ALL_FACTS = f"MATCH ()-[e:RELATES_TO]->() RETURN {_FACT} ORDER BY e.uuid SKIP $after LIMIT $limit"
_ALL_ENTITIES = "MATCH (n:Entity) RETURN n.uuid, n.name, n.summary, [] ORDER BY n.uuid SKIP $after LIMIT $limit"

_FIRST_STEP, _HUBS, _MENTIONS = 40, 8, 50


async def size(connection: Connection, graph: str) -> GraphSize:
    """Count episodes, entities and facts."""
    counts = [await connection.read(graph, cypher, {}) for cypher in _SIZE]
    return GraphSize(*(int(rows[0][0]) if rows else 0 for rows in counts))


async def near(connection: Connection, graph: str, vectors: Vectors, *, limit: int) -> tuple[NearBy, ...]:
    """What is near each vector, an arm a statement, all queries in each."""
    words: dict[str, object] = {"vectors": [literal(row) for row in vectors], "limit": limit}
    arms = [
        _by_query(await connection.read(graph, cypher, words), len(vectors))
        for cypher in (
            _NEAR_TURNS.replace("{field}", "embedding"),
            _NEAR_TURNS.replace("{field}", "leaning"),
            _NEAR_FACTS,
            _NEAR_ENTITIES,
        )
    ]
    return tuple(NearBy(*arm) for arm in zip(*arms, strict=True))


async def neighbours(
    connection: Connection, graph: str, entities: Sequence[str], vector: Vectors, *, limit: int
) -> tuple[Near, ...]:
    """Facts one and two steps from *entities*; both steps keep only the nearest, so that a hub costs no more."""
    words = {
        "entities": list(entities),
        "vector": literal(vector[0]),
        "first": _FIRST_STEP,
        "hubs": _HUBS,
        "limit": limit,
    }
    best: dict[str, float] = {}
    for row in await connection.read(graph, _NEIGHBOURS, words):
        for key, distance in (*row[0], *row[1]):
            if key is not None and distance is not None:
                best[key] = min(distance, best.get(key, distance))
    return tuple(Near(key, 1 - distance) for key, distance in sorted(best.items(), key=lambda item: item[1]))[:limit]


async def facts(connection: Connection, graph: str, uuids: Sequence[str]) -> tuple[StoredFact, ...]:
    """These facts."""
    rows = await connection.read(graph, _FACTS, {"uuids": list(uuids)}) if uuids else []
    return tuple(_fact(row) for row in rows)


async def entities(connection: Connection, graph: str, uuids: Sequence[str]) -> tuple[StoredEntity, ...]:
    """These entities, with the newest episodes that mention them."""
    words = {"uuids": list(uuids), "most": _MENTIONS}
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


def _by_query(rows: Rows, queries: int) -> list[tuple[Near, ...]]:
    found: list[tuple[Near, ...]] = [()] * queries
    for number, best in rows:
        found[number] = tuple(Near(key, 1 - distance) for key, distance in best if distance is not None)
    return found


def _fact(row: list[Any]) -> StoredFact:
    uuid, text, source, target, episodes, valid_at, invalid_at = row
    return StoredFact(uuid, text, source, target, tuple(episodes or ()), instant(valid_at), instant(invalid_at))


def _entity(row: list[Any]) -> StoredEntity:
    return StoredEntity(row[0], row[1], row[2] or "", tuple(row[3]))
