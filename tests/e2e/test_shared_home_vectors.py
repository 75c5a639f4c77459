"""A service that does not work on a mind finds its newest turns by their meaning, too, soon and whoever saved them when."""

from itertools import count

import pytest

from tests.support.waiting import until

NO_SWEEP = {"MIND_MEMORY_DIGESTION__SWEEP_SECONDS": "3600"}  # it would look by itself in the end
_sessions = count()


@pytest.fixture
def env(database_url, graph_server):
    prefix = f"{database_url.rpartition('/')[2]}_"
    url = graph_server.url
    return {"MIND_MEMORY_DATABASE": database_url, "FALKORDB_URL": url, "MIND_MEMORY_GRAPH_PREFIX": prefix, **NO_SWEEP}


def recalled(service, question):
    """What found each turn in a call, by its sequence."""
    body = {
        "session_id": f"session {next(_sessions)}",
        "messages": [{"role": "user", "content": question}],
        "deadline_ms": 30_000,
    }
    found = service.http.post("/v1/minds/ada/resonance", json=body).raise_for_status().json()
    trace = service.http.get(f"/v1/minds/ada/traces/{found['trace_id']}").raise_for_status().json()
    candidates = trace["phases"]["retrieval"]["candidates"]
    return {one["sequences"][0]: one["arms"] for one in candidates if one["kind"] == "episode"}


def is_saved(service, turns):
    graph = service.http.get("/v1/minds/ada").raise_for_status().json()["graph"]
    return graph["saved"] == graph["sequence"] == turns


def test_a_turn_that_is_asked_for_elsewhere_before_it_is_saved_is_found_by_meaning_soon(two):
    """Broken: that service looked when the graph did not have it yet, and not again until the next sweep, or ever."""
    one, other = two
    for number, said in enumerate(("The harbour was full.", "Dr Weber is my dentist.", "I bought a caravan."), start=1):
        one.keep("ada", said)
        recalled(other, "What did I say?")
        until(lambda number=number: is_saved(one, number))
        until(lambda number=number: "vectors" in recalled(other, said).get(number, ()))
