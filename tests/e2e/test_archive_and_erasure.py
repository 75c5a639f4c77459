"""A mind leaves or arrives while something of it is erased: no erased word comes in or gets out."""

import asyncio
from functools import partial
from contextlib import asynccontextmanager

import pytest

from service.adapters.hashing_embedder import HashingEmbedder
from service.adapters.memory_graph.archive import MemoryArchivableGraph
from service.adapters.memory_graph.erasure import MemoryErasableGraph
from service.adapters.memory_graph.fence import Fence
from service.adapters.memory_graph.graphs import MemoryGraphs
from service.mind.mind_gate import Paused
from tests.e2e.test_erasure import counts, erase, holding
from tests.support.archives import TALK, exported, found, imported, members, tell
from tests.support.embedded_graph import column
from tests.support.graphs_in_memory import ChangedGraphs
from tests.support.service import running, settings_of
from tests.support.waiting import until_async

pytestmark = pytest.mark.anyio


class Interrupted(ChangedGraphs):
    """Graphs in memory; once one has been read for an archive the first time, *then* is awaited."""

    def __init__(self, then):
        self.then = then

    def archivable(self, mind_id):
        interrupted = self

        class Archivable(MemoryArchivableGraph):
            async def pages(self):
                async for page in super().pages():
                    yield page
                then, interrupted.then = interrupted.then, None
                if then is not None:
                    await then()

        fence = Fence(self._graphs.reach, mind_id=mind_id, leases=None)
        return Archivable(self._graphs.reach, mind_id=mind_id, fence=fence)


def sharing(home, database_url, *, server, graphs=None):
    """A service that shares a home and the graphs on *server* with others."""
    home.mkdir()
    if graphs is None:
        graphs = partial(MemoryGraphs, server=server)
    else:
        graphs.server = server
    settings = settings_of(home, database=database_url, falkordb_url="redis://127.0.0.1:1")
    return running(home, settings=settings, graphs=graphs, embedder=HashingEmbedder())


async def test_an_export_while_a_turn_is_erased_is_refused_and_holds_none_of_it_afterwards(tmp_path):
    """Broken: the graph is copied before the turn goes, and the transcript after it."""
    erasing = []

    async def erase_meanwhile():
        erasing.append(asyncio.create_task(erase(service, "ada/turns/t1")))
        mind = await service.memory.minds.find("ada")
        await until_async(lambda: mind.transcript.positions.is_erased("t1"))

    async with running(tmp_path, graphs=Interrupted(erase_meanwhile), embedder=HashingEmbedder()) as service:
        await tell(service, talk=TALK[:3])
        refused = await service.http.get("/v1/minds/ada/export")
        receipt = await erasing[0]
        archive = await exported(service)

    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/mind-erasing")
    assert receipt["verified"] and [name for name, held in members(archive).items() if b"Perrin" in held] == []
    assert list((tmp_path / "outgoing").iterdir()) == []


async def test_a_copy_during_which_a_turn_was_erased_is_made_anew(tmp_path):
    """Broken: only an erasure that still runs is seen."""

    async def erase_meanwhile():
        assert (await erase(service, "ada/turns/t1"))["verified"]

    async with running(tmp_path, graphs=Interrupted(erase_meanwhile), embedder=HashingEmbedder()) as service:
        await tell(service, talk=TALK[:3])
        made = await service.memory.archive.exporter.export(await service.memory.minds.find("ada"))
        archive = b"".join(made.chunks())
        made.close()

    assert made.counts.turns == 2
    assert [name for name, held in members(archive).items() if b"Perrin" in held] == []
    assert list((tmp_path / "outgoing").iterdir()) == []


async def test_a_copy_during_which_another_service_erases_a_turn_is_made_anew(tmp_path, database_url):
    """Broken: the mind that is being copied was closed here meanwhile, and nobody tells it of the erasure."""

    async def erase_elsewhere():
        assert (await erase(other, "ada/turns/t1"))["verified"]

    server = {}
    async with sharing(tmp_path / "other", database_url, server=server) as other:
        await tell(other, talk=TALK[:3])
        async with sharing(tmp_path / "one", database_url, server=server, graphs=Interrupted(erase_elsewhere)) as one:
            made = await one.memory.archive.exporter.export(await one.memory.minds.find("ada"))
            archive = b"".join(made.chunks())
            made.close()

    assert made.counts.turns == 2
    assert [name for name, held in members(archive).items() if b"Perrin" in held] == []
    assert list((tmp_path / "one" / "outgoing").iterdir()) == []


