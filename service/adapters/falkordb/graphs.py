"""
All minds' graphs on one FalkorDB, each under a prefix and the encoded id of its mind.

A graph that is evicted is a file in the folder of its mind, until it is asked something.
"""

from __future__ import annotations

import io
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from service.adapters.falkordb.archive import FalkorArchivableGraph, pages_of
from service.adapters.falkordb.checkpoints import SETTLE_SECONDS, GraphCheckpoints
from service.adapters.falkordb.erasure import FalkorErasableGraph
from service.adapters.falkordb.graph_names import graph_name, mind_of
from service.adapters.falkordb.leased_graph import Claim, LeasedGraph
from service.adapters.falkordb.mind_graph import FalkorMindGraph
from service.adapters.falkordb.purge import EmbeddedFiles, ServerPurge
from service.archive.graph_import import GraphImporter
from service.archive.graph_rows import encode
from service.index.mind_vectors import MindVectors

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from uuid import UUID

    from service.adapters.falkordb.checkpoint_file import Checkpoint
    from service.adapters.falkordb.connection import GraphConnection
    from service.ingest.extraction_prompts import TurnReaders
    from service.ports.embedder import Embedder
    from service.ports.graph import Leases

_SITE = "checkpoint"


class FalkorGraphs:
    """The graphs of one server; *files* are those of the embedded one, also where another is used."""

    def __init__(
        self,
        connection: GraphConnection,
        *,
        prefix: str,
        readers: TurnReaders,
        embedder: Embedder,
        vectors_of: Callable[[str], Path],
        checkpoint_of: Callable[[str], Path] | None = None,
        files: EmbeddedFiles | None = None,
        settle_seconds: float = SETTLE_SECONDS,
        leases: Leases | None = None,
    ) -> None:
        """
        *vectors_of* names the folder of a mind's vectors; *checkpoint_of* the file that holds its graph while that is
        evicted, and None evicts nothing.

        *leases* is given where several services share the server: then writes are fenced, and nothing is evicted.
        """
        self._connection = connection
        self._prefix = prefix
        self._readers = readers
        self._embedder = embedder
        self._checkpoint_of = checkpoint_of if leases is None else None
        self._leases = leases
        self._is_ours = files is not None and files.is_in_use
        self._purge = ServerPurge(connection, files=files)
        self._vectors_of = vectors_of
        self._graphs = WeakValueDictionary[str, FalkorMindGraph]()  # of the minds that are open
        self._vectors = WeakValueDictionary[str, MindVectors]()
        self._checkpoints = GraphCheckpoints(
            connection,
            file_of=self._file_of,
            rows_of=self._rows_of,
            rebuild=self._rebuild,
            settle_seconds=settle_seconds,
        )
        connection.reside(self._checkpoints)

    async def ping(self) -> None:
        """Return when the server answers. Raises GraphUnavailable."""
        await self._connection.ping()

    async def server_id(self) -> UUID:
        """Return what tells these graphs from those of another server or prefix. Raises GraphFault."""
        return await self._connection.server_id(self._prefix)

    def refuse(self, reason: str | None, /) -> None:
        """Raise GraphUnavailable with *reason* in place of asking the server, until this is called with None."""
        self._connection.refusal = reason

    async def memory(self) -> int:
        """Return how many bytes the server uses. Files of graphs that came back are deleted on the way."""
        await self._checkpoints.settle()
        return int((await self._connection.command("INFO", "memory"))["used_memory"])

    async def in_memory(self) -> frozenset[str]:
        """Return the minds whose graphs the server has."""
        minds = (mind_of(graph, prefix=self._prefix) for graph in await self._connection.graphs())
        return frozenset(mind_id for mind_id in minds if mind_id is not None)

    async def evict(self, mind_id: str, /) -> bool:
        """Move the graph of a mind into its file."""
        return await self._checkpoints.evict(graph_name(mind_id, prefix=self._prefix))

    def of(self, mind_id: str, /) -> FalkorMindGraph:
        """Return the graph of a mind."""
        graph = self._graphs.get(mind_id)
        if graph is None:
            graph = self._graphs[mind_id] = FalkorMindGraph(
                self._connection,
                mind_id=mind_id,
                name=graph_name(mind_id, prefix=self._prefix),
                vectors=self._vectors_beside(mind_id),
                readers=self._readers,
                embedder=self._embedder,
                claim=partial(self._claim_of, mind_id),
                dies_with_us=self._is_ours,
            )
        return graph

    def erasable(self, mind_id: str, /) -> FalkorErasableGraph:
        """Return the graph of a mind as erasing sees it."""
        return FalkorErasableGraph(
            self._connection, graph=self.of(mind_id), purge=self._purge, is_shared=self._is_shared
        )

    def archivable(self, mind_id: str, /) -> FalkorArchivableGraph:
        """Return the graph of a mind as export and import see it."""
        return FalkorArchivableGraph(
            self._connection,
            name=graph_name(mind_id, prefix=self._prefix),
            vectors=self._vectors_beside(mind_id),
            leased=lambda graph: LeasedGraph(self._connection, graph, claim=self._claim_of(mind_id)),
            is_shared=self._is_shared,
        )

    @property
    def _is_shared(self) -> bool:
        return self._leases is not None

    def _claim_of(self, mind_id: str) -> Claim | None:
        """Return our claim of a mind; None where minds are not leased. Raises Fenced where we have none."""
        if self._leases is None or (epoch := self._leases.epoch_of(mind_id)) is None:
            return None
        return Claim(epoch, self._leases.fenced)

    def _vectors_beside(self, mind_id: str) -> MindVectors:
        vectors = self._vectors.get(mind_id)
        if vectors is None:
            vectors = self._vectors[mind_id] = MindVectors(self._vectors_of(mind_id))
        return vectors

    def _file_of(self, graph: str) -> Path | None:
        if self._checkpoint_of is None:
            return None
        mind_id = mind_of(graph, prefix=self._prefix)
        return None if mind_id is None else self._checkpoint_of(mind_id)

    async def _rows_of(self, graph: str) -> tuple[bytes, int]:
        pages = pages_of(self._connection, graph, vectors=None)
        lines = [encode(row) async for page in pages for row in page]
        return b"".join(lines), self._embedder.dimension

    async def _rebuild(self, graph: str, checkpoint: Checkpoint) -> None:
        """Make *graph* of the rows of a checkpoint, with new vectors, and have the turns saved again."""
        mind_id = mind_of(graph, prefix=self._prefix)
        assert mind_id is not None  # noqa: S101 - else it would have no checkpoint
        importer = GraphImporter(self.archivable, embedder=self._embedder, identity=self._embedder.identity)
        site = self.archivable(mind_id).site(_SITE)
        await self._connection.delete(site)  # what a kill left
        await importer.build(
            io.BytesIO(checkpoint.rows),
            site=site,
            mind_id=mind_id,
            dimension=checkpoint.dimension,
            uuids={},
            reembeds=True,
        )
        await self._connection.command("RENAME", site, graph)
