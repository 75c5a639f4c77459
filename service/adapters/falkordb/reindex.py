"""
Embeds a graph anew: every fact and every name, and every passage by having the saving lane begin again.

The identity of the embedder is written last: a run that dies half way begins again, and until it has ended the graph
is refused to the new embedder as before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.adapters.falkordb.fact_limit import OLD
from service.adapters.falkordb.schema import NAME
from service.adapters.falkordb.vectors import printed

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.adapters.falkordb.connection import GraphConnection
    from service.ports.embedder import Embedder, EmbedderIdentity

_PAGE = 200
_FACTS = "MATCH ()-[e:RELATES_TO]->() RETURN e.uuid, e.fact ORDER BY e.uuid SKIP $after LIMIT $limit"
_SET_FACTS = """
UNWIND $rows AS r MATCH ()-[e:RELATES_TO {uuid: r.uuid}]->() SET e.fact_embedding = vecf32(r.vector)
"""
_NAMES = "MATCH (n:Entity) RETURN n.uuid, n.name ORDER BY n.uuid SKIP $after LIMIT $limit"
_SET_NAMES = (
    f"UNWIND $rows AS r MATCH (n:Entity {{uuid: r.uuid}}) SET n.name_embedding = vecf32(r.vector) WITH n {NAME}"
)
_FORGET_OLD = f"MATCH ()-[e:{OLD}]->() SET e.fact_embedding = NULL"  # never compared; else of another dimension
_DROP_PASSAGES = "MATCH (p:Passage) DELETE p"
_BEGIN_AGAIN = """
MERGE (m:Meta {name: 'embedder'})
SET m.embedder = $embedder, m.dimension = $dimension
WITH m
MERGE (c:Cursor {name: 'saved'})
SET c.sequence = 0
RETURN c.sequence
"""


async def reindex(
    connection: GraphConnection,
    graph: str,
    *,
    embedder: Embedder,
    identity: EmbedderIdentity,
    advanced: Callable[[int], None],
) -> int:
    """Embed *graph* anew and return how many texts that took; *advanced* is called with the size of each page."""
    count = 0
    for read, write in ((_FACTS, _SET_FACTS), (_NAMES, _SET_NAMES)):
        after = 0
        while rows := await connection.read(graph, read, {"after": after, "limit": _PAGE}):
            vectors = await embedder.embed([row[1] or " " for row in rows])
            new = [
                {"uuid": row[0], "vector": printed(vector.tolist())} for row, vector in zip(rows, vectors, strict=True)
            ]
            await connection.write(graph, write, {"rows": new})
            after += len(rows)
            count += len(rows)
            advanced(len(rows))
    await connection.write(graph, _FORGET_OLD, {})
    await connection.write(graph, _DROP_PASSAGES, {})
    words = {"embedder": identity.embedder, "dimension": identity.dimension}
    await connection.write(graph, _BEGIN_AGAIN, words)
    return count
