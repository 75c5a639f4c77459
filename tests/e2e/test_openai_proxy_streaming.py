"""Chats that are streamed through the proxy: chunks as they come, the turn once the last has come, and who hangs up."""

import asyncio
import json
import signal

import httpx2
import openai
import pytest

from tests.support.cli_process import serving, until_digested
from tests.support.openai_proxy import contents, of, proxied
from tests.support.waiting import GIVE_UP
from tests.twins.provider import Body, Breaks, Hangs, Says, ScriptedProvider, Stumbles

LYON, WHERE = "My mother lives in Lyon, near the old bakery.", "Where does my mother live?"
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {}}}}]


@pytest.fixture(scope="module")
def provider():
    with ScriptedProvider(models=()) as found:
        yield found


@pytest.fixture(scope="module")
def service(tmp_path_factory, provider):
    with proxied(tmp_path_factory.mktemp("proxy") / "home", provider) as found:
        found.tell("lyon", LYON, "How often do you see her?")
        yield found


@pytest.fixture(autouse=True)
def _nothing_left_of_another_test(provider):
    provider.forget()


def chunk(delta, *, index=0, finish=None, **more):
    choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 7, "model": "gpt-z"}
    return {**head, "system_fingerprint": "fp_1", "choices": [choice], **more}


def events(*chunks, done=("data: [DONE]\n\n",)):
    """Chunks as an upstream sends them."""
    lines = [f"data: {json.dumps(one)}\n\n" for one in chunks]
    return Body("".join((*lines, *done)).encode(), content_type="text/event-stream")


def test_chunks_come_as_they_are_with_calls_of_tools_two_choices_and_the_tokens(service, provider):
    chunks = [
        chunk({"role": "assistant", "content": None, "tool_calls": [
            {"index": 0, "id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": ""}}]}),
        chunk({"role": "assistant", "content": "two"}, index=1),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"city":'}}]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": ' "Lyon"}'}}], "odd": 1}),
        chunk({}, index=1, finish="length"),
        chunk({}, finish="tool_calls"),
        {**chunk({}), "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}},
    ]  # fmt: skip
    provider.then(events(*chunks))

    stream = service.client().chat.completions.create(
        model="memory", messages=[{"role": "user", "content": "Weather?"}], stream=True, n=2, tools=TOOLS,
        stream_options={"include_usage": True}, extra_headers=of("chunks"),
    )  # fmt: skip
    told = [one.to_dict() for one in stream]

    assert told == chunks
    assert contents(service.until_kept("chunks")[0]) == [
        ("user", "Weather?"),
        ("assistant", '[calls get_weather({"city": "Lyon"})]'),
    ]


def test_what_a_person_said_is_kept_where_a_stream_ends_without_a_word(service, provider):
    """Broken: the client has its [DONE] and asks no more, and nothing of the chat is stored."""
    provider.then(events(chunk({"reasoning_content": "Hm."})))

    list(
        service.client().chat.completions.create(
            model="memory",
            messages=[{"role": "user", "content": "My marmoset is called Kiki."}],
            stream=True,
            extra_headers=of("wordless"),
        )
    )

    assert contents(service.until_kept("wordless")[0]) == [("user", "My marmoset is called Kiki.")]


@pytest.mark.parametrize("stream", [False, True])
def test_the_turn_is_stored_when_the_last_byte_arrives(service, provider, stream):
    for number in range(3):
        mind = f"known-{stream}-{number}".lower()
        provider.then(Says("Noted."))
        said = {"model": "memory", "messages": [{"role": "user", "content": LYON}], "stream": stream}
        service.http.post("/v1/chat/completions", json=said, headers=of(mind)).raise_for_status()
        found = service.http.get(f"/v1/minds/{mind}")

        assert (found.status_code, found.json().get("turns")) == (200, 1)
    service.at_rest()


@pytest.mark.anyio
async def test_chunks_come_as_soon_as_they_are_said_and_who_hangs_up_stops_the_upstream(service, provider):
    provider.then(Says("Once upon a time, and so on. " * 500, drip=0.05))
    hung_up = provider.hung_up
    async with service.client(openai.AsyncOpenAI) as client:
        stream = await client.chat.completions.create(
            model="memory",
            messages=[{"role": "user", "content": "Tell me a story."}],
            stream=True,
            extra_headers=of("left"),
        )
        async for one in stream:
            if one.choices[0].delta.content:
                break
        await stream.close()

    service.until(lambda: provider.hung_up > hung_up)
    kept = service.until_kept("left")[0]
    (said, answered) = contents(kept)
    assert said == ("user", "Tell me a story.")
    assert answered[1].startswith("Once upo")
    assert len(answered[1]) < 5_000
    assert kept["metadata"]["mind_memory.proxy"]["cut"] == "client_left"


