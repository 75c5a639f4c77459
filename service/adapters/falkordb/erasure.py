"""
Erases from a mind's graph: episodes with what only they say, or all of it; ``purge`` then has the server forget it.

Every statement may run twice. Vectors of what is gone are overwritten beside the mind. People's words are never sent to
the server here, because it stores the statements that it is sent in a stream of its own, which is deleted with what is
erased.
"""

from __future__ import annotations

import asyncio
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from consolidation.kernel.errors import GraphFault
from consolidation.text.words import tokens
from service.adapters.falkordb.fact_limit import OLD
from service.adapters.falkordb.forgetting import TOLD, counts_of, forget, leaving
from service.adapters.falkordb.graph_names import site_prefix
from service.adapters.falkordb.leased_graph import LeasedGraph, is_only_lease
from service.adapters.falkordb.reads import size_of
from service.erasure.ports import Forgotten, Tainted
from service.ports.graph import GraphSize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.adapters.falkordb.connection import GraphConnection, Rows
    from service.adapters.falkordb.mind_graph import FalkorMindGraph
    from service.adapters.falkordb.purge import ServerPurge
    from service.erasure.ports import Rewritten
    from service.ports.embedder import Vector

_ENTITIES = "MATCH (n:Entity) RETURN n.uuid, n.name, n.summary ORDER BY n.uuid SKIP $after LIMIT $limit"
_MENTIONING = """
MATCH (p:Episodic)-[:MENTIONS]->(n:Entity) WHERE n.uuid IN $entities
RETURN n.uuid, collect(DISTINCT p.uuid)
"""
_AROUND = f"""
MATCH (n:Entity)-[e:RELATES_TO|{OLD}]-() WHERE n.uuid IN $entities
RETURN DISTINCT e.uuid, e.episodes, startNode(e).uuid, endNode(e).uuid, e.valid_at
"""
_LONELY_WITHOUT = f"""
MATCH (n:Entity) WHERE n.uuid IN $entities
OPTIONAL MATCH (p:Episodic)-[:MENTIONS]->(n) WHERE NOT p.uuid IN $episodes
WITH n, count(p) AS mentions
OPTIONAL MATCH (n)-[e:RELATES_TO|{OLD}]-() WHERE NOT e.uuid IN $facts
WITH n, mentions, count(e) AS facts WHERE mentions = 0 AND facts = 0
RETURN n.uuid
"""
_PAGE = 500
_QUIET_SECONDS, _LOOK_SECONDS = 20.0, 0.05
_NAMELESS = "MATCH (c:Cursor) WHERE c.turn_id <> '' SET c.turn_id = ''"  # it may stand on a turn that is erased


