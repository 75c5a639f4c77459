"""The composition root: what opening takes and gives back, what it refuses, and what it starts."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from consolidation.kernel.errors import EmbedderMismatch, GraphUnavailable, HomeLocked
from consolidation.kernel.turns import Message, Speaker, Turn
from service.adapters.hashing_embedder import HashingEmbedder
from service.adapters.memory_graph.graphs import MemoryGraphs
from service.composition.container import open_memory
from service.mind.health import LaneName
from tests.support.service import settings_of
from tests.support.waiting import until_async

pytestmark = pytest.mark.anyio

TURN = Turn("t1", "s1", (Message(Speaker.USER, "Ada met Bruno."),))
SECONDS = 60


class OtherEmbedder(HashingEmbedder):
    name = stored_name = "another"


@asynccontextmanager
async def opened(home, *, server=None, embedder=None, **more):
    """The memory on graphs in memory, which outlive it in *server*."""

    def open_graphs(*, readers, embedder):
        return MemoryGraphs(readers=readers, embedder=embedder, server=server)

    embedder = embedder or HashingEmbedder()
    async with open_memory(settings_of(home), graphs=open_graphs, embedder=embedder, **more) as memory:
        yield memory


async def until_extracted(memory, mind_id):
    mind = await memory.minds.find(mind_id)
    async with asyncio.timeout(SECONDS):
        while (await mind.graph.progress()).extracted < mind.transcript.positions.last:
            await asyncio.sleep(0.005)
    return mind


async def test_a_turn_that_is_accepted_goes_through_all_lanes(tmp_path):
    async with opened(tmp_path) as memory:
        accepted = await memory.intake.accept("ada", TURN)
        mind = await until_extracted(memory, "ada")

        assert (accepted.sequence, accepted.pending_tokens > 0) == (1, True)
        assert [mind.lag(lane) for lane in (LaneName.INDEXING, LaneName.SAVING)] == [0, 0]


async def test_a_home_that_is_open_is_refused_to_others_and_given_back_at_the_end(tmp_path):
    async with opened(tmp_path):
        with pytest.raises(HomeLocked):
            async with opened(tmp_path):
                pass

    async with opened(tmp_path) as memory:
        assert memory.minds.ids() == ()


async def test_jobs_end_before_what_they_use_is_closed(tmp_path):
    found = []

    async with opened(tmp_path) as memory:
        await memory.intake.accept("ada", TURN)

        async def job():
            await memory.background.pause(SECONDS)  # until the end begins
            found.append(await (await memory.minds.find("ada")).transcript.read(1))

        memory.background.start("job", job)
        await asyncio.sleep(0)

    assert [stored.turn.turn_id for stored in found] == ["t1"]
    assert memory.minds.opened() == ()


async def test_a_graph_of_another_embedder_is_refused_at_the_start_and_the_home_is_given_back(tmp_path):
    server = {}
    async with opened(tmp_path, server=server) as memory:
        await memory.intake.accept("ada", TURN)
        await until_extracted(memory, "ada")

    with pytest.raises(EmbedderMismatch):
        async with opened(tmp_path, server=server, embedder=OtherEmbedder()):
            pass

    async with opened(tmp_path, server=server) as memory:
        assert memory.minds.ids() == ("ada",)


async def test_a_graph_that_is_away_at_the_start_is_compared_when_it_comes_back(tmp_path):
    """Nobody knew then which embedder had made it: the register of the minds had gone, too."""
    server, made = {}, []
    async with opened(tmp_path, server=server) as memory:
        await memory.intake.accept("ada", TURN)
        await until_extracted(memory, "ada")
    for file in (tmp_path / "derived").glob("minds.sqlite3*"):
        file.unlink()

    def open_graphs(*, readers, embedder):
        made.append(MemoryGraphs(readers=readers, embedder=embedder, server=server))
        made[0].outage = GraphUnavailable("away")
        return made[0]

    async with open_memory(settings_of(tmp_path), graphs=open_graphs, embedder=OtherEmbedder()) as memory:
        await memory.intake.accept("ada", Turn("t2", "s1", (Message(Speaker.USER, "Bruno met Carla."),)))
        mind = await memory.minds.find("ada")
        saving = mind.health.lanes[LaneName.SAVING]
        await until_async(lambda: saving.waiting_for is not None)
        made[0].outage = None
        await until_async(lambda: "EmbedderMismatch" in (saving.waiting_for or ""))
        with pytest.raises(EmbedderMismatch):
            await mind.graph.nearest(await OtherEmbedder().embed_queries(["Ada"]), turns=1, facts=1, entities=1)

        assert (await mind.graph.progress()).saved == 1


async def test_for_reindexing_such_a_graph_is_opened_and_no_lane_runs(tmp_path):
    server = {}
    async with opened(tmp_path, server=server) as memory:
        await memory.intake.accept("ada", TURN)
        await until_extracted(memory, "ada")

    async with opened(tmp_path, server=server, embedder=OtherEmbedder(), is_reindexing=True) as memory:
        names = sorted(task.get_name() for task in memory.background._tasks)

    assert names == ["warm-up"]


async def test_what_a_model_call_costs_is_added_to_its_minds_account(tmp_path):
    async with opened(tmp_path) as memory:
        await memory.intake.accept("ada", TURN)
        mind = await until_extracted(memory, "ada")
        before = mind.health.usage
        memory.minds.add_usage("nobody", before)
        memory.minds.add_usage("ada", before)

        assert (mind.health.usage, memory.minds.get("nobody")) == (before + before, None)
