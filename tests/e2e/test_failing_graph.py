"""The graph fails in every way there is: turns are kept, calls are in time, trouble is told once, all is made good."""

from contextlib import asynccontextmanager

import pytest
from structlog.testing import capture_logs

from consolidation.kernel.errors import GraphFault, GraphTimedOut
from tests.support.embedded_graph import graph_server
from tests.support.outages import ASKS_FOR_AUNT, AUNT, FRIENDS, in_time, keeps, told
from tests.support.service import QUICK as LANES
from tests.support.service import running, settings_of
from tests.support.waiting import eventually
from tests.twins.fault_proxy import FaultProxy

pytestmark = pytest.mark.anyio

QUICK = {"read_seconds": 1, "write_seconds": 1, "rest_seconds": 0.1}
UP, OPEN = ("mind_memory_dependency_up", ("dependency", "graph")), ("mind_memory_breaker", ("dependency", "graph"))
HEAVY = "UNWIND range(1, 3000) AS i UNWIND range(1, 3000) AS j UNWIND range(1, 1000) AS k RETURN count(i + j + k)"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with graph_server(tmp_path_factory.mktemp("s")) as found:
        yield found


@asynccontextmanager
async def behind(proxy, home, *, digestion=LANES, **knobs):
    """A service whose graph is behind *proxy*; each test has graphs of its own."""
    prefix = f"t{abs(hash(str(home))) % 10**9}_"
    graph = {**QUICK, **knobs}
    settings = settings_of(home, falkordb_url=proxy.url, graph_prefix=prefix, graph=graph, digestion=digestion)
    async with running(home, settings=settings) as service:
        service.prefix = prefix
        yield service


async def contents(service, cypher):
    """A column of ada's graph."""
    found = await service.memory.graphs._connection.read(f"{service.prefix}ada", cypher, {})
    return sorted(row[0] for row in found)


async def is_whole(service, said):
    """All that was said is digested, and each is there once."""
    await service.digested("ada")
    status = await service.until("ada", lambda s: s["graph"]["lag"] == 0 and s["graph"]["waiting_for"] is None)
    assert await contents(service, "MATCH (n:Episodic) RETURN n.content") == sorted(f"user: {one}" for one in said)
    facts = await contents(service, "MATCH ()-[e:RELATES_TO]->() RETURN e.fact")
    assert len(facts) == len(set(facts))
    await eventually(service.ready, lambda ready: ready[0] == 200)
    return status


async def test_an_embedded_graph_that_hangs_is_started_again_and_is_made_good(tmp_path):
    """Broken: the service does not watch its FalkorDB, or only whether it has died."""
    async with running(tmp_path, settings=settings_of(tmp_path, graph=QUICK)) as service:
        await keeps(service, [AUNT])
        await service.digested("ada")
        service.memory.embedded_graph._stalled_seconds = 1.0  # half a minute, for people
        client = await service.memory.graphs._connection.client()
        await client.execute_command("CLIENT", "PAUSE", "600000", "ALL")

        assert (await service.keep("ada", "Bruno lives in Rome.")).status_code == 202

        status = await service.digested("ada")
        assert (status["graph"]["episodes"], status["graph"]["waiting_for"]) == (2, None)


def wrong_sum(files):
    """The checksum of the first file is another one."""
    [base] = files.glob("*.base.rdb")
    content = bytearray(base.read_bytes())
    content[-1] ^= 255
    base.write_bytes(content)


def zeros_at_the_end(files):
    """As a power cut leaves it."""
    [appended] = files.glob("*.incr.aof")
    appended.write_bytes(appended.read_bytes() + bytes(700))


def zeros_in_the_middle(files):
    """A failing disk has overwritten bytes of a change of a graph, which can not be applied any more."""
    [appended] = files.glob("*.incr.aof")
    content = bytearray(appended.read_bytes())
    at = content.index(b"GRAPH.EFFECT") + 40
    content[at : at + 40] = bytes(40)
    appended.write_bytes(content)


