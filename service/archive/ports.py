"""What export, import and rebuild need from a mind's graph: read all rows, build another graph, and swap the two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from service.archive.graph_rows import Row
    from service.ports.embedder import EmbedderIdentity


class ArchivableGraph(Protocol):
    """
    The graph of one mind, and sites where a new graph is built for it. Every method may raise GraphUnavailable.

    A site has a name. Nobody reads it before it replaces the mind's graph. Every write may be repeated.
    """

    def site(self, token: str, /) -> str:
        """Return the name of this mind's site for *token*."""
        ...

    def pages(self) -> AsyncIterator[tuple[Row, ...]]:
        """Yield all rows of the graph, kind by kind in the order of KINDS; none if the mind has no graph."""
        ...

    async def exists(self) -> bool:
        """Return whether the mind has a graph."""
        ...

    async def prepare_site(self, site: str, /, *, embedder: EmbedderIdentity) -> None:
        """Create an empty graph in *site*."""
        ...

    async def put(self, site: str, rows: Sequence[Row], /) -> None:
        """Add rows, all of one kind, to the graph in *site*. Edges come after the nodes that they join."""
        ...

    async def adopt(self, site: str, /) -> None:
        """Replace this mind's graph by the one in *site*. Without such a site, nothing happens."""
        ...

    async def discard(self, site: str, /) -> None:
        """Delete a site."""
        ...

    async def drop(self) -> None:
        """Delete the mind's graph."""
        ...
