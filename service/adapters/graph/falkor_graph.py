"""EpisodicGraph over FalkorDB and Graphiti: the facade that the container builds; each method is one call below."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import EmbedderMismatch
from service.adapters.graph import reading, reindexing, writing
from service.adapters.graph.crowding import ease
from service.adapters.graph.naming import episode_uuid, graph_name
from service.adapters.graph.vector_index import GROWN, VectorIndexes
from service.adapters.quiet import hush_graphiti
from service.extraction.reader import TurnReader
from service.ports import Extracted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from consolidation.kernel.ports import LanguageModel, Usage
    from service.adapters.graph.connection import Connection
    from service.ports import (
        Embedder,
        Episode,
        GraphSize,
        Identity,
        Near,
        NearBy,
        Parked,
        Progress,
        StoredEntity,
        StoredFact,
        Vector,
        Vectors,
    )

_LOOK_EVERY = 40  # writes
_GRAPHITI = "service.adapters.graph.graphiti"


class FalkorGraph:
    """All minds' graphs on one FalkorDB, each under ``prefix`` and the mind's encoded id."""

    def __init__(
        self,
        connection: Connection,
        *,
        prefix: str,
        model: LanguageModel,
        embedder: Embedder,
        overrides: Callable[[str], Path],
        spent: Callable[[str, Usage], None],
        grown: int = GROWN,
    ) -> None:
        """Bind to what extraction needs; *spent* is told each turn's cost by mind; see VectorIndexes for *grown*."""
        self._connection = connection
        self._prefix = prefix
        self._model = model
        self._embedder = embedder
        self._overrides = overrides
        self._spent = spent
        self._indexes = VectorIndexes(connection, grown=grown)
        self._written: dict[str, int] = {}
        self._refused: dict[str, EmbedderMismatch] = {}

    async def ping(self) -> None:
        """Return when the server answers. Raises GraphUnavailable."""
        await self._connection.ping()

    async def minds(self) -> frozenset[str]:
        """The names of the graphs of all minds that have one."""
        return frozenset(name for name in await self._connection.graphs() if name.startswith(self._prefix))

    async def prepare(self, mind_id: str, /, *, embedder: Identity) -> Progress:
        """Make the graph ready for writing and say how far it is. Raises EmbedderMismatch."""
        graph = self._graph(mind_id)
        try:
            progress = await writing.prepare(self._connection, graph, embedder=embedder)
        except EmbedderMismatch as error:
            self._refused[graph] = error
            raise
        self._refused.pop(graph, None)
        await self._indexes.grow(graph, dimension=embedder.dimension)
        return progress

    async def progress(self, mind_id: str, /) -> Progress:
        """How far the graph is."""
        return await writing.progress(self._connection, self._graph(mind_id))

    async def identity(self, mind_id: str, /) -> Identity | None:
        """Which embedder made the vectors; None where there is no graph yet."""
        return await writing.identity(self._connection, self._graph(mind_id))

    async def reindex(self, mind_id: str, /, *, embedder: Identity, advanced: Callable[[int], None]) -> int:
        """Embed everything anew with the embedder this graph was opened with."""
        graph = self._graph(mind_id)
        await self._indexes.drop(graph)
        return await reindexing.reindex(
            self._connection, graph, embedder=self._embedder, identity=embedder, advanced=advanced
        )

    async def size(self, mind_id: str, /) -> GraphSize:
        """How much the graph holds."""
        return await reading.size(self._connection, self._graph(mind_id))

    async def save(
        self,
        mind_id: str,
        episodes: Sequence[Episode],
        /,
        *,
        own: Mapping[str, Vector],
        leaning: Mapping[str, Vector],
        cursor: int,
    ) -> None:
        """Save raw episodes and move the saved cursor, in one write."""
        graph = self._graph(mind_id)
        await writing.save(self._connection, graph, episodes, own=own, leaning=leaning, cursor=cursor)
        await self._grow(graph)

    async def begin(self, mind_id: str, episode: str, /) -> int:
        """Count one more attempt at an episode."""
        return await writing.begin(self._connection, self._graph(mind_id), episode)

    async def spare(self, mind_id: str, episode: str, /) -> None:
        """Take back the last attempt at an episode."""
        await writing.spare(self._connection, self._graph(mind_id), episode)

    async def extract(self, mind_id: str, episode: Episode, /, *, previous: Sequence[str]) -> Extracted:
        """Extract entities and facts with Graphiti."""
        hush_graphiti(dimension=self._embedder.dimension)
        graphiti = await anyio.to_thread.run_sync(import_module, _GRAPHITI)
        graph = self._graph(mind_id)
        self._check_vectors(graph)
        reader = TurnReader(self._model, overrides=self._overrides(mind_id))
        try:
            facts, entities = await graphiti.add_episode(
                await self._connection.client(),
                graph,
                episode,
                previous=previous,
                reader=reader,
                embedder=self._embedder,
                connection=self._connection,
                indexes=self._indexes,
            )
        finally:
            self._spent(mind_id, reader.usage)
        await self._grow(graph)
        await ease(self._connection, graph, facts)
        return Extracted(
            *await asyncio.gather(
                reading.facts(self._connection, graph, facts), reading.entities(self._connection, graph, entities)
            )
        )

    async def complete(self, mind_id: str, sequence: int, /) -> None:
        """Move the extracted cursor."""
        await writing.complete(self._connection, self._graph(mind_id), sequence)

    async def park(self, mind_id: str, parked: Parked, /) -> None:
        """Record a parked turn and move the cursor past it."""
        await writing.park(self._connection, self._graph(mind_id), parked)

    async def unpark(self, mind_id: str, parked: Parked, /) -> None:
        """Forget that a turn was parked."""
        uuid = episode_uuid(mind_id, parked.turn_id)
        await writing.unpark(self._connection, self._graph(mind_id), parked.sequence, uuid)

    async def near(
        self, mind_id: str, vectors: Vectors, /, *, turns: int, facts: int, entities: int
    ) -> tuple[NearBy, ...]:
        """What is near each vector, by arm. Raises EmbedderMismatch."""
        self._check_vectors(self._graph(mind_id))
        return await reading.near(self._indexes, self._graph(mind_id), vectors, limits=(turns, facts, entities))

    async def neighbours(
        self, mind_id: str, entities: Sequence[str], vector: Vectors, /, *, limit: int
    ) -> tuple[Near, ...]:
        """Facts within two steps of *entities*."""
        return await reading.neighbours(self._connection, self._graph(mind_id), entities, vector, limit=limit)

    async def facts(self, mind_id: str, uuids: Sequence[str], /) -> tuple[StoredFact, ...]:
        """These facts."""
        return await reading.facts(self._connection, self._graph(mind_id), uuids)

    async def entities(self, mind_id: str, uuids: Sequence[str], /) -> tuple[StoredEntity, ...]:
        """These entities."""
        return await reading.entities(self._connection, self._graph(mind_id), uuids)

    async def everything(self, mind_id: str, /, *, after: int, limit: int) -> Extracted:
        """A page of all facts and entities."""
        return await reading.everything(self._connection, self._graph(mind_id), after=after, limit=limit)

    async def _grow(self, graph: str) -> None:
        """Now and then, look whether an arm has grown so far that it wants an index."""
        written = self._written[graph] = self._written.get(graph, 0) + 1
        if written % _LOOK_EVERY == 0 and self._embedder.dimension:
            await self._indexes.grow(graph, dimension=self._embedder.dimension)

    def _check_vectors(self, graph: str) -> None:
        """Raise EmbedderMismatch where *graph* was found to hold another embedder's vectors: never mixed."""
        if graph in self._refused:
            raise EmbedderMismatch(str(self._refused[graph]))

    def _graph(self, mind_id: str) -> str:
        return graph_name(mind_id, prefix=self._prefix)
