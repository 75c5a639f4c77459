"""Any client of OpenAI's API has memory: its own package, sync, async and streaming, against a scripted upstream."""

import json
from concurrent.futures import ThreadPoolExecutor

import openai
import pytest

from tests.support.openai_proxy import contents, of, proxied
from tests.twins.provider import Body, Fails, ScriptedProvider, Stumbles

LYON, WHERE = "My mother lives in Lyon, near the old bakery.", "Where does my mother live?"
HEADER = "[SUBCONSCIOUS RESONANCE]"
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {}}}}]
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"


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


@pytest.fixture
def ask(service):
    """One chat of one user message by the synchronous client: its raw answer, with headers."""

    def asked(said, *, client=None, headers=None, **more):
        client = client or service.client()
        messages = said if isinstance(said, list) else [{"role": "user", "content": said}]
        create = client.chat.completions.with_raw_response.create
        return create(model="memory", messages=messages, extra_headers=headers or {}, **more)

    return asked


def completion(*messages, finish="stop", **more):
    choices = [
        {"index": at, "message": {"role": "assistant", **one}, "logprobs": None, "finish_reason": finish}
        for at, one in enumerate(messages)
    ]
    usage = {
        "prompt_tokens": 11,
        "completion_tokens": 5,
        "total_tokens": 16,
        "prompt_tokens_details": {"cached_tokens": 8},
    }
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 7, "model": "gpt-z"}
    return Body({**head, "choices": choices, "usage": usage, **more})


def test_what_was_said_in_another_session_is_given_to_the_model_and_the_turn_is_kept_without_it(service, provider, ask):
    provider.then("In Lyon, near the old bakery.")

    answer = ask(
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": WHERE}], headers=of("lyon", "s1")
    )

    sent = provider.chats[-1].body["messages"]
    assert [one["role"] for one in sent] == ["system", "system", "user"]
    assert sent[0]["content"].startswith("Be brief.\n\n[MY MEMORY]")
    assert sent[1]["content"].startswith(f"---\n{HEADER}\n- ")
    assert "Lyon" in sent[1]["content"]
    assert sent[2] == {"role": "user", "content": WHERE}
    assert answer.headers["x-memory"] == "surfaced"
    assert (answer.headers["x-mind-id"], answer.headers["x-session-id"]) == ("lyon", "s1")
    trace = service.http.get(f"/v1/minds/lyon/traces/{answer.headers['x-memory-trace-id']}").json()
    assert trace["block"] == sent[1]["content"]
    service.at_rest()
    kept = [one for one in service.kept("lyon") if one["session_id"] == "s1"][-1]
    assert (kept["session_id"], contents(kept)) == (
        "s1",
        [("user", WHERE), ("assistant", "In Lyon, near the old bakery.")],
    )


def test_a_chat_goes_on_and_its_answer_comes_back_as_they_are_but_for_memory(service, provider, ask):
    call = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Lyon"}'}}
    first = {"content": None, "refusal": "no", "tool_calls": [call], "reasoning_content": "hm"}
    given = completion(first, {"content": "two"}, finish="tool_calls", service_tier="flex", odd={"a": [1, None]})
    provider.then(given)
    messages = [
        {"role": "developer", "content": "x"},
        {
            "role": "user",
            "name": "ann",
            "content": [{"type": "text", "text": "hi"}, {"type": "odd", "z": 1}],
            "cache": {},
        },
    ]
    options = {
        "n": 2, "temperature": 0.3, "seed": 3, "stop": ["x"], "logprobs": True, "top_logprobs": 2, "tools": TOOLS,
        "tool_choice": "auto", "response_format": {"type": "json_object"}, "logit_bias": {"1": 2}, "user": "as-it-is",
    }  # fmt: skip

    answer = ask(
        messages, **options, extra_body={"odd": {"q": [1, None]}, "metadata": {"k": "v", "mind_id": "as-it-is"}}
    )

    sent = provider.chats[-1]
    expected = {"messages": messages, **options, "odd": {"q": [1, None]}, "metadata": {"k": "v"}}
    assert {name: value for name, value in sent.body.items() if name not in {"model", "stream"}} == expected
    assert sent.headers["authorization"] == "Bearer sk-upstream-secret-1"
    assert answer.http_response.json() == given.value


