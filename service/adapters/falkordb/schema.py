"""
How a graph is prepared before its first episode: Graphiti's indexes without their defects, ours, and a sentinel.

* No full text: ours is a file beside the mind (``index/text_index.py``). Keys are indexed once they are
  many: each index takes .11 MB, which for a small mind is more than all it holds.
* No index on dates: FalkorDB ignores ``<`` and ``<=`` on range-indexed strings.
* No vectors: they are beside the mind (``index/mind_vectors.py``), and a mark here says which are this graph's.
* The first node is a sentinel: after a reload, edges of the node with id 0 are missing from indexed scans.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from service.ports.embedder import EmbedderIdentity, check_embedder

if TYPE_CHECKING:
    from service.adapters.falkordb.leased_graph import LeasedGraph

_SENTINEL = "MERGE (s:Sentinel {name: 'first'})"
_HARMLESS = ("already indexed", "Stopwords are already set", "already exists")

GROWN_TURNS = 1_000  # from which on indexes of keys are worth .8 MB; below, looking at all costs a few ms of a write
_COUNT = "MATCH (n:Episodic) RETURN count(n)"
_FACTS = ("CREATE INDEX FOR ()-[e:RELATES_TO]-() ON (e.uuid, e.group_id, e.name)",)  # each fact is read by its uuid
_INDEXES = (
    "CREATE INDEX FOR (n:Entity) ON (n.uuid, n.group_id, n.name)",
    "CREATE INDEX FOR (n:Episodic) ON (n.uuid, n.group_id)",
    "CREATE INDEX FOR ()-[e:MENTIONS]-() ON (e.uuid, e.group_id)",
    "CREATE INDEX FOR (p:Passage) ON (p.uuid, p.episode, p.sequence)",
    "CREATE INDEX FOR (c:Cursor) ON (c.name)",
    "CREATE INDEX FOR (p:Parked) ON (p.sequence)",
)
_IDENTIFY = """
MERGE (m:Meta {name: 'embedder'})
ON CREATE SET m.embedder = $embedder, m.dimension = $dimension
SET m.vectors = coalesce(m.vectors, $mark)
RETURN m.embedder, m.dimension, m.vectors
"""
_MARK = "MATCH (m:Meta {name: 'embedder'}) RETURN m.embedder, m.dimension, m.vectors"


async def prepare(graph: LeasedGraph, *, embedder: EmbedderIdentity) -> str:
    """
    Make sentinel, identity and the index of facts, all of them harmless to repeat.

    Return the mark that the graph's vectors bear. Raises EmbedderMismatch.
    """
    await graph.write(_SENTINEL, {})
    await graph.stay()
    await graph.change_schema(_FACTS, harmless=_HARMLESS)
    words = {"embedder": embedder.embedder, "dimension": embedder.dimension, "mark": new_mark()}
    name, dimension, mark = (await graph.write(_IDENTIFY, words))[0]
    check_embedder(EmbedderIdentity(name, dimension), configured=embedder)
    return str(mark)


async def mark_of(graph: LeasedGraph, *, embedder: EmbedderIdentity) -> str:
    """Return the mark that the graph's vectors bear; "" where it was not prepared yet. Raises EmbedderMismatch."""
    rows = await graph.read(_MARK, {})
    if not rows or rows[0][2] is None:
        return ""
    check_embedder(EmbedderIdentity(rows[0][0], rows[0][1]), configured=embedder)
    return str(rows[0][2])


def new_mark() -> str:
    """Return a mark that no other graph has."""
    return secrets.token_hex(8)


async def index_keys(graph: LeasedGraph) -> None:
    """Begin the other indexes of keys where there are none; the server fills them in the background."""
    await graph.change_schema(_INDEXES, harmless=_HARMLESS)


async def has_grown(graph: LeasedGraph) -> bool:
    """Whether a graph holds so many turns that it needs indexes of keys."""
    rows = await graph.rows(_COUNT, "")
    return bool(rows) and int(rows[0][0]) >= GROWN_TURNS
