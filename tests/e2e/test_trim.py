"""A context window that is trimmed: what leaves it is in the transcript, once, or nothing leaves it."""

import asyncio
import json
import time

import pytest

from tests.e2e.test_failing_disk import no_file_above
from tests.e2e.test_story_syncing import bot, kept, quiet, user
from tests.support.agents import act, call, thought
from tests.support.service import running
from tests.support.service_process import serving

pytestmark = pytest.mark.anyio

TRIM = "/v1/minds/ada/sessions/s1/trim"
CALL = {
    "role": "assistant",
    "content": "I look.",
    "tool_calls": [{"id": "call_0123456789", "type": "function", "function": {"name": "ls", "arguments": "{}"}}],
}
RESULT = {"role": "tool", "tool_call_id": "call_0123456789", "content": "a.txt", "cache": {"odd": [1, 2.5, None]}}
WINDOW = [
    {"role": "system", "content": "You are Ada."},
    user("I sowed beans."),
    CALL,
    RESULT,
    bot("There is a.txt."),
    user("Thanks."),
]


async def trimmed(service, messages, *, path=TRIM, **more):
    answer = await service.http.post(path, json={"messages": messages, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_what_leaves_a_window_is_kept_and_the_rest_comes_back_as_it_was(tmp_path):
    async with running(tmp_path, settings=quiet(tmp_path)) as service:
        found = await trimmed(service, WINDOW, keep=4)
        shorter = await trimmed(service, found["messages"], keep=1)
        said = await kept(service)

    assert found["messages"] == [WINDOW[0], *WINDOW[2:]]
    assert (found["dropped"], found["digest"].splitlines()[1:-1]) == (1, ["- user: I sowed beans."])
    assert shorter["messages"] == [WINDOW[0], WINDOW[-1]]
    assert said == [
        ("user", "I sowed beans."),
        ("assistant", "I look."), ("assistant", "[calls ls({})]"), ("tool", "a.txt"), ("assistant", "There is a.txt."),
    ]  # fmt: skip


async def test_the_same_window_trimmed_twice_or_at_once_is_kept_once(tmp_path):
    async with running(tmp_path, settings=quiet(tmp_path)) as service:
        first = await trimmed(service, WINDOW, keep=1)
        again = await asyncio.gather(*(trimmed(service, WINDOW, keep=1) for _ in range(3)))
        said = await kept(service)

    assert again == [first] * 3
    assert len(said) == 5


async def test_the_same_words_of_another_person_are_kept_before_they_leave(tmp_path):
    said = "I am vegetarian."
    async with running(tmp_path, settings=quiet(tmp_path)) as service:
        await service.keep("ada", user(said, name="Ada"), bot("Noted."))
        await trimmed(service, [user(said, name="Bob"), bot("Noted."), user(said, name="Ada")], keep=0)
        mind = await service.memory.minds.find("ada")
        turns = await mind.transcript.after(0, limit=9)

    assert [[one.who for one in turn.turn.messages] for turn in turns] == [["Ada", "assistant"], ["Bob"]]


async def test_what_was_posted_as_turns_or_told_through_the_chat_proxy_is_not_kept_again(tmp_path):
    async with running(tmp_path, settings=quiet(tmp_path)) as service:
        await service.keep("ada", "I sowed beans.", "I look.\n[calls ls({})]", {"role": "tool", "content": "a.txt"})
        await service.keep("ada", {"role": "assistant", "content": "There is a.txt."})
        await trimmed(service, WINDOW, keep=1)
        told = await kept(service)
        await service.keep("ada", "I sowed peas.", "I look.", session_id="s2")
        await trimmed(service, [user("I sowed peas."), CALL, RESULT], path=TRIM.replace("s1", "s2"), keep=0)
        posted = (await kept(service))[len(told) :]

    assert len(told) == 4
    assert posted == [
        ("user", "I sowed peas."), ("assistant", "I look."), ("assistant", "[calls ls({})]"), ("tool", "a.txt"),
    ]  # fmt: skip


def step(number, *, stem="call_", arguments='{"path":"dir"}', output=None):
    """What a window has of one step of an agent: its words with a call, and the result."""
    call = {"id": f"{stem}{number}", "type": "function", "function": {"name": "ls", "arguments": arguments}}
    printed = f"file {number}" if output is None else output
    return [
        {"role": "assistant", "content": f"I look at {number}.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"{stem}{number}", "content": printed},
    ]


def actions(number, *, stem="call_", output=None):
    """The same step, as an agent's backend posts it."""
    return (
        thought(f"I look at {number}.", id=f"thought-{stem}{number}"),
        call(number, tool="ls", output=output or f"file {number}", id=f"{stem}{number}", input={"path": "dir"}),
    )


@pytest.mark.parametrize("stem", ["call_0123456", "c"])
async def test_what_an_agent_posted_as_actions_is_not_kept_again_and_what_is_new_is(tmp_path, stem):
    window = [user("Go on."), *(one for number in range(6) for one in step(number, stem=stem))]
    async with running(tmp_path, settings=quiet(tmp_path)) as service:
        for number in range(5):
            await act(service, *actions(number, stem=stem), session="s1")
        told = await kept(service)
        first = await trimmed(service, window, keep=0)
        new = (await kept(service))[len(told) :]
        await trimmed(service, window, keep=0)
        later = (await kept(service))[len(told) :]

    assert first["dropped"] == 13
    assert new == later
    assert new == [
        ("user", "Go on."), ("assistant", "I look at 5."), ("assistant", '[calls ls({"path":"dir"})]'), ("tool", "file 5"),
    ]  # fmt: skip


async def test_a_call_is_known_by_its_id_where_the_window_has_a_part_of_its_output_or_it_was_erased(tmp_path):
    first, second = step(1, stem="call_0123456", output="file […]"), step(2, stem="call_0123456")
    async with running(tmp_path, settings=quiet(tmp_path)) as service:
        await act(service, *actions(1, stem="call_0123456"), *actions(2, stem="call_0123456"), session="s1")
        await service.http.delete("/v1/minds/ada/turns/call_01234562")
        told = await kept(service)
        await trimmed(service, [*first, *second], keep=0)

        assert await kept(service) == told


async def test_the_same_output_of_two_calls_is_kept_twice_and_a_window_sent_again_adds_none(tmp_path):
    def step(number):
        calls = [{**CALL["tool_calls"][0], "id": f"call_000000{number}"}]
        return [{**CALL, "content": None, "tool_calls": calls}, {**RESULT, "tool_call_id": f"call_000000{number}"}]

    async with running(tmp_path, settings=quiet(tmp_path)) as service:
        for number in (1, 2, 2):
            await trimmed(service, [*step(number), user("Go on.")], keep=1)
        said = await kept(service)

    assert said == [("assistant", "[calls ls({})]"), ("tool", "a.txt")] * 2


async def test_a_digest_posted_back_is_never_stored(tmp_path):
    """Broken: ``without_injected`` does not know its marks."""
    async with running(tmp_path, settings=quiet(tmp_path)) as service:
        found = await trimmed(service, WINDOW, keep=1)
        before = await kept(service)
        window = [WINDOW[0], {"role": "system", "content": found["digest"]}, WINDOW[-1], bot("Bye.")]
        await service.http.post("/v1/minds/ada/turns", json={"session_id": "s1", "messages": window[1:]})
        await service.http.post("/v1/minds/ada/sessions/s1/compaction", json={"messages": window})
        later = await trimmed(service, window, keep=0)
        after = await kept(service)

    assert [text for _, text in after[len(before) :]] == ["Thanks.", "Bye.", "You are Ada."]
    assert later["messages"] == [WINDOW[0]]
    assert later["digest"].splitlines()[1:-1] == [
        *found["digest"].splitlines()[1:-1], "- user: Thanks.", "- assistant: Bye.",
    ]  # fmt: skip


async def test_an_exchange_off_the_record_leaves_as_a_whole_and_no_word_of_it_is_kept(tmp_path):
    window = [user("Hello."), bot("Hi."), user("My PIN #offtherecord"), bot("Where?"), bot("Noted."), user("Bye.")]
    async with running(tmp_path, settings=quiet(tmp_path)) as service:
        first = await trimmed(service, window, keep=2)
        second = await trimmed(service, first["messages"], keep=1)
        said = await kept(service)

    assert first["messages"] == window[2:]
    assert second["messages"] == window[5:]
    assert [text for _, text in said] == ["Hello.", "Hi."]


async def test_secrets_that_leave_a_window_are_not_stored(tmp_path):
    async with running(tmp_path, settings=quiet(tmp_path)) as service:
        await trimmed(service, [user("password = Hunter2-Xyzzy"), user("Bye.")], keep=1)
        said = await kept(service)

    assert "Hunter2" not in str(said)


async def test_a_window_that_needs_no_trimming_makes_no_mind(tmp_path):
    async with running(tmp_path) as service:
        whole = await trimmed(service, WINDOW)
        empty = await trimmed(service, [])
        minds = service.memory.minds.ids()

    assert whole == {"messages": WINDOW, "dropped": 0, "digest": ""}
    assert empty == {"messages": [], "dropped": 0, "digest": ""}
    assert list(minds) == []


@pytest.mark.timing
async def test_two_megabytes_of_output_leave_a_window_and_all_of_it_is_kept(tmp_path):
    output = "".join(f"line {number}\n" for number in range(200_000))
    window = [user("Go."), CALL, {**RESULT, "content": output}, user("Thanks.")]
    async with running(tmp_path, settings=quiet(tmp_path)) as service:
        began = time.monotonic()
        found = await trimmed(service, window)
        took = time.monotonic() - began
        said = await kept(service)

    assert (found["messages"], found["dropped"]) == ([window[-1]], 3)
    assert "".join(text for role, text in said if role == "tool") == output
    assert max(map(len, found["digest"].splitlines())) < 170
    assert took < 30


async def test_a_time_that_no_clock_shows_does_not_hold_a_window_up(tmp_path):
    async with running(tmp_path, settings=quiet(tmp_path)) as service:
        await trimmed(
            service, [user("A.", timestamp="2190-01-01T00:00:00Z"), user("B.", timestamp=17), user("C.")], keep=1
        )
        said = await kept(service)

    assert [text for _, text in said] == ["A.", "B."]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "#/messages"),
        ({"messages": "Hello."}, "#/messages"),
        ({"messages": {"role": "user"}}, "#/messages"),
        ({"messages": ["Hello."]}, "#/messages/0"),
        ({"messages": [user("A."), {"content": "B."}]}, "#/messages/1/role"),
        ({"messages": [{"role": "narrator", "content": "B."}]}, "#/messages/0/role"),
        ({"messages": [{"role": "user", "content": 7}]}, "#/messages/0"),
        ({"messages": [], "keep": -1}, "#/keep"),
        ({"messages": [], "keep": 10_001}, "#/keep"),
        ({"messages": [], "keep": "2"}, "#/keep"),
        ({"messages": [], "max_characters": 0}, "#/max_characters"),
        ({"messages": [], "most": 1}, "#/most"),
    ],
)
async def test_bad_input_is_refused_with_a_pointer(tmp_path, body, pointer):
    async with running(tmp_path) as service:
        answer = await service.http.post(TRIM, json=body)

    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]


