"""
Takes episodes out of a graph with what only they tell, as erasing them does, and going back to an earlier turn.

Every statement may run twice. Vectors of what is gone are overwritten beside the mind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.adapters.falkordb.fact_limit import OLD
from service.adapters.falkordb.settling import forget_strangers
from service.erasure.ports import Forgotten
from service.ingest.provenance import LONGEST_SUMMARY, newest_facts
from service.ports.graph import episode_uuid

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from service.adapters.falkordb.connection import Rows
    from service.adapters.falkordb.leased_graph import LeasedGraph
    from service.erasure.ports import Tainted
    from service.index.mind_vectors import MindVectors

TOLD = f"""
MATCH (a)-[e:RELATES_TO|{OLD}]->(b) WHERE any(x IN e.episodes WHERE x IN $episodes)
RETURN e.uuid, e.fact, e.episodes, a.uuid, b.uuid, e.valid_at
"""
_MENTIONED = "MATCH (p:Episodic)-[:MENTIONS]->(n:Entity) WHERE p.uuid IN $episodes RETURN DISTINCT n.uuid, n.name"
_DROP_FACTS = tuple(
    f"UNWIND $facts AS fact MATCH ()-[e:{kind} {{uuid: fact}}]->() DELETE e" for kind in ("RELATES_TO", OLD)
)
_UNTELL = f"""
MATCH ()-[e:RELATES_TO|{OLD}]->() WHERE any(x IN e.episodes WHERE x IN $episodes)
SET e.episodes = [x IN e.episodes WHERE NOT x IN $episodes]
RETURN e.uuid
"""
_GO_ON = f"""
MATCH (n:Entity)-[e:RELATES_TO|{OLD}]-() WHERE n.uuid IN $entities AND e.invalid_at IN $since
SET e.invalid_at = NULL, e.expired_at = NULL
RETURN DISTINCT e.uuid
"""
_DROP_EPISODES = (
    "MATCH (a:Attempt) WHERE a.episode IN $episodes DELETE a",
    "MATCH (n:Episodic) WHERE n.uuid IN $episodes DETACH DELETE n",
    "MATCH (p:Passage) WHERE p.episode IN $episodes DELETE p",  # last, for they say which episodes there were
)
_COUNT = (
    "MATCH (n:Episodic) WHERE n.uuid IN $episodes RETURN count(n)",
    "MATCH (p:Passage) WHERE p.episode IN $episodes RETURN count(p)",
    f"MATCH ()-[e:RELATES_TO|{OLD}]->() WHERE any(x IN e.episodes WHERE x IN $episodes) RETURN count(e)",
)
_PARKED = "MATCH (p:Parked) RETURN p.sequence, p.turn_id"
_DROP_PARKED = "MATCH (p:Parked) WHERE p.sequence IN $sequences DELETE p"
_LONELY = """
MATCH (n:Entity) WHERE n.uuid IN $entities
OPTIONAL MATCH (p:Episodic)-[m:MENTIONS]->(n)
WITH n, count(m) AS mentions
OPTIONAL MATCH (n)-[e:%s]-()
WITH n, mentions, count(e) AS facts WHERE mentions = 0 AND facts = 0
RETURN n.uuid
"""  # % kinds
_DROP_ENTITIES = "MATCH (n:Entity) WHERE n.uuid IN $entities DETACH DELETE n"
_DROP_NAMES = "MATCH (x:Name) WHERE x.uuid IN $entities DELETE x"  # of a graph of before vectors were beside the mind
_FACTS_OF = f"""
MATCH (n:Entity)-[e:RELATES_TO|{OLD}]-() WHERE n.uuid IN $entities
WITH DISTINCT n, e ORDER BY e.created_at, e.valid_at, e.uuid
RETURN n.uuid, e.fact
"""
_SUMMARISE = "UNWIND $rows AS row MATCH (n:Entity {uuid: row.uuid}) SET n.summary = row.summary"


async def forget(
    graph: LeasedGraph, vectors: MindVectors, episodes: Sequence[str], tainted: Tainted, /, *, mind_id: str
) -> Forgotten:
    """Take *episodes* of the mind out, what only they told, and what is *tainted*."""
    told, facts, touched = await leaving(graph, episodes, tainted)
    ended = sorted({row[5] for row in told if row[0] in facts and row[5]})
    counts = [int(rows[0][0]) if rows else 0 for rows in await counts_of(graph, episodes)]
    for statement in _DROP_FACTS:
        await graph.write(statement, {"facts": sorted(facts)})
    changed = await graph.write(_UNTELL, {"episodes": list(episodes)})
    if ended:
        changed += await graph.write(_GO_ON, {"entities": sorted(touched), "since": ended})
    going = set(episodes)
    parked = [row[0] for row in await graph.read(_PARKED, {}) if episode_uuid(mind_id, row[1]) in going]
    await graph.write(_DROP_PARKED, {"sequences": parked})
    for statement in _DROP_EPISODES:
        await graph.write(statement, {"episodes": list(episodes)})
    lonely = _LONELY % f"RELATES_TO|{OLD}"
    alone = {row[0] for row in await graph.read(lonely, {"entities": sorted(touched)})}
    entities = sorted(alone | set(tainted.entities))
    await graph.write(_DROP_NAMES, {"entities": entities})
    await graph.write(_DROP_ENTITIES, {"entities": entities})
    left = sorted(touched - set(entities))
    await _summarise(graph, left)
    await forget_strangers(graph, vectors)
    kept = dict.fromkeys(row[0] for row in changed if row[0] not in facts)
    return Forgotten(counts[0], counts[1], tuple(sorted(facts)), tuple(entities), tuple(kept), tuple(left))


async def leaving(graph: LeasedGraph, episodes: Sequence[str], tainted: Tainted, /) -> tuple[Rows, set[str], set[str]]:
    """Rows of what *episodes* tell, the facts that go with them and what is *tainted*, and the entities touched."""
    going, again = set(episodes), set(tainted.again)
    words = {"episodes": [*episodes, *tainted.again]}
    told = await graph.read(TOLD, words)
    facts = {row[0] for row in told if set(row[2]) <= going or set(row[2]) <= again} | set(tainted.facts)
    touched = {row[0] for row in await graph.read(_MENTIONED, words)} | {uuid for row in told for uuid in row[3:5]}
    return told, facts, touched | set(tainted.stale)


async def counts_of(graph: LeasedGraph, episodes: Iterable[str], /) -> list[Rows]:
    """How many episodes, passages and facts there are of *episodes*, a row for each."""
    return [await graph.read(statement, {"episodes": list(episodes)}) for statement in _COUNT]


async def _summarise(graph: LeasedGraph, entities: Sequence[str]) -> None:
    """Summaries of entities, made of the facts that are left, as extraction makes them."""
    told: dict[str, list[str]] = {uuid: [] for uuid in entities}
    for uuid, fact in await graph.read(_FACTS_OF, {"entities": list(entities)}) if entities else []:
        told[uuid].append(fact)
    summaries = {uuid: newest_facts("\n".join(facts), most=LONGEST_SUMMARY) for uuid, facts in told.items()}
    rows = [{"uuid": uuid, "summary": summary} for uuid, summary in summaries.items()]
    await graph.write(_SUMMARISE, {"rows": rows})
