"""
What can be read of one graph: its cursors, what is near a vector, the facts around an entity, facts and entities.

All statements are read-only and have a time limit. Vectors never come back over the wire, and rows are sorted and cut
before anything is projected.
"""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from service.adapters.falkordb.fact_limit import OLD
from service.adapters.falkordb.vector_index import ARMS
from service.adapters.falkordb.vectors import matrix, printed
from service.ports.embedder import EmbedderIdentity
from service.ports.graph import (
    MOST_MENTIONS,
    MOST_STEPPING_STONES,
    MOST_STEPS,
    Extracted,
    GraphSize,
    Parked,
    Progress,
    StoredEntity,
    StoredFact,
    VectorHit,
    VectorHits,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.adapters.falkordb.connection import GraphConnection
    from service.adapters.falkordb.vector_index import VectorIndexes
    from service.ports.embedder import Vectors

_IDENTITY = "MATCH (m:Meta {name: 'embedder'}) RETURN m.embedder, m.dimension"
_PROGRESS = """
MATCH (c:Cursor) RETURN c.name AS name, c.sequence AS sequence, '' AS turn_id, '' AS error, 0 AS attempts, '' AS at
UNION ALL
MATCH (p:Parked)
RETURN '' AS name, p.sequence AS sequence, p.turn_id AS turn_id, p.error AS error, p.attempts AS attempts,
  p.parked_at AS at
"""
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
  coalesce(e.invalid_at, e.expired_at), e.importance"""
_FACTS = f"UNWIND $uuids AS uuid MATCH ()-[e:RELATES_TO {{uuid: uuid}}]->() RETURN {_FACT}"
_ENTITIES = """
MATCH (n:Entity) WHERE n.uuid IN $uuids
CALL {
  WITH n OPTIONAL MATCH (p:Episodic)-[:MENTIONS]->(n)
  WITH DISTINCT p LIMIT $seen
  WITH p ORDER BY p.valid_at DESC
  RETURN collect(p.uuid)[0..$most] AS episodes
}
RETURN n.uuid, n.name, n.summary, episodes, n.kind
"""
_ALL_FACTS = f"MATCH ()-[e:RELATES_TO|{OLD}]->() RETURN {_FACT} ORDER BY e.uuid SKIP $after LIMIT $limit"
_ALL_ENTITIES = "MATCH (n:Entity) RETURN n.uuid, n.name, n.summary, [], n.kind ORDER BY n.uuid SKIP $after LIMIT $limit"

_HUB, _SEEN = 400, 400  # facts of one entity that a step looks at, mentions that are sorted: a hub has no more


async def size_of(connection: GraphConnection, name: str) -> GraphSize:
    """Count episodes, entities and facts of the graph called *name*."""
    counts = [await connection.read(name, cypher, {}) for cypher in _SIZE]
    episodes, entities, facts, old = (int(rows[0][0]) if rows else 0 for rows in counts)
    return GraphSize(episodes, entities, facts + old)


class GraphReads:
    """One graph, called *name* on the server, as far as it is read."""

    def __init__(self, connection: GraphConnection, *, name: str, indexes: VectorIndexes) -> None:
        self.name = name
        self._connection = connection
        self._indexes = indexes

    async def identity(self) -> EmbedderIdentity | None:
        """Return which embedder made the vectors; None where there is no graph yet."""
        rows = await self._connection.read(self.name, _IDENTITY, {})
        return EmbedderIdentity(rows[0][0], rows[0][1]) if rows else None

    async def progress(self) -> Progress:
        """Return the cursors and the parked turns."""
        rows = await self._connection.read(self.name, _PROGRESS, {})
        cursors = {name: sequence for name, sequence, *_ in rows if name}
        parked = [
            Parked(sequence, turn_id, error, attempts, parked_at)
            for name, sequence, turn_id, error, attempts, at in sorted(rows, key=lambda row: int(row[1]))
            if not name and (parked_at := _instant(at)) is not None
        ]
        return Progress(cursors.get("saved", 0), cursors.get("extracted", 0), tuple(parked))

    async def size(self) -> GraphSize:
        """Count episodes, entities and facts."""
        return await size_of(self._connection, self.name)

    async def nearest(self, vectors: Vectors, /, *, turns: int, facts: int, entities: int) -> tuple[VectorHits, ...]:
        """Return what is near each vector: a statement for each arm with all queries in it, the arms at once."""
        rows, queries = matrix(vectors.tolist()), len(vectors)
        limits = zip(ARMS, (turns, facts, entities), strict=True)
        arms = await asyncio.gather(
            *(self._indexes.near(self.name, arm, rows, queries=queries, limit=limit) for arm, limit in limits)
        )
        return tuple(VectorHits(*hits) for hits in zip(*arms, strict=True))

    async def facts_around(self, entities: Sequence[str], vector: Vectors, /, *, limit: int) -> tuple[VectorHit, ...]:
        """Return facts one and two steps from *entities*, nearest first; a hub counts for no more than others."""
        best: dict[str, float] = {}
        origins, near = list(entities), printed(vector[0].tolist())
        for most in (MOST_STEPS, limit):
            words = f"entities={json.dumps(origins)} vector={near} most={_HUB} limit={most}"
            rows = await self._connection.rows(self.name, _STEP, words) if origins else []
            for key, distance, _ in rows:
                best[key] = min(float(distance), best.get(key, 2.0))
            origins = [uuid for uuid in dict.fromkeys(str(row[2]) for row in rows) if uuid not in entities][
                :MOST_STEPPING_STONES
            ]
        nearest = sorted(best.items(), key=lambda item: item[1])[:limit]
        return tuple(VectorHit(key, 1 - distance, 1 - distance) for key, distance in nearest)

    async def facts(self, uuids: Sequence[str], /) -> tuple[StoredFact, ...]:
        """Return those of the facts that exist."""
        rows = await self._connection.read(self.name, _FACTS, {"uuids": list(dict.fromkeys(uuids))}) if uuids else []
        return tuple(_fact(row) for row in rows)

    async def entities(self, uuids: Sequence[str], /) -> tuple[StoredEntity, ...]:
        """Return those of the entities that exist, with the newest episodes that mention them."""
        words = {"uuids": list(uuids), "most": MOST_MENTIONS, "seen": _SEEN}
        rows = await self._connection.read(self.name, _ENTITIES, words) if uuids else []
        return tuple(_entity(row) for row in rows)

    async def knowledge(self, *, after: int, limit: int) -> Extracted:
        """Return a page of facts and of entities, each by uuid."""
        words = {"after": after, "limit": limit}
        found = await self._connection.read(self.name, _ALL_FACTS, words)
        named = await self._connection.read(self.name, _ALL_ENTITIES, words)
        return Extracted(tuple(_fact(row) for row in found), tuple(_entity(row) for row in named))


def _fact(row: list[Any]) -> StoredFact:
    uuid, text, source, target, episodes, valid_at, invalid_at, importance = row
    told = tuple(episodes or ())
    return StoredFact(uuid, text, source, target, told, _instant(valid_at), _instant(invalid_at), importance)


def _entity(row: list[Any]) -> StoredEntity:
    uuid, name, summary, episodes, kind = row
    return StoredEntity(uuid, name, summary or "", tuple(episodes), str(kind or ""))


def _instant(text: object) -> datetime | None:
    """Read a date as Graphiti stores it; None for anything else."""
    if not isinstance(text, str) or not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
