"""A chat off the record: nothing of the exchange is kept, though tools answer in it, over however many requests."""

import json

import pytest

from tests.e2e.test_privacy import found_in
from tests.support.openai_proxy import contents, of, proxied
from tests.twins.provider import Body, ScriptedProvider

TOOLS = [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "object", "properties": {}}}}]
OFF = {"a marker": "#offtherecord What did my lab test say?", "a word that is never kept": "What is my diagnosis?"}
PRIVATE = ("diagnosis", "lab test", "potassium", "Zweig", "nephritis")


@pytest.fixture(scope="module")
def provider():
    with ScriptedProvider(models=()) as found:
        yield found


@pytest.fixture
def service(tmp_path, provider):
    provider.forget()
    with proxied(tmp_path / "home", provider) as found:
        found.tell("ada", "My cat is called Miru.", "How old is she?")
        own = found.http.patch(
            "/v1/minds/ada/settings", json={"never_keep": ["my diagnosis"]}, headers={"If-Match": "*"}
        )
        own.raise_for_status()
        yield found


def user(text):
    return {"role": "user", "content": text}


def bot(text):
    return {"role": "assistant", "content": text}


def calling(number, wanted):
    call = {
        "id": f"c{number}",
        "type": "function",
        "function": {"name": "look_up", "arguments": f'{{"q": "{wanted}"}}'},
    }
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def tool(number, found):
    return {"role": "tool", "tool_call_id": f"c{number}", "content": found}


def as_called(message, *, stream):
    """What the provider says to have a tool called."""
    head = {"id": "chatcmpl-1", "created": 7, "model": "gpt-z"}
    if not stream:
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
        return Body({**head, "object": "chat.completion", "choices": [choice]})
    delta = {**message, "tool_calls": [{"index": 0, **message["tool_calls"][0]}]}
    chunk = {**head, "object": "chat.completion.chunk"}
    chunk["choices"] = [{"index": 0, "delta": delta, "finish_reason": "tool_calls"}]
    return Body(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode(), "text/event-stream")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("said", OFF.values(), ids=OFF)
def test_what_tools_and_the_bot_say_in_an_exchange_off_the_record_is_not_kept(service, provider, said, stream):
    steps = [calling(1, "potassium"), tool(1, "5.1, says Zweig"), calling(2, "Zweig"), tool(2, "It is nephritis.")]
    windows = ([user(said)], [user(said), *steps[:2]], [user(said), *steps])
    provider.then(*(as_called(one, stream=stream) for one in (steps[0], steps[2])), "Zweig says nephritis.", "Rex!")

    for window in (*windows, [*windows[-1], bot("Zweig says nephritis."), user("My dog is called Rex.")]):
        body = {"model": "memory", "messages": window, "tools": TOOLS, "stream": stream}
        service.http.post("/v1/chat/completions", json=body, headers=of("ada", "s1")).raise_for_status()
    service.at_rest()
    service.digested("ada")

    kept = service.kept("ada")[1:]
    assert [contents(one) for one in kept] == [
        [("user", ""), ("assistant", "")],
        [("tool", ""), ("assistant", "")],
        [("tool", ""), ("assistant", "")],
        [("user", "My dog is called Rex."), ("assistant", "Rex!")],
    ]
    assert found_in(service.home, *PRIVATE, but=["settings.toml"]) == set()
    asked = {"query": "What did Zweig say of potassium and nephritis?"}
    assert "nephritis" not in service.http.get("/v1/minds/ada/remember", params=asked).text


def test_a_step_off_the_record_that_is_repeated_under_its_key_is_one_turn(service, provider):
    provider.then(as_called(calling(1, "potassium"), stream=False), "5.1.", "It is 5.1.")
    window = [user(OFF["a marker"]), calling(1, "potassium"), tool(1, "5.1, says Zweig")]

    for key, messages in (("k-1", window[:1]), ("k-2", window), ("k-2", window)):
        body = {"model": "memory", "messages": messages, "tools": TOOLS}
        headers = {**of("ada", "s1"), "Idempotency-Key": key}
        service.http.post("/v1/chat/completions", json=body, headers=headers).raise_for_status()
        service.at_rest()

    assert [one["turn_id"] for one in service.kept("ada")[1:]] == ["k-1", "k-2"]


def test_what_is_said_after_an_exchange_off_the_record_is_kept_with_its_tools(service, provider):
    provider.then("I see.", as_called(calling(1, "Rex"), stream=False), "He is three.")
    window = [user(OFF["a marker"]), bot("I see."), user("How old is Rex?"), calling(1, "Rex"), tool(1, "three")]

    for end in (1, 3, 5):
        body = {"model": "memory", "messages": window[:end], "tools": TOOLS}
        service.http.post("/v1/chat/completions", json=body, headers=of("ada", "s1")).raise_for_status()
    service.at_rest()

    assert [contents(one) for one in service.kept("ada")[2:]] == [
        [("user", "How old is Rex?"), ("assistant", '[calls look_up({"q": "Rex"})]')],
        [("tool", "three"), ("assistant", "He is three.")],
    ]
