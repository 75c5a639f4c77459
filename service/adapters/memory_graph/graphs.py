"""All minds' graphs in the memory of this process."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from consolidation.kernel.errors import GraphUnavailable
from service.adapters.memory_graph.archive import MemoryArchivableGraph
from service.adapters.memory_graph.erasure import MemoryErasableGraph
from service.adapters.memory_graph.fence import Fence
from service.adapters.memory_graph.mind_graph import MemoryMindGraph

if TYPE_CHECKING:
    from service.adapters.memory_graph.content import Content
    from service.ingest.extraction_prompts import TurnReaders
    from service.ports.embedder import Embedder
    from service.ports.graph import Leases

_ROW_BYTES = 4_000


class MemoryGraphs:
    """
    The graphs of one server that does not exist.

    *server* is what it holds, by name: give the same dict again, and a service that is started anew finds its graphs.
    While ``outage`` is set, everything that asks the server raises it.
    """

    def __init__(
        self,
        *,
        readers: TurnReaders,
        embedder: Embedder,
        server: dict[str, Content] | None = None,
        leases: Leases | None = None,
    ) -> None:
        """*leases* is given where several services share the server."""
        self.outage: GraphUnavailable | None = None
        self._server = server if server is not None else {}
        self._readers = readers
        self._embedder = embedder
        self._leases = leases
        self._graphs: dict[str, MemoryMindGraph] = {}
        self._evicted: set[str] = set()
        self._refusal: str | None = None

    def of(self, mind_id: str, /) -> MemoryMindGraph:
        """Return the graph of a mind."""
        if mind_id not in self._graphs:
            self._graphs[mind_id] = MemoryMindGraph(
                partial(self._reach_of, mind_id),
                mind_id=mind_id,
                readers=self._readers,
                embedder=self._embedder,
                fence=self._fence_of(mind_id),
            )
        return self._graphs[mind_id]

    def erasable(self, mind_id: str, /) -> MemoryErasableGraph:
        """Return the graph of a mind as erasing sees it."""
        reach = partial(self._reach_of, mind_id)
        return MemoryErasableGraph(reach, graph=self.of(mind_id), fence=self._fence_of(mind_id))

    def archivable(self, mind_id: str, /) -> MemoryArchivableGraph:
        """Return the graph of a mind as export and import see it."""
        reach = partial(self._reach_of, mind_id)
        return MemoryArchivableGraph(reach, mind_id=mind_id, fence=self._fence_of(mind_id))

    async def ping(self) -> None:
        """Return unless there is an outage."""
        self.reach()

    async def server_id(self) -> UUID:
        """Return an id of what the server holds."""
        if self.outage is not None:
            raise self.outage
        return UUID(int=id(self._server))

    def refuse(self, reason: str | None, /) -> None:
        """Raise GraphUnavailable with *reason* from now on, as in an outage; None ends that."""
        self._refusal = reason

    async def memory(self) -> int:
        """Return a guess."""
        held = (content for name, content in self.reach().items() if name not in self._evicted)
        return sum(_ROW_BYTES * len(rows) for content in held for rows in content.rows.values())

    async def in_memory(self) -> frozenset[str]:
        """Return the minds whose graphs are not evicted."""
        return frozenset(name for name in self.reach() if not name.startswith("{")) - self._evicted

    async def evict(self, mind_id: str, /) -> bool:
        """Say that the graph of a mind is not in memory, until somebody asks it."""
        if self._leases is not None or mind_id not in self.reach():
            return False
        self._evicted.add(mind_id)
        return True

    def _fence_of(self, mind_id: str) -> Fence:
        return Fence(partial(self._reach_of, mind_id), mind_id=mind_id, leases=self._leases)

    def _reach_of(self, mind_id: str) -> dict[str, Content]:
        self._evicted.discard(mind_id)
        return self.reach()

    def reach(self) -> dict[str, Content]:
        """Return what the server holds, by the name of a graph or a site. Raises GraphUnavailable."""
        if self.outage is not None:
            raise self.outage
        if self._refusal is not None:
            raise GraphUnavailable(self._refusal)
        return self._server