@pytest.mark.parametrize(
    "given", ['{"role": "user", "x": NaN}', '{"role": "user", "x": 1e999}', '{"role": "user", "x": %s1%s}']
)
async def test_what_could_not_be_sent_back_is_refused(tmp_path, given):
    given = given.replace("%s1%s", "[" * 200 + "1" + "]" * 200)
    async with running(tmp_path) as service:
        body = f'{{"messages": [{given}]}}'
        answer = await service.http.post(TRIM, content=body, headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "#/messages/0")


async def test_half_of_a_surrogate_pair_comes_back_as_it_was(tmp_path):
    window = [user("cut \ud83d"), user("cut too \ud83d")]
    async with running(tmp_path) as service:
        content = json.dumps({"messages": window, "keep": 1})
        answer = await service.http.post(TRIM, content=content, headers={"Content-Type": "application/json"})
        said = await kept(service)

    assert answer.json()["messages"] == window[1:]
    assert said == [("user", "cut \ufffd")]


def test_nothing_is_trimmed_while_the_disk_is_full(tmp_path):
    with serving(tmp_path) as served:
        with no_file_above(served, 1):
            refused = served.http.post(TRIM, json={"messages": WINDOW, "keep": 1})
        found = served.http.post(TRIM, json={"messages": WINDOW, "keep": 1}).json()
        turns = served.http.get("/v1/minds/ada").json()["turns"]

    assert (refused.status_code, refused.json()["type"]) == (507, "/problems/disk-full")
    assert (found["dropped"], turns) == (4, 1)
