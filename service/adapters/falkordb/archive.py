"""
A mind's graph read row by row, and a new one built at a site and then moved into the mind's place.

The move is one RENAME, which FalkorDB writes to its log as such.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.adapters.falkordb.graph_names import site_prefix
from service.adapters.falkordb.schema import NAME, index_keys, prepare
from service.adapters.falkordb.vectors import printed
from service.archive.graph_rows import GROUP, KINDS, row_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from service.adapters.falkordb.connection import GraphConnection
    from service.archive.graph_rows import Row, RowKind
    from service.ports.embedder import EmbedderIdentity

_PASSAGE = "Passage"
_WITH_VECTORS, _WITHOUT = 100, 2_000  # rows a page: vectors are read on the event loop


class FalkorArchivableGraph:
    """The graph of one mind, called *name* on the server, as export and import see it."""

    def __init__(self, connection: GraphConnection, *, name: str) -> None:
        self._connection = connection
        self._name = name

    def site(self, token: str, /) -> str:
        """Return the name of a site."""
        return f"{site_prefix(self._name)}{token}"

    async def pages(self, *, with_vectors: bool = True) -> AsyncIterator[tuple[Row, ...]]:
        """
        Yield all rows, by internal id within each kind: what is added or removed meanwhile moves no other.

        Without vectors, the passages are left out, which are little else.
        """
        for kind_name, kind in KINDS.items():
            if kind_name == _PASSAGE and not with_vectors:
                continue
            page = _page(kind_name, kind, with_vectors=with_vectors)
            words: dict[str, object] = {"after": -1, "limit": _WITH_VECTORS if kind.vectors else _WITHOUT}
            words["vectors"] = list(kind.vectors)
            while found := await self._connection.read(self._name, page, words):
                words["after"] = found[-1][0]
                yield tuple(row_of(kind_name, dict(row[1]), (row[2], row[3]) if kind.ends else None) for row in found)

    async def exists(self) -> bool:
        """Return whether the mind has a graph."""
        return await self._connection.exists(self._name)

    async def prepare_site(self, site: str, /, *, embedder: EmbedderIdentity) -> None:
        """Make the site with its indexes, so that the nodes which edges join are found."""
        await prepare(self._connection, site, embedder=embedder)
        await index_keys(self._connection, site)

    async def put(self, site: str, rows: Sequence[Row], /) -> None:
        """Add rows of one kind in one statement."""
        name, kind = rows[0].kind, KINDS[rows[0].kind]
        words = {"rows": [_words(row) for row in rows], "group": self._name}
        await self._connection.write(site, _put(name, kind), words)

    async def adopt(self, site: str, /) -> None:
        """Give the site the name of the mind's graph."""
        await self._connection.rename(site, self._name)

    async def discard(self, site: str, /) -> None:
        """Drop a site."""
        await self._connection.delete(site)

    async def drop(self) -> None:
        """Drop the mind's graph."""
        await self._connection.delete(self._name)


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
    names = f" WITH x AS n {NAME}" if name == "Entity" else ""
    return f"UNWIND $rows AS row {made} SET x += row.plain{vectors}{group}{names}"


def _words(row: Row) -> Mapping[str, object]:
    words: dict[str, object] = {"plain": dict(row.properties)}
    words |= {
        name: None if name not in row.vectors else printed(row.vectors[name].tolist())
        for name in KINDS[row.kind].vectors
    }
    return words if row.ends is None else words | {"source": row.ends[0], "target": row.ends[1]}
