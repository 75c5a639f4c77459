"""
A mind's graph read row by row, and a new one built at a site and then moved into the mind's place.

What is read has its vectors from beside the mind. What is built has them in the graph, since a site has nothing beside
it; they are moved out when the graph is prepared (`settling.py`).

The move is one RENAME, which FalkorDB writes to its log as such.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio.to_thread

from service.adapters.falkordb.graph_names import site_prefix
from service.adapters.falkordb.leased_graph import LeasedGraph, is_only_lease
from service.adapters.falkordb.schema import index_keys, prepare
from service.adapters.falkordb.vectors import printed
from service.archive.graph_rows import GROUP, KINDS, row_of
from service.index.mind_vectors import FACTS, LEANING, NAMES, OWN, TURNS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from service.adapters.falkordb.connection import GraphConnection
    from service.archive.graph_rows import Row, RowKind
    from service.index.mind_vectors import MindVectors
    from service.ports.embedder import EmbedderIdentity

_PASSAGE = "Passage"
_WITH_VECTORS, _WITHOUT = 200, 2_000  # rows a page
# Where the vectors of a kind of row are, and in which place each.
_BESIDE = {
    _PASSAGE: (TURNS, {"embedding": OWN, "leaning": LEANING}),
    "RELATES_TO": (FACTS, {"fact_embedding": 0}),
    "Entity": (NAMES, {"name_embedding": 0}),
}


class FalkorArchivableGraph:
    """The graph of one mind, called *name* on the server, as export and import see it."""

    def __init__(
        self,
        connection: GraphConnection,
        *,
        name: str,
        vectors: MindVectors | None,
        leased: Callable[[str], LeasedGraph],
        is_shared: bool,
    ) -> None:
        """
        *vectors* are those of the graph; None reads it without. *leased* returns a graph of the mind under our claim.

        *is_shared* says that minds are leased.
        """
        self._connection = connection
        self._name = name
        self._vectors = vectors
        self._leased = leased
        self._is_shared = is_shared

    def site(self, token: str, /) -> str:
        """Return the name of a site."""
        return f"{site_prefix(self._name)}{token}"

    def pages(self) -> AsyncIterator[tuple[Row, ...]]:
        """Yield all rows."""
        return pages_of(self._connection, self._name, vectors=self._vectors)

    async def exists(self) -> bool:
        """Return whether the mind has a graph."""
        is_there = await self._connection.exists(self._name)
        return is_there and not (self._is_shared and await is_only_lease(self._connection, self._name))

    async def prepare_site(self, site: str, /, *, embedder: EmbedderIdentity) -> None:
        """Make the site with its indexes, so that the nodes which edges join are found."""
        graph = self._unleased(site)
        await prepare(graph, embedder=embedder)
        await index_keys(graph)

    async def put(self, site: str, rows: Sequence[Row], /) -> None:
        """Add rows of one kind in one statement."""
        name, kind = rows[0].kind, KINDS[rows[0].kind]
        words = {"rows": [_words(row) for row in rows], "group": self._name}
        await self._unleased(site).write(_put(name, kind), words)

    async def adopt(self, site: str, /) -> None:
        """Give the site the name of the mind's graph."""
        await self._leased(site).replace(self._name)

    async def discard(self, site: str, /) -> None:
        """Drop a site."""
        await self._unleased(site).delete()

    async def drop(self) -> None:
        """Drop the mind's graph, and its vectors."""
        await self._leased(self._name).delete()
        if self._vectors is not None:
            await anyio.to_thread.run_sync(self._vectors.drop)

    def _unleased(self, site: str) -> LeasedGraph:
        """A site under no claim: nobody else knows it, and the mind that it is built for may not be there yet."""
        return LeasedGraph(self._connection, site, claim=None)


async def pages_of(
    connection: GraphConnection, graph: str, *, vectors: MindVectors | None
) -> AsyncIterator[tuple[Row, ...]]:
    """
    Yield all rows of a graph, ordered by internal id within each kind, so that a row that comes or goes meanwhile does
    not shift the others.

    Without *vectors*, the passages are left out, which are little else.
    """
    with_vectors = vectors is not None
    for kind_name, kind in KINDS.items():
        if kind_name == _PASSAGE and not with_vectors:
            continue
        page = _page(kind_name, kind, with_vectors=with_vectors)
        words: dict[str, object] = {"after": -1, "limit": _WITH_VECTORS if kind.vectors else _WITHOUT}
        words["vectors"] = list(kind.vectors)
        while found := await connection.read(graph, page, words):
            words["after"] = found[-1][0]
            stored = [(dict(row[1]), (row[2], row[3]) if kind.ends else None) for row in found]
            if vectors is not None and kind_name in _BESIDE:
                await anyio.to_thread.run_sync(_add_vectors, vectors, kind_name, [one for one, _ in stored])
            yield tuple(row_of(kind_name, one, ends) for one, ends in stored)


def _add_vectors(vectors: MindVectors, kind: str, rows: Sequence[dict[str, Any]]) -> None:
    """Add to rows what is stored of them beside the mind; what stands in the graph still, stays."""
    beside, places = _BESIDE[kind]
    found = vectors.vectors_of(beside, [str(row["uuid"]) for row in rows])
    for row in rows:
        if (stored := found.get(str(row["uuid"]))) is not None:
            row.update({name: stored[at] for name, at in places.items() if row.get(name) is None})


def _page(name: str, kind: RowKind, *, with_vectors: bool) -> str:
    properties = "properties(x)" if with_vectors else "[k IN keys(x) WHERE NOT k IN $vectors | [k, x[k]]]"
    if kind.ends is None:
        return f"MATCH (x:{name}) WHERE ID(x) > $after RETURN ID(x), {properties} ORDER BY ID(x) LIMIT $limit"
    return f"""
    MATCH ()-[x:{name}]->() WHERE ID(x) > $after
    WITH x ORDER BY ID(x) LIMIT $limit
    RETURN ID(x), {properties}, startNode(x).uuid, endNode(x).uuid ORDER BY ID(x)
    """


def _put(name: str, kind: RowKind) -> str:
    """Return the statement that adds rows of one kind; by MERGE, since a server that did not answer may have obeyed."""
    if kind.ends is None:
        made = f"MERGE (x:{name} {{{kind.key}: row.plain.{kind.key}}})"
    else:
        start, end = kind.ends
        made = f"""
        MATCH (a:{start} {{uuid: row.source}}) MATCH (b:{end} {{uuid: row.target}})
        MERGE (a)-[x:{name} {{uuid: row.plain.uuid}}]->(b)
        """
    vectors = "".join(f", x.{vector} = vecf32(row.{vector})" for vector in kind.vectors)
    group = f", x.{GROUP} = $group" if kind.is_grouped else ""
    return f"UNWIND $rows AS row {made} SET x += row.plain{vectors}{group}"


def _words(row: Row) -> Mapping[str, object]:
    words: dict[str, object] = {"plain": dict(row.properties)}
    words |= {
        name: None if name not in row.vectors else printed(row.vectors[name].tolist())
        for name in KINDS[row.kind].vectors
    }
    return words if row.ends is None else words | {"source": row.ends[0], "target": row.ends[1]}
