"""
A mind's graph read whole, and one built whole aside and then moved into the mind's place.

A site's key stands in braces where a mind's name is without: no mind's graph is called so, and a cluster keeps both on
one shard, so that the one can take the other's name. The rename is one command, and FalkorDB logs it as such.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.adapters.graph import writing
from service.adapters.graph.naming import graph_name, site_prefix
from service.adapters.graph.schema import NAME
from service.adapters.graph.vectors import printed
from service.moving.rows import GROUP, KINDS, row_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from service.adapters.graph.connection import Connection
    from service.moving.rows import Kind, Row
    from service.ports import Identity, Progress

_WITH_VECTORS, _WITHOUT = 100, 2_000  # rows a page: vectors are read on the event loop


class FalkorSites:
    """The graphs of one FalkorDB under one prefix."""

    def __init__(self, connection: Connection, *, prefix: str) -> None:
        """Bind to the server."""
        self._connection = connection
        self._prefix = prefix

    def site(self, mind_id: str, token: str, /) -> str:
        """The name of a site."""
        return f"{site_prefix(self._graph(mind_id))}{token}"

    async def pages(self, mind_id: str, /) -> AsyncIterator[tuple[Row, ...]]:
        """All rows, by internal id within each kind: what is added or taken away meanwhile moves no other."""
        graph = self._graph(mind_id)
        for name, kind in KINDS.items():
            words: dict[str, object] = {"after": -1, "limit": _WITH_VECTORS if kind.vectors else _WITHOUT}
            while found := await self._connection.read(graph, _page(name, kind), words):
                words["after"] = found[-1][0]
                yield tuple(row_of(name, row[1], (row[2], row[3]) if kind.ends else None) for row in found)

    async def identity(self, mind_id: str, /) -> Identity | None:
        """Which embedder made the vectors."""
        return await writing.identity(self._connection, self._graph(mind_id))

    async def progress(self, mind_id: str, /) -> Progress:
        """How far the graph is."""
        return await writing.progress(self._connection, self._graph(mind_id))

    async def exists(self, mind_id: str, /) -> bool:
        """Whether there is such a graph."""
        return self._graph(mind_id) in await self._connection.graphs()

    async def prepare(self, site: str, /, *, embedder: Identity) -> None:
        """Make the graph with its indexes, so that what edges join is found."""
        await writing.prepare(self._connection, site, embedder=embedder)

    async def put(self, site: str, rows: Sequence[Row], /, *, mind_id: str) -> None:
        """Add rows of one kind in one statement."""
        name, kind = rows[0].kind, KINDS[rows[0].kind]
        words = {"rows": [_words(row) for row in rows], "group": self._graph(mind_id)}
        await self._connection.write(site, _put(name, kind), words)

    async def adopt(self, site: str, mind_id: str, /) -> None:
        """Let the site take the mind's name."""
        await self._connection.rename(site, self._graph(mind_id))

    async def discard(self, site: str, /) -> None:
        """Drop a site."""
        await self._connection.delete(site)

    async def drop(self, mind_id: str, /) -> None:
        """Drop the mind's graph."""
        await self._connection.delete(self._graph(mind_id))

    def _graph(self, mind_id: str) -> str:
        return graph_name(mind_id, prefix=self._prefix)


def _page(name: str, kind: Kind) -> str:
    if kind.ends is None:
        return f"MATCH (x:{name}) WHERE ID(x) > $after RETURN ID(x), properties(x) ORDER BY ID(x) LIMIT $limit"
    return f"""
    MATCH ()-[x:{name}]->() WHERE ID(x) > $after
    WITH x ORDER BY ID(x) LIMIT $limit
    RETURN ID(x), properties(x), startNode(x).uuid, endNode(x).uuid ORDER BY ID(x)
    """


def _put(name: str, kind: Kind) -> str:
    """The statement for rows of one kind; MERGE, since a server that does not answer may have obeyed."""
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
    names = f" WITH x AS n {NAME}" if name == "Entity" else ""
    return f"UNWIND $rows AS row {made} SET x += row.plain{vectors}{group}{names}"


def _words(row: Row) -> Mapping[str, object]:
    words: dict[str, object] = {"plain": dict(row.properties)}
    words |= {
        name: None if name not in row.vectors else printed(row.vectors[name].tolist())
        for name in KINDS[row.kind].vectors
    }
    return words if row.ends is None else words | {"source": row.ends[0], "target": row.ends[1]}
