"""What is derived of turns can be lost, by a kill, by an empty server or on purpose, and is there again."""

import asyncio
import threading

import anyio.to_thread
import pytest

from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.graph_names import graph_name
from service.adapters.falkordb.leased_graph import LeasedGraph
from service.adapters.falkordb.archive import FalkorArchivableGraph
from service.adapters.falkordb.server import EmbeddedServer
from tests.support.archives import TALK, exported, found, is_found, tell
from tests.support.embedded_graph import column, frozen_graph, rows
from tests.support.scripted_models import Brain, hosted, provider_of, turns_read
from tests.support.service import running
from tests.support.service_process import serving
from tests.support.waiting import GIVE_UP, until
from tests.twins.provider import Hangs

pytestmark = pytest.mark.anyio


async def client_of(service):
    return (await service.memory.graphs._connection.client()).connection


async def facts_of(service, mind_id="ada"):
    return sorted(await column(service, mind_id, "MATCH ()-[e:RELATES_TO]->() RETURN e.fact"))


NEW = ("Dora", "Emil", "Fritz", "Gerda", "Hans")
LOSSES = {
    "GRAPH.DELETE": lambda client: client.execute_command("GRAPH.DELETE", "mind_ada"),
    "FLUSHALL": lambda client: client.execute_command("FLUSHALL"),
}


@pytest.mark.parametrize("loss", LOSSES)
async def test_a_graph_that_is_lost_from_outside_fills_again_by_itself(tmp_path, loss):
    async with running(tmp_path) as service:
        before = await tell(service)
        facts = await facts_of(service)
        await LOSSES[loss](await client_of(service))
        after = await service.until("ada", lambda s: is_found(s) and s["graph"] == before["graph"])
        again = await facts_of(service)
        sentinel = await rows(service, "ada", "MATCH (s:Sentinel) RETURN s.name")
        found = await service.http.get("/v1/minds/ada/remember", params={"query": "Carla", "kinds": "fact"})

    assert (after["text"], again) == (before["text"], facts)
    assert sentinel == [["first"]]
    texts = [one["text"] for one in found.json()["memories"]]
    assert len(texts) == len(set(texts)) > 0


async def test_a_service_that_finds_an_empty_graph_at_its_start_fills_it(tmp_path):
    async with running(tmp_path) as service:
        before = await tell(service)
        await (await client_of(service)).execute_command("FLUSHALL")
    async with running(tmp_path) as service:
        after = await service.until("ada", lambda s: is_found(s) and s["graph"] == before["graph"])

    assert after["text"] == before["text"]


async def test_a_rebuild_begins_from_nothing_and_takes_turns_meanwhile(tmp_path):
    with provider_of(Brain()) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            await tell(service)
            facts = await facts_of(service)
            await service.memory.graphs._connection.write(
                "mind_ada", "CREATE (:Entity {uuid: 'x', name: 'Litter'})", {}
            )
            asked = len(turns_read(provider))
            answer = await service.http.post("/v1/minds/ada/rebuild")
            kept = await asyncio.gather(*(service.keep("ada", f"Ada met {name}.", turn_id=name) for name in NEW))
            status = await found(service)
            names = await column(service, "ada", "MATCH (n:Entity) RETURN n.name")
            again = await facts_of(service)

    assert (answer.status_code, answer.json()) == (202, {"mind_id": "ada", "turns": len(TALK)})
    assert {one.status_code for one in kept} == {202}
    assert again == sorted([*facts, *(f"Ada met {name}." for name in NEW)])
    assert "Litter" not in names
    assert len(names) == len(set(names))
    assert len(turns_read(provider)) == asked + len(TALK) + len(NEW)
    assert status["graph"]["episodes"] == len(TALK) + len(NEW)
    assert not (tmp_path / "minds/ada/.rebuilding").exists()


async def test_a_rebuild_gives_up_what_hangs_and_reads_it_again(tmp_path):
    brain = Brain(extraction=Hangs())
    with provider_of(brain) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            await service.keep("ada", "Ada met Bruno in Lyon.")
            await service.until("ada", lambda _: provider.chats)
            brain.rules["extraction"] = Brain().rules["extraction"]
            answer = await service.http.post("/v1/minds/ada/rebuild")
            provider._over.set()
            await found(service)
            facts = await facts_of(service)

    assert (answer.status_code, facts) == (202, ["Ada met Bruno in Lyon."])


async def test_a_rebuild_lets_no_thread_of_a_lane_write_into_the_full_text_that_it_makes_anew(tmp_path):
    """Broken: a thread that the rebuild gave up wrote on into the new full text, and turns were missing in it."""
    reached, goes_on = threading.Event(), threading.Event()
    turns = [
        {"turn_id": f"t{at}", "session_id": f"s{at}", "messages": [{"role": "user", "content": f"Room {at}."}]}
        for at in range(70)
    ]
    async with running(tmp_path) as service:
        await service.keep("ada", "Ada met Bruno.")
        [mind] = service.memory.minds.opened()
        add = mind.text.add_turns

        def held(found, *, cursor):
            if cursor > 64:
                reached.set()
                goes_on.wait(GIVE_UP)
            add(found, cursor=cursor)

        mind.text.add_turns = held
        await service.http.post("/v1/minds/ada/turns/batch", json={"turns": turns})
        assert await anyio.to_thread.run_sync(reached.wait, GIVE_UP)
        rebuilding = asyncio.ensure_future(service.http.post("/v1/minds/ada/rebuild"))
        await asyncio.wait({rebuilding}, timeout=1)
        goes_on.set()
        answer = await rebuilding
        await service.until("ada", lambda status: status["text"]["sequence"] == 71)
        known = await anyio.to_thread.run_sync(lambda: mind.text.episodes_until(71, limit=100))

    assert answer.status_code == 202
    assert [sequence for sequence, _ in known] == list(range(71, 0, -1))


