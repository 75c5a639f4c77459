"""What can go wrong while a graph leaves the server's memory and comes back: kills, other versions, damaged files."""

import asyncio
import shutil
import zipfile

import pytest

from consolidation.kernel.errors import GraphFault
from service.adapters.falkordb.checkpoint_file import (
    Checkpoint,
    CheckpointUnreadable,
    read_checkpoint,
    write_checkpoint,
)
from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.graph_names import graph_name, mind_of
from service.adapters.falkordb.graphs import FalkorGraphs
from service.ports.graph import GraphSize, Progress
from tests.support.graphs import EMBEDDER, OURS, Bench, everything, save, served, tell
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio

SAID = ("Ada likes Lyon.", "Bob likes Paris.")


@pytest.fixture(scope="module")
async def server(anyio_backend, tmp_path_factory):
    folder = tmp_path_factory.mktemp("graph")
    async with served(folder) as (server, _):
        yield server


@pytest.fixture
async def connection(server):
    connection = GraphConnection(server.url)
    yield connection
    for graph in await connection.graphs():
        await connection.delete(graph)
    await connection.close()


@pytest.fixture
def opened(connection, tmp_path):
    """The graphs of a service that has just started."""

    def begin():
        return FalkorGraphs(
            connection,
            prefix="mind_",
            readers=Bench("falkordb").readers,
            embedder=EMBEDDER,
            vectors_of=lambda mind_id: tmp_path / f"{mind_id}.vectors",
            checkpoint_of=lambda mind_id: tmp_path / f"{mind_id}.checkpoint",
            settle_seconds=0.2,
        )

    return begin


@pytest.fixture
async def known(opened):
    graphs = opened()
    await tell(graphs.of("ada"), "ada", *SAID)
    return await everything(graphs.of("ada"))


@pytest.fixture
def file(tmp_path):
    return tmp_path / "ada.checkpoint"


async def settled(graphs, file):
    """Look until *file* went: the server may be behind with its disk."""
    await eventually(graphs.memory, lambda _: not file.exists())


def with_dump(file, dump):
    """Let the file hold another dump."""
    old = read_checkpoint(file)
    write_checkpoint(file, Checkpoint(dump, old.rows, old.dimension))


async def test_another_start_finds_what_was_evicted(opened, known, file):
    assert await opened().evict("ada") and file.exists()

    assert await everything(opened().of("ada")) == known


async def test_the_file_goes_once_the_server_has_the_graph_on_its_disk(opened, known, file):
    await opened().evict("ada")
    graphs = opened()
    await graphs.of("ada").size()
    assert file.exists()

    await settled(graphs, file)

    assert await everything(graphs.of("ada")) == known


async def test_a_kill_before_the_server_deleted_it_loses_nothing(opened, known, file, connection):
    dump = await connection.dump("mind_ada")
    await opened().evict("ada")
    await connection.restore("mind_ada", dump)  # as if it had never been deleted
    graphs = opened()
    await tell(graphs.of("ada"), "ada", "Cleo likes Oslo.", first=3)

    await settled(graphs, file)

    assert (await graphs.of("ada").progress()).saved == 3


async def test_a_dump_of_another_version_is_made_anew_of_its_rows(opened, known, file):
    """Facts and entities cost a model call each and come back; turns are saved again by their lane."""
    await opened().evict("ada")
    with_dump(file, b"\x07 a dump of the next version")

    graph = opened().of("ada")

    assert await everything(graph) == known
    assert await graph.progress() == Progress(saved=0, extracted=2)
    await graph.prepare(embedder=OURS)
    (hits,) = await graph.nearest(await EMBEDDER.embed([SAID[0]]), turns=5, facts=5, entities=5)
    assert hits.facts[0].similarity == pytest.approx(1) and not hits.turns


async def test_a_damaged_file_is_set_aside_and_the_graph_begins_again(opened, known, file):
    await opened().evict("ada")
    file.write_bytes(file.read_bytes()[:-100])

    graphs = opened()

    assert await graphs.of("ada").size() == GraphSize()
    assert not file.exists() and file.with_name("ada.checkpoint.damaged").exists()
    await graphs.archivable("ada").drop()
    assert not file.with_name("ada.checkpoint.damaged").exists()


