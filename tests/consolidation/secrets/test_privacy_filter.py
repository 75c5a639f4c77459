"""What must not be kept: who says so, in which exchange, and what is left of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given

from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from consolidation.secrets.privacy_filter import PrivacyFilter, is_same, voided
from tests.support.growth import assert_linear
from tests.support.strategies import messages as any_messages
from tests.support.strategies import turns

NOON = datetime(2026, 1, 9, 12, tzinfo=UTC)
CARD = "4111 1111 1111 1111"


def turn(*contents, role=Speaker.USER, **more):
    return Turn(
        "t1", "s1", tuple(Message(role, content, NOON, id=f"m{at}") for at, content in enumerate(contents)), **more
    )


@pytest.mark.parametrize(
    "text",
    [
        "#offtherecord", "#OffTheRecord I am pregnant", "I am pregnant. #offtherecord!", "(#offtherecord)", "[off the record] hush",
        "[Off the\u00a0record] hush", "[off  the\nrecord]", "你好#offtherecord谢谢", "＃ＯＦＦＴＨＥＲＥＣＯＲＤ", "##offtherecord", "#offtherecord#hush",
        "[OFF THE RECORD]I am pregnant", "hush[off the record]", "#off\u200btherecord", "#off\u00adtherecord hush", "#offtherecord\u200dhush",
    ],
)  # fmt: skip
def test_a_marker_takes_a_turn_off_the_record(text):
    assert PrivacyFilter().is_off_the_record(turn("hello", text))


@pytest.mark.parametrize(
    "text",
    ["off the record", "#offtherecordings", "a#offtherecord", "#off the record", "off-the-record]", ""],
)
def test_what_only_resembles_a_marker_does_not(text):
    assert not PrivacyFilter().is_off_the_record(turn("hello", text))


@pytest.mark.parametrize("role", [role for role in Speaker if role is not Speaker.USER])
def test_only_a_user_may_mark(role):
    assert not PrivacyFilter().is_off_the_record(turn("#offtherecord", role=role))


def test_the_cost_of_what_is_off_the_record_grows_with_the_messages():
    """Broken: each message of an exchange copies those before it."""
    assert_linear(PrivacyFilter().off_the_record, lambda length: turn("hi").messages * length, length=16_000)


def test_markers_are_the_configurations_and_may_be_none():
    assert PrivacyFilter(markers=("这不要记",)).is_off_the_record(turn("我说这不要记住"))
    assert PrivacyFilter(markers=("Nicht merken",)).is_off_the_record(turn("bitte NICHT MERKEN!"))
    assert not PrivacyFilter(markers=("Nicht merken",)).is_off_the_record(turn("nicht merkend"))
    assert PrivacyFilter(markers=("Nicht\u00admerken",)).is_off_the_record(turn("nichtmerken"))
    assert not PrivacyFilter(markers=()).is_off_the_record(turn("#offtherecord"))


def test_the_callers_word_is_enough():
    assert PrivacyFilter(markers=()).is_off_the_record(turn("hello", kind=TurnKind.OFF_THE_RECORD))


def test_in_a_window_an_exchange_goes_as_a_whole():
    roles = "system user user assistant tool user assistant user".split()
    said = ["s", "a #offtherecord", "b", "c", "d", "e", "f", "[off the record]"]
    window = [Message(Speaker(role), content) for role, content in zip(roles, said, strict=True)]

    assert PrivacyFilter().off_the_record(window) == {1, 2, 3, 4, 7}


@given(turns)
def test_of_a_voided_turn_no_word_is_left(one):
    void = voided(one)

    assert [message.content for message in void.messages] == [""] * len(one.messages)
    assert {message.name for message in void.messages} == {None}
    assert (void.metadata, void.kind) == ({}, TurnKind.OFF_THE_RECORD)
    assert voided(void) == void
    assert is_same(void, voided(one))


def test_secrets_are_told_by_message_and_kind():
    said = Message(Speaker.USER, f"{CARD} and {CARD}; password: hunter22", name="AKIA" + "A2B3" * 4)
    one = Turn("t1", "s1", (Message(Speaker.USER, "hello"), said), metadata={"password": "hunter22"})

    found = PrivacyFilter().without_secrets(one)

    assert found.kinds == {1: ("card number", "password", "AWS access key")}
    assert found.metadata_kinds == ("password",)
    assert found.turn.messages[1].name == "[redacted: AWS access key]"
    assert CARD not in found.turn.messages[1].content
    assert PrivacyFilter(redacts=False).without_secrets(one).turn == one


def test_ids_that_other_memories_apis_keep_in_the_metadata_are_not_searched():
    card = "4539 5787 6362 1486"
    sent = {
        "mem0": {"agent_id": card, "note": card},
        "graphiti": {"group_id": card, "name": card},
        "zep": {"graph_id": card, "user": {"user_id": card, "email": card}, "thread": {"user_id": card}},
        "user_id": card,
    }
    one = Turn("t1", "s1", (Message(Speaker.USER, "hello"),), metadata=sent)

    found = PrivacyFilter().without_secrets(one)

    masked = "[redacted: card number]"
    assert found.turn.metadata == {
        "mem0": {"agent_id": card, "note": masked},
        "graphiti": {"group_id": card, "name": masked},
        "zep": {"graph_id": card, "user": {"user_id": card, "email": masked}, "thread": {"user_id": card}},
        "user_id": masked,
    }
    assert found.metadata_kinds == ("card number",)


def test_a_turn_kept_before_its_secrets_were_is_still_the_same():
    bare, raw = turn("my card: [redacted: card number]"), turn(f"my card: {CARD}")

    assert is_same(raw, bare)
    assert is_same(bare, raw)
    assert not is_same(turn("my card: lost"), raw)


def test_the_time_of_a_message_counts_only_where_both_turns_have_one():
    timed, later = turn("hello", "bye"), turn("hello", "bye")
    untimed = replace(timed, messages=tuple(replace(one, timestamp=None) for one in timed.messages))
    later = replace(
        later, messages=(replace(later.messages[0], timestamp=NOON + timedelta(hours=1)), later.messages[1])
    )

    assert is_same(timed, untimed) and is_same(untimed, timed)
    assert not is_same(timed, later)
    assert not is_same(replace(untimed, messages=untimed.messages[:1]), timed)


@given(any_messages)
def test_ordinary_words_are_kept_as_they_are(message):
    one = Turn("t1", "s1", (message,))

    assert PrivacyFilter().without_secrets(one).turn.messages == (message,)
