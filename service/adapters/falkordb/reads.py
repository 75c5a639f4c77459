"""
What can be read of one graph: its cursors, what is near a vector, the facts around an entity, facts and entities.

All statements are read-only and have a time limit. What is near a vector is found beside the mind; the graph says what
is around an entity.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from consolidation.kernel.errors import GraphTimedOut, GraphUnavailable, IndexUnusable
from service.adapters.falkordb.fact_limit import OLD
from service.index.mind_vectors import FACTS
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
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from service.adapters.falkordb.connection import GraphConnection
    from service.index.mind_vectors import MindVectors
    from service.ports.embedder import Vectors

_IDENTITY = "MATCH (m:Meta {name: 'embedder'}) RETURN m.embedder, m.dimension"
_PROGRESS = """
MATCH (c:Cursor)
RETURN c.name AS name, c.sequence AS sequence, c.turn_id AS turn_id, '' AS error, 0 AS attempts, '' AS at
UNION ALL
MATCH (p:Parked)
RETURN '' AS name, p.sequence AS sequence, p.turn_id AS turn_id, p.error AS error, p.attempts AS attempts,
  p.parked_at AS at
"""
_EPISODES_UNTIL = """
MATCH (p:Passage) WHERE p.sequence <= $until
WITH DISTINCT p.sequence AS sequence, p.episode AS episode
RETURN sequence, episode ORDER BY sequence DESC LIMIT $limit
"""
_LOWEST_SAVED = "MATCH (p:Passage) WHERE p.sequence IN $sequences RETURN min(p.sequence)"
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
  WITH n MATCH (n)-[e:RELATES_TO]-(m:Entity)
  RETURN e, m LIMIT $most
}
WITH DISTINCT e, m
RETURN string.join(collect(e.uuid), $between), string.join(collect(m.uuid), $between)
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

_BETWEEN = "\n"  # two uuids that come as one text
_SHORT = 30_000  # vectors: a millisecond
_STEP_SECONDS = 1.0  # a step of a few hundred facts takes milliseconds
_HUB, _SEEN = 400, 400  # facts of one entity that a step looks at, mentions that are sorted: a hub has no more


async def size_of(connection: GraphConnection, name: str) -> GraphSize:
    """Count episodes, entities and facts of the graph called *name*."""
    counts = [await connection.read(name, cypher, {}) for cypher in _SIZE]
    episodes, entities, facts, old = (int(rows[0][0]) if rows else 0 for rows in counts)
    return GraphSize(episodes, entities, facts + old)


class GraphReads:
    """One graph, called *name* on the server, as far as it is read."""

    def __init__(self, connection: GraphConnection, *, name: str, vectors: MindVectors) -> None:
        self.name = name
        self.vectors = vectors
        self._connection = connection

    async def identity(self) -> EmbedderIdentity | None:
        """Return which embedder made the vectors; None where there is no graph yet."""
        rows = await self._connection.read(self.name, _IDENTITY, {})
        return EmbedderIdentity(rows[0][0], rows[0][1]) if rows else None

    async def progress(self) -> Progress:
        """Return the cursors and the parked turns."""
        rows = await self._connection.read(self.name, _PROGRESS, {})
        cursors = {name: (sequence, turn_id or "") for name, sequence, turn_id, *_ in rows if name}
        parked = [
            Parked(sequence, turn_id, error, attempts, parked_at)
            for name, sequence, turn_id, error, attempts, at in sorted(rows, key=lambda row: int(row[1]))
            if not name and (parked_at := _instant(at)) is not None
        ]
        (saved, saved_turn), (extracted, extracted_turn) = (
            cursors.get(name, (0, "")) for name in ("saved", "extracted")
        )
        return Progress(saved, extracted, tuple(parked), saved_turn, extracted_turn)

    async def episodes_until(self, sequence: int, /, *, limit: int) -> tuple[tuple[int, str], ...]:
        """Return the newest saved episodes up to a sequence."""
        rows = await self._connection.read(self.name, _EPISODES_UNTIL, {"until": sequence, "limit": limit})
        return tuple((int(at), str(uuid)) for at, uuid in rows)

    async def lowest_saved(self, sequences: Sequence[int], /) -> int | None:
        """Return the lowest of *sequences* of which an episode is saved."""
        rows = await self._connection.read(self.name, _LOWEST_SAVED, {"sequences": list(sequences)})
        return None if not rows or rows[0][0] is None else int(rows[0][0])

    async def size(self) -> GraphSize:
        """Count episodes, entities and facts."""
        return await size_of(self._connection, self.name)

    async def nearest(self, vectors: Vectors, /, *, turns: int, facts: int, entities: int) -> tuple[VectorHits, ...]:
        """Return what is near each vector; the graph itself is asked nothing, unless there are no vectors of it yet."""
        if not self.vectors.is_open:
            await self._compared(self.vectors.open, queries=0)
        if not self.vectors.mark:
            await self.identity()  # raises where it is away
            return (VectorHits(),) * len(vectors)
        find = partial(self.vectors.nearest, vectors, turns=turns, facts=facts, entities=entities)
        return await self._compared(find, queries=len(vectors))

    async def missing_until(self) -> int:
        """Return what is noted beside the vectors; the graph itself is asked nothing."""
        return await self._compared(lambda: self.vectors.missing_until, queries=0)

    async def likeness(self, episodes: Sequence[str], /, *, among: Sequence[str]) -> tuple[Mapping[str, float], ...]:
        """Return how near each of *among* is to each of *episodes*; the graph itself is asked nothing."""
        return await self._compared(partial(self.vectors.likeness, episodes, among=among), queries=0)

    async def facts_around(self, entities: Sequence[str], vector: Vectors, /, *, limit: int) -> tuple[VectorHit, ...]:
        """Return facts one and two steps from *entities*, nearest first; a hub counts for no more than others."""
        best: dict[str, float] = {}
        origins = list(entities)
        for most in (MOST_STEPS, limit):
            try:
                facts, ends = await self._step(origins) if origins else ([], [])
            except GraphTimedOut:
                if not best:
                    raise
                break  # the first step is worth having
            found = await self._compared(partial(self.vectors.cosines, FACTS, facts, vector[0]), queries=0)
            nearest = dict(sorted(found.items(), key=lambda item: -item[1])[:most])
            best |= nearest
            origins = [uuid for uuid in _led_to(nearest, facts, ends) if uuid not in entities][:MOST_STEPPING_STONES]
        first = sorted(best.items(), key=lambda item: -item[1])[:limit]
        return tuple(VectorHit(key, cosine, cosine) for key, cosine in first)

    async def _step(self, origins: Sequence[str]) -> tuple[list[str], list[str]]:
        """
        Return the facts of *origins*, and beside each an entity that it leads to; of a hub, some of them.

        Raises GraphTimedOut where the server does not find them in the time that a step has.
        """
        words = f"entities={json.dumps(origins)} most={_HUB} between={json.dumps(_BETWEEN)}"
        rows = await self._connection.rows(self.name, _STEP, words, seconds=_STEP_SECONDS)
        if not rows or not rows[0][0]:
            return [], []
        facts, ends = (str(cell).split(_BETWEEN) for cell in rows[0])
        return facts, ends

    async def _compared[Found](self, compare: Callable[[], Found], *, queries: int) -> Found:
        """Return what a comparison finds. A short one is made at once: a thread would take longer to wake."""
        try:
            if self.vectors.is_open and queries * self.vectors.count() <= _SHORT:
                return compare()
            return await anyio.to_thread.run_sync(compare)
        except IndexUnusable as error:
            raise GraphUnavailable(str(error)) from error

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


def _led_to(nearest: Iterable[str], facts: Sequence[str], ends: Sequence[str]) -> dict[str, None]:
    """Return the entities that the *nearest* of *facts* lead to, in their order; *ends* has one for each of *facts*."""
    led: dict[str, list[str]] = {key: [] for key in nearest}
    for fact, end in zip(facts, ends, strict=True):
        if fact in led:
            led[fact].append(end)
    return dict.fromkeys(end for one in led.values() for end in one)


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
