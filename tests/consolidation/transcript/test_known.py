from collections import Counter
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from consolidation.kernel.turns import Message, Speaker
from consolidation.transcript.known import unknown

THEN = datetime(2026, 1, 28, 13, 45, tzinfo=UTC)


def say(text, seconds=None, *, role=Speaker.USER, own=None, name=None):
    return Message(role, text, None if seconds is None else THEN + timedelta(seconds=seconds), name, own)


contents = st.sampled_from(["ok", "ok ", "Hello there.", "你好", "a\nb"])
roles = st.sampled_from([Speaker.USER, Speaker.ASSISTANT])
names = st.sampled_from([None, "Ada", "Bob"])
timed = st.builds(say, contents, st.integers(0, 30), role=roles, name=names)
timeless = st.builds(say, contents, role=roles, name=names)
with_id = st.builds(say, contents, st.none() | st.integers(0, 9), role=roles, own=st.uuids().map(str), name=names)
anything = st.one_of(timed, timeless, with_id)


@given(st.lists(anything, max_size=12))
def test_what_is_posted_again_in_the_same_order_is_known(said):
    assert unknown(said, said) == ()


@given(st.one_of(st.lists(timed, max_size=8), st.lists(timeless, max_size=8), st.lists(with_id, max_size=8)), st.data())
def test_any_part_of_it_is_known_in_any_order(said, data):
    part = data.draw(st.permutations(said))[: data.draw(st.integers(0, len(said)))]

    assert unknown(part, data.draw(st.permutations(said))) == ()


@given(st.lists(anything, max_size=12), st.lists(anything, max_size=12))
def test_each_kept_message_stands_for_one_posted_one(posted, kept):
    new = unknown(posted, kept)
    known = Counter((one.role, " ".join(one.content.split())) for at, one in enumerate(posted) if at not in new)

    assert list(new) == sorted(set(new)) and set(new) <= set(range(len(posted)))
    assert known <= Counter((one.role, " ".join(one.content.split())) for one in kept)


@given(st.lists(anything, max_size=8), st.lists(anything, max_size=8))
def test_what_was_kept_after_all_is_known_the_next_time(posted, kept):
    new = unknown(posted, kept)

    assert unknown(posted, [*kept, *(posted[at] for at in new)]) == ()


@given(st.lists(anything, max_size=8))
def test_where_nothing_is_kept_everything_is_new(posted):
    assert unknown(posted, []) == tuple(range(len(posted)))


def test_what_was_really_said_twice_is_new_the_second_time():
    assert unknown([say("ok"), say("ok")], [say("ok")]) == (1,)
    assert unknown([say("ok", 0), say("ok", 60)], [say("ok", 60)]) == (0,)
    assert unknown([say("ok", own="a"), say("ok", own="b")], [say("ok", own="b")]) == (0,)


def test_of_two_that_were_said_shortly_after_one_another_the_one_that_is_missing_is_new():
    assert unknown([say("ok", 0), say("ok", 4)], [say("ok", 4)]) == (0,)


def test_another_speaker_or_another_word_is_another_message():
    assert unknown([say("ok", role=Speaker.ASSISTANT), say("ok!")], [say("ok"), say("ok")]) == (0, 1)


def test_two_clocks_may_differ_by_seconds_and_not_by_minutes():
    assert unknown([say("ok", 5)], [say("ok", 0)]) == ()
    assert unknown([say("ok", 6)], [say("ok", 0)]) == (0,)


def test_what_we_put_into_a_message_makes_it_no_other_message():
    block = "---\n[SUBCONSCIOUS RESONANCE]\n- Long ago, user: Hi.\n---\n"

    assert unknown([say(f"{block}How are you?")], [say("How are you?")]) == ()


def test_a_thought_that_was_stored_is_known_as_words_of_the_bot_once():
    stored = [say("I look.", role=Speaker.THOUGHT)]
    posted = [say("I look.", role=Speaker.ASSISTANT), say("I look.", role=Speaker.THOUGHT)]

    assert unknown(posted, stored) == (1,)
    assert unknown([say("I look.", role=Speaker.USER)], stored) == (0,)


def test_a_call_is_known_however_its_json_is_spaced():
    stored = [say('[calls ls({"path": "a b"})]', role=Speaker.ASSISTANT)]

    assert unknown([say('[calls ls({"path":"a b"})]', role=Speaker.ASSISTANT)], stored) == ()


def test_the_same_words_of_two_people_are_two_messages():
    ada, bob = say("Count me in.", name="Ada"), say("Count me in.", name="Bob")

    assert unknown([bob, ada], [ada]) == (0,)
    assert unknown([bob], [ada]) == (0,)
    assert unknown([say("ok", 0, name="Bob")], [say("ok", 0, name="Ada")]) == (0,)
    assert unknown([say("ok", name="山田")], [say("ok", name="田中")]) == (0,)


def test_who_has_no_name_on_one_side_may_be_who_has_one_on_the_other():
    ada, bob, nobody = (say("Count me in.", name=name) for name in ("Ada", "Bob", None))

    assert unknown([nobody], [ada]) == unknown([ada], [nobody]) == ()
    assert unknown([nobody, bob], [ada, nobody]) == (1,)
    assert unknown([bob, nobody], [nobody, bob]) == ()


def test_a_name_in_another_spelling_or_with_the_same_id_is_the_same_speaker():
    assert unknown([say("ok", name="ADA ")], [say("ok", name="Ada")]) == ()
    assert unknown([say("ok", own="a", name="Ada L.")], [say("ok", own="a", name="Ada")]) == ()


def test_what_a_tool_is_called_tells_no_speakers_apart():
    assert unknown([say("ok", role=Speaker.TOOL, name="ls")], [say("ok", role=Speaker.TOOL, name="bash")]) == ()


def test_a_name_that_was_stored_without_a_secret_is_known_with_it():
    posted = say("ok", name="4111111111111111")

    assert (
        unknown(
            [posted], [say("ok", name="[redacted]")], cleaned=lambda text: text.replace("4" + "1" * 15, "[redacted]")
        )
        == ()
    )
