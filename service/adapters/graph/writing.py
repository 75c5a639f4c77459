"""
What we write to a mind's graph ourselves: raw episodes with their vectors, cursors, parked turns.

A cursor lives in the graph it describes and moves in the same statement as what it counts, and only in a graph that
was prepared: one that was emptied from outside begins again at 0. Every statement may run twice: FalkorDB can fail
to answer after it has obeyed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.kernel.errors import EmbedderMismatch, GraphUnavailable
from service.adapters.graph.reading import instant
from service.adapters.graph.schema import HARMLESS, INDEXES, NAMELESS, SENTINEL
from service.adapters.graph.vectors import printed
from service.ports import Identity, Parked, Progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.adapters.graph.connection import Connection
    from service.ports import Episode, Vector

_IDENTIFY = """
MERGE (m:Meta {name: 'embedder'})
ON CREATE SET m.embedder = $embedder, m.dimension = $dimension
RETURN m.embedder, m.dimension
"""
_PROGRESS = """
MATCH (c:Cursor) RETURN c.name AS name, c.sequence AS sequence, '' AS turn_id, '' AS error, 0 AS attempts, '' AS at
UNION ALL
MATCH (p:Parked)
RETURN '' AS name, p.sequence AS sequence, p.turn_id AS turn_id, p.error AS error, p.attempts AS attempts,
  p.parked_at AS at
"""
_SAVE = """
UNWIND $passages AS p
MERGE (n:Episodic {uuid: p.episode})
ON CREATE SET n.name = p.name, n.group_id = $group, n.source = 'message', n.source_description = p.session,
  n.content = p.content, n.entity_edges = [], n.created_at = p.at, n.valid_at = p.at
MERGE (q:Passage {uuid: p.uuid})
SET q.episode = p.episode, q.sequence = p.sequence,
  q.embedding = vecf32(p.own), q.leaning = vecf32(p.leaning)