def test_what_was_said_until_the_service_stops_is_kept(tmp_path, provider):
    """Broken: the drain of jobs was over before the stream that it cut began to store its turn."""
    provider.then(Says("Hello, Ada."))
    place = {"MODEL": "openai/scripted", "API_BASE": provider.url, "API_KEY": "none"}
    said = [{"role": "user", "content": "My nephew is called Ben. Tell me a story."}]
    with serving(tmp_path, **{f"MIND_MEMORY_MODELS__CHAT__{name}": one for name, one in place.items()}) as (
        process,
        url,
    ):
        with httpx2.Client(base_url=url, timeout=GIVE_UP) as http:
            body = {"model": "memory", "messages": said, "stream": True}
            http.post("/v1/chat/completions", json=body, headers=of("before")).raise_for_status()
            until_digested(url, "before")  # nothing else is left that the end would wait for
            provider.forget()
            provider.then(Says("Once upon a time, and so on. " * 500, drip=0.05))
            with http.stream("POST", "/v1/chat/completions", json=body, headers=of("cut")) as answer:
                lines = answer.iter_lines()
                assert "Once" in next(line for line in lines if '"content"' in line)
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=GIVE_UP)

    (file,) = (tmp_path / "minds" / "cut" / "transcript").glob("*.jsonl")
    kept = json.loads(file.read_text())
    (asked, answered) = contents(kept)
    assert asked == ("user", said[0]["content"])
    assert answered[1].startswith("Once upo")
    assert kept["metadata"]["mind_memory.proxy"]["cut"] == "client_left"


@pytest.mark.anyio
async def test_who_hangs_up_before_anything_was_said_stops_the_upstream_and_nothing_is_kept(service, provider):
    for is_streamed in (False, True):
        provider.then(Hangs())
        hung_up, asked = provider.hung_up, len(provider.chats)
        async with service.client(openai.AsyncOpenAI) as client:
            task = asyncio.create_task(
                client.chat.completions.create(
                    model="memory",
                    messages=[{"role": "user", "content": "Are you there?"}],
                    stream=is_streamed,
                    extra_headers=of("silent"),
                )  # fmt: skip
            )
            await asyncio.to_thread(service.until, lambda: len(provider.chats) > asked)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await asyncio.to_thread(service.until, lambda: provider.hung_up > hung_up)

    service.at_rest()
    assert service.kept("silent") == []


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (Stumbles("Once upon a time", "overloaded"), "overloaded"),
        (Breaks("Once upon a time"), "openai/scripted broke off"),
        (Breaks("Once upon a time", reset=False), "openai/scripted broke off"),
    ],
    ids=["an error event", "a connection that breaks", "an end in good order"],
)
def test_what_fails_in_the_middle_is_told_in_the_middle_and_what_was_said_is_kept(
    service, provider, request, script, told
):
    mind_id = request.node.callspec.id.replace(" ", "-")
    provider.then(script)
    said = ""
    with pytest.raises(openai.APIError, match=told):
        for one in service.client().chat.completions.create(
            model="memory", messages=[{"role": "user", "content": "Go on."}], stream=True, extra_headers=of(mind_id)
        ):
            said += one.choices[0].delta.content or ""

    assert said == "Once upon a time"
    kept = service.until_kept(mind_id)[0]
    assert contents(kept) == [("user", "Go on."), ("assistant", said)]
    assert kept["metadata"]["mind_memory.proxy"]["cut"] == "upstream_broke"


@pytest.mark.parametrize(
    ("endings", "is_whole"),
    [
        ([chunk({}, finish="stop"), chunk({}, index=1, finish="stop")], True),
        ([chunk({}, finish="stop")], False),
        ([], False),
    ],
    ids=["both choices", "one of two", "none"],
)
def test_a_stream_without_its_done_is_whole_where_each_choice_gave_its_reason(service, provider, endings, is_whole):
    """Broken: a [DONE] that the provider did not send makes half of an answer a whole one."""
    begun = [chunk({"content": "Once"}), chunk({"content": "Twice"}, index=1)]
    provider.then(events(*begun, *endings, done=()))

    answer = service.http.post(
        "/v1/chat/completions",
        json={"model": "memory", "messages": [{"role": "user", "content": "Go on."}], "stream": True, "n": 2},
        headers=of("undone"),
    )

    last = answer.text.split("\n\n")[-2]
    assert (last == "data: [DONE]") is is_whole, last
    assert ("[DONE]" in answer.text) is is_whole
    assert is_whole or json.loads(last.removeprefix("data: "))["error"]["code"] == "upstream_broke_off"
