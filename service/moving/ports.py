"""What moving a mind needs of the graph's server: all rows out, all rows in beside, then into the mind's place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from service.moving.rows import Row
    from service.ports import Identity, Progress


class GraphSites(Protocol):
    """
    The graphs of all minds, and sites where new ones are built aside. Every method may raise GraphUnavailable.

    A site is no mind's graph: nobody reads it before it is taken over.
    """

    def site(self, mind_id: str, token: str, /) -> str:
        """The name of the site where *mind_id* is built by whoever holds *token*."""
        ...

    def pages(self, mind_id: str, /) -> AsyncIterator[tuple[Row, ...]]:
        """All rows of a mind's graph, kind by kind in the order of KINDS; none where it has no graph."""
        ...

    async def identity(self, mind_id: str, /) -> Identity | None:
        """Which embedder made the vectors of a mind's graph; None where it has no graph."""
        ...

    async def progress(self, mind_id: str, /) -> Progress:
        """How far a mind's graph is."""
        ...

    async def exists(self, mind_id: str, /) -> bool:
        """Whether a graph stands in the mind's place."""
        ...

    async def prepare(self, site: str, /, *, embedder: Identity) -> None:
        """Begin a graph at *site*."""
        ...

    async def put(self, site: str, rows: Sequence[Row], /, *, mind_id: str) -> None:
        """Add rows, all of one kind, to the graph at *site* that is to be *mind_id*'s; edges after what they join."""
        ...

    async def adopt(self, site: str, mind_id: str, /) -> None:
        """Make the graph at *site* the mind's, whatever stood there; again is harmless."""
        ...

    async def discard(self, site: str, /) -> None:
        """Drop a site; again is harmless."""
        ...

    async def drop(self, mind_id: str, /) -> None:
        """Drop the mind's graph; again is harmless."""
        ...