WITH count(q) AS passages
MATCH (:Meta {name: 'embedder'})
MERGE (c:Cursor {name: 'saved'})
SET c.sequence = CASE WHEN coalesce(c.sequence, 0) < $sequence THEN $sequence ELSE c.sequence END
RETURN passages
"""
_LEAN = "UNWIND $changed AS c MATCH (q:Passage {uuid: c.uuid}) SET q.leaning = vecf32(c.vector)"
_BEGIN = """
MATCH (n:Episodic {uuid: $uuid})
MERGE (a:Attempt {episode: $uuid})
SET a.count = coalesce(a.count, 0) + 1
WITH n, a
OPTIONAL MATCH (n)-[r:MENTIONS]->()
DELETE r
WITH DISTINCT a
RETURN a.count
"""
_SPARE = "MATCH (a:Attempt {episode: $uuid}) SET a.count = a.count - 1"
_FORGET_HALF = """
MATCH ()-[e:RELATES_TO]->()
WHERE e.episodes = [$uuid]
DELETE e
"""
_COMPLETE = """
OPTIONAL MATCH (p:Passage {sequence: $sequence})
OPTIONAL MATCH (a:Attempt {episode: p.episode})
DELETE a
WITH count(p) AS done
MATCH (:Meta {name: 'embedder'})
MERGE (c:Cursor {name: 'extracted'})
SET c.sequence = CASE WHEN coalesce(c.sequence, 0) < $sequence THEN $sequence ELSE c.sequence END
RETURN done
"""
_PARK = """
MATCH (:Meta {name: 'embedder'})
MERGE (p:Parked {sequence: $sequence})
SET p.turn_id = $turn_id, p.error = $error, p.attempts = $attempts, p.parked_at = $parked_at
WITH p
MERGE (c:Cursor {name: 'extracted'})
SET c.sequence = CASE WHEN coalesce(c.sequence, 0) < $sequence THEN $sequence ELSE c.sequence END
RETURN c.sequence
"""
_UNPARK = "MATCH (p:Parked {sequence: $sequence}) DELETE p"
_FORGET_ATTEMPTS = "MATCH (a:Attempt {episode: $uuid}) DELETE a"


async def prepare(connection: Connection, graph: str, *, embedder: Identity) -> Progress:
    """Make sentinel, indexes and identity, all of them harmless to repeat. Raises EmbedderMismatch."""
    await connection.write(graph, SENTINEL, {})
    await connection.write_all(graph, INDEXES, harmless=HARMLESS)
    while (await connection.write(graph, NAMELESS, {}))[0][0]:
        pass  # a graph from before names had vectors of their own: a page at a time
    words = {"embedder": embedder.embedder, "dimension": embedder.dimension}
    found = (await connection.write(graph, _IDENTIFY, words))[0]
    check(Identity(*found), configured=embedder)
    return await progress(connection, graph)


def check(found: Identity, *, configured: Identity) -> None:
    """Refuse vectors of another embedder: they can not be compared with ours. Raises EmbedderMismatch."""
    if found != configured:
        raise EmbedderMismatch(
            f"this graph was embedded with {_shown(found)}, configured is {_shown(configured)}: set the embedder back, "
            "or run `mind-memory reindex`"
        )


def _shown(identity: Identity) -> str:
    """*identity* for a person; a dimension of 0 is not known yet."""
    return f"{identity.embedder} ({identity.dimension} dimensions)" if identity.dimension else identity.embedder


async def identity(connection: Connection, graph: str) -> Identity | None:
    """Read which embedder made the vectors."""
    rows = await connection.read(graph, "MATCH (m:Meta {name: 'embedder'}) RETURN m.embedder, m.dimension", {})
    return Identity(rows[0][0], rows[0][1]) if rows else None


async def progress(connection: Connection, graph: str) -> Progress:
    """Read the cursors and what is parked."""
    rows = await connection.read(graph, _PROGRESS, {})
    cursors = {name: sequence for name, sequence, *_ in rows if name}
    parked = [
        Parked(sequence, turn_id, error, attempts, parked_at)
        for name, sequence, turn_id, error, attempts, at in sorted(rows, key=lambda row: int(row[1]))
        if not name and (parked_at := instant(at)) is not None
    ]
    return Progress(cursors.get("saved", 0), cursors.get("extracted", 0), tuple(parked))


async def save(
    connection: Connection,
    graph: str,
    episodes: Sequence[Episode],
    *,
    own: Mapping[str, Vector],
    leaning: Mapping[str, Vector],
    cursor: int,
) -> None:
    """Save episodes and passages and move the saved cursor to *cursor*, in one statement; neighbours before it."""
    await lean(connection, graph, {uuid: vector for uuid, vector in leaning.items() if uuid not in own})
    passages = [
        {
            "uuid": passage.uuid,
            "episode": episode.uuid,
            "sequence": episode.sequence,
            "name": f"turn {episode.sequence}",
            "session": episode.session_id,
            "content": episode.text if passage is episode.passages[0] else "",
            "at": episode.occurred_at.isoformat(),
            "own": printed(own[passage.uuid].tolist()),
            "leaning": printed(leaning[passage.uuid].tolist()),
        }
        for episode in episodes
        for passage in episode.passages
    ]
    await _counted(connection, graph, _SAVE, {"group": graph, "sequence": cursor, "passages": passages})


async def lean(connection: Connection, graph: str, leaning: Mapping[str, Vector]) -> None:
    """Give passages that are there other leaning vectors."""
    changed = [{"uuid": uuid, "vector": printed(vector.tolist())} for uuid, vector in leaning.items()]
    if changed:
        await connection.write(graph, _LEAN, {"changed": changed})


async def begin(connection: Connection, graph: str, uuid: str) -> int:
    """Count an attempt and clear what an earlier one left half done."""
    rows = await connection.write(graph, _BEGIN, {"uuid": uuid})
    if not rows:
        raise GraphUnavailable("the graph has lost a raw episode; it is saved again")
    attempt = int(rows[0][0])
    if attempt > 1:
        await connection.write(graph, _FORGET_HALF, {"uuid": uuid})
    return attempt


async def spare(connection: Connection, graph: str, uuid: str) -> None:
    """Take back an attempt that never began."""
    await connection.write(graph, _SPARE, {"uuid": uuid})


async def complete(connection: Connection, graph: str, sequence: int) -> None:
    """Move the extracted cursor."""
    await _counted(connection, graph, _COMPLETE, {"sequence": sequence})


async def park(connection: Connection, graph: str, parked: Parked) -> None:
    """Record a parked turn and move the extracted cursor past it."""
    words = {
        "sequence": parked.sequence,
        "turn_id": parked.turn_id,
        "error": parked.error,
        "attempts": parked.attempts,
        "parked_at": parked.parked_at.isoformat(),
    }
    await _counted(connection, graph, _PARK, words)


async def unpark(connection: Connection, graph: str, sequence: int, uuid: str) -> None:
    """Forget that a turn was parked, and its attempts."""
    await connection.write(graph, _UNPARK, {"sequence": sequence})
    await connection.write(graph, _FORGET_ATTEMPTS, {"uuid": uuid})


async def _counted(connection: Connection, graph: str, cypher: str, words: Mapping[str, object]) -> None:
    """Run a statement that moves a cursor. Raises GraphUnavailable where the graph was emptied: nothing moved."""
    if not await connection.write(graph, cypher, words):
        raise GraphUnavailable("the graph was emptied from outside; it is built again from the transcript")
