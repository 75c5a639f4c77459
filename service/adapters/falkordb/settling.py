"""
Makes the vectors beside a mind those of its graph, after anything that may have parted them.

A graph bears a mark, and so do its vectors. Another mark means another graph: an import, one that was emptied from
outside, one of before vectors were beside the mind. Vectors that stand in the graph are moved out. What has none gets
them: facts and names are embedded here, and turns by a cursor ``saved`` that goes back to before the first of them.
A kill at any point leaves vectors that are not trusted, so that all this is done again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import anyio.to_thread

from service.adapters.falkordb.fact_limit import OLD
from service.index.mind_vectors import FACTS, NAMES, TURNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.adapters.falkordb.connection import Rows
    from service.adapters.falkordb.leased_graph import LeasedGraph
    from service.index.mind_vectors import MindVectors
    from service.ports.embedder import Embedder, EmbedderIdentity

_PAGE = 200
_DROP_INDEXES = (
    "DROP VECTOR INDEX FOR (x:Passage) ON (x.leaning)",
    "DROP VECTOR INDEX FOR ()-[x:RELATES_TO]-() ON (x.fact_embedding)",
    "DROP VECTOR INDEX FOR (x:Name) ON (x.embedding)",
)
_NO_INDEX = ("Unable to drop index",)
_FORGET = (
    "MATCH (x:Name) DELETE x",
    f"MATCH ()-[x:{OLD}]->() WHERE x.fact_embedding IS NOT NULL SET x.fact_embedding = NULL",
)


class _Kept(NamedTuple):
    """Where a graph of before keeps vectors of one kind, and how they are taken out."""

    kind: str
    read: str
    take: str


_KEPT = (
    _Kept(
        TURNS,
        "MATCH (x:Passage) WHERE x.leaning IS NOT NULL RETURN x.uuid, x.sequence, x.leaning, x.embedding LIMIT $limit",
        "MATCH (x:Passage) WHERE x.uuid IN $uuids SET x.leaning = NULL, x.embedding = NULL",
    ),
    _Kept(
        FACTS,
        "MATCH ()-[x:RELATES_TO]->() WHERE x.fact_embedding IS NOT NULL "
        "RETURN x.uuid, 0, x.fact_embedding LIMIT $limit",
        "UNWIND $uuids AS u MATCH ()-[x:RELATES_TO {uuid: u}]->() SET x.fact_embedding = NULL",
    ),
    _Kept(
        NAMES,
        "MATCH (x:Entity) WHERE x.name_embedding IS NOT NULL RETURN x.uuid, 0, x.name_embedding LIMIT $limit",
        "MATCH (x:Entity) WHERE x.uuid IN $uuids SET x.name_embedding = NULL",
    ),
)
_PASSAGES = "MATCH (p:Passage) RETURN p.uuid, p.sequence"
_GO_BACK = (
    "MATCH (c:Cursor {name: 'saved'}) WHERE c.sequence >= $sequence SET c.sequence = $sequence - 1, c.turn_id = ''"
)
_UUIDS = {FACTS: "MATCH ()-[x:RELATES_TO]->() RETURN x.uuid", NAMES: "MATCH (x:Entity) RETURN x.uuid"}
_WORDS = {
    FACTS: "UNWIND $uuids AS u MATCH ()-[x:RELATES_TO {uuid: u}]->() RETURN x.uuid, x.fact",
    NAMES: "MATCH (x:Entity) WHERE x.uuid IN $uuids RETURN x.uuid, x.name",
}


async def settle(
    graph: LeasedGraph,
    vectors: MindVectors,
    *,
    embedder: Embedder,
    identity: EmbedderIdentity,
    mark: str,
    is_doubtful: bool,
) -> None:
    """
    Make *vectors* those of *graph*, which bears *mark*.

    *is_doubtful* says that others may have written to the graph, and not to these vectors. Raises GraphUnavailable,
    IndexUnusable, EmbedderFault.
    """
    is_known = await anyio.to_thread.run_sync(lambda: vectors.mark == mark and vectors.made_by(identity))
    if is_known and not vectors.is_suspect and not is_doubtful:
        return
    if not is_known:
        await anyio.to_thread.run_sync(lambda: vectors.reset(mark, embedder=identity))
    await take_out(graph, vectors)
    for kind in (NAMES, FACTS):
        await _embed_missing(graph, vectors, kind=kind, embedder=embedder)
    await _go_back_to_missing(graph, vectors)
    if is_doubtful:
        await forget_strangers(graph, vectors)
    vectors.trust()


async def follow(
    graph: LeasedGraph, vectors: MindVectors, *, embedder: Embedder, identity: EmbedderIdentity, mark: str
) -> int:
    """
    Make *vectors* those of *graph*, which bears *mark* and which another process writes; nothing is written to it.

    Return the lowest sequence of a turn that has none, 0 where each has. Raises as ``settle``.
    """
    is_known = await anyio.to_thread.run_sync(lambda: vectors.mark == mark and vectors.made_by(identity))
    if not is_known:
        await anyio.to_thread.run_sync(lambda: vectors.reset(mark, embedder=identity))
    await forget_strangers(graph, vectors)
    for kind in (NAMES, FACTS):
        await _embed_missing(graph, vectors, kind=kind, embedder=embedder)
    vectors.trust()
    return min(await _missing_turns(graph, vectors), default=0)


async def take_out(graph: LeasedGraph, vectors: MindVectors | None) -> None:
    """Move the vectors that stand in *graph* to *vectors*; those of another dimension, or all where None, are lost."""
    await graph.change_schema(_DROP_INDEXES, harmless=_NO_INDEX)
    for statement in _FORGET:
        await graph.write(statement, {})
    for kept in _KEPT:
        while rows := await graph.read(kept.read, {"limit": _PAGE}):
            if vectors is not None:
                await anyio.to_thread.run_sync(_keep, vectors, kept.kind, rows)
            await graph.write(kept.take, {"uuids": [row[0] for row in rows]})


async def forget_strangers(graph: LeasedGraph, vectors: MindVectors) -> None:
    """Remove the vectors of what is not in *graph*; nothing may write to it meanwhile."""
    for kind, cypher in {**_UUIDS, TURNS: _PASSAGES}.items():
        there = {str(row[0]) for row in await graph.rows(cypher, "")}
        await anyio.to_thread.run_sync(_remove_others, vectors, kind, there)


def _keep(vectors: MindVectors, kind: str, rows: Rows) -> None:
    import numpy as np  # takes 80 ms, which a start does not need

    fitting = [row for row in rows if all(_fits(one, vectors.dimension) for one in row[2:])]
    made: list[tuple[str, list[Any]]] = [
        (str(row[0]), [np.asarray(one, np.float32) for one in row[2:]]) for row in fitting
    ]
    if kind != TURNS:
        vectors.put(kind, {uuid: one for uuid, [one] in made})
        return
    leaning, own = ({uuid: pair[at] for uuid, pair in made} for at in range(2))
    vectors.put_turns(own, leaning, sequences={str(row[0]): int(row[1]) for row in fitting})


def _fits(vector: Sequence[float] | None, dimension: int) -> bool:
    return vector is not None and len(vector) == dimension


def _remove_others(vectors: MindVectors, kind: str, there: set[str]) -> None:
    vectors.remove(kind, [uuid for uuid in vectors.keys(kind) if uuid not in there])


async def _embed_missing(graph: LeasedGraph, vectors: MindVectors, *, kind: str, embedder: Embedder) -> None:
    known = set(vectors.keys(kind))
    missing = [uuid for row in await graph.rows(_UUIDS[kind], "") if (uuid := str(row[0])) not in known]
    for first in range(0, len(missing), _PAGE):
        rows = await graph.read(_WORDS[kind], {"uuids": missing[first : first + _PAGE]})
        made = await embedder.embed([row[1] or " " for row in rows]) if rows else ()
        found = {str(row[0]): vector for row, vector in zip(rows, made, strict=True)}
        await anyio.to_thread.run_sync(vectors.put, kind, found)


async def _go_back_to_missing(graph: LeasedGraph, vectors: MindVectors) -> None:
    if missing := await _missing_turns(graph, vectors):
        await graph.write(_GO_BACK, {"sequence": min(missing)})


async def _missing_turns(graph: LeasedGraph, vectors: MindVectors) -> list[int]:
    """The sequences of turns that have a passage without vectors."""
    known = set(vectors.keys(TURNS))
    return [int(row[1]) for row in await graph.rows(_PASSAGES, "") if str(row[0]) not in known]
