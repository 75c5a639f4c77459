"""Memory goes into a chat and comes out of it again, and nothing else is touched."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.openai_proxy.rewrite import with_memory, without_memory

STABLE = "[MY STORY]\n### [2026-01-09 18:30] Lyon\n\nThey told me of it.\n[END OF MY STORY]"
BLOCK = "---\n[SUBCONSCIOUS RESONANCE]\n- Yesterday — Jan 9, user: My mother lives in Lyon.\n---"
USER = {"role": "user", "content": "hi"}

words = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
parts = st.lists(
    st.one_of(
        st.fixed_dictionaries({"type": st.just("text"), "text": words}),
        st.fixed_dictionaries({"type": st.just("image_url"), "image_url": st.fixed_dictionaries({"url": words})}),
    ),
    min_size=1,
    max_size=3,
)
messages = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {"role": st.sampled_from(["system", "developer", "user", "assistant", "tool"]), "content": words}
        ),
        st.fixed_dictionaries({"role": st.sampled_from(["system", "user"]), "content": parts}),
        st.fixed_dictionaries({"role": st.just("assistant"), "tool_calls": st.just([{"id": "1"}])}),
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize("placement", ["tail", "system"])
@given(messages=messages)
def test_what_is_put_in_can_be_taken_out_and_the_rest_is_as_it_was(placement, messages):
    before = json.dumps(messages)

    told = with_memory(messages, stable=STABLE, volatile=BLOCK, placement=placement)
    again = without_memory(told)

    assert json.dumps(messages) == before
    assert "My mother lives in Lyon." in json.dumps(told)
    assert again == messages


@given(messages=messages)
def test_a_chat_without_memory_in_it_is_not_touched(messages):
    assert without_memory(messages) == messages
    assert with_memory(messages, stable="", volatile="", placement="tail") == messages


def test_all_that_stands_before_the_newest_message_is_the_same_from_turn_to_turn():
    system = {"role": "system", "content": "Be brief."}
    first = [system, USER]
    second = [*first, {"role": "assistant", "content": "Hello!"}, {"role": "user", "content": "Where does she live?"}]

    told = [
        with_memory(one, stable=STABLE, volatile=block, placement="tail")
        for one, block in ((first, ""), (second, BLOCK))
    ]

    assert told[1][: len(told[0])] == told[0]
    assert [one["role"] for one in told[1]] == ["system", "user", "assistant", "system", "user"]


def test_instructions_in_parts_get_another_part():
    parts = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]

    [first, *_] = with_memory(
        [{"role": "system", "content": parts}, USER], stable=STABLE, volatile="", placement="tail"
    )

    assert first["content"] == [*parts, {"type": "text", "text": STABLE}]