@pytest.mark.parametrize(
    ("script", "kind", "status", "told"),
    [
        (Fails(400, "bad image", code="invalid_image"), openai.BadRequestError, 400, "bad image"),
        (Fails(401, "no such key: sk-upstream-secret-1"), openai.AuthenticationError, 401, "no such key: [hidden]"),
        (Fails(404, "no such model"), openai.NotFoundError, 404, "no such model"),
        (Fails(422, "odd"), openai.UnprocessableEntityError, 422, "odd"),
        (Fails(429, "slow down", headers={"Retry-After": "7"}), openai.RateLimitError, 429, "slow down"),
        (Fails(500, "oops"), openai.InternalServerError, 500, "oops"),
        (Fails(503, "busy"), openai.InternalServerError, 503, "busy"),
        (Stumbles("", "overloaded", code=429), openai.RateLimitError, 429, "overloaded"),
    ],
    ids=["400", "401", "404", "422", "429", "500", "503", "an error instead of a first chunk"],
)
def test_what_the_upstream_refuses_before_its_first_word_is_told_as_it_was(
    service, provider, ask, script, kind, status, told
):
    for is_streamed in (False, True) if isinstance(script, Fails) else (True,):
        provider.then(script)
        with pytest.raises(kind) as raised:
            ask("hello", headers=of("refused"), stream=is_streamed)

        assert raised.value.status_code == status
        assert raised.value.body["message"] == told
        assert raised.value.code == script.code
        assert raised.value.response.headers.get("retry-after") == (
            "7" if status == 429 and told == "slow down" else None
        )
    service.at_rest()
    assert service.kept("refused") == []


THOUGHT = [
    {"type": "thinking", "thinking": [{"type": "text", "text": "She greets."}]},
    {"type": "text", "text": "Hello Ottilie!"},
]
CITED = {
    "content": "Hello Ottilie!",
    "annotations": [{"type": "url_citation", "url_citation": {"url": "https://a.example"}}],
}


@pytest.mark.parametrize("message", [{"content": THOUGHT}, CITED], ids=["in parts", "with half a citation"])
def test_an_answer_of_a_shape_of_its_own_comes_back_as_it_is_and_is_kept(service, provider, ask, message):
    """Broken: litellm could not read it, and what was paid for was a bad gateway."""
    given = completion(message)
    provider.then(given)

    answer = ask("Good morning!", headers=of("shapes", str(len(message))))

    assert answer.http_response.json() == given.value
    service.at_rest()
    assert contents(service.kept("shapes")[-1]) == [("user", "Good morning!"), ("assistant", "Hello Ottilie!")]


NO_ANSWERS = {
    "null": (Body(None), (False, True)),
    "a web page": (Body(b"<html>a gateway</html>", "text/html"), (False, True)),
    "no message": (Body({"id": "x", "choices": [{"index": 0, "message": None}]}), (False, True)),
    "a whole answer for a stream": (
        Body({"id": "x", "choices": [{"index": 0, "message": {"content": "hi"}}]}),
        (True,),
    ),
    "half an event": (Body(b'data: {"id": "x", "choices": [{"ind', "text/event-stream"), (True,)),
    "bytes that are no text": (Body(b'{"id": "\xff"}'), (False,)),
}


