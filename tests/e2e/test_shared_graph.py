"""Services on one database with different graphs: who is wrong says so, and nothing is promised that does not hold."""

import pytest

from tests.support.falkordb_cluster import single_server
from tests.support.service_process import serving
from tests.support.waiting import until


@pytest.fixture
def env(database_url, graph_server):
    """What a service of the home is started with."""
    return {"MIND_MEMORY_DATABASE": database_url, "FALKORDB_URL": graph_server.url, "MIND_MEMORY_GRAPH_PREFIX": "one_"}


def ready(service):
    found = service.http.get("/readyz")
    return found.status_code, found.json()["parts"]["graph"]


def test_a_service_with_other_graphs_is_not_ready_and_digests_nothing(env, tmp_path):
    with single_server(tmp_path) as elsewhere, serving(tmp_path / "one", **env) as one:
        until(lambda: ready(one) == (200, "ready"))
        with serving(tmp_path / "two", **env | {"FALKORDB_URL": elsewhere.url}) as two:
            status, words = until(lambda: (found := ready(two))[1] != "ready" and found)
            two.keep("ada", "My sister Ines moved to Lyon.", turn_id="t1")  # taken, and digested by the other one
            asked = {"session_id": "s2", "messages": [{"role": "user", "content": "Where does my sister Ines live?"}]}
            answer = until(lambda: (a := one.http.post("/v1/minds/ada/resonance", json=asked).json())["surfaced"] and a)
            there = two.http.post("/v1/minds/ada/resonance", json=asked | {"session_id": "s3"}).json()
            erased = two.http.delete("/v1/minds/ada")
            run = two.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True})
            gone = one.http.delete("/v1/minds/ada")

    assert status == 503 and "FALKORDB_URL" in words
    assert "Lyon" in answer["block"] and "graph_unavailable" in there["degraded"]
    assert erased.status_code == 503 and "FALKORDB_URL" in erased.json()["detail"], erased.text
    assert "FALKORDB_URL" in str(run.json()["last_run"]), run.text
    assert gone.json()["verified"]
