"""
A limit of facts between two entities: with a thousand, FalkorDB never finishes building an index over them.

Found on 4.22.1: with a thousand edges from one entity to another, and edges to a third one behind them, neither a
restart nor a new index comes to an end. So the oldest facts of a crowded pair become edges of another type. They are
still stored, counted and found by their words, but no longer compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.adapters.falkordb.leased_graph import LeasedGraph

MOST, KEPT = 900, 600  # facts of a pair in one direction: how many there may be, and how many then stay
OLD = "RELATED_TO"

_CROWDED = """
UNWIND $facts AS fact
MATCH ()-[told:RELATES_TO {uuid: fact}]->()
WITH DISTINCT startNode(told) AS a, endNode(told) AS b
MATCH (a)-[e:RELATES_TO]->(b)
WITH a, b, count(e) AS facts WHERE facts > $most
RETURN a.uuid, b.uuid, facts
"""
# Two statements, of which each may be repeated: a fact that is there twice for a moment has one uuid.
_COPY = f"""
MATCH (a:Entity {{uuid: $source}})-[e:RELATES_TO]->(b:Entity {{uuid: $target}})
WITH a, b, e ORDER BY coalesce(e.valid_at, e.created_at) LIMIT $old
MERGE (a)-[o:{OLD} {{uuid: e.uuid}}]->(b)
SET o += properties(e)
RETURN o.uuid
"""
_DROP = "UNWIND $facts AS fact MATCH ()-[e:RELATES_TO {uuid: fact}]->() DELETE e"


async def retire_oldest_facts(graph: LeasedGraph, facts: Sequence[str]) -> tuple[str, ...]:
    """Retire the oldest facts of those pairs that *facts* (uuids) join and that have too many; return their uuids."""
    retired: list[str] = []
    if not facts:
        return ()
    for source, target, count in await graph.read(_CROWDED, {"facts": list(facts), "most": MOST}):
        words = {"source": source, "target": target, "old": count - KEPT}
        gone = [row[0] for row in await graph.write(_COPY, words)]
        await graph.write(_DROP, {"facts": gone})
        retired += gone
    return tuple(retired)