@pytest.mark.parametrize(("script", "streamed"), NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_what_is_no_answer_of_a_model_is_a_bad_gateway(service, provider, ask, script, streamed):
    """Broken: 500, once with a traceback in its message; of a stream, 200 and no word."""
    for is_streamed in streamed:
        provider.then(script)
        with pytest.raises(openai.InternalServerError) as raised:
            ask("hello", headers=of("gateway"), stream=is_streamed)

        assert raised.value.status_code == 502
        assert raised.value.body["type"] == "upstream_error"
        assert not {"Traceback", ".py"} & set(raised.value.body["message"].split())
        assert "File" not in raised.value.body["message"]
    service.at_rest()
    assert service.kept("gateway") == []


def test_what_the_client_asks_again_by_itself_is_kept_once(service, provider):
    provider.then(Fails(500), Fails(429), "Hello!")

    answer = service.client(retries=2).chat.completions.create(
        model="memory", messages=[{"role": "user", "content": "Hi there."}], extra_headers=of("again")
    )
    service.until_kept("again")
    provider.then("Hello again!")  # the answer was lost on its way, and the client's library asks once more
    service.client().chat.completions.create(
        model="memory", messages=[{"role": "user", "content": "Hi there."}],
        extra_headers={**of("again"), "x-stainless-retry-count": "1"},
    )  # fmt: skip
    service.at_rest()

    assert answer.choices[0].message.content == "Hello!"
    assert [contents(one) for one in service.kept("again")] == [[("user", "Hi there."), ("assistant", "Hello!")]]


def test_what_a_retry_is_known_by_says_nothing_of_what_is_hidden(service, provider):
    """Broken: the digest is of the words as they came, so that the four digits that are missing can be tried out."""
    provider.then("Noted.", "Noted.")
    for mind, card in (("one", "4111 1111 1111 1111"), ("two", "5500 0000 0000 0004")):
        service.client().chat.completions.create(
            model="memory", messages=[{"role": "user", "content": f"my card is {card}, write it down"}],
            extra_headers={**of(mind), "x-stainless-retry-count": "0"},
        )  # fmt: skip
        service.until_kept(mind)
    (one,), (two,) = service.kept("one"), service.kept("two")

    assert one["metadata"]["mind_memory.proxy"]["sent"] == two["metadata"]["mind_memory.proxy"]["sent"]


BOAT = "Suggest a name for my boat."


def suggest(service, mind, *, said=BOAT, retry=None, **more):
    """One chat by OpenAI's library, or the attempt of this number."""
    headers = {**of(mind, "s1"), **({"x-stainless-retry-count": str(retry)} if retry is not None else {})}
    service.client(**more).chat.completions.create(
        model="memory", messages=[{"role": "user", "content": said}], extra_headers=headers
    )
    service.at_rest()


def answers(service, mind):
    return [contents(one)[-1][1] for one in service.kept(mind)]


def test_an_answer_that_a_person_wants_anew_is_kept_though_its_first_attempt_failed(service, provider):
    """Broken: the retry is taken for one of the first question, whose answer was delivered long ago."""
    provider.then("Zephyr.", Fails(500), "Albatross, then.")

    suggest(service, "boat")
    suggest(service, "boat", retries=2)

    assert answers(service, "boat") == ["Zephyr.", "Albatross, then."]


def test_a_retry_after_an_answer_that_was_lost_is_kept_once(service, provider):
    provider.then("Zephyr.", "Borea.", "Albatross.", "Petrel.", "Fulmar.")

    for attempt in (0, 1, 0, 1, 2):
        suggest(service, "boat-lost", retry=attempt)

    assert answers(service, "boat-lost") == ["Zephyr.", "Albatross."]


def test_another_chat_of_the_session_does_not_part_a_retry_from_its_first_attempt(service, provider):
    provider.then("Zephyr.", "Merle.", "Borea.")

    suggest(service, "boat-other", retry=0)
    suggest(service, "boat-other", retry=0, said="Suggest a name for my cat.")
    suggest(service, "boat-other", retry=1)

    assert answers(service, "boat-other") == ["Zephyr.", "Merle."]


def test_what_is_off_the_record_is_kept_anew_though_its_first_attempt_failed(service, provider):
    provider.then("Zephyr.", Fails(500), "Albatross, then.")

    for retries in (0, 2):
        suggest(service, "boat-silent", said=f"#offtherecord {BOAT}", retries=retries)

    assert [contents(one) for one in service.kept("boat-silent")] == [[("user", ""), ("assistant", "")]] * 2


def test_of_many_that_ask_again_at_once_one_is_kept(service, provider):
    def ask(number):
        service.client().chat.completions.create(
            model="memory", messages=[{"role": "user", "content": "Hi there, all of you."}],
            extra_headers={**of("crowd"), "x-stainless-retry-count": "1"},
        )  # fmt: skip

    provider.then(*(f"Hello {number}!" for number in range(8)))
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(ask, range(8)))
    service.at_rest()

    assert len(service.kept("crowd")) == 1


def test_what_is_asked_again_under_one_key_is_kept_once_and_anything_else_each_time(service, provider, ask):
    for said, key in (("one", "k-1"), ("other words", "k-1"), ("two", None), ("two", None)):
        provider.then(said)
        ask("Hi there.", headers={**of("keyed", "s1"), **({"Idempotency-Key": key} if key else {})})
        service.at_rest()

    kept = service.kept("keyed")
    assert [contents(one)[1][1] for one in kept] == ["one", "two", "two"]
    assert kept[0]["turn_id"] == "k-1"


