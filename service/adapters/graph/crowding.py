"""
No two entities share a thousand facts: FalkorDB would build an index over them for ever, and never come back.

Found on 4.22.1: a thousand edges from one entity to another, and edges to a third behind them, and neither a restart
nor a new index comes to an end. So the oldest facts of a crowded pair become edges of another type: kept, counted and
found by their words, but no longer compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.adapters.graph.connection import Connection

MOST, KEPT = 900, 600  # facts of a pair in one direction: from where on, and how many of them stay
OLD = "RELATED_TO"

_CROWDED = """
UNWIND $facts AS fact
MATCH ()-[told:RELATES_TO {uuid: fact}]->()
WITH DISTINCT startNode(told) AS a, endNode(told) AS b
MATCH (a)-[e:RELATES_TO]->(b)
WITH a, b, count(e) AS facts WHERE facts > $most
RETURN a.uuid, b.uuid, facts
"""
# In two statements that may both be repeated: a fact that stands twice for a moment has one uuid.
_COPY = f"""
MATCH (a:Entity {{uuid: $source}})-[e:RELATES_TO]->(b:Entity {{uuid: $target}})
WITH a, b, e ORDER BY coalesce(e.valid_at, e.created_at) LIMIT $old
MERGE (a)-[o:{OLD} {{uuid: e.uuid}}]->(b)
SET o += properties(e)
RETURN o.uuid
"""
_DROP = "UNWIND $facts AS fact MATCH ()-[e:RELATES_TO {uuid: fact}]->() DELETE e"


async def ease(connection: Connection, graph: str, facts: Sequence[str]) -> None:
    """Let the oldest facts go of the pairs that *facts* (uuids) join, where there are too many."""
    if not facts:
        return
    for source, target, count in await connection.read(graph, _CROWDED, {"facts": list(facts), "most": MOST}):
        words = {"source": source, "target": target, "old": count - KEPT}
        gone = [row[0] for row in await connection.write(graph, _COPY, words)]
        await connection.write(graph, _DROP, {"facts": gone})
