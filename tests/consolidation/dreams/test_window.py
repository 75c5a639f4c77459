"""How the messages of a window are read for the transcript."""

from datetime import UTC, datetime

import pytest

from consolidation.dreams.window import joined, messages_of, tool_names
from consolidation.kernel.turns import Speaker

CALL = {
    "role": "assistant",
    "content": "I look.",
    "tool_calls": [{"id": "call_0123456789", "function": {"name": "bash", "arguments": "x" * 3000}}],
}


def stored(message, *, is_joined=False, tools=()):
    return [(one.role.value, one.content) for one in messages_of(message, tools=dict(tools), is_joined=is_joined)]


def test_words_and_calls_are_messages_of_their_own_and_whole():
    assert stored(CALL) == [("assistant", "I look."), ("assistant", f"[calls bash({'x' * 3000})]")]


def test_a_call_is_read_as_the_chat_proxy_stores_it():
    text = f"I look.\n[calls bash({'x' * 2000})]"

    assert joined(CALL).content == text
    assert stored(CALL, is_joined=True) == [("assistant", text)]
    assert joined({"role": "user", "content": "Hello."}) is None


def test_blocks_are_read_by_who_speaks_in_them():
    answer = [
        {"type": "thinking", "thinking": "Hm.", "signature": "x"}, {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "One."}, {"type": "text", "text": "Two."},
        {"type": "tool_use", "id": "toolu_0123456789", "name": "ls", "input": {"a": 1}},
    ]  # fmt: skip
    results = [
        {"type": "tool_result", "tool_use_id": "toolu_0123456789", "content": [{"type": "text", "text": "a.txt"}]},
        {"type": "text", "text": "And now?"},
    ]

    tools = tool_names([{"role": "assistant", "content": answer}])
    found = messages_of({"role": "user", "content": results}, tools=tools, is_joined=False)

    assert stored({"role": "assistant", "content": answer}) == [
        ("thought", "Hm."), ("assistant", "One.\nTwo."), ("assistant", '[calls ls({"a": 1})]'),
    ]  # fmt: skip
    assert [(one.role, one.content, one.name, one.id) for one in found] == [
        (Speaker.TOOL, "a.txt", "ls", "toolu_0123456789"),
        (Speaker.USER, "And now?", None, None),
    ]


def test_a_text_too_long_for_one_message_becomes_several():
    found = stored({"role": "tool", "content": "x" * 1_000_000})

    assert [len(text) for _, text in found] == [400_000, 400_000, 200_000]


def test_what_can_not_be_stored_is_replaced():
    assert stored({"role": "tool", "content": "a\0b\ud83dc"}) == [("tool", "ab\ufffdc")]


@pytest.mark.parametrize(
    ("given", "at"),
    [
        ("2026-01-09T18:30:00Z", datetime(2026, 1, 9, 18, 30, tzinfo=UTC)),
        ("2026-01-09T18:30:00+02:00", datetime(2026, 1, 9, 16, 30, tzinfo=UTC)),
        ("2026-01-09T18:30:00", None), ("1980-01-09T18:30:00Z", None), ("2026-13-09T18:30:00Z", None),
        ("yesterday", None), (1767983400, None), (None, None), ("9999-12-31T23:59:59-09:00", None),
    ],
)  # fmt: skip
def test_a_time_is_read_where_it_is_one(given, at):
    [found] = messages_of({"role": "user", "content": "Hi", "timestamp": given}, tools={}, is_joined=False)

    assert found.timestamp == at


@pytest.mark.parametrize(
    "odd",
    [
        {"content": None}, {"content": [1, None, {}, {"type": 7}, {"type": "tool_use"}, []]}, {"tool_calls": "x"},
        {"tool_calls": [1, {}, {"function": 1}]}, {"function_call": {}}, {"name": 7, "id": [], "content": "Hi"},
        {"tool_call_id": 7}, {"content": [{"type": "tool_result", "content": 7}]}, {"name": "a\nb", "content": "Hi"},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
def test_a_message_of_another_shape_is_read_without_a_fault(odd, role):
    message = {"role": role, **odd}

    assert all(one.content for one in messages_of(message, tools={}, is_joined=False))
    assert joined(message) is None or joined(message).content
