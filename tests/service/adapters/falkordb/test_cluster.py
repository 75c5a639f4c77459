"""A cluster is spoken to through any of its nodes; a shard that is away rests alone and comes back by itself."""

import itertools
import socket
import time

import pytest
from redis.crc import key_slot

from consolidation.kernel.errors import GraphCircuitOpen, GraphFault, GraphForbidden, GraphUnavailable
from service.adapters.circuit_breaker import CircuitBreaker
from service.adapters.falkordb.cluster import merged
from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.purge import ServerPurge
from service.observability.dependency_health import Dependencies
from service.runtime.background import Background
from tests.support.embedded_graph import graph_server
from tests.support.falkordb_cluster import falkordb_cluster
from tests.support.waiting import until, until_async
from tests.twins.fault_proxy import FaultProxy

pytestmark = pytest.mark.anyio

_names = (f"g{number}" for number in itertools.count())
TOLD = "MATCH (x:X) RETURN x.said"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with falkordb_cluster(tmp_path_factory.mktemp("cluster")) as found:
        yield found


@pytest.fixture
async def whole(cluster):
    """The cluster, with every node alive and in step, and a connection that knows one of them."""
    cluster.mend()
    connection = GraphConnection(f"redis://{cluster.masters()[0].address}")
    yield cluster, connection
    await connection.close()


def graph_on(cluster, master):
    """A new name of a graph that this master serves."""
    return next(name for name in _names if cluster.master_of(name) is master)


async def tell(connection, graph, said):
    await connection.write(graph, "CREATE (:X {said: $said})", {"said": said})


async def test_graphs_of_all_shards_are_reached_through_one_node(whole):
    cluster, connection = whole
    graphs = [graph_on(cluster, master) for master in cluster.masters()]

    for graph in graphs:
        await tell(connection, graph, graph)

    assert [await connection.read(graph, TOLD, {}) for graph in graphs] == [[[graph]] for graph in graphs]
    assert [await connection.rows(graph, TOLD, "") for graph in graphs] == [[[graph]] for graph in graphs]
    assert await connection.graphs() >= set(graphs)
    assert not await connection.graphs(beside=graphs[0]) & set(graphs[1:])
    await connection.delete(graphs[0])
    assert [await connection.exists(graph) for graph in graphs] == [False, True, True]


async def test_a_graph_of_any_shard_is_dumped_and_restored(whole):
    cluster, connection = whole
    for graph in [graph_on(cluster, master) for master in cluster.masters()]:
        await tell(connection, graph, "as it was")
        dump = await connection.dump(graph)
        await connection.delete(graph)

        await connection.restore(graph, dump)

        assert await connection.read(graph, TOLD, {}) == [["as it was"]]


async def test_what_names_no_graph_is_asked_of_every_master(whole):
    cluster, connection = whole

    await connection.command("CONFIG", "SET", "slowlog-max-len", "77")

    asked = [int(node.command("CONFIG", "GET", "slowlog-max-len")["slowlog-max-len"]) for node in cluster.masters()]
    assert asked == [77, 77, 77]
    assert (await connection.command("INFO", "replication"))["connected_slaves"] == 3
    assert await connection.command("DBSIZE") == sum(node.command("DBSIZE") for node in cluster.masters())


@pytest.mark.parametrize(
    ("answers", "one"),
    [
        (["OK", "OK"], "OK"),
        ([["a"], ["b", "c"]], ["a", "b", "c"]),
        ([1, 1], 2),
        ([True, True], True),
        ([{"used": 1, "mode": "x"}, {"used": 1, "mode": "x"}], {"used": 2, "mode": "x"}),
        (["OK", "no"], "OK, no"),
    ],
)
async def test_what_masters_answer_is_one_answer(answers, one):
    assert merged(answers) == one


async def test_an_address_where_nobody_is_and_one_that_is_silent_stop_no_start(whole):
    cluster, _ = whole
    with socket.create_server(("127.0.0.1", 0)) as silent:
        places = ["127.0.0.1:1", f"127.0.0.1:{silent.getsockname()[1]}", cluster.nodes[-1].address]
        connection = GraphConnection("redis://" + ",".join(places))
        graph = graph_on(cluster, cluster.masters()[1])

        await tell(connection, graph, "found all the same")

        assert await connection.read(graph, TOLD, {}) == [["found all the same"]]
        await connection.close()