class FalkorErasableGraph:
    """The graph of one mind; *purge* has the server's files written anew."""

    def __init__(
        self, connection: GraphConnection, *, graph: FalkorMindGraph, purge: ServerPurge, is_shared: bool
    ) -> None:
        """*is_shared* says that minds are leased: a graph that is deleted then leaves its lease for a while."""
        self._is_shared = is_shared
        self._connection = connection
        self._graph = graph
        self._purge = purge

    async def tainted(self, episodes: Sequence[str], near: Sequence[str], /, *, words: frozenset[str]) -> Tainted:
        """
        What is told in *words* by *episodes* or those *near* them, and by others, too.

        Every entity is looked at: an extraction that was stopped half-way leaves some that nothing leads to.
        """
        await self._quiet()
        gone = set(episodes)
        told = await self._read(TOLD, episodes=[*episodes, *near])
        names: list[str] = []
        stale: list[str] = []
        after = 0
        while page := await self._read(_ENTITIES, after=after, limit=_PAGE):
            after += len(page)
            shown = await anyio.to_thread.run_sync(_showing, page, words)
            names += shown[0]
            stale += shown[1]
        facts = {row[0]: set(row[2]) for row in told if not words.isdisjoint(tokens(row[1] or ""))}
        again = set().union(*facts.values())
        if names:
            again.update(*(row[1] for row in await self._read(_MENTIONING, entities=names)))
            around_them = await self._read(_AROUND, entities=names)
            again.update(*(row[1] for row in around_them))
            facts |= {row[0]: set(row[1]) for row in around_them}
        return Tainted(tuple(facts), tuple(names), tuple(sorted(again - gone)), tuple(stale))

    async def only_of(self, episodes: Sequence[str], tainted: Tainted, /) -> tuple[int, int]:
        """How many facts and entities would go with *episodes* and what is *tainted*."""
        _, facts, touched = await leaving(self._unclaimed(), episodes, tainted)
        without = {"entities": sorted(touched), "episodes": list(episodes), "facts": sorted(facts)}
        alone = {row[0] for row in await self._read(_LONELY_WITHOUT, **without)}
        return len(facts), len(alone | set(tainted.entities))

    async def forget(self, episodes: Sequence[str], tainted: Tainted, /) -> Forgotten:
        """Take *episodes* out, what only they told, and what is *tainted*."""
        graph = self._graph.leased()
        await self._connection.forget_file(graph.name)
        await graph.write(_NAMELESS, {})
        return await forget(graph, self._graph.vectors, episodes, tainted, mind_id=self._graph.mind_id)

    async def set_leaning(self, leaning: Mapping[str, Vector], /) -> None:
        """Give passages other leaning vectors."""
        await self._graph.set_leaning(leaning)

    async def remains(self, episodes: Sequence[str], /, *, forms: Sequence[str]) -> int:
        """How much still stands of *episodes*, or shows one of *forms*: the whole graph is read."""
        await self._quiet()
        told, passages, facts = (
            int(rows[0][0]) if rows else 0 for rows in await counts_of(self._unclaimed(), episodes)
        )
        vectors = await anyio.to_thread.run_sync(self._graph.vectors.count_of, frozenset(episodes))
        count = told + max(passages, vectors) + facts  # a passage and its vectors are one thing
        after = 0
        while forms:
            page = await self._graph.knowledge(after=after, limit=_PAGE)
            if not page.facts and not page.entities:
                break
            shown = [fact.text for fact in page.facts]
            shown += [f"{entity.name}\n{entity.summary}" for entity in page.entities]
            count += sum(any(form in text for form in forms) for text in shown)
            after += _PAGE
        return count

    async def erase(self) -> tuple[GraphSize, int]:
        """Delete the graph and what else the server keeps of it; also where an import built it, under another name."""
        await self._quiet()
        mine = self._graph.leased()
        await self._connection.exists(self._graph.name)  # which brings it into memory, to be counted
        size, keys = GraphSize(), await self.keys()
        for graph in await self._graphs():
            found = await size_of(self._connection, graph)
            size = GraphSize(*map(sum, zip(astuple(size), astuple(found), strict=True)))
            await mine.named(graph).delete(leaves_lease=True)
            await self._purge.forget_statements(graph)
        await anyio.to_thread.run_sync(self._graph.vectors.drop)
        return size, keys

    async def keys(self) -> int:
        """How many keys of the server there are of a mind."""
        found = 0
        for graph in await self._graphs():
            if not (self._is_shared and await is_only_lease(self._connection, graph)):
                found += await self._purge.keys(graph)
        return found

    async def rewrite_files(self) -> Rewritten:
        """Have the server forget what it was asked of this graph, and write its files anew."""
        await self._quiet()
        await self._purge.forget_statements(self._graph.name)
        return await self._purge.rewrite(self._graph.name)

    def search_files(self, forms: Sequence[str], /) -> tuple[str, ...]:
        """The server's files that hold one of *forms*."""
        return self._purge.search(forms)

    def _unclaimed(self) -> LeasedGraph:
        """The graph to be read alone."""
        return LeasedGraph(self._connection, self._graph.name, claim=None)

    async def _read(self, cypher: str, **words: Any) -> Rows:  # noqa: ANN401 - what Cypher takes
        return await self._connection.read(self._graph.name, cypher, words)

    async def _quiet(self) -> None:
        """Return when no statement on the graph runs or waits: one that was given up may still be obeyed."""
        graph = self._graph.name
        for _ in range(int(_QUIET_SECONDS / _LOOK_SECONDS)):
            try:
                if graph not in await self._connection.running(beside=graph):
                    return
            except GraphFault:
                return  # a server that does not tell
            await asyncio.sleep(_LOOK_SECONDS)

    async def _graphs(self) -> tuple[str, ...]:
        """The mind's graph, and those that an import has built for it and that have not taken its name yet."""
        graph = self._graph.name
        beside = sorted(await self._connection.graphs(beside=graph))
        return (graph, *(name for name in beside if name.startswith(site_prefix(graph))))


def _showing(page: Rows, words: frozenset[str]) -> tuple[list[str], list[str]]:
    """The entities of a page that one of *words* names, and those that are only summarised in them."""
    names = [row[0] for row in page if not words.isdisjoint(tokens(row[1] or ""))]
    summaries = [row[0] for row in page if not words.isdisjoint(tokens(row[2] or ""))]
    return names, [uuid for uuid in summaries if uuid not in names]
