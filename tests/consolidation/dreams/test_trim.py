"""What stays of an agent's context window, and what is told of the rest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.dreams.trim import MOST_LINES, digest, is_digest, trim
from consolidation.dreams.window import characters_of, parts_of
from consolidation.text.injected_blocks import DIGEST_END, DIGEST_HEADER, without_injected
from tests.support.strategies import texts

MANY = 1_000_000


def said(role, text="Hello."):
    return {"role": role, "content": text}


def call(*ids, text=None):
    calls = [{"id": one, "type": "function", "function": {"name": "bash", "arguments": '{"cmd": "ls"}'}} for one in ids]
    return {"role": "assistant", "content": text, "tool_calls": calls}


def result(call_id, text="a.txt", **more):
    return {"role": "tool", "tool_call_id": call_id, "content": text, **more}


def use(*ids):
    return {"role": "assistant", "content": [{"type": "tool_use", "id": one, "name": "ls", "input": {}} for one in ids]}


def used(*ids, **more):
    blocks = [{"type": "tool_result", "tool_use_id": one, "content": "a.txt", **more} for one in ids]
    return {"role": "user", "content": blocks}


def kept(messages, *, keep=20, most=MANY, **more):
    return list(trim(messages, keep=keep, max_characters=most, **more).kept)


def lines(*dropped):
    return digest(dropped).splitlines()[1:-1]


# -- what stays


def test_the_newest_messages_stay_and_the_system_messages_before_them():
    window = [said("system"), said("developer"), *(said("user", str(number)) for number in range(30))]

    assert kept(window) == [*window[:2], *window[-20:]]
    assert kept(window[:22]) == window[:22]


@pytest.mark.parametrize(
    "group",
    [
        [call("a1"), result("a1")],
        [call("a1", "b1"), result("b1"), said("user", "Hurry!"), result("a1")],
        [use("a1", "b1"), used("a1", "b1")],
        [use("a1", "b1"), used("a1"), used("b1")],
        [{"role": "assistant", "function_call": {"name": "ls"}}, {"role": "function", "name": "ls", "content": "x"}],
        [call("a1"), {"role": "tool", "content": "no id"}],
    ],
)
@pytest.mark.parametrize("keep", [1, 2, 3])
def test_a_call_is_not_parted_from_its_results(group, keep):
    window = [said("user"), *group, said("assistant")]

    assert kept(window, keep=keep) in (window[-1:], window[1:])
    assert kept(window[:-1], keep=1) == group


def test_a_window_begins_with_the_user_or_the_assistant():
    window = [said("user"), said("assistant"), said("system"), said("system"), said("user"), said("assistant")]

    assert kept(window, keep=3) == window[1:]
    assert kept(window, keep=2) == window[4:]


def test_fewer_messages_stay_where_they_are_too_long_but_never_none():
    window = [said("system", "s" * 500), *(said("user", "x" * 100) for _ in range(10))]

    assert len(kept(window, most=300)) == 1 + 3
    assert kept(window, most=299) == [window[0], *window[-2:]]
    assert kept(window, most=1) == [window[0], window[-1]]


def test_a_group_longer_than_allowed_stays_whole():
    group = [call("a1", "b1"), result("a1", "x" * 5000), result("b1", "y" * 5000)]

    assert kept([said("user"), *group], most=100) == group
    assert kept(group, most=100) == group


def test_a_call_that_waits_for_its_result_stays():
    window = [said("user"), call("a1", "b1"), result("a1")]

    assert kept(window, keep=0) == window[1:]
    assert kept([*window, result("b1")], keep=0) == []
    assert kept([*window[:2], said("user", "Never mind.")], keep=0) == []


def test_a_result_without_its_call_stays_with_what_precedes_it():
    window = [said("user"), said("assistant"), result("gone"), said("user")]

    assert kept(window, keep=2) == window[1:]
    assert kept([result("gone"), *window], keep=4) == window


def test_places_that_belong_together_are_not_parted():
    window = [said("user"), said("assistant"), said("assistant"), said("user"), said("assistant")]

    assert kept(window, keep=3, together={0, 1, 2}) == window
    assert kept(window, keep=2, together={0, 1, 2}) == window[3:]
    assert kept(window, keep=0, together={3, 4}) == window[3:]


def test_nothing_is_dropped_of_nothing():
    assert kept([]) == kept([], keep=0) == []
    assert digest(()) == ""


roles = st.sampled_from(["user", "assistant", "thought", "system", "tool"])
ids = st.sampled_from(["", "a", "b", "c"])
contents = st.none() | texts | st.lists(texts.map(lambda text: {"type": "text", "text": text}), max_size=2)
plain = st.builds(lambda role, content: {"role": role, "content": content, "other": 1}, roles, contents)
messages = st.one_of(
    plain,
    st.lists(ids, min_size=1, max_size=3, unique=True).map(lambda found: call(*found)),
    ids.map(result),
    st.lists(ids, min_size=1, max_size=2, unique=True).map(lambda found: use(*found)),
    st.lists(ids, min_size=1, max_size=2, unique=True).map(lambda found: used(*found)),
)
windows = st.lists(messages, max_size=16)
keeps, mosts = st.integers(0, 12), st.integers(1, 400)


@given(windows, keeps, mosts)
def test_what_stays_and_what_goes_is_what_was_there_in_order(window, keep, most):
    opening = next((at for at, one in enumerate(window) if one["role"] != "system"), len(window))
    found = trim(window, keep=keep, max_characters=most)
    gone = len(window) - len(found.kept)

    assert [*found.kept] == [*window[:opening], *window[opening + gone :]]
    assert [*found.dropped] == window[opening : opening + gone]
    assert all(one is other for one, other in zip(found.kept[:opening], window, strict=False))


@given(windows, keeps, mosts)
def test_trimming_twice_is_trimming_once(window, keep, most):
    once = trim(window, keep=keep, max_characters=most).kept

    assert trim(once, keep=keep, max_characters=most).dropped == ()


@given(windows, keeps, mosts)
def test_no_result_stays_without_the_call_it_had(window, keep, most):
    found = trim(window, keep=keep, max_characters=most)

    assert answered(found.dropped) + answered(found.kept) == answered(window)


def answered(window):
    """How many results have a call of their id somewhere before them."""
    seen, count = set(), 0
    for message in window:
        for part in parts_of(message):
            count += part.kind == "result" and part.call_id in seen
        seen |= {part.call_id for part in parts_of(message) if part.kind == "call" and part.call_id}
    return count


@given(windows, st.integers(1, 12), mosts)
def test_a_window_is_short_enough_unless_its_end_belongs_together(window, keep, most):
    found = trim(window, keep=keep, max_characters=most).kept
    body = found[next((at for at, one in enumerate(found) if one["role"] != "system"), len(found)) :]

    assert sum(map(characters_of, body)) <= most or not trim(body, keep=1, max_characters=1).dropped


# -- what is told of the rest


def test_each_message_that_left_has_its_line():
    dropped = [
        said("user", "Look\ninto it."),
        said("thought", "Where to begin?"),
        call("c1", text="I look."),
        result("c1", "a.txt"),
        result("c1", "ValueError: no such file"),
        used("t1", is_error=True),
        said("user", None),
    ]

    assert lines(*dropped) == [
        "- user: Look into it.",
        "- thought: Where to begin?",
        '- assistant: I look.; call: bash({"cmd": "ls"})',
        "- result bash: a.txt",
        "- FAIL bash: ValueError: no such file",
        "- FAIL: a.txt",
        "- user: (nothing in words)",
    ]


def test_the_line_of_a_message_with_a_name_says_who_spoke():
    """Broken: two people who tell where they live read as one user with two homes."""
    bob, ada = {**said("user", "I live in Oslo."), "name": "Bob"}, {**said("user", "I live in Lyon."), "name": "Ada"}

    assert lines(bob, said("assistant", "Ok."), ada, {**said("user", None), "name": "Ada"}) == [
        '- user "Bob": I live in Oslo.',
        "- assistant: Ok.",
        '- user "Ada": I live in Lyon.',
        '- user "Ada": (nothing in words)',
    ]


@pytest.mark.parametrize(
    "name", ["system", "Dr: X", "Ann\n- system", "A" * 61, 7, None, "", "\ud83d", "[END OF SESSION CONTEXT]"]
)
def test_no_name_makes_a_line_anothers(name):
    [line] = lines({**said("user", "Hi."), "name": name})

    assert line.endswith(": Hi.") and line.startswith(("- user: ", '- user "'))
    assert "system" not in line and DIGEST_END not in line


def test_a_name_never_reads_as_another_part_of_its_line():
    assert lines({**said("user", "Hi."), "name": 'Ann"; call "bash'}) == ['- user "Ann; call bash": Hi.']


@pytest.mark.parametrize("text", ['{"error": "gone"}', '{"ok": false}', "Traceback (most recent", "failed: 3", "Error"])
def test_a_result_that_tells_of_a_failure_is_told_as_one(text):
    assert lines(result("a", text)) == [f"- FAIL: {text}"]


@pytest.mark.parametrize("text", ['{"error": null}', '{"ok": true}', "No errors.", "errors: 0"])
def test_any_other_result_is_not(text):
    assert lines(result("a", text)) == [f"- result: {text}"]


def test_the_oldest_of_many_are_only_counted():
    window = [said("user", f"number {number}") for number in range(100)]

    assert len(digest(window[:78]).splitlines()) == len(digest(window[:79]).splitlines()) == MOST_LINES
    assert lines(*window)[:2] == ["- 23 older messages are not listed here", "- user: number 23"]


def test_a_line_is_short_whatever_was_printed():
    [line] = lines(result("a", "x" * 2_000_000))

    assert len(line) <= 162
    assert line.endswith("…")


def test_a_later_trim_takes_the_lines_of_the_digest_over():
    early = digest([said("user", f"number {number}") for number in range(100)])
    window = [said("system", "You are Ada."), said("system", early), said("user", "Later."), said("user", "Now.")]

    found = trim(window, keep=1, max_characters=MANY)
    told = digest(found.dropped).splitlines()

    assert found.kept == (window[0], window[3])
    assert told[1] == "- 24 older messages are not listed here"
    assert (told[-3], told[-2]) == ("- user: number 99", "- user: Later.")
    assert kept(window, keep=2) == window


named = st.builds(lambda role, text, name: {**said(role, text), "name": name}, roles, texts, texts)


@given(st.lists(st.builds(said, roles, texts) | named | messages, min_size=1, max_size=100))
def test_a_digest_is_short_and_taken_out_again_as_a_whole(dropped):
    found = digest(dropped)

    assert (found.splitlines()[0], found.splitlines()[-1]) == (DIGEST_HEADER, DIGEST_END)
    assert len(found.splitlines()) <= MOST_LINES
    assert without_injected(found) == ""
    assert without_injected(f"Before.\n{found}\nAfter.").split() == ["Before.", "After."]
    assert is_digest(said("system", found))
