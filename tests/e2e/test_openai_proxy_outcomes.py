"""
Through the proxy: what an answer used is noticed, and the next chat brings what the client knows better.

Every docstring says what was broken, once, to see the test fail.
"""

import json

import pytest

from tests.support.openai_proxy import proxied
from tests.twins.provider import ScriptedProvider

LYON, WHERE = "My mother lives in Lyon, near the old bakery.", "Where does my mother live?"


def answer_of(body):
    return "In Lyon, close to the old bakery." if body["messages"][-1]["content"] == WHERE else "You are welcome."


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with ScriptedProvider(respond=answer_of) as provider:
        with proxied(tmp_path_factory.mktemp("proxied"), provider) as found:
            yield found


@pytest.fixture
def mind(service, request):
    name = f"m{abs(hash(request.node.name)) % 10**9}"
    said = {"role": "user", "content": LYON, "timestamp": "2026-01-09T18:30:00Z"}
    answer = service.http.post(f"/v1/minds/{name}/turns", json={"session_id": "s0", "messages": [said]})
    answer.raise_for_status()
    service.digested(name)
    return name


def chat(service, mind, message=WHERE, *, session="s1", **metadata):
    body = {"model": "memory", "messages": [{"role": "user", "content": message}], "metadata": metadata or None}
    body = {key: value for key, value in body.items() if value is not None}
    headers = {"X-Mind-Id": mind, "X-Session-Id": session}
    return service.http.post("/v1/chat/completions", json=body, headers=headers)


def outcomes_of(service, mind, trace_id):
    return service.http.get(f"/v1/minds/{mind}/traces/{trace_id}").json()["outcomes"]


def test_what_an_answer_used_is_noticed(service, mind):
    """Broken: ``_accept`` notices nothing; the trace is not handed to it."""
    answer = chat(service, mind)
    trace_id = answer.headers["X-Memory-Trace-Id"]

    noticed = service.until(lambda: outcomes_of(service, mind, trace_id))

    assert answer.headers["X-Memory"] == "surfaced"
    assert [(one["outcome"], one["reporter"]) for one in noticed] == [("used", "noticed")]


@pytest.mark.parametrize("form", [lambda outcomes: outcomes, json.dumps])
def test_the_next_chat_brings_outcomes_of_the_last_and_none_of_it_goes_to_the_provider(service, mind, form):
    """Broken: metadata is not read; it is passed on; the trace of another session is taken."""
    first = chat(service, mind)
    service.until(lambda: outcomes_of(service, mind, first.headers["X-Memory-Trace-Id"]))
    trace = service.http.get(f"/v1/minds/{mind}/traces/{first.headers['X-Memory-Trace-Id']}").json()
    chat(service, mind, "Good evening!", session="another")
    shown = trace["shown"][0]["id"]

    answer = chat(service, mind, "Thanks!", outcomes=form({shown: "contradicted", "episode:99": "acted"}), note="mine")

    assert answer.headers["X-Memory-Outcomes"] == "applied=1, unknown=1"
    standing = outcomes_of(service, mind, first.headers["X-Memory-Trace-Id"])
    assert [(one["id"], one["outcome"], one["reporter"]) for one in standing] == [(shown, "contradicted", "caller")]
    # neither the memory, nor the bot's own answer out of it
    later = chat(service, mind, session="later")
    trace = service.http.get(f"/v1/minds/{mind}/traces/{later.headers['X-Memory-Trace-Id']}").json()
    assert "Lyon" not in trace["block"]


def test_outcomes_of_a_trace_that_is_gone_do_not_break_a_chat(service, mind):
    """Broken: ``TraceNotFound`` ends the recall."""
    answer = chat(service, mind, outcomes={"episode:1": "acted"}, trace_id="f" * 32)

    assert answer.status_code == 200
    assert answer.headers["X-Memory-Outcomes"] == "applied=0, unknown=1"
    assert answer.headers["X-Memory"] == "surfaced"


@pytest.mark.parametrize(
    "outcomes",
    ["acted", "[1]", {"episode:1": "liked"}, "{", "[" * 100_000],
    ids=["a word", "a list", "another word", "half", "100,000 brackets"],
)
def test_outcomes_that_can_not_be_meant_are_refused_in_openais_shape(service, mind, outcomes):
    """Broken: what can not be read is passed over."""
    answer = chat(service, mind, outcomes=outcomes)

    assert answer.status_code == 400
    assert "outcomes" in (answer.json()["error"]["param"] or answer.json()["error"]["message"])
