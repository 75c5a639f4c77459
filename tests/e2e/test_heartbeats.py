"""Before a turn, a heartbeat or a probe gets silence and costs no model call, whichever door it comes through."""

import pytest
from mind_memory_client import AsyncMemoryClient

from tests.support.scripted_models import Brain, hosted, prompts, provider_of
from tests.support.service import running
from tests.support.waiting import until_async

pytestmark = pytest.mark.anyio

LYON = "My mother lives in Lyon, near HEARTBEAT.md street."
ORDER = "Read HEARTBEAT.md if it exists. If nothing needs attention, reply HEARTBEAT_OK."
PERSON = f'Where near Lyon does my mother live? My bot is told "{ORDER}" all day.'


async def by_http(service, message, session_id="s2", **more):
    answer = (await service.resonate("ada", message, session_id=session_id, relevance=0, **more)).json()
    return answer["silence"]


async def by_client(service, message, session_id="s2", **more):
    async with AsyncMemoryClient("http://localhost", http=service.http) as memory:
        async with memory.turn("ada", session_id, message, deadline_ms=0, **more) as turn:
            pass
    return turn.resonance.silence


async def by_mcp(service, message, session_id="s2"):
    arguments = {"session_id": session_id, "message": message, "mind": "ada"}
    call = {"name": "resonance", "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = {"Accept": "application/json, text/event-stream"}
    answer = (await service.http.post("/mcp", json=body, headers=headers)).json()
    return answer["result"]["structuredContent"].get("silence")


async def by_proxy(service, message, session_id="s2"):
    body = {"model": "memory", "messages": [{"role": "user", "content": message}]}
    headers = {"X-Mind-Id": "ada", "X-Session-Id": session_id}
    answer = await service.http.post("/v1/chat/completions", json=body, headers=headers)
    assert answer.headers["X-Memory"] in {"silent", "surfaced"}, answer.text
    trace = await service.http.get(f"/v1/minds/ada/traces/{answer.headers['X-Memory-Trace-Id']}")
    return trace.json()["silence"]


DOORS = (by_http, by_client, by_mcp, by_proxy)


@pytest.fixture
async def told(tmp_path):
    """A service whose subconscious is a model, with a mind that knows of Lyon; and the model's provider."""
    with provider_of(Brain()) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "subconscious")) as service:
            await service.keep("ada", LYON, session_id="s0")
            await service.digested("ada")
            yield service, provider


@pytest.mark.parametrize("ask", DOORS)
async def test_a_heartbeat_and_a_probe_get_silence_and_a_person_does_not(told, ask):
    service, provider = told

    assert await ask(service, ORDER) == "this is a heartbeat"
    assert await ask(service, "Where does my mother live?", session_id="probe-1") == "this is a probe"
    assert prompts(provider, "seeds") == prompts(provider, "narration") == []

    assert await ask(service, PERSON) not in {"this is a heartbeat", "this is a probe"}
    assert await until_async(lambda: prompts(provider, "seeds"))


@pytest.mark.parametrize("ask", [by_http, by_client])
@pytest.mark.parametrize("kind", ["heartbeat", "probe"])
async def test_what_the_caller_calls_noise_is_silent_and_not_remembered(told, ask, kind):
    service, provider = told

    assert await ask(service, "Where does my mother live?", kind=kind) == f"this is a {kind}"

    assert prompts(provider, "seeds") == []
    if ask is by_client:
        mind = await service.memory.minds.find("ada")
        assert (await mind.transcript.after(1, limit=1))[0].turn.kind == kind


async def test_the_story_is_given_to_a_heartbeat_too(told):
    service, _ = told

    answer = (await service.resonate("ada", ORDER)).json()

    assert answer["stable"]["text"]
    assert answer["messages"][0]["role"] == "system"