async def test_an_export_is_refused_while_another_service_erases_something_of_the_mind(tmp_path, database_url):
    """Broken: the graph still holds what the transcript does not."""
    graphs, server = RewritesWhenLet(), {}
    async with sharing(tmp_path / "other", database_url, server=server, graphs=graphs) as other:
        await tell(other, talk=TALK[:3])
        async with sharing(tmp_path / "one", database_url, server=server) as one:
            erasing = asyncio.create_task(erase(other, "ada/turns/t1"))
            await until_async(lambda: other.memory.minds.gate.paused("ada") is not Paused.NOTHING)
            refused = await one.http.get("/v1/minds/ada/export")
            graphs.let.set()
            await erasing
            archive = await exported(one)

    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/mind-erasing")
    assert [name for name, held in members(archive).items() if b"Perrin" in held] == []


class RewritesWhenLet(ChangedGraphs):
    """Graphs in memory whose server rewrites its files only once it is let."""

    def __init__(self):
        self.let = asyncio.Event()

    def erasable(self, mind_id):
        let, reach = self.let, self._graphs.reach

        class Erasable(MemoryErasableGraph):
            async def rewrite_files(self):
                await let.wait()
                return await super().rewrite_files()

        return Erasable(reach, graph=self._graphs.of(mind_id), fence=Fence(reach, mind_id=mind_id, leases=None))


async def test_a_mind_does_not_come_in_while_the_one_of_its_name_is_erased(tmp_path):
    """Broken: where its folder and its graph are gone already, it comes in, and is not found."""
    graphs = RewritesWhenLet()
    async with running(tmp_path, graphs=graphs, embedder=HashingEmbedder()) as service:
        await tell(service, talk=TALK[:2])
        archive = await exported(service)
        erasing = asyncio.create_task(erase(service, "ada"))
        await until_async(lambda: not (tmp_path / "minds/ada").exists() and "ada" not in graphs.reach())
        refused = await imported(service, archive)
        graphs.let.set()
        receipt = await erasing
        taken = await imported(service, archive)
        status = await found(service)

    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/mind-erasing")
    assert receipt["verified"] and (taken.status_code, status["turns"]) == (201, 2)


@asynccontextmanager
async def before_its_graph_came(home):
    """An imported mind, bo, as it is between its folder's move and its graph's; ada, it came from, is erased."""
    async with running(home) as service:
        await tell(service)
        archive = await exported(service)
        await imported(service, archive, "bo")
        await found(service, "bo")
        await erase(service, "ada")
        workspace = service.memory.minds.workspace("bo")
        site = service.memory.graphs.archivable("bo").site("token")
        service.memory.minds.gate.set_paused("bo", Paused.ALL)  # else a sweep may fill a graph of that name meanwhile
        with service.memory.minds.gate.enter("bo"):
            await service.memory.graphs._connection.rename("mind_bo", site)
            workspace.arriving.write_text(site)
        yield service


async def test_a_turn_that_is_erased_before_its_mind_has_taken_its_graph_does_not_come_with_it(tmp_path):
    """Broken: a mind that has no graph of its name counts as one without a graph."""
    async with before_its_graph_came(tmp_path) as service:
        seen = (await service.http.delete("/v1/minds/bo/turns/t1?dry_run=true")).json()
        receipt = await erase(service, "bo/turns/t1")
        contents = await column(service, "bo", "MATCH (n:Episodic) RETURN n.content")

    assert (seen["turns"], seen["facts"]) == (1, None)
    assert receipt["verified"] and counts(receipt)["graph", "episodes"] == 1
    assert len(contents) == len(TALK) - 1 and holding(tmp_path, "Perrin") == []


async def test_a_mind_that_is_erased_before_its_graph_has_taken_its_name_leaves_nothing(tmp_path):
    async with before_its_graph_came(tmp_path) as service:
        receipt = await erase(service, "bo")
        graphs = await service.memory.graphs._connection.graphs()

    assert receipt["verified"] and counts(receipt)["graph", "episodes"] == 6
    assert graphs == frozenset()
    assert holding(tmp_path, "cello", "Perrin") == []
