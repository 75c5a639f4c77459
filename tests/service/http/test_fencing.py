"""Several services on one server of graphs, through the doors: who lost a mind stops writing to it, and counts it."""

import asyncio

import pytest

from service.adapters.falkordb.graph_names import graph_name
from tests.support.embedded_graph import rows
from tests.support.service import running
from tests.support.waiting import GIVE_UP, OFTEN, eventually

pytestmark = pytest.mark.anyio

FENCED = ("mind_memory_fenced_writes_total",)


async def claim_elsewhere(service, mind_id, epoch):
    """Another service has claimed the mind, and has written to its graph."""
    connection = service.memory.graphs._connection
    await connection.write(
        graph_name(mind_id, prefix="mind_"), "MATCH (l:Lease) SET l.epoch = $epoch", {"epoch": epoch}
    )


async def test_a_service_that_lost_a_mind_keeps_its_turns_and_writes_nothing_to_its_graph(tmp_path):
    epochs = {"ada": 4}
    async with running(tmp_path, epoch_of=lambda mind_id: epochs[mind_id]) as service:
        await service.keep("ada", "My sister Bea lives in Lyon.", "Noted.")
        await service.digested("ada")
        assert (await service.figures())[FENCED] == 0
        await claim_elsewhere(service, "ada", 5)

        kept = await service.keep("ada", "My brother Carl lives in Oslo.", "Noted.")
        await eventually(service.figures, lambda figures: figures[FENCED])
        saved = (await service.status("ada"))["graph"]["saved"]
        surfaced = await service.resonate("ada", "Where does Bea live?")
        epochs["ada"] = 6
        await service.digested("ada")
        [[epoch]] = await rows(service, "ada", "MATCH (l:Lease) RETURN l.epoch")

    assert (kept.status_code, saved, epoch) == (202, 1, 6)
    assert surfaced.json()["surfaced"]


async def test_an_erase_waits_until_the_mind_is_ours_again_and_leaves_nothing(tmp_path):
    epochs = {"ada": 4}
    async with running(tmp_path, epoch_of=lambda mind_id: epochs[mind_id]) as service:
        await service.keep("ada", "My sister Bea lives in Lyon.", "Noted.")
        await service.digested("ada")
        await claim_elsewhere(service, "ada", 5)

        waits = await service.http.delete("/v1/minds/ada")
        left = await rows(service, "ada", "MATCH (n:Episodic) RETURN count(n)")
        epochs["ada"] = 6
        async with asyncio.timeout(GIVE_UP):
            while (await service.http.delete("/v1/minds/ada")).status_code != 404:
                await asyncio.sleep(OFTEN)
        nodes = await rows(service, "ada", "MATCH (n) RETURN labels(n), n.epoch")

    assert (waits.status_code, left) == (202, [[1]])
    assert waits.json()["waiting_for"].startswith("Fenced: another service has claimed this mind")
    assert nodes == [[["Lease"], 6]]
