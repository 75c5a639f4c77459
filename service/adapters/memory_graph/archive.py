"""What export and import do with a graph in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from service.adapters.memory_graph.content import Content
from service.archive.graph_rows import KINDS
from service.ports.embedder import check_embedder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from service.adapters.memory_graph.fence import Fence
    from service.archive.graph_rows import Row
    from service.ports.embedder import EmbedderIdentity

_PAGE_ROWS = 500


class MemoryArchivableGraph:
    """The graph of one mind as export and import see it."""

    def __init__(self, reach: Callable[[], dict[str, Content]], *, mind_id: str, fence: Fence) -> None:
        self._fence = fence
        self._reach = reach
        self._mind_id = mind_id

    def site(self, token: str, /) -> str:
        """Return the name of a site."""
        return f"{site_prefix(self._mind_id)}{token}"

    async def pages(self) -> AsyncIterator[tuple[Row, ...]]:
        """Yield all rows, kind by kind."""
        for kind in KINDS:
            rows = tuple(self._reach().get(self._mind_id, Content()).all(kind))
            for start in range(0, len(rows), _PAGE_ROWS):
                yield rows[start : start + _PAGE_ROWS]

    async def exists(self) -> bool:
        """Return whether the mind has a graph."""
        content = self._reach().get(self._mind_id)
        return content is not None and not (self._fence.is_shared and content.is_only_lease)

    async def prepare_site(self, site: str, /, *, embedder: EmbedderIdentity) -> None:
        """Begin a graph at a site. Raises EmbedderMismatch."""
        self._fence.enter(site, epoch=self._fence.epoch())
        content = self._reach().setdefault(site, Content())
        content.identity = content.identity or embedder
        check_embedder(content.identity, configured=embedder)

    async def put(self, site: str, rows: Sequence[Row], /) -> None:
        """Add rows; an edge whose ends are not there is left out."""
        self._fence.enter(site, epoch=self._fence.epoch())
        content = self._reach().setdefault(site, Content())
        for row in rows:
            ends = zip(KINDS[row.kind].ends or (), row.ends or (), strict=True)
            if all(uuid in content.rows[label] for label, uuid in ends):
                known = content.rows[row.kind].get(row.key)
                properties = {**known.properties, **row.properties} if known is not None else row.properties
                content.put(replace(row, properties=dict(properties)))

    async def adopt(self, site: str, /) -> None:
        """Put a site in the place of the mind's graph."""
        server, epoch = self._reach(), self._fence.epoch()
        if site in server:
            self._fence.enter(self._mind_id, epoch=epoch)
            server[self._mind_id] = server.pop(site)
            self._fence.enter(self._mind_id, epoch=epoch)

    async def discard(self, site: str, /) -> None:
        """Drop a site."""
        self._drop(site)

    async def drop(self) -> None:
        """Drop the mind's graph."""
        self._drop(self._mind_id)

    def _drop(self, name: str) -> None:
        epoch = self._fence.epoch()
        if name in self._reach():
            self._fence.enter(name, epoch=epoch)
            del self._reach()[name]


def site_prefix(mind_id: str) -> str:
    """Return how the sites of a mind begin; no mind's id has a brace."""
    return f"{{{mind_id}}}"
