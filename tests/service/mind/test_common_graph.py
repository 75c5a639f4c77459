"""A service uses its graphs once they are known to be those of the others, and no longer than that."""

from contextlib import closing

import pytest

from consolidation.kernel.errors import GraphUnavailable
from service.adapters.memory_graph.graphs import MemoryGraphs
from service.adapters.hashing_embedder import HashingEmbedder
from service.adapters.postgres.custody import PostgresCustody
from service.adapters.postgres.database import Database
from service.mind.common_graph import CommonGraph
from service.observability.dependency_health import GRAPH, Dependencies
from service.runtime.background import Background

pytestmark = pytest.mark.anyio


@pytest.fixture
def database(database_url):
    with closing(Database(database_url)) as found:
        found.open()
        yield found


class Service:
    """One that shares the *database*, with graphs on *server*."""

    def __init__(self, database, server):
        self.recoveries = 0
        dependencies = Dependencies(monotonic=lambda: 0.0)
        dependencies.on_recovery(self._recovered)
        self.health = dependencies.get(GRAPH)
        self.custody = PostgresCustody(database)
        self.graphs = MemoryGraphs(readers=None, embedder=HashingEmbedder(), server=server)
        self.common = CommonGraph(
            self.custody, graphs=self.graphs, health=self.health, background=Background(drain_seconds=1)
        )

    def _recovered(self):
        self.recoveries += 1

    async def refusal(self):
        try:
            await self.graphs.ping()
        except GraphUnavailable as fault:
            return str(fault)
        return None


async def test_graphs_are_refused_until_they_were_compared(database):
    one = Service(database, {})
    assert "not been compared" in await one.refusal()

    await one.common.compare()

    assert (await one.refusal(), one.health.trouble) == (None, None)


async def test_graphs_that_the_others_do_not_use_are_refused_and_named(database):
    one, two = Service(database, {}), Service(database, {})
    await one.common.compare()

    await two.common.compare()

    assert "FALKORDB_URL" in await two.refusal() and "FALKORDB_URL" in two.health.trouble
    assert await one.refusal() is None
    one.custody.end()
    two.custody.renew()
    await two.common.compare()
    assert (await two.refusal(), two.health.trouble) == (None, None)


async def test_a_server_that_is_away_at_the_start_is_compared_when_it_is_back(database):
    server = {}
    one, two = Service(database, server), Service(database, {})
    one.graphs.outage = GraphUnavailable("FalkorDB does not answer")
    await one.common.compare()
    await two.common.compare()
    assert await one.refusal() == one.health.trouble == "FalkorDB does not answer"

    one.graphs.outage = None
    assert await one.refusal() is not None
    await one.common.compare()
    assert "FALKORDB_URL" in await one.refusal()
    two.custody.end()
    one.custody.renew()
    await one.common.compare()

    assert await one.refusal() is None


async def test_what_waited_for_the_graphs_is_woken_when_they_may_be_used(database):
    one = Service(database, {})

    await one.common.compare()
    await one.common.compare()

    assert one.recoveries == 1


async def test_an_outage_later_refuses_nothing_by_itself(database):
    one = Service(database, {})
    await one.common.compare()

    one.graphs.outage = GraphUnavailable("away")
    await one.common.compare()
    one.graphs.outage = None

    assert await one.refusal() is None
