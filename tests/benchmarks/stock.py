"""Stock Graphiti for comparison: its own client, its own prompts, its own driver; only the embedder is ours."""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.mind_graph import silence_graphiti
from service.adapters.falkordb.server import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from service.ports.embedder import Embedder
    from tests.benchmarks.talk import Talk

_GRAPH = "stock"
_DIMENSION = 384
_AS_STOCK = {"read_seconds": 600, "write_seconds": 600, "most": 100}  # its own connection has no limit of time


async def add_episodes(folder: Path, told: Sequence[Talk], *, base_url: str, embedder: Embedder) -> AsyncIterator[None]:
    """Add every turn with ``add_episode`` as Graphiti's quickstart does; yields after each."""
    folder.mkdir(parents=True)
    server = EmbeddedServer(folder / "graph")
    await server.start()
    try:
        await server.wait_until_ready()
        async with stock(server.url, graph=_GRAPH, embedder=embedder, base_url=base_url) as graphiti:
            for talk in told:
                await add(graphiti, talk, graph=_GRAPH)
                yield
    finally:
        await server.stop()


@asynccontextmanager
async def stock(
    url: str,
    *,
    graph: str,
    embedder: Embedder,
    base_url: str | None = None,
    answer: Callable[[str, str], dict[str, Any]] | None = None,
) -> AsyncIterator[Any]:
    """Graphiti on *graph*, its indexes made; its model is at *base_url*, or is *answer* of a shape and a prompt."""
    connection = GraphConnection(url, **_AS_STOCK)
    model = None
    try:
        model = _hosted(base_url) if answer is None else _at_once(answer)
        graphiti = _graphiti(await connection.client(), graph=graph, model=model, embedder=embedder)
        logging.getLogger("graphiti_core").setLevel(logging.CRITICAL)
        await graphiti.build_indices_and_constraints()
        yield graphiti
    finally:
        if answer is None and model is not None:
            await model.client.close()
        await connection.close()


async def add(graphiti: Any, talk: Talk, *, graph: str) -> None:
    """One turn, as the quickstart adds it."""
    await graphiti.add_episode(
        name=f"turn {talk.number}",
        episode_body=f"Nora: {talk.user}\nassistant: {talk.bot}",
        source_description="chat",
        reference_time=talk.at,
        group_id=graph,
    )


def _hosted(base_url: str | None) -> Any:
    silence_graphiti(dimension=_DIMENSION)
    from graphiti_core.llm_client.config import LLMConfig
    from graphiti_core.llm_client.openai_generic_client import OpenAIGenericClient

    return OpenAIGenericClient(LLMConfig(api_key="none", model="scripted", small_model="scripted", base_url=base_url))


def _at_once(answer: Callable[[str, str], dict[str, Any]]) -> Any:
    silence_graphiti(dimension=_DIMENSION)
    from graphiti_core.llm_client.client import LLMClient
    from graphiti_core.llm_client.config import LLMConfig

    class AtOnce(LLMClient):
        async def _generate_response(self, messages: Any, response_model: Any = None, *_: Any, **__: Any) -> Any:
            return answer(response_model.__name__, "\n".join(message.content for message in messages))

    return AtOnce(LLMConfig(model="scripted", small_model="scripted"))


def _graphiti(client: Any, *, graph: str, model: Any, embedder: Embedder) -> Any:
    from graphiti_core import Graphiti
    from graphiti_core.cross_encoder.client import CrossEncoderClient
    from graphiti_core.driver.falkordb_driver import FalkorDriver
    from graphiti_core.embedder.client import EmbedderClient

    class Vectors(EmbedderClient):
        async def create(self, input_data: Any) -> list[float]:
            text = input_data if isinstance(input_data, str) else next(iter(input_data))
            return (await self.create_batch([text]))[0]

        async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
            return (await embedder.embed(input_data_list)).tolist()

    class Unused(CrossEncoderClient):
        async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
            return [(passage, 0.0) for passage in passages]

    return Graphiti(
        graph_driver=FalkorDriver(falkor_db=client, database=graph),
        llm_client=model,
        embedder=Vectors(),
        cross_encoder=Unused(),
    )
