"""Opens the graphs of all minds: FalkorDB's, embedded in the home or on the configured server, or those of a caller."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Protocol

from consolidation.kernel.errors import GraphUnavailable
from consolidation.workspace import has_minds, workspace_of
from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.graphs import FalkorGraphs
from service.adapters.falkordb.purge import EmbeddedFiles
from service.adapters.falkordb.server import EmbeddedServer
from service.ports.graph import Graphs

if TYPE_CHECKING:
    from contextlib import AsyncExitStack

    from service.adapters.circuit_breaker import CircuitBreaker
    from service.archive.ports import ArchivableGraph
    from service.erasure.ports import ErasableGraph
    from service.ingest.extraction_prompts import TurnReaders
    from service.ports.embedder import Embedder
    from service.ports.graph import Leases
    from service.settings.settings import Settings

_LOADING_SECONDS = 1.0  # that a start waits for a graph it has to look at; a large one loads beside everything else


class GraphServer(Graphs, Protocol):
    """The graphs of all minds, as the service uses them: it remembers in them, erases from them, and moves them."""

    def erasable(self, mind_id: str, /) -> ErasableGraph:
        """Return the graph of a mind as erasing sees it."""
        ...

    def archivable(self, mind_id: str, /) -> ArchivableGraph:
        """Return the graph of a mind as export and import see it."""
        ...


class OpenGraphs(Protocol):
    """Opens graphs that extract with *readers* and *embedder*."""

    def __call__(self, *, readers: TurnReaders, embedder: Embedder) -> GraphServer: ...


async def start_embedded_server(settings: Settings, stack: AsyncExitStack) -> EmbeddedServer:
    """
    Start the embedded server in the home; *stack* stops it.

    A home that has minds already gives it a moment to load. One that ends meanwhile is started again by its ``watch``.
    Raises HomeLocked, ConfigurationFault.
    """
    server = EmbeddedServer(settings.folder / "graph")
    await server.start()
    stack.push_async_callback(server.stop)
    if has_minds(settings.folder):
        with suppress(TimeoutError, GraphUnavailable):
            async with asyncio.timeout(_LOADING_SECONDS):
                await server.wait_until_ready()
    return server


def falkordb(
    settings: Settings,
    stack: AsyncExitStack,
    *,
    embedded_url: str | None,
    breaker: CircuitBreaker,
    leases: Leases | None,
) -> OpenGraphs:
    """
    What opens FalkorDB's graphs, on the embedded server or else on the configured one. Raises ConfigurationFault.

    *leases* is given where several services share the configured one.
    """
    if embedded_url is not None:
        url = embedded_url
    else:
        assert settings.falkordb_url is not None  # noqa: S101 - else there would be a server of ours
        url = settings.falkordb_url.get_secret_value()
    knobs = settings.graph
    connection = GraphConnection(
        url, read_seconds=knobs.read_seconds, write_seconds=knobs.write_seconds, breaker=breaker
    )
    stack.push_async_callback(connection.close)
    return partial(
        FalkorGraphs,
        connection,
        prefix=settings.graph_prefix,
        vectors_of=lambda mind_id: workspace_of(settings.folder, mind_id).vectors,
        checkpoint_of=lambda mind_id: workspace_of(settings.folder, mind_id).graph_checkpoint,
        files=EmbeddedFiles(settings.folder / "graph", is_in_use=embedded_url is not None),
        leases=leases,
    )
