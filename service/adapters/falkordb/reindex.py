"""
Embeds a graph anew: every fact and every name, and every passage by having the saving lane begin again.

The identity of the embedder is written last, in the statement that drops the passages. A run that dies half way begins
again. Until it has ended, the graph is refused to the new embedder as before, and the earlier one can go on with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from service.adapters.falkordb.schema import new_mark
from service.adapters.falkordb.settling import take_out
from service.index.mind_vectors import FACTS, NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.adapters.falkordb.leased_graph import LeasedGraph
    from service.index.mind_vectors import MindVectors
    from service.ports.embedder import Embedder, EmbedderIdentity

_PAGE = 200
_WORDS = {
    FACTS: "MATCH ()-[e:RELATES_TO]->() RETURN e.uuid, e.fact ORDER BY e.uuid SKIP $after LIMIT $limit",
    NAMES: "MATCH (n:Entity) RETURN n.uuid, n.name ORDER BY n.uuid SKIP $after LIMIT $limit",
}
_BEGIN_AGAIN = """
MERGE (m:Meta {name: 'embedder'})
SET m.embedder = $embedder, m.dimension = $dimension, m.vectors = $mark
WITH m
MERGE (c:Cursor {name: 'saved'})
SET c.sequence = 0, c.turn_id = ''
WITH c
OPTIONAL MATCH (p:Passage)
DELETE p
"""


async def reindex(
    graph: LeasedGraph,
    vectors: MindVectors,
    *,
    embedder: Embedder,
    identity: EmbedderIdentity,
    advanced: Callable[[int], None],
) -> int:
    """Embed *graph* anew and return how many texts that took; *advanced* is called with the size of each page."""
    count, mark = 0, new_mark()
    await take_out(graph, None)
    await graph.connection.forget_file(graph.name)  # it may hold the other embedder's vectors
    await anyio.to_thread.run_sync(lambda: vectors.reset(mark, embedder=identity))
    for kind, cypher in _WORDS.items():
        after = 0
        while rows := await graph.read(cypher, {"after": after, "limit": _PAGE}):
            made = await embedder.embed([row[1] or " " for row in rows])
            found = {str(row[0]): vector for row, vector in zip(rows, made, strict=True)}
            await anyio.to_thread.run_sync(vectors.put, kind, found)
            after += len(rows)
            count += len(rows)
            advanced(len(rows))
    words = {"embedder": identity.embedder, "dimension": identity.dimension, "mark": mark}
    await graph.write(_BEGIN_AGAIN, words)
    return count
