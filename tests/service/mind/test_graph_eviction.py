"""Which graphs leave memory: those of minds that nobody uses, the least recently used first, until there is room."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from structlog.testing import capture_logs

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import GraphForbidden, GraphUnavailable
from service.mind.graph_eviction import GraphEviction
from service.mind.mind_gate import MindGate
from service.mind.minds import Minds
from service.observability.dependency_health import Dependency
from service.ports.graph import Progress
from service.runtime.background import Background
from tests.support.graphs import OURS, save
from tests.support.read_path import graphs_in_memory

pytestmark = pytest.mark.anyio

NAMES = ("ada", "bob", "eve")


@asynccontextmanager
async def home(folder, *, room):
    """Three minds that were used one after the other, each with ten turns, where the graphs of *room* minds have room."""
    graphs, clock = graphs_in_memory(), SystemClock()
    disk = Dependency("disk", monotonic=clock.monotonic, recovered=lambda: None)
    minds = Minds(folder, clock=clock, disk=disk, gate=MindGate(), graph_of=graphs.of)
    async with Background(drain_seconds=0) as background:
        for name in NAMES:
            graph = (await minds.find_or_create(name)).graph
            await graph.prepare(embedder=OURS)
            await save(graph, name, *(f"Turn {at}." for at in range(10)))
        most_bytes = int(await graphs.memory() / len(NAMES) * room)
        yield minds, graphs, GraphEviction(graphs, minds, most_bytes=most_bytes, background=background)
    await minds.close()


async def test_the_least_used_leaves_first_and_only_until_there_is_room(tmp_path):
    async with home(tmp_path, room=2.5) as (minds, graphs, eviction):
        await minds.close_unused(idle_seconds=1e-9)

        assert await eviction.make_room() == 1

        assert await graphs.in_memory() == {"bob", "eve"}


async def test_open_minds_stay(tmp_path):
    async with home(tmp_path, room=0.001) as (minds, graphs, eviction):
        with minds.gate.enter("ada"):
            await minds.close_unused(idle_seconds=1e-9)

            await eviction.make_room()

            assert await graphs.in_memory() == {"ada"}


async def test_nothing_leaves_while_there_is_room_or_no_limit(tmp_path):
    async with home(tmp_path, room=4) as (minds, _, eviction):
        await minds.close_unused(idle_seconds=1e-9)
        assert await eviction.make_room() == 0

    async with home(tmp_path / "other", room=0) as (minds, _, eviction):
        await minds.close_unused(idle_seconds=1e-9)
        assert await eviction.make_room() == 0


async def test_what_left_is_there_at_the_next_use(tmp_path):
    async with home(tmp_path, room=0.001) as (minds, graphs, eviction):
        await minds.close_unused(idle_seconds=1e-9)
        assert await eviction.make_room() == 3

        mind = await minds.find("bob")

        assert await mind.graph.progress() == Progress(saved=10)
        assert await graphs.in_memory() == {"bob"}


@pytest.mark.parametrize(
    ("outage", "logged"), [(GraphUnavailable("away"), 0), (GraphForbidden("no permission"), 1), (OSError("full"), 1)]
)
async def test_only_what_no_dependency_logs_is_logged_here_and_once(tmp_path, monkeypatch, outage, logged):
    monkeypatch.setattr("service.mind.graph_eviction._LOOK_SECONDS", 0.001)
    asked = []
    async with home(tmp_path, room=0.001) as (_, graphs, eviction):

        async def memory():
            asked.append(1)
            raise outage

        graphs.memory = memory
        with capture_logs() as log:
            sweep = asyncio.create_task(eviction.sweep())
            while len(asked) < 5:
                await asyncio.sleep(0.001)
            sweep.cancel()

    assert [one["event"] for one in log].count("graphs.not_evicted") == logged


async def test_a_server_that_is_away_is_told(tmp_path):
    async with home(tmp_path, room=0.001) as (_, graphs, eviction):
        graphs.outage = GraphUnavailable("away")

        with pytest.raises(GraphUnavailable):
            await eviction.make_room()
