"""The several services of docker/cluster.yaml: killed, promoted, rolled, restored. `make compose`; not part of `make test`."""

import os
import threading

import httpx2
import pytest

from tests.support.compose import ComposedCluster, has_engine
from tests.support.waiting import until

pytestmark = [
    pytest.mark.skipif(not os.environ.get("COMPOSE"), reason="`make compose` runs these"),
    pytest.mark.timeout(1800),
]
MINDS = ("ada", "bo", "cy", "dee")
SERVICES = ("memory1", "memory2", "memory3")
NODES = tuple(f"falkordb{number}" for number in range(1, 7))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    if not has_engine():
        pytest.skip("no Docker engine answers")
    project = ComposedCluster(tmp_path_factory.mktemp("cluster"))
    try:
        project.up()
        yield project
    finally:
        project.end()


def keep(cluster, turn_id):
    for mind_id in MINDS:
        cluster.keep(mind_id, turn_id, f"Note {turn_id}: my sister Ines moved to Lyon.")


def resonance(cluster, session_id):
    asked = {"session_id": session_id, "messages": [{"role": "user", "content": "Where does Ines live?"}]}
    return cluster.http.post("/v1/minds/ada/resonance", json=asked).raise_for_status().json()


def servers(cluster):
    """The primary of PostgreSQL, and its standby."""
    is_first = cluster.ask("pg1", "SELECT pg_is_in_recovery()") == "f"
    return ("pg1", "pg2") if is_first else ("pg2", "pg1")


def follows(cluster, primary, how="streaming|quorum"):
    return cluster.ask(primary, "SELECT state, sync_state FROM pg_stat_replication") == how


def test_a_password_that_is_missing_is_named(cluster, monkeypatch):
    for name in ("DATABASE_PASSWORD", "REPLICATION_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    (cluster.folder / "docker/.env").rename(cluster.folder / "docker/.env.away")
    try:
        refused = cluster.call("config", "--quiet", fine=False)
    finally:
        (cluster.folder / "docker/.env.away").rename(cluster.folder / "docker/.env")

    assert refused.returncode != 0 and "_PASSWORD in docker/.env" in refused.stderr


def test_a_service_that_is_killed_is_missed_by_nobody(cluster):
    keep(cluster, "killed")
    known = [cluster.turns(mind_id) for mind_id in MINDS]
    for service in SERVICES:
        cluster.call("kill", service)
        keep(cluster, f"without {service}")
        cluster.call("up", "--detach", "--no-deps", "--no-build", "--wait", service)

    assert [cluster.turns(mind_id) for mind_id in MINDS] == [count + len(SERVICES) for count in known]
    for mind_id in MINDS:
        cluster.digested(mind_id)


def test_a_standby_is_promoted_by_hand_and_the_old_primary_follows_it(cluster):
    keep(cluster, "before it died")
    resonance(cluster, "before it died")
    known, (old, new) = cluster.turns("ada"), servers(cluster)
    assert cluster.postgres(new, "promote", fine=False).returncode != 0  # the primary answers
    cluster.call("kill", old)
    body = {"turn_id": "p1", "session_id": "s1", "messages": [{"role": "user", "content": "It is raining."}]}

    refused = cluster.http.post("/v1/minds/ada/turns", json=body)
    answer = resonance(cluster, "while it is away")
    cluster.postgres(new, "promote")
    cluster.postgres(new, "alone")
    cluster.keep("ada", "p1", "It is raining.")
    cluster.call("start", old)
    until(lambda: follows(cluster, new, "streaming|async"))
    cluster.postgres(new, "strict")

    assert (refused.status_code, "retry-after" in refused.headers) == (503, True)
    assert "Lyon" in answer["block"] and "database_unavailable" in answer["degraded"]
    until(lambda: follows(cluster, new))
    cluster.keep("ada", "p2", "The sun is shining.")
    assert cluster.turns("ada") == known + 2
    assert servers(cluster) == (new, old)


def test_what_was_taken_down_comes_back_with_the_primary_it_had(cluster):
    keep(cluster, "before it was down")
    known, before = [cluster.turns(mind_id) for mind_id in MINDS], servers(cluster)
    cluster.call("down", "--timeout", "30")
    cluster.up()

    assert servers(cluster) == before
    assert [cluster.turns(mind_id) for mind_id in MINDS] == known
    keep(cluster, "after it was down")
    until(lambda: "Lyon" in resonance(cluster, "after it was down")["block"])


def test_services_are_replaced_one_after_the_other_and_no_turn_is_lost(cluster):
    keep(cluster, "before the roll")
    known, is_over, answered = cluster.turns("ada"), threading.Event(), []
    asked = {"session_id": "roll", "messages": [{"role": "user", "content": "Where does Ines live?"}]}

    def post():
        while not is_over.is_set():
            cluster.keep("ada", f"roll {len(answered)}", "Another note.")
            answered.append(cluster.http.post("/v1/minds/ada/resonance", json=asked).status_code)

    caller = threading.Thread(target=post)
    caller.start()
    for service in SERVICES:
        cluster.call("up", "--detach", "--no-deps", "--no-build", "--force-recreate", "--wait", service)
    is_over.set()
    caller.join()

    assert len(answered) > len(SERVICES) and set(answered) == {200}
    assert cluster.turns("ada") == known + len(answered)


def test_a_dump_is_restored_and_graphs_fill_again(cluster):
    keep(cluster, "before the dump")
    cluster.digested("bo")
    known, (primary, _) = cluster.turns("bo"), servers(cluster)
    dump = "pg_dump -U postgres -Fc memory > /tmp/memory.dump"
    restore = "pg_restore -U postgres --clean --if-exists -d memory /tmp/memory.dump"
    cluster.call("exec", "-T", primary, "bash", "-c", dump)
    cluster.keep("bo", "later", "This was said after the dump.")
    cluster.digested("bo")

    cluster.call("stop", *SERVICES)
    cluster.call("exec", "-T", primary, "bash", "-c", restore)
    for node in NODES:
        cluster.call("exec", "-T", node, "redis-cli", "FLUSHALL", fine=False)  # a replica refuses
    cluster.call("start", *SERVICES)

    until(lambda: _turns(cluster, "bo") == known)
    cluster.digested("bo")
    assert "Lyon" in cluster.remembered("bo", "Where did Ines move to?")
    assert "after the dump" not in cluster.remembered("bo", "What was said after the dump?")


def _turns(cluster, mind_id):
    try:
        return cluster.turns(mind_id)
    except httpx2.HTTPError:
        return None
