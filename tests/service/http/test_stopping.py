"""What callers get that still wait for a model when the service stops."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.support.cli_process import log_of_ended, serving
from tests.support.waiting import until
from tests.twins.provider import Hangs, ScriptedProvider

SAID = {"session_id": "s1", "messages": [{"role": "user", "content": "My mother lives in Lyon."}]}
CHAT = {"model": "memory", "messages": [{"role": "user", "content": "Where does my mother live?"}]}
CALLS = {
    "a chat": ("/v1/chat/completions", CHAT),
    "a stream": ("/v1/chat/completions", CHAT | {"stream": True}),
    "a question": ("/v1/minds/ada/ask", {"question": "Where does my mother live?"}),
    "a story": ("/v1/minds/ada/consolidation", {"trigger": "manual", "wait": True}),
}
BEFORE_A_TURN = ("/v1/minds/ada/resonance", SAID | {"deadline_ms": 60_000})


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """Each call's answer, how long the service took to stop, and its log."""
    home = tmp_path_factory.mktemp("stopping") / "home"
    with ScriptedProvider(respond=lambda _: Hangs()) as provider:
        model = {"MODEL": "openai/scripted", "API_BASE": provider.url, "API_KEY": "k", "LOG_JSON": "true"}
        model["MODELS__AT_ONCE"] = "9"
        with serving(home, **{f"MIND_MEMORY_{name}": value for name, value in model.items()}) as (process, url):
            httpx2.post(f"{url}/v1/minds/ada/turns", json=SAID, timeout=60).raise_for_status()
            calls = CALLS | {"before a turn": BEFORE_A_TURN}
            with ThreadPoolExecutor(len(calls)) as callers:
                asked = {
                    name: callers.submit(httpx2.post, f"{url}{path}", json=body, timeout=60)
                    for name, (path, body) in calls.items()
                }
                until(lambda: len(provider.chats) > len(calls))
                process.terminate()
                began = time.monotonic()
                answers = {name: one.result() for name, one in asked.items()}
            log = log_of_ended(process, home)
            yield answers, time.monotonic() - began, log


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_the_end_cuts_off_is_told_to_try_again(stopped, name):
    """Broken: it got "500 Internal Server Error" as plain text."""
    answer = stopped[0][name]

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5"), answer.text
    assert "the service stops before this call is answered: try again" in answer.text
    if "chat" in str(answer.url):
        assert answer.json()["error"]["code"] == "service_stopping"
    else:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["type"] == "/problems/service-stopping"


def test_a_pre_turn_call_is_answered_before_the_end_cuts_it_off(stopped):
    """Broken: it got 503, and a bot that asks no second time had no messages to pass on."""
    answer = stopped[0]["before a turn"]
    said = answer.json()

    assert answer.status_code == 200, answer.text
    assert (said["silence"], said["block"]) == ("the service stops", "")
    assert "service_stopping" in said["degraded"] and said["messages"][-1]["content"] == "My mother lives in Lyon."


def test_the_end_writes_no_traceback_and_json_alone(stopped):
    log = stopped[2]

    assert "Traceback" not in log and "CancelledError" not in log
    assert all(json.loads(line) for line in log.splitlines())


@pytest.mark.timing
def test_the_service_has_ended_before_a_container_runtime_kills_it(stopped):
    assert stopped[1] < 10, "seconds"
