"""
What an erase does to graphs: episodes and what only they told, or a whole mind; then the server's files (`emptying`).

Every statement may run twice. Words are never sent to the server here: it keeps what it was asked in a stream of its
own, which is deleted with what is erased.
"""

from __future__ import annotations

import asyncio
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from consolidation.kernel.errors import GraphFault
from consolidation.kernel.words import tokens
from service.adapters.graph import reading, writing
from service.adapters.graph.crowding import OLD
from service.adapters.graph.naming import graph_name, site_prefix
from service.erasing.ports import Forgotten, Tainted
from service.ports import GraphSize

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from service.adapters.graph.connection import Connection, Rows
    from service.adapters.graph.emptying import Emptying
    from service.erasing.ports import Rewritten
    from service.ports import Vector

_TOLD = f"""
MATCH (a)-[e:RELATES_TO|{OLD}]->(b) WHERE any(x IN e.episodes WHERE x IN $episodes)
RETURN e.uuid, e.fact, e.episodes, a.uuid, b.uuid, e.valid_at
"""
_MENTIONED = "MATCH (p:Episodic)-[:MENTIONS]->(n:Entity) WHERE p.uuid IN $episodes RETURN DISTINCT n.uuid, n.name"
_ENTITIES = "MATCH (n:Entity) RETURN n.uuid, n.name, n.summary ORDER BY n.uuid SKIP $after LIMIT $limit"
_MENTIONING = """
MATCH (p:Episodic)-[:MENTIONS]->(n:Entity) WHERE n.uuid IN $entities
RETURN n.uuid, collect(DISTINCT p.uuid)
"""
_AROUND = f"""
MATCH (n:Entity)-[e:RELATES_TO|{OLD}]-() WHERE n.uuid IN $entities
RETURN DISTINCT e.uuid, e.episodes, startNode(e).uuid, endNode(e).uuid, e.valid_at
"""
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
    "MATCH (p:Passage) WHERE p.episode IN $episodes DELETE p",
    "MATCH (a:Attempt) WHERE a.episode IN $episodes DELETE a",
    "MATCH (n:Episodic) WHERE n.uuid IN $episodes DETACH DELETE n",
)
_COUNT = (
    "MATCH (n:Episodic) WHERE n.uuid IN $episodes RETURN count(n)",
    "MATCH (p:Passage) WHERE p.episode IN $episodes RETURN count(p)",
    f"MATCH ()-[e:RELATES_TO|{OLD}]->() WHERE any(x IN e.episodes WHERE x IN $episodes) RETURN count(e)",
)
_DROP_PARKED = "MATCH (p:Parked) WHERE p.sequence IN $sequences DELETE p"
_SEQUENCES = "MATCH (p:Passage) WHERE p.episode IN $episodes RETURN DISTINCT p.sequence"
_LONELY = """
MATCH (n:Entity) WHERE n.uuid IN $entities
OPTIONAL MATCH (p:Episodic)-[m:MENTIONS]->(n)
WITH n, count(m) AS mentions
OPTIONAL MATCH (n)-[e:%s]-()
WITH n, mentions, count(e) AS facts WHERE mentions = 0 AND facts = 0
RETURN n.uuid
"""  # % kinds
_DROP_ENTITIES = "MATCH (n:Entity) WHERE n.uuid IN $entities DETACH DELETE n"
_DROP_NAMES = "MATCH (x:Name) WHERE x.uuid IN $entities DELETE x"
_FACTS_OF = f"""
MATCH (n:Entity)-[e:RELATES_TO|{OLD}]-() WHERE n.uuid IN $entities
WITH DISTINCT n, e ORDER BY e.created_at, e.valid_at, e.uuid
RETURN n.uuid, e.fact
"""
_SUMMARISE = "UNWIND $rows AS row MATCH (n:Entity {uuid: row.uuid}) SET n.summary = row.summary"

_SUMMARY_CHARACTERS = 900  # as extraction lets it grow
_MOST_AGAIN = 200  # episodes that are read again
_PAGE = 500
_QUIET_SECONDS, _LOOK_SECONDS = 20.0, 0.05


