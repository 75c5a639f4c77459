"""Stock Graphiti for comparison: its own client, its own prompts, its own driver; only the embedder is ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from service.adapters.graph.connection import Connection
from service.adapters.graph.server import EmbeddedServer
from service.adapters.quiet import hush_graphiti

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from service.ports import Embedder
    from tests.benchmarks.talk import Talk

_GRAPH = "stock"


async def add_episodes(folder: Path, told: Sequence[Talk], *, base_url: str, embedder: Embedder) -> AsyncIterator[None]:
    """Add every turn with ``add_episode`` as Graphiti's quickstart does; yields after each."""
    folder.mkdir(parents=True)
    server = EmbeddedServer(folder / "graph")
    await server.start()
    connection = Connection(server.url)
    graphiti = None
    try:
        await _until_up(connection)
        graphiti = _graphiti(await connection.client(), base_url=base_url, embedder=embedder)
        await graphiti.build_indices_and_constraints()
        for talk in told:
            await graphiti.add_episode(
                name=f"turn {talk.number}",
                episode_body=f"Nora: {talk.user}\nassistant: {talk.bot}",
                source_description="chat",
                reference_time=talk.at,
                group_id=_GRAPH,
            )
            yield
    finally:
        if graphiti is not None:
            await graphiti.llm_client.client.close()
        await connection.close()
        await server.stop()


async def _until_up(connection: Connection) -> None:
    import asyncio

    from consolidation.kernel.errors import GraphFault

    async with asyncio.timeout(30):
        while True:
            try:
                return await connection.ping()
            except GraphFault:
                await asyncio.sleep(0.1)


def _graphiti(client: Any, *, base_url: str, embedder: Embedder) -> Any:
    hush_graphiti(dimension=embedder.dimension)
    from graphiti_core import Graphiti
    from graphiti_core.cross_encoder.client import CrossEncoderClient
    from graphiti_core.driver.falkordb_driver import FalkorDriver
    from graphiti_core.embedder.client import EmbedderClient
    from graphiti_core.llm_client.config import LLMConfig
    from graphiti_core.llm_client.openai_generic_client import OpenAIGenericClient

    class Vectors(EmbedderClient):
        async def create(self, input_data: Any) -> list[float]:
            text = input_data if isinstance(input_data, str) else next(iter(input_data))
            return (await self.create_batch([text]))[0]

        async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
            return (await embedder.embed(input_data_list)).tolist()

    class Unused(CrossEncoderClient):
        async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
            return [(passage, 0.0) for passage in passages]

    config = LLMConfig(api_key="none", model="scripted", small_model="scripted", base_url=base_url)
    return Graphiti(
        graph_driver=FalkorDriver(falkor_db=client, database=_GRAPH),
        llm_client=OpenAIGenericClient(config),
        embedder=Vectors(),
        cross_encoder=Unused(),
    )