@pytest.mark.parametrize(
    ("damage", "is_emptied"), [(wrong_sum, True), (zeros_in_the_middle, True), (zeros_at_the_end, False)]
)
async def test_an_embedded_graph_whose_files_are_damaged_is_made_good(tmp_path, damage, is_emptied):
    """Broken: a start waits for a graph that can not be loaded, or nobody takes the damage away."""
    async with running(tmp_path) as service:
        await keeps(service, [AUNT])
        await service.digested("ada")
    damage(tmp_path / "graph/appendonlydir")

    with capture_logs() as logs:
        async with running(tmp_path) as service:
            await service.until("ada", lambda s: s["graph"]["episodes"] == 1 and s["graph"]["lag"] == 0)

    assert [one["event"] for one in logs if one["event"].startswith("embedded_graph.")] == (
        ["embedded_graph.damaged"] if is_emptied else []
    )
    assert (tmp_path / "graph/appendonlydir.damaged").exists() is is_emptied


@pytest.mark.parametrize("mode", ["refuse", "blackhole", "half", "garbage", "reset", "lost", "loading"])
async def test_a_graph_that_fails_holds_nobody_up_is_told_of_once_and_is_made_good(tmp_path, server, mode):
    with told() as heard, FaultProxy(server[0]) as proxy:
        async with behind(proxy, tmp_path) as service:
            await keeps(service, [AUNT])
            await service.digested("ada")
            await service.resonate("ada", "Good morning to you all!", session_id="warm")

            proxy.mode = mode
            await keeps(service, FRIENDS, quicker_than=QUICK["write_seconds"])
            await in_time(service, deadline_ms=1500, degraded=["graph_unavailable"])
            status, parts = await eventually(service.ready, lambda ready: ready[0] == 503)
            figures = await eventually(service.figures, lambda found: found[UP] == 0)
            behind_all = await service.until("ada", lambda s: s["graph"]["waiting_for"])
            # Left alone by now: not even a call that may take as long as it likes waits for it.
            await in_time(service, deadline_ms=0, quicker_than=QUICK["read_seconds"], degraded=["graph_unavailable"])
            connections = proxy.connections

            proxy.mode = "pass"
            await is_whole(service, [AUNT, *FRIENDS])
            await in_time(service, deadline_ms=5000, degraded=[])

    assert "FalkorDB" in parts["graph"]
    assert {parts["embedder"], parts["disk"]} == {"ready"}
    assert behind_all["graph"]["available"] is False
    assert behind_all["graph"]["waiting_for"].startswith("Graph")
    assert figures["mind_memory_lag_turns", ("lane", "saving")] == 3
    assert figures["mind_memory_waiting_minds", ("lane", "saving")] == 1
    assert figures[*OPEN, ("state", "closed")] == 0
    assert connections < 100
    assert heard == [("graph", "failed"), ("graph", "recovered")]


@pytest.mark.parametrize("mode", ["refuse", "blackhole"])
async def test_a_graph_that_is_away_at_start_is_taken_in_when_it_comes(tmp_path, server, mode):
    slow = {
        "first_retry_seconds": 600,
        "most_retry_seconds": 600,
        "sweep_seconds": 600,
    }  # its coming back wakes the lanes
    with told() as heard, FaultProxy(server[0]) as proxy:
        proxy.mode = mode
        async with behind(proxy, tmp_path, digestion=slow) as service:
            await keeps(service, [AUNT, *FRIENDS])
            assert (await service.http.get("/healthz")).status_code == 200
            await eventually(service.ready, lambda ready: ready[0] == 503)
            await eventually(service.figures, lambda found: found[UP] == 0)
            await service.until("ada", lambda s: s["turns"] == 4 and s["graph"]["waiting_for"])
            await eventually(service.figures, lambda found: found["mind_memory_lag_turns", ("lane", "indexing")] == 0)
            await in_time(service, deadline_ms=1500, degraded=["graph_unavailable"])
            proxy.mode = "pass"
            await is_whole(service, [AUNT, *FRIENDS])
    assert heard == [("graph", "failed"), ("graph", "recovered")]


async def test_callers_who_gave_up_are_enough_to_find_out(tmp_path, server):
    with told() as heard, FaultProxy(server[0]) as proxy:
        async with behind(proxy, tmp_path, digestion={**LANES, "sweep_seconds": 600}) as service:
            await keeps(service, [AUNT])
            await service.digested("ada")
            proxy.mode = "blackhole"
            await in_time(service, deadline_ms=1500, degraded=["graph_unavailable"])
            await eventually(service.figures, lambda found: found[UP] == 0)
            await in_time(service, deadline_ms=0, quicker_than=QUICK["read_seconds"], degraded=["graph_unavailable"])
            proxy.mode = "pass"
            await eventually(service.figures, lambda found: found[UP] == 1)
            await in_time(service, deadline_ms=5000, degraded=[])
    assert heard == [("graph", "failed"), ("graph", "recovered")]