async def test_several_servers_without_a_cluster_are_refused(tmp_path):
    with graph_server(tmp_path) as (path, _), FaultProxy(path) as one, FaultProxy(path) as two:
        connection = GraphConnection(f"{one.url},{two.url.removeprefix('redis://')}")

        with pytest.raises(GraphForbidden, match="names several addresses, but the server at .* belongs to no cluster"):
            await connection.read("g", "RETURN 1", {})


async def test_a_graph_is_found_while_its_slot_is_moved_and_afterwards(whole):
    cluster, connection = whole
    source, target, _ = cluster.masters()
    graph = graph_on(cluster, source)
    slot = str(key_slot(graph.encode()))
    await connection.ping()  # from now on it knows who serves what

    target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", source.command("CLUSTER", "MYID"))
    source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", target.command("CLUSTER", "MYID"))
    await tell(connection, graph, "while it moves")  # ASK
    for node in (target, source):
        node.command("CLUSTER", "SETSLOT", slot, "NODE", target.command("CLUSTER", "MYID"))
    until(lambda: cluster.master_of(graph) is target)

    assert await connection.read(graph, TOLD, {}) == [["while it moves"]]  # MOVED
    assert target.command("GRAPH.LIST").count(graph) == 1


async def test_a_shard_that_is_silent_rests_alone_and_its_minds_come_back_with_its_replica(whole):
    cluster, _ = whole
    victim, other, _ = cluster.masters()
    resting, working = graph_on(cluster, victim), graph_on(cluster, other)
    dependency, woken = (found := Dependencies(monotonic=time.monotonic)).get("graph"), []
    found.on_recovery(lambda: woken.append(True))
    async with Background(drain_seconds=1) as background:
        breaker = CircuitBreaker(dependency, rest_seconds=0.1, background=background)
        connection = GraphConnection(cluster.url, read_seconds=1, write_seconds=2, breaker=breaker)
        for graph in (resting, working):
            await tell(connection, graph, "before")
        cluster.until_in_step()
        [shard] = [one for one in dependency.shards.values() if one.name.startswith("graph slots 0-")]
        victim.freeze()
        try:
            with pytest.raises(GraphUnavailable):
                await connection.read(resting, TOLD, {})
            await until_async(lambda: shard.breaker_state() == "open")
            with pytest.raises(GraphCircuitOpen, match=victim.address):
                await connection.read(resting, TOLD, {})
            assert await connection.read(working, TOLD, {}) == [["before"]]
            await connection.ping()
            assert dependency.trouble is None and dependency.breaker_state() == "closed"
            await until_async(lambda: shard.breaker_state() == "closed")
            assert await connection.read(resting, TOLD, {}) == [["before"]]
            await tell(connection, resting, "after")
        finally:
            victim.thaw()
            await connection.close()
        assert shard.trouble is None and woken


async def test_a_cluster_of_which_nobody_answers_is_away_as_a_whole(whole):
    cluster, _ = whole
    dependency = Dependencies(monotonic=time.monotonic).get("graph")
    async with Background(drain_seconds=1) as background:
        breaker = CircuitBreaker(dependency, rest_seconds=0.1, background=background)
        connection = GraphConnection(cluster.url, read_seconds=1, breaker=breaker)
        graphs = [graph_on(cluster, master) for master in cluster.masters()]
        await connection.ping()
        for node in cluster.nodes:
            node.kill()

        for graph in graphs:
            with pytest.raises(GraphUnavailable):
                await connection.read(graph, TOLD, {})
        await until_async(lambda: dependency.trouble is not None)
        with pytest.raises(GraphUnavailable):
            await connection.ping()
        for node in cluster.nodes:
            node.start()
        await until_async(lambda: dependency.trouble is None and not any(s.trouble for s in dependency.shards.values()))

        for graph in graphs:
            await tell(connection, graph, "it is back")
        await connection.close()