async def test_whoever_asks_while_it_leaves_waits_and_finds_it(opened, known):
    graphs = opened()
    graph = graphs.of("ada")

    async def ask():
        return [(await graph.size()).facts for _ in range(30)]

    asked, *_ = await asyncio.gather(ask(), *(graphs.evict("ada") for _ in range(5)))

    assert set(asked) == {2}


async def test_what_is_written_while_it_leaves_is_kept(opened, known):
    graphs = opened()
    graph = graphs.of("ada")

    async def write():
        for sequence in range(3, 20):
            await save(graph, "ada", f"Turn {sequence}.", first=sequence)

    async def evict():
        return [await graphs.evict("ada") for _ in range(10)]

    await asyncio.gather(write(), evict())

    assert (await graph.progress()).saved == 19 and (await graph.size()).episodes == 19


async def test_a_mind_whose_folder_was_copied_is_a_mind_of_its_own(opened, known, file, connection):
    """A dump knows the name of its graph, and FalkorDB writes to that one."""
    await opened().evict("ada")
    file.with_name("bob.checkpoint").write_bytes(file.read_bytes())
    shutil.copytree(file.with_name("ada.vectors"), file.with_name("bob.vectors"))
    graphs = opened()

    bob = graphs.of("bob")
    await tell(bob, "bob", "Cleo likes Oslo.", first=3)

    assert (await bob.progress()).saved == 3 and (await bob.size()).facts == 3
    assert (await graphs.of("ada").progress()).saved == 2 and await everything(graphs.of("ada")) == known
    assert await connection.graphs() == {"mind_ada", "mind_bob"}


async def test_what_a_kill_left_of_a_graph_that_came_back_is_replaced(opened, known, connection):
    await opened().evict("ada")
    await connection.write("{mind_ada}checkpoint", "CREATE (:Half)", {})

    assert await everything(opened().of("ada")) == known
    assert await connection.graphs() == {"mind_ada"}


async def test_an_erasure_leaves_no_file_of_what_it_erased(opened, known, file):
    await opened().evict("ada")
    graphs = opened()
    episodes = (await graphs.of("ada").knowledge(after=0, limit=5)).facts[0].episodes
    erasable = graphs.erasable("ada")

    await erasable.forget(episodes, await erasable.tainted(episodes, (), words=frozenset()))

    assert not file.exists()


async def test_a_graph_that_is_embedded_anew_does_not_come_back_as_it_was(opened, known, file):
    await opened().evict("ada")
    graphs = opened()

    await graphs.of("ada").reindex(embedder=OURS, advanced=lambda _: None)

    assert not file.exists()


async def test_only_a_graph_of_ours_is_a_minds(opened, known, connection):
    await connection.write("another", "CREATE (:Thing)", {})
    await connection.write("{mind_ada}site", "CREATE (:Thing)", {})

    assert await opened().in_memory() == {"ada"}


@pytest.mark.parametrize("mind_id", ["ada", "a_b", "a-b", "a_h", "_-_", "a__h-_"])
def test_a_mind_is_known_by_the_name_of_its_graph(mind_id):
    known = mind_id.lstrip("_-") or "x"

    assert mind_of(graph_name(known, prefix="mind_"), prefix="mind_") == known
    assert mind_of(graph_name(known, prefix="mind_"), prefix="other_") is None


def test_a_file_of_another_format_is_not_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "x", "w") as parts:
        parts.writestr("checkpoint.json", '{"format": 2}')

    with pytest.raises(CheckpointUnreadable, match="format"):
        read_checkpoint(tmp_path / "x")


async def test_a_server_that_refuses_leaves_the_graph_where_it_is(opened, known, connection):
    graphs = opened()
    await connection.command("ACL", "SETUSER", "default", "-dump")
    try:
        with pytest.raises(GraphFault):
            await graphs.evict("ada")
    finally:
        await connection.command("ACL", "SETUSER", "default", "+dump")

    assert await everything(graphs.of("ada")) == known
