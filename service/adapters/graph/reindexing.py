"""
A graph embedded anew: every fact, every name, and, by letting the saving lane begin again, every passage.

What identifies the embedder is written last: a run that dies half way is begun again, and until then the graph is
refused to the new embedder as before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.adapters.graph.crowding import OLD
from service.adapters.graph.schema import NAME
from service.adapters.graph.vectors import printed

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.adapters.graph.connection import Connection
    from service.ports import Embedder, Identity

_PAGE = 200
_FACTS = "MATCH ()-[e:RELATES_TO]->() RETURN e.uuid, e.fact ORDER BY e.uuid SKIP $after LIMIT $limit"
_SET_FACTS = """
UNWIND $rows AS r MATCH ()-[e:RELATES_TO {uuid: r.uuid}]->() SET e.fact_embedding = vecf32(r.vector)
"""
_NAMES = "MATCH (n:Entity) RETURN n.uuid, n.name ORDER BY n.uuid SKIP $after LIMIT $limit"
_SET_NAMES = (
    f"UNWIND $rows AS r MATCH (n:Entity {{uuid: r.uuid}}) SET n.name_embedding = vecf32(r.vector) WITH n {NAME}"
)
_FORGET_OLD = f"MATCH ()-[e:{OLD}]->() SET e.fact_embedding = NULL"  # never compared; must not be of another dimension
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
    connection: Connection, graph: str, *, embedder: Embedder, identity: Identity, advanced: Callable[[int], None]
) -> int:
    """Embed all of *graph* anew and say how many texts that took; *advanced* is told of each page's size."""
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
