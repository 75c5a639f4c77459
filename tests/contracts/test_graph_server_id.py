"""What tells the graphs of one server from those of another, and how they are refused: each implementation alike."""

import asyncio

import pytest

from consolidation.kernel.errors import GraphUnavailable
from service.adapters.falkordb.connection import GraphConnection
from tests.support.graphs import OURS, everything, tell

pytestmark = pytest.mark.anyio


async def test_all_who_share_the_graphs_get_one_id(on):
    ids = await asyncio.gather(*(on.begin().server_id() for _ in range(5)))

    assert len(set(ids)) == 1


async def test_other_implementations_and_so_other_servers_have_other_ids(benches):
    ids = [await bench.graphs.server_id() for bench in benches.values()]

    assert len(set(ids)) == len(benches)


async def test_another_prefix_is_other_graphs_and_an_id_is_no_graph(on):
    if on.url is None:
        pytest.skip("graphs in memory have no prefix")
    connection = GraphConnection(on.url)
    try:
        assert await connection.server_id("mind_") != await connection.server_id("soul_")
    finally:
        await connection.close()
    assert not [name for name in await on.graphs.in_memory() if "server" in name]


async def test_refused_graphs_answer_nothing_but_their_id(on, graph, mind):
    await tell(graph, mind, "Ada likes Lyon.")
    known, server_id = await everything(graph), await on.graphs.server_id()

    on.graphs.refuse("set FALKORDB_URL")
    try:
        for asked in (graph.size, on.graphs.ping, on.graphs.memory, lambda: graph.prepare(embedder=OURS)):
            with pytest.raises(GraphUnavailable, match="set FALKORDB_URL"):
                await asked()
        assert await on.graphs.server_id() == server_id
    finally:
        on.graphs.refuse(None)

    assert await everything(graph) == known