async def test_a_slow_graph_is_waited_for(tmp_path, server):
    with told() as heard, FaultProxy(server[0]) as proxy:
        async with behind(proxy, tmp_path, read_seconds=5, write_seconds=5) as service:
            await keeps(service, [AUNT])
            await service.digested("ada")
            proxy.mode, proxy.slow_seconds = "slow", 3
            await keeps(service, FRIENDS[:1])
            for number in range(3):  # given up after a while, by callers who have less time: no reason to close the way
                answer = await service.resonate("ada", ASKS_FOR_AUNT, deadline_ms=1500, session_id=f"h{number}")
                assert "graph_unavailable" in answer.json()["degraded"]
            proxy.slow_seconds = 0.6
            await service.until("ada", lambda s: s["graph"]["saved"] == 2)
            figures = await service.figures()
            proxy.mode = "pass"
            await is_whole(service, [AUNT, *FRIENDS[:1]])
    assert figures[*OPEN, ("state", "closed")] == 1
    assert heard == []


async def test_a_statement_that_fails_closes_nobodys_way(tmp_path, server):
    with told() as heard, FaultProxy(server[0]) as proxy:
        async with behind(proxy, tmp_path, write_seconds=20) as service:
            await keeps(service, [AUNT])
            await service.digested("ada")
            connection, graph = service.memory.graphs._connection, f"{service.prefix}ada"
            with pytest.raises(GraphTimedOut):
                await connection.read(graph, HEAVY, {})
            with pytest.raises(GraphFault, match="Invalid input"):
                await connection.write(graph, "THIS IS NOT CYPHER", {})
            assert (await connection.write(graph, "RETURN 1", {})) == [[1]]
            assert (await service.ready())[1]["graph"] == "ready"
            await in_time(service, deadline_ms=5000, degraded=[])
    assert heard == []


FULL = {
    "memory": (("CONFIG", "SET", "maxmemory", "1"), ("CONFIG", "SET", "maxmemory", "0"), "out of memory"),
    "replica": (("REPLICAOF", "127.0.0.1", "1"), ("REPLICAOF", "NO", "ONE"), "read-only"),
}


@pytest.mark.parametrize("full", FULL)
async def test_a_graph_that_takes_nothing_in_is_read_and_told_of(tmp_path, server, full):
    begin, end, reason = FULL[full]
    with told() as heard, FaultProxy(server[0]) as proxy:
        async with behind(proxy, tmp_path) as service:
            await keeps(service, [AUNT])
            await service.digested("ada")
            server[1](*begin)
            try:
                await keeps(service, FRIENDS)
                status = await service.until("ada", lambda s: s["graph"]["waiting_for"])
                _, parts = await eventually(service.ready, lambda ready: ready[0] == 503)
                await in_time(service, deadline_ms=5000, degraded=[])
            finally:
                server[1](*end)
            status = await is_whole(service, [AUNT, *FRIENDS])
    assert reason in parts["graph"]
    assert status["graph"]["parked"] == []
    assert heard == [("graph", "failed"), ("graph", "recovered")]


async def test_connections_that_are_all_cut_cost_nothing_but_themselves(tmp_path, server):
    with FaultProxy(server[0]) as proxy:
        async with behind(proxy, tmp_path) as service:
            for said in (AUNT, *FRIENDS):
                proxy.cut()
                await keeps(service, [said])
                proxy.cut()
            await is_whole(service, [AUNT, *FRIENDS])
            assert (await service.ready())[1]["graph"] == "ready"


async def test_an_empty_graph_in_the_others_place_is_filled_from_the_transcript(tmp_path, server):
    with FaultProxy(server[0]) as proxy:
        async with behind(proxy, tmp_path) as service:
            await keeps(service, [AUNT, *FRIENDS])
            before = await is_whole(service, [AUNT, *FRIENDS])
            proxy.mode = "refuse"
            await eventually(service.ready, lambda ready: ready[0] == 503)
            server[1]("FLUSHALL")
            proxy.mode = "pass"
            after = await service.until("ada", lambda s: s["graph"] == before["graph"])
            await is_whole(service, [AUNT, *FRIENDS])
    assert after["graph"]["facts"] > 0
