"""Memory among a caller's messages: what is put in, what is left as it was, what is taken out again."""

from types import SimpleNamespace

import pytest

from consolidation.text import injected_blocks as theirs
from mind_memory_client import messages as ours
from mind_memory_client import place_memory
from mind_memory_client.messages import newest_that_fit, plain_message, text_of, unanswered

BLOCK = "---\n[SUBCONSCIOUS RESONANCE]\n- Yesterday, user: My mother lives in Lyon.\n---"
STABLE = "[MY MEMORY]\nYou remember.\n[END OF MY MEMORY]"
PICTURE = {"type": "image_url", "image_url": {"url": "data:,"}}
CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function"}]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "22 degrees"}


def user(content):
    return {"role": "user", "content": content}


@pytest.mark.parametrize("placement", ["tail", "user", "system"])
def test_pictures_calls_of_tools_and_ids_stay_as_they_are(placement):
    messages = [user("Hi"), {"role": "assistant", "content": "Hello"}, user(["Look!", PICTURE]), CALL, RESULT]

    found = place_memory(messages, stable=STABLE, block=BLOCK, placement=placement)

    assert found[-2:] == [CALL, RESULT]
    assert PICTURE in found[-3]["content"]
    assert str(found).count("SUBCONSCIOUS") == 1
    assert found[0]["content"].startswith(STABLE)


def test_the_block_is_placed_where_the_caller_wants_it():
    messages = [{"role": "developer", "content": "Be brief."}, user("Hi")]

    tail, opening, system = (
        place_memory(messages, stable=STABLE, block=BLOCK, placement=one) for one in ("tail", "user", "system")
    )

    assert [one["role"] for one in tail] == ["developer", "system", "user"]
    assert tail[1]["content"] == BLOCK
    assert opening[1]["content"] == f"{BLOCK}\n\nHi"
    assert system[0]["content"] == f"Be brief.\n\n{STABLE}\n\n{BLOCK}"


@pytest.mark.parametrize("placement", ["tail", "user", "system"])
def test_placing_again_what_was_placed_changes_nothing(placement):
    once = place_memory([user("Hi")], stable=STABLE, block=BLOCK, placement=placement)

    assert place_memory(once, stable=STABLE, block=BLOCK, placement=placement) == once
    assert place_memory(once, stable="", block="", placement=placement) == [user("Hi")]


def test_without_memory_messages_are_the_same_objects():
    messages = [user("Hi"), CALL]

    found = place_memory(messages, stable="", block="", placement="tail")

    assert all(one is other for one, other in zip(found, messages, strict=True))


@pytest.mark.parametrize(
    "text", [BLOCK, f"{BLOCK}\n\nHi", f"Hi\n{STABLE}", "[MY STORY]\nA\n[END OF MY STORY]\n", "[MY MEMORY] he said",
             "Hi\n[MY WAKING]\nYou woke.\n[END OF MY WAKING]\nHo",
             "What is [SUBCONSCIOUS RESONANCE]?", "a\r\n[SUBCONSCIOUS RESONANCE]\r\n- b"],
)  # fmt: skip
def test_what_is_taken_out_is_what_the_service_takes_out(text):
    assert ours.without_memory(text) == theirs.without_injected(text)


def test_the_patterns_are_the_services_own():
    assert [one.pattern for _, one in ours._INJECTED] == [
        one.pattern for one in (theirs._BLOCK, theirs._STORY, theirs._PROTOCOL, theirs._DIGEST, theirs._WAKING)
    ]


@pytest.mark.parametrize(
    "content",
    [
        "Hi", ["Hi"], [{"type": "text", "text": "Hi"}, PICTURE], [{"type": "input_text", "text": "Hi"}],
        {"role": "assistant", "content": "Hi"}, SimpleNamespace(content="Hi"), SimpleNamespace(output_text="Hi"),
        SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content="Hi"))]),
        [SimpleNamespace(text="Hi")],
    ],
    ids=str,
)  # fmt: skip
def test_words_are_found_in_whatever_a_model_or_a_framework_gives(content):
    assert text_of(content) == "Hi"


@pytest.mark.parametrize("content", [None, [PICTURE], "", SimpleNamespace(content=None, choices=[]), 7], ids=str)
def test_content_without_words_gives_none(content):
    assert text_of(content) == ""
    assert plain_message({"role": "user", "content": content}) is None


def test_the_words_of_a_message_may_be_in_its_parts():
    parts = [{"type": "reasoning", "text": "Hm."}, {"text": "Rex."}]

    assert plain_message({"role": "model", "parts": parts}) == {"role": "assistant", "content": "Rex."}


def test_roles_are_those_that_the_service_knows():
    roles = ("developer", "function", "human", "narrator")

    assert [plain_message({"role": role, "content": "x"})["role"] for role in roles] == [
        "system",
        "tool",
        "user",
        "user",
    ]


def test_what_waits_for_an_answer_is_what_the_user_said_since_the_last():
    messages = [user("One"), {"role": "assistant", "content": "1"}, user("Two"), CALL, RESULT, user("Three")]

    assert [one["content"] for one in unanswered(messages)] == ["Two", "Three"]
    assert unanswered(messages[:2]) == []


def test_the_newest_messages_that_the_service_takes_are_sent():
    long = [user("x" * 300_000), user("y" * 300_000), user("z" * 500_000)]

    found = newest_that_fit([*long[:1], *[user("w")] * 3000, *long])

    assert [one["content"][0] for one in found] == ["y", "z"]
    assert len(found[-1]["content"]) == 400_000
    assert len(newest_that_fit([user("w")] * 3000)) == 2000
