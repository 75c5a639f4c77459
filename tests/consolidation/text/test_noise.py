"""What is no memory is told from what is: heartbeats, probes, blanks."""

import pytest
from hypothesis import given

from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from consolidation.text.noise import is_blank, kind_of
from tests.support import strategies
from tests.support.growth import assert_linear, repeated


def turn_of(*messages, session_id="s1", kind=TurnKind.TURN):
    return Turn("t1", session_id, tuple(Message(*message) for message in messages), kind)


@pytest.mark.parametrize(
    "reply", ["HEARTBEAT_OK", "**HEARTBEAT_OK**", " `HEARTBEAT_OK`.\n", "HEARTBEAT_OK 🫀", "«HEARTBEAT_OK»"]
)
def test_a_reply_that_only_says_heartbeat_ok_is_a_heartbeat(reply):
    assert kind_of(turn_of((Speaker.USER, "Anything?"), (Speaker.ASSISTANT, reply))) is TurnKind.HEARTBEAT


@pytest.mark.parametrize("role", [Speaker.USER, Speaker.SYSTEM])
def test_an_order_to_read_heartbeat_md_is_a_heartbeat(role):
    text = "Read HEARTBEAT.md if it exists. If nothing needs attention, reply HEARTBEAT_OK."

    assert kind_of(turn_of((role, text))) is TurnKind.HEARTBEAT


@pytest.mark.parametrize(
    ("role", "text"),
    [
        (Speaker.ASSISTANT, "HEARTBEAT_OK, but your mother called."),
        (Speaker.ASSISTANT, "heartbeat ok"),
        (Speaker.ASSISTANT, "I wrote HEARTBEAT_OK into HEARTBEAT.md, as you wished."),
        (Speaker.USER, "What does HEARTBEAT_OK mean?"),
        (Speaker.USER, "HEARTBEAT_OK"),
        (Speaker.USER, "My HEARTBEAT.md is lost."),
        (Speaker.USER, "HEARTBEAT.md HEARTBEAT_OK " + "My mother lives in Lyon. " * 200),
    ],
)
def test_talk_about_heartbeats_is_no_heartbeat(role, text):
    assert kind_of(turn_of((role, text))) is TurnKind.TURN


@pytest.mark.parametrize(
    ("session_id", "kind"), [("probe-1", TurnKind.PROBE), ("my probe-1", TurnKind.TURN), ("Probe-1", TurnKind.TURN)]
)
def test_a_session_that_begins_with_probe_is_a_probe(session_id, kind):
    assert kind_of(turn_of((Speaker.USER, "Hello."), session_id=session_id)) is kind


@pytest.mark.parametrize("kind", [TurnKind.HEARTBEAT, TurnKind.PROBE])
def test_what_the_caller_calls_noise_is_noise(kind):
    assert kind_of(turn_of((Speaker.USER, "My mother lives in Lyon."), kind=kind)) is kind


def test_an_imported_heartbeat_is_a_heartbeat_and_an_imported_turn_an_import():
    assert kind_of(turn_of((Speaker.ASSISTANT, "HEARTBEAT_OK"), kind=TurnKind.IMPORT)) is TurnKind.HEARTBEAT
    assert kind_of(turn_of((Speaker.USER, "Hello."), kind=TurnKind.IMPORT)) is TurnKind.IMPORT


@pytest.mark.parametrize(
    "text", ["", " \t\r\n", "\u00a0\u2003\u3000", "\u200b\u200c\u200d\ufeff", "\u2060\u00ad", "\x01\x1b", "\u3164", "\u2800", "\u202e\u2066", "\ufe0f", "\U000e0041"]
)  # fmt: skip
def test_what_nobody_can_see_is_blank(text):
    assert is_blank(text)


@pytest.mark.parametrize("text", [".", "0", "👍", "好", "ｶ", "\u0301", "-", "\u200bx"])
def test_the_smallest_thing_to_see_is_not_blank(text):
    assert not is_blank(text)


@given(strategies.texts)
def test_a_text_and_its_blank_edges_are_blank_together(text):
    assert is_blank(f"\u200b {text}\ufeff\n") == is_blank(text)


@pytest.mark.parametrize("unit", ["_", "\u200b", "HEARTBEAT.md ", "*"])
def test_the_cost_of_a_long_text_grows_with_its_length(unit):
    def read(text):
        is_blank(text), kind_of(turn_of((Speaker.ASSISTANT, text), (Speaker.USER, text)))

    assert_linear(read, repeated(unit))
