"""All minds' graphs on one FalkorDB, each under a prefix and the encoded id of its mind."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from service.adapters.falkordb.archive import FalkorArchivableGraph
from service.adapters.falkordb.erasure import FalkorErasableGraph
from service.adapters.falkordb.graph_names import graph_name
from service.adapters.falkordb.mind_graph import FalkorMindGraph
from service.adapters.falkordb.purge import ServerPurge
from service.adapters.falkordb.vector_index import GROWN, VectorIndexes

if TYPE_CHECKING:
    from pathlib import Path

    from service.adapters.falkordb.connection import GraphConnection
    from service.ingest.extraction_prompts import TurnReaders
    from service.ports.embedder import Embedder


class FalkorGraphs:
    """The graphs of one server; *folder* holds its files where it is ours, *grown* is for VectorIndexes."""

    def __init__(
        self,
        connection: GraphConnection,
        *,
        prefix: str,
        readers: TurnReaders,
        embedder: Embedder,
        folder: Path | None = None,
        grown: int = GROWN,
    ) -> None:
        self._connection = connection
        self._prefix = prefix
        self._readers = readers
        self._embedder = embedder
        self._purge = ServerPurge(connection, folder=folder)
        self._indexes = VectorIndexes(connection, grown=grown)
        self._graphs = WeakValueDictionary[str, FalkorMindGraph]()  # of the minds that are open

    async def ping(self) -> None:
        """Return when the server answers. Raises GraphUnavailable."""
        await self._connection.ping()

    def of(self, mind_id: str, /) -> FalkorMindGraph:
        """Return the graph of a mind."""
        graph = self._graphs.get(mind_id)
        if graph is None:
            graph = self._graphs[mind_id] = FalkorMindGraph(
                self._connection,
                mind_id=mind_id,
                name=graph_name(mind_id, prefix=self._prefix),
                indexes=self._indexes,
                readers=self._readers,
                embedder=self._embedder,
            )
        return graph

    def erasable(self, mind_id: str, /) -> FalkorErasableGraph:
        """Return the graph of a mind as erasing sees it."""
        return FalkorErasableGraph(self._connection, graph=self.of(mind_id), purge=self._purge)

    def archivable(self, mind_id: str, /) -> FalkorArchivableGraph:
        """Return the graph of a mind as export and import see it."""
        return FalkorArchivableGraph(self._connection, name=self.of(mind_id).name)