class FalkorErasing:
    """ErasableGraph over FalkorDB."""

    def __init__(self, connection: Connection, *, prefix: str, emptying: Emptying) -> None:
        """Bind to the server; *emptying* has its files written anew."""
        self._connection = connection
        self._prefix = prefix
        self._emptying = emptying

    async def tainted(
        self, mind_id: str, episodes: Sequence[str], near: Sequence[str], /, *, words: frozenset[str]
    ) -> Tainted:
        """
        What is told in *words* by *episodes* or those *near* them, and by others, too.

        Every entity is looked at: an extraction that was stopped half-way leaves some that nothing leads to.
        """
        await self._quiet(mind_id)
        gone = set(episodes)
        told = await self._read(mind_id, _TOLD, episodes=[*episodes, *near])
        names: list[str] = []
        stale: list[str] = []
        after = 0
        while page := await self._read(mind_id, _ENTITIES, after=after, limit=_PAGE):
            after += len(page)
            shown = await anyio.to_thread.run_sync(_showing, page, words)
            names += shown[0]
            stale += shown[1]
        facts = {row[0]: set(row[2]) for row in told if not words.isdisjoint(tokens(row[1] or ""))}
        again = set().union(*facts.values())
        if names:
            again.update(*(row[1] for row in await self._read(mind_id, _MENTIONING, entities=names)))
            around_them = await self._read(mind_id, _AROUND, entities=names)
            again.update(*(row[1] for row in around_them))
            facts |= {row[0]: set(row[1]) for row in around_them}
        return Tainted(tuple(facts), tuple(names), tuple(sorted(again - gone))[:_MOST_AGAIN], tuple(stale))

    async def forget(self, mind_id: str, episodes: Sequence[str], tainted: Tainted, /) -> Forgotten:
        """Take *episodes* out, what only they told, and what is *tainted*."""
        graph, going = self._graph(mind_id), set(episodes)
        told = await self._read(mind_id, _TOLD, episodes=[*episodes, *tainted.again])
        again = set(tainted.again)
        facts = {row[0] for row in told if set(row[2]) <= going or set(row[2]) <= again} | set(tainted.facts)
        mentioned = await self._read(mind_id, _MENTIONED, episodes=[*episodes, *tainted.again])
        touched = {row[0] for row in mentioned} | {uuid for row in told for uuid in (row[3], row[4])}
        touched |= set(tainted.stale)
        ended = sorted({row[5] for row in told if row[0] in facts and row[5]})
        counts = [int(rows[0][0]) if rows else 0 for rows in await self._counts(mind_id, episodes)]
        for statement in _DROP_FACTS:
            await self._connection.write(graph, statement, {"facts": sorted(facts)})
        changed = await self._connection.write(graph, _UNTELL, {"episodes": list(episodes)})
        if ended:
            words = {"entities": sorted(touched), "since": ended}
            changed += await self._connection.write(graph, _GO_ON, words)
        sequences = [row[0] for row in await self._read(mind_id, _SEQUENCES, episodes=list(episodes))]
        await self._connection.write(graph, _DROP_PARKED, {"sequences": sequences})
        for statement in _DROP_EPISODES:
            await self._connection.write(graph, statement, {"episodes": list(episodes)})
        lonely = f"RELATES_TO|{OLD}"
        alone = {row[0] for row in await self._read(mind_id, _LONELY % lonely, entities=sorted(touched))}
        entities = sorted(alone | set(tainted.entities))
        await self._connection.write(graph, _DROP_NAMES, {"entities": entities})
        await self._connection.write(graph, _DROP_ENTITIES, {"entities": entities})
        left = sorted(touched - set(entities))
        await self._summarise(mind_id, left)
        kept = dict.fromkeys(row[0] for row in changed if row[0] not in facts)
        return Forgotten(counts[0], counts[1], tuple(sorted(facts)), tuple(entities), tuple(kept), tuple(left))

    async def lean(self, mind_id: str, leaning: Mapping[str, Vector], /) -> None:
        """Give passages other leaning vectors."""
        await writing.lean(self._connection, self._graph(mind_id), leaning)

    async def left(self, mind_id: str, episodes: Sequence[str], /, *, forms: Sequence[str]) -> int:
        """How much still stands of *episodes*, or shows one of *forms*: the whole graph is read."""
        await self._quiet(mind_id)
        count = sum(int(rows[0][0]) for rows in await self._counts(mind_id, episodes) if rows)
        after = 0
        while forms:
            page = await reading.everything(self._connection, self._graph(mind_id), after=after, limit=_PAGE)
            if not page.facts and not page.entities:
                break
            shown = [fact.text for fact in page.facts]
            shown += [f"{entity.name}\n{entity.summary}" for entity in page.entities]
            count += sum(any(form in text for form in forms) for text in shown)
            after += _PAGE
        return count

    async def drop(self, mind_id: str, /) -> tuple[GraphSize, int]:
        """Delete the graph and what else the server keeps of it; also where an import built it, under another name."""
        await self._quiet(mind_id)
        size, keys = GraphSize(), await self.keys(mind_id)
        for graph in await self._graphs(mind_id):
            found = await reading.size(self._connection, graph)
            size = GraphSize(*map(sum, zip(astuple(size), astuple(found), strict=True)))
            await self._connection.delete(graph)
            await self._emptying.forget_asked(graph)
        return size, keys

    async def keys(self, mind_id: str, /) -> int:
        """How many keys of the server there are of a mind."""
        return sum([await self._emptying.keys(graph) for graph in await self._graphs(mind_id)])

    async def rewrite(self, mind_id: str, /) -> Rewritten:
        """Have the server forget what it was asked of this graph, and write its files anew."""
        await self._quiet(mind_id)
        await self._emptying.forget_asked(self._graph(mind_id))
        return await self._emptying.rewrite()

    def search(self, forms: Sequence[str], /) -> tuple[str, ...]:
        """The server's files that hold one of *forms*."""
        return self._emptying.search(forms)

    async def _summarise(self, mind_id: str, entities: Sequence[str]) -> None:
        """Summaries of entities, made of the facts that are left, as extraction makes them."""
        told: dict[str, list[str]] = {uuid: [] for uuid in entities}
        for uuid, fact in await self._read(mind_id, _FACTS_OF, entities=list(entities)) if entities else []:
            told[uuid].append(fact)
        rows = [{"uuid": uuid, "summary": "\n".join(facts)[-_SUMMARY_CHARACTERS:]} for uuid, facts in told.items()]
        await self._connection.write(self._graph(mind_id), _SUMMARISE, {"rows": rows})

    async def _counts(self, mind_id: str, episodes: Iterable[str]) -> list[Rows]:
        return [await self._read(mind_id, statement, episodes=list(episodes)) for statement in _COUNT]

    async def _read(self, mind_id: str, cypher: str, **words: Any) -> Rows:  # noqa: ANN401 - what Cypher takes
        return await self._connection.read(self._graph(mind_id), cypher, words)

    async def _quiet(self, mind_id: str) -> None:
        """Return when no statement on the graph runs or waits: one that was given up may still be obeyed."""
        graph = self._graph(mind_id)
        for _ in range(int(_QUIET_SECONDS / _LOOK_SECONDS)):
            try:
                if graph not in await self._connection.running():
                    return
            except GraphFault:
                return  # a server that does not tell
            await asyncio.sleep(_LOOK_SECONDS)

    async def _graphs(self, mind_id: str) -> tuple[str, ...]:
        """The mind's graph, and those that an import has built for it and that have not taken its name yet."""
        graph = self._graph(mind_id)
        return (
            graph,
            *(name for name in sorted(await self._connection.graphs()) if name.startswith(site_prefix(graph))),
        )

    def _graph(self, mind_id: str) -> str:
        return graph_name(mind_id, prefix=self._prefix)


def _showing(page: Rows, words: frozenset[str]) -> tuple[list[str], list[str]]:
    """The entities of a page that one of *words* names, and those that are only summarised in them."""
    names = [row[0] for row in page if not words.isdisjoint(tokens(row[1] or ""))]
    summaries = [row[0] for row in page if not words.isdisjoint(tokens(row[2] or ""))]
    return names, [uuid for uuid in summaries if uuid not in names]