async def test_a_damaged_text_index_is_built_again_too(tmp_path):
    async with running(tmp_path) as service:
        before = await tell(service)
        [mind] = service.memory.minds.opened()
        await anyio.to_thread.run_sync(mind.text.clear_knowledge)
        await service.http.post("/v1/minds/ada/rebuild")
        await found(service)
        said = await service.http.get("/v1/minds/ada/remember", params={"query": "Carla", "kinds": "fact"})

    assert len(said.json()["memories"]) > 1
    assert before["graph"]["facts"]


async def test_a_mind_that_is_not_there_and_a_graph_that_is_away(tmp_path):
    async with running(tmp_path) as service:
        nobody = await service.http.post("/v1/minds/nobody/rebuild")
        await service.keep("ada", "Ada met Bruno in Lyon.")
        await found(service)
        with frozen_graph():
            away = await service.http.post("/v1/minds/ada/rebuild")
            kept = await service.keep("ada", "Carla, too.")
        await found(service)
        again = await service.http.post("/v1/minds/ada/rebuild")
        status = await found(service)

    assert (nobody.status_code, away.status_code, kept.status_code, again.status_code) == (404, 503, 202, 202)
    assert (status["graph"]["episodes"], status["graph"]["parked"]) == (2, [])


STEPS = {"DYING_BEFORE": "nothing is dropped", "DYING_AMID": "the graph is dropped"}


@pytest.mark.parametrize("step", STEPS, ids=STEPS.values())
async def test_a_rebuild_that_is_killed_is_begun_again_at_the_next_start(tmp_path, step):
    async with running(tmp_path) as service:
        before = await tell(service)
        await service.memory.graphs._connection.write("mind_ada", "CREATE (:Entity {uuid: 'x', name: 'Litter'})", {})

    def killed():
        with serving(tmp_path, factory="tests.support.dying_service:create_app", **{step: "rebuild"}) as served:
            with pytest.raises(Exception):  # noqa: B017 - whatever httpx2 says of an answer that never comes
                served.http.post("/v1/minds/ada/rebuild")
            return served.process.wait(GIVE_UP)

    assert await anyio.to_thread.run_sync(killed) == 137
    async with running(tmp_path) as service:
        after = await service.until("ada", lambda s: is_found(s) and s["graph"] == before["graph"])
        names = await column(service, "ada", "MATCH (n:Entity) RETURN n.name")

    assert "Litter" not in names
    assert after["text"] == before["text"]
    assert not (tmp_path / "minds/ada/.rebuilding").exists()


IMPORT_STEPS = {"DYING_BEFORE": False, "DYING_AMID": True, "DYING_AFTER": True}  # whether the mind is there afterwards


@pytest.fixture(scope="module")
async def leaving(anyio_backend, tmp_path_factory):
    """An archive, and what the mind was as it was made."""
    async with running(tmp_path_factory.mktemp("one")) as service:
        before = await tell(service)
        return await exported(service), before, await facts_of(service)


@pytest.mark.parametrize("step", IMPORT_STEPS)
async def test_an_import_that_is_killed_leaves_a_whole_mind_or_none(tmp_path, leaving, step):
    archive, before, facts = leaving

    def killed():
        with serving(tmp_path / "two", factory="tests.support.dying_service:create_app", **{step: "import"}) as served:
            until(lambda: served.http.get("/readyz").status_code == 200)  # else the graph may be away, and refuses
            with pytest.raises(Exception):  # noqa: B017
                served.http.post("/v1/minds/bo/import", content=archive)
            return served.process.wait(GIVE_UP)

    assert await anyio.to_thread.run_sync(killed) == 137
    assert list((tmp_path / "two/incoming").iterdir())
    async with running(tmp_path / "two") as service:
        while list((tmp_path / "two/incoming").iterdir()):
            await asyncio.sleep(0.05)
        minds = (await service.http.get("/v1/minds")).json()["minds"]
        if IMPORT_STEPS[step]:
            after = await found(service, "bo")
            assert (after["graph"], await facts_of(service, "bo")) == (before["graph"], facts)
            assert not (tmp_path / "two/minds/bo/.arriving").exists()
        graphs = await service.memory.graphs._connection.graphs()

    assert [one["mind_id"] for one in minds] == (["bo"] if IMPORT_STEPS[step] else [])
    assert graphs == ({"mind_bo"} if IMPORT_STEPS[step] else set())


async def test_a_site_is_nobody_s_graph_and_takes_a_mind_s_name(tmp_path):
    server = EmbeddedServer(tmp_path)
    await server.start()
    await server.wait_until_ready()
    connection = GraphConnection(server.url)
    try:
        graph = FalkorArchivableGraph(
            connection,
            name=graph_name("a-b_c", prefix="mind_"),
            vectors=None,
            leased=lambda name: LeasedGraph(connection, name, claim=None),
            is_shared=False,
        )
        site = graph.site("4711")
        await connection.write(site, "CREATE (:Entity {uuid: 'new'})", {})
        await connection.write("mind_a_hb__c", "CREATE (:Entity {uuid: 'old'})", {})
        assert site.startswith("{mind_a_hb__c}")
        for _ in range(2):
            await graph.adopt(site)
        assert await connection.read("mind_a_hb__c", "MATCH (n) RETURN n.uuid", {}) == [["new"]]
        assert await connection.graphs() == {"mind_a_hb__c"}
        assert await graph.exists()
        for _ in range(2):
            await graph.discard(site)
            await graph.drop()
        assert await connection.graphs() == frozenset()
    finally:
        await connection.close()
        await server.stop()