def test_other_words_under_a_key_that_was_used_are_kept_once_under_an_id_of_their_own(service, provider, ask):
    """Broken: a client that sends one key for all its chats loses each but the first, with a 200."""
    for said in ("My uncle Otto sells bread.", "I am allergic to penicillin.", "I am allergic to penicillin."):
        provider.then("I see.")
        ask(said, headers={**of("reused", "s1"), "Idempotency-Key": "same"})
        service.at_rest()

    kept = service.kept("reused")
    assert [contents(one)[0][1] for one in kept] == ["My uncle Otto sells bread.", "I am allergic to penicillin."]
    assert kept[0]["turn_id"] == "same" and kept[1]["turn_id"].startswith("same~")


def test_a_tool_that_answers_does_not_cost_the_memory_and_only_what_is_new_is_kept(service, provider, ask):
    service.tell("tools", LYON, "How often do you see her?")
    call = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Lyon"}'}}
    question = {"role": "user", "content": "Is it warm where my mother lives?"}
    provider.then(
        completion({"content": None, "tool_calls": [call]}, finish="tool_calls"), "It is.", "You are welcome."
    )

    first = ask([question], headers=of("tools", "s1"), tools=TOOLS)
    called = [
        question,
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "31 °C"},
    ]
    second = ask(called, headers=of("tools", "s1"), tools=TOOLS)
    ask(
        [*called, {"role": "assistant", "content": "It is."}, {"role": "user", "content": "Thank you!"}],
        headers=of("tools", "s1"),
    )

    sent = [one.body["messages"] for one in provider.chats[-3:]]
    blocks = [[one["content"] for one in messages if HEADER in str(one.get("content"))[:40]] for messages in sent]
    assert len(blocks[0]) == 1
    assert blocks[1] == blocks[0]
    assert [one["role"] for one in sent[1]] == ["system", "system", "user", "assistant", "tool"]
    assert first.headers["x-memory-trace-id"] == second.headers["x-memory-trace-id"]
    assert [contents(one) for one in service.until_kept("tools", turns=4)[1:]] == [
        [("user", question["content"]), ("assistant", '[calls get_weather({"city": "Lyon"})]')],
        [("tool", "31 °C"), ("assistant", "It is.")],
        [("user", "Thank you!"), ("assistant", "You are welcome.")],
    ]
    assert service.kept("tools")[2]["messages"][0]["name"] == "get_weather"


def test_an_answer_that_is_asked_for_again_is_given_with_the_same_memories(service, provider, ask):
    provider.then("In Lyon.", "In Lyon, of course.")

    answers = [ask(WHERE, headers=of("lyon", "again")) for _ in range(2)]

    blocks = [one.body["messages"][-2]["content"] for one in provider.chats[-2:]]
    assert blocks[0] == blocks[1]
    assert [one.headers["x-memory"] for one in answers] == ["surfaced", "surfaced"]


@pytest.mark.filterwarnings("ignore:Sending a large body directly:ResourceWarning")  # aiohttp's, below litellm
def test_an_image_goes_on_untouched_and_is_kept_as_a_mark(service, provider, ask):
    provider.then("A pixel.")
    large = PIXEL + "A" * 2_000_000  # more than any other request may have
    parts = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": large}}]

    ask([{"role": "user", "content": parts}], headers=of("images"))

    assert provider.chats[-1].body["messages"] == [{"role": "user", "content": parts}]
    assert contents(service.until_kept("images")[0]) == [("user", "What is this?\n[image]"), ("assistant", "A pixel.")]


def test_what_was_put_in_earlier_is_taken_out_again(service, provider, ask):
    provider.then("Yes.")
    block = f"---\n{HEADER}\n- Yesterday — Jan 9, user: My cat is called Miru.\n---"
    messages = [
        {"role": "system", "content": f"Be brief.\n\n{block}"},
        {"role": "system", "content": block},
        {"role": "user", "content": [{"type": "text", "text": block}, {"type": "text", "text": "And now?"}]},
    ]

    ask(messages, headers=of("clean"))

    assert provider.chats[-1].body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "And now?"}]},
    ]
    assert contents(service.until_kept("clean")[0])[0] == ("user", "And now?")


def test_a_bypassed_chat_is_neither_given_memory_nor_kept(service, provider, ask):
    provider.then("No idea.")
    before = len(service.kept("lyon"))

    answer = ask(WHERE, headers={**of("lyon"), "X-Memory-Bypass": "1"})

    assert answer.headers["x-memory"] == "bypassed"
    assert provider.chats[-1].body["messages"] == [{"role": "user", "content": WHERE}]
    service.at_rest()
    assert len(service.kept("lyon")) == before


