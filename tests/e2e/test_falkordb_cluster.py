"""A shard of the graph loses its master under load: no turn is lost or doubled, and other shards' minds notice nothing."""

import asyncio
from contextlib import asynccontextmanager
from itertools import count

import httpx2
import pytest

from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.graph_names import graph_name
from tests.support.cli_process import call, serving
from tests.support.falkordb_cluster import falkordb_cluster
from tests.support.outages import AUNT
from tests.support.service import running, settings_of
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio

QUICK = {
    "MIND_MEMORY_GRAPH__REST_SECONDS": "0.2",
    "MIND_MEMORY_DIGESTION__FIRST_RETRY_SECONDS": "0.1",
    "MIND_MEMORY_DIGESTION__MOST_RETRY_SECONDS": "0.5",
    "MIND_MEMORY_DIGESTION__SWEEP_SECONDS": "1",
    "MIND_MEMORY_EMBEDDER__MODEL": "minilm",
}
_EPISODES = "MATCH (n:Episodic) RETURN n.content"


class Life:
    """A mind of the load: what it was told and answered 202, and what its pre-turn calls did without."""

    def __init__(self, mind_id, http):
        self.mind_id, self.http = mind_id, http
        self.told, self.degraded = [], []

    async def tell(self, said):
        """Post one turn; only a 202 counts."""
        message = {"role": "user", "content": said}
        body = {"session_id": "load", "turn_id": f"t{len(self.told)}", "messages": [message]}
        answer = await self.http.post(f"/v1/minds/{self.mind_id}/turns", json=body)
        assert answer.status_code == 202, answer.text
        self.told.append(f"user: {said}")

    async def remind(self, session):
        """Ask what surfaces."""
        message = {"role": "user", "content": "Where does my aunt Carla live?"}
        body = {"session_id": session, "messages": [message], "deadline_ms": 0}
        answer = await self.http.post(f"/v1/minds/{self.mind_id}/resonance", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()["degraded"]

    async def begin(self):
        """One turn that is digested, and one call that has all it needs."""
        await self.tell(AUNT)
        await eventually(self.is_caught_up, bool)
        await eventually(lambda: self.remind("warm"), lambda degraded: not degraded)

    async def live(self, is_over):
        """Turns and pre-turn calls, one after the other."""
        for number in count():
            if is_over.is_set():
                return
            await self.tell(f"On day {number} Ada met Bruno.")
            self.degraded.append(await self.remind(f"s{number}"))
            await asyncio.sleep(0.2)

    async def is_caught_up(self):
        graph = (found := (await self.http.get(f"/v1/minds/{self.mind_id}")).json())["graph"]
        return graph["saved"] >= found["last_sequence"] and graph["lag"] == 0


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    with falkordb_cluster(tmp_path_factory.mktemp("cluster")) as found:
        yield found


@pytest.fixture
def cluster(servers):
    """The cluster with every node alive and in step."""
    servers.mend()
    return servers


def minds_on_each_shard(cluster, *, called="m"):
    """The ids of two minds for each master, which begin as they are *called*."""
    found = {}
    for number in count():
        mind_id = f"{called}{number}"
        of_master = found.setdefault(cluster.master_of(graph_name(mind_id, prefix="mind_")).port, [])
        if len(of_master) < 2:
            of_master.append(mind_id)
        if len(found) == 3 and all(len(one) == 2 for one in found.values()):
            return found


@asynccontextmanager
async def under_load(lives):
    """All minds live inside."""
    is_over = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        for one in lives:
            tasks.create_task(one.live(is_over))
        try:
            yield
        finally:
            is_over.set()


async def readiness(http):
    answer = await http.get("/readyz")
    return answer.status_code, answer.json()["parts"]


async def states(http):
    """The breakers by dependency."""
    found = (await http.get("/v1/status")).json()["dependencies"]
    return {one["name"]: (one["breaker"], one["trouble"]) for one in found if one["name"].startswith("graph")}


async def both(http):
    """The breakers and the readiness at one moment."""
    return await asyncio.gather(states(http), readiness(http))


def are_troubled(found):
    """Whether breakers and readiness both say that the first shard is away."""
    (breakers, (_, parts)) = found
    return breakers["graph slots 0-5460"][1] is not None and parts["graph slots 0-5460"] != "ready"


async def test_a_master_that_is_killed_under_load_rests_the_minds_of_its_slots_alone(cluster, tmp_path):
    home, minds = tmp_path / "home", minds_on_each_shard(cluster)
    victim = cluster.masters()[0]
    settings = {**QUICK, "FALKORDB_URL": cluster.url}
    with serving(home, **settings) as (_, url):
        async with httpx2.AsyncClient(base_url=url, timeout=60) as http:
            lives = [Life(mind_id, http) for of_master in minds.values() for mind_id in of_master]
            await asyncio.gather(*(one.begin() for one in lives))

            async with under_load(lives):
                await asyncio.sleep(1)
                victim.kill()
                away, ready = await eventually(lambda: both(http), are_troubled)
                back = await eventually(lambda: states(http), lambda found: found["graph slots 0-5460"][1] is None)
                victims = [one for one in lives if one.mind_id in minds[victim.port]]
                for one in victims:
                    await eventually(lambda one=one: one.remind("again"), lambda degraded: not degraded)
            for one in lives:
                await eventually(one.is_caught_up, bool)
            after = await readiness(http)
            doctor = await asyncio.to_thread(call, "doctor", "--home", home, **settings)

    connection = GraphConnection(cluster.url)
    for one in lives:
        rows = await connection.read(graph_name(one.mind_id, prefix="mind_"), _EPISODES, {})
        assert sorted(row[0] for row in rows) == sorted(one.told)
    await connection.close()
    others = [one for one in lives if one not in victims]
    assert not [one.degraded for one in others if any("graph_unavailable" in each for each in one.degraded)]
    assert all(any("graph_unavailable" in each for each in one.degraded) for one in victims)
    assert [name for name, (_, trouble) in away.items() if trouble] == ["graph slots 0-5460"]
    assert away["graph slots 0-5460"][0] in {"open", "half_open"} and victim.address in away["graph slots 0-5460"][1]
    assert ready[0] == 200 and ready[1]["graph"] == "ready" and victim.address in ready[1]["graph slots 0-5460"]
    assert all(
        words in " ".join(doctor.stdout.split()) for words in ("a cluster of 6 nodes", f"graph node {victim.address}")
    )
    assert all(state == ("closed", None) for state in back.values())
    assert after[0] == 200 and set(after[1].values()) == {"ready"}


def test_doctor_says_what_is_doubtful_of_a_cluster(cluster, tmp_path):
    replica = cluster.replicas_of(cluster.masters()[0])[0]
    replica.kill()
    cluster.set("cluster-require-full-coverage", "yes")
    try:
        done = call("doctor", "--home", tmp_path / "home", **QUICK, FALKORDB_URL=cluster.url)
    finally:
        cluster.set("cluster-require-full-coverage", "no")

    said = " ".join(done.stdout.split())
    assert "a cluster of 6 nodes" in said
    assert f"! graph node {replica.address}" in said
    assert "one shard without a master stops all others" in said
    assert "graph slots 0-5460 ready" in said


async def test_an_erased_mind_is_gone_from_the_files_of_all_nodes_and_one_that_is_away_is_named(cluster, tmp_path):
    [first, second] = minds_on_each_shard(cluster, called="gone")[cluster.masters()[1].port]
    replica = cluster.replicas_of(cluster.masters()[1])[0]
    async with running(tmp_path, settings=settings_of(tmp_path, falkordb_url=cluster.url)) as service:
        for mind_id in (first, second):
            await service.keep(mind_id, "Mona lives in Porto.")
            await service.digested(mind_id)
        before = cluster.holding("Porto")
        whole = (await service.http.delete(f"/v1/minds/{first}")).json()
        replica.kill()
        without = (await service.http.delete(f"/v1/minds/{second}")).json()

    assert before and cluster.holding("Porto") == [replica]  # it was away, and has what it had
    assert (whole["verified"], whole["append_only_file"]) == (True, "rewritten")
    assert not without["verified"]
    assert without["append_only_file"].startswith(f"{replica.address}: not written anew, and may hold it")