async def test_a_cluster_that_stops_as_a_whole_is_away_until_it_serves_again(whole):
    """Broken: the probe asks for an answer alone: a node that serves nothing answers, so nobody is told."""
    cluster, _ = whole
    victim, other, _ = cluster.masters()
    dependency = Dependencies(monotonic=time.monotonic).get("graph")
    graph = graph_on(cluster, other)

    def is_told():
        return any(
            f"cluster is down, says {other.address}" in (one.trouble or "") for one in dependency.shards.values()
        )

    async with Background(drain_seconds=1) as background:
        breaker = CircuitBreaker(dependency, rest_seconds=0.1, background=background)
        connection = GraphConnection(f"redis://{other.address}", read_seconds=2, breaker=breaker)
        await tell(connection, graph, "still there")
        cluster.set("cluster-require-full-coverage", "yes")
        try:
            for node in (*cluster.replicas_of(victim), victim):
                node.kill()
            until(lambda: "cluster_state:fail" in other.command("CLUSTER", "INFO"))
            with pytest.raises(GraphUnavailable, match="a shard of it has no master"):
                await connection.read(graph, TOLD, {})
            await until_async(is_told)
        finally:
            cluster.set("cluster-require-full-coverage", "no")
        await until_async(lambda: not is_told())

        assert await connection.read(graph, TOLD, {}) == [["still there"]]
        await connection.close()


async def test_what_is_erased_goes_from_the_files_of_master_and_replica(whole):
    cluster, connection = whole
    master = cluster.masters()[1]
    [replica], graph = cluster.replicas_of(master), graph_on(cluster, master)
    said = f"a canary {'of a long day ' * 40}"
    await tell(connection, graph, said)
    until(lambda: set(cluster.holding("a canary")) == {master, replica})
    purge = ServerPurge(connection, files=None)

    await connection.delete(graph)
    await purge.forget_statements(graph)
    rewritten = await purge.rewrite(graph)

    assert cluster.holding("a canary") == []
    assert (rewritten.append_only_file, rewritten.snapshot, rewritten.is_done) == ("rewritten", "off", True)
    assert await purge.keys(graph) == 0


async def test_a_former_master_forgets_the_statements_it_has_stored_too(whole):
    cluster, connection = whole
    master = cluster.masters()[2]
    [replica], graph = cluster.replicas_of(master), graph_on(cluster, master)
    stream = f"telemetry{{{graph}}}"
    master.command("GRAPH.CONFIG", "SET", "MAX_INFO_QUERIES", "1000")
    try:
        await tell(connection, graph, "a second canary")
        until(lambda: stream in master.command("KEYS", "*"))
        cluster.until_in_step()
        replica.command("CLUSTER", "FAILOVER")
        until(lambda: cluster.master_of(graph) is replica)
        cluster.until_in_step()
        was_left = stream in master.command("KEYS", "*")

        await ServerPurge(connection, files=None).forget_statements(graph)

        assert was_left
        until(lambda: stream not in master.command("KEYS", "*"))
    finally:
        master.command("GRAPH.CONFIG", "SET", "MAX_INFO_QUERIES", "0")


async def test_a_node_that_is_away_when_something_is_erased_is_named(whole):
    cluster, connection = whole
    master = cluster.masters()[1]
    [replica], graph = cluster.replicas_of(master), graph_on(cluster, master)
    await tell(connection, graph, "a third canary")
    replica.kill()

    await connection.delete(graph)
    rewritten = await ServerPurge(connection, files=None).rewrite(graph)

    assert not rewritten.is_done
    assert rewritten.append_only_file.startswith(f"{replica.address}: not written anew, and may hold it")


async def test_nothing_is_erased_while_the_shard_itself_is_away(whole):
    cluster, connection = whole
    master = cluster.masters()[1]
    [replica], graph = cluster.replicas_of(master), graph_on(cluster, master)
    await tell(connection, graph, "a fourth canary")
    for node in (replica, master):
        node.kill()

    with pytest.raises(GraphFault):
        await ServerPurge(connection, files=None).rewrite(graph)