def test_whatever_fails_in_memory_the_chat_is_answered(service, provider, ask):
    service.tell("broken", LYON)
    service.memory.minds.gate.close("broken")
    (service.home / "minds/unreadable/transcript/2026-01.jsonl").mkdir(parents=True)
    provider.then("Hello!", "Hello!", "Hello!")

    answers = [ask("hi", headers=of(mind_id)) for mind_id in ("broken", "unreadable")]
    streamed = service.client().chat.completions.create(
        model="memory", messages=[{"role": "user", "content": "hi"}], stream=True, extra_headers=of("broken")
    )

    assert [one.headers["x-memory"] for one in answers] == ["failed", "failed"]
    assert {one.parse().choices[0].message.content for one in answers} == {"Hello!"}
    assert "".join(one.choices[0].delta.content or "" for one in streamed) == "Hello!"
    service.at_rest()
    assert len(service.kept("broken")) == 1


def test_nothing_that_must_not_be_kept_comes_in_by_this_door(service, provider, ask):
    provider.then("Noted.", "Noted.")

    ask("My card is 4111 1111 1111 1111.", headers=of("discreet"))
    service.until_kept("discreet")
    ask("My umbrella is green. #offtherecord", headers=of("discreet", "s2"))

    kept = service.until_kept("discreet", turns=2)
    assert kept[0]["messages"][0]["content"] == "My card is [redacted: card number]."
    assert {content for _, content in contents(kept[1])} == {""}
    assert provider.chats[-2].body["messages"][-1]["content"] == "My card is 4111 1111 1111 1111."


def test_a_conversation_has_one_session_and_a_user_one_mind_without_any_header(service, provider, ask):
    provider.then("Hello!", "Fine.", "Hello!", "Hello!")
    began = [{"role": "system", "content": "It is 10:00."}, {"role": "user", "content": "Good morning, this is Ann."}]
    went_on = [
        {"role": "system", "content": "It is 10:01."}, *began[1:], {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": "How are you?"},
    ]  # fmt: skip

    first, second = ask(began, user="ann"), ask(went_on, user="ann")
    strange = ask("hi", user="Ann Müller <ann@example.org>")
    named = ask("hi", user="ann", extra_body={"metadata": {"mind_id": "bea", "session_id": "Straße 7"}})

    assert first.headers["x-session-id"] == second.headers["x-session-id"]
    assert [first.headers["x-mind-id"], second.headers["x-mind-id"]] == ["ann", "ann"]
    assert strange.headers["x-mind-id"].startswith("user-")
    assert (named.headers["x-mind-id"], named.headers["x-session-id"]) == ("bea", "Stra%C3%9Fe 7")
    assert "metadata" not in provider.chats[-1].body
    assert service.until_kept("bea")[0]["session_id"] == "Straße 7"


@pytest.mark.parametrize(("names", "told"), [((), ()), (("remember",), ("remember",)), (("get_weather",), ())])
def test_the_model_is_told_of_a_tool_for_memory_only_where_the_chat_has_it(ask, provider, names, told):
    """Broken: ``_tools`` is passed on to nobody."""
    tools = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in names]
    provider.then("Hello!")
    ask("Hello there!", headers=of("lyon", f"tools-{len(names)}-{len(told)}"), **({"tools": tools} if tools else {}))

    system = provider.chats[-1].body["messages"][0]["content"]
    assert "You have a memory" in system
    assert [name for name in ("remember", "journal_memory_search") if f"`{name}`" in system] == [*told]


def test_half_an_emoji_is_sent_on_as_a_mark_and_two_halves_as_one(service, provider):
    """Broken: the chat, which the provider alone would answer, is refused as if it were not JSON."""
    provider.then("Hello!")
    body = {"model": "memory", "messages": [{"role": "user", "content": "cut \ud83d, whole \ud83d\ude00"}]}
    sent = {"content": json.dumps(body), "headers": {"Content-Type": "application/json", **of("halves")}}

    assert service.http.post("/v1/chat/completions", **sent).status_code == 200
    assert provider.chats[-1].words == "cut \ufffd, whole \U0001f600"
    assert contents(service.until_kept("halves")[0])[0] == ("user", provider.chats[-1].words)
