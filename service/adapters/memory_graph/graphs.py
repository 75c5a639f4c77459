"""All minds' graphs in the memory of this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.adapters.memory_graph.archive import MemoryArchivableGraph
from service.adapters.memory_graph.erasure import MemoryErasableGraph
from service.adapters.memory_graph.mind_graph import MemoryMindGraph

if TYPE_CHECKING:
    from consolidation.kernel.errors import GraphUnavailable
    from service.adapters.memory_graph.content import Content
    from service.ingest.extraction_prompts import TurnReaders
    from service.ports.embedder import Embedder


class MemoryGraphs:
    """
    The graphs of one server that does not exist.

    *server* is what it holds, by name: give the same dict again, and a service that is started anew finds its graphs.
    While ``outage`` is set, everything that asks the server raises it.
    """

    def __init__(self, *, readers: TurnReaders, embedder: Embedder, server: dict[str, Content] | None = None) -> None:
        self.outage: GraphUnavailable | None = None
        self._server = server if server is not None else {}
        self._readers = readers
        self._embedder = embedder
        self._graphs: dict[str, MemoryMindGraph] = {}

    def of(self, mind_id: str, /) -> MemoryMindGraph:
        """Return the graph of a mind."""
        if mind_id not in self._graphs:
            self._graphs[mind_id] = MemoryMindGraph(
                self.reach, mind_id=mind_id, readers=self._readers, embedder=self._embedder
            )
        return self._graphs[mind_id]

    def erasable(self, mind_id: str, /) -> MemoryErasableGraph:
        """Return the graph of a mind as erasing sees it."""
        return MemoryErasableGraph(self.reach, graph=self.of(mind_id))

    def archivable(self, mind_id: str, /) -> MemoryArchivableGraph:
        """Return the graph of a mind as export and import see it."""
        return MemoryArchivableGraph(self.reach, mind_id=mind_id)

    async def ping(self) -> None:
        """Return unless there is an outage."""
        self.reach()

    def reach(self) -> dict[str, Content]:
        """Return what the server holds, by the name of a graph or a site. Raises GraphUnavailable."""
        if self.outage is not None:
            raise self.outage
        return self._server
