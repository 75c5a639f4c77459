"""What is no memory is told from what is: heartbeats, probes, blanks."""

import pytest
from hypothesis import given

from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from consolidation.text.noise import is_blank, kind_before, kind_of
from tests.support import strategies
from tests.support.growth import assert_linear, repeated


def turn_of(*messages, session_id="s1", kind=TurnKind.TURN):
    return Turn("t1", session_id, tuple(Message(*message) for message in messages), kind)


@pytest.mark.parametrize(
    "reply",
    ["HEARTBEAT_OK", "**HEARTBEAT_OK**", " `HEARTBEAT_OK`.\n", "HEARTBEAT_OK 🫀", "«HEARTBEAT_OK»"]
    + ["HEARTBEAT_OK all good", "All quiet. **HEARTBEAT_OK**", "HEARTBEAT_OK: nothing needs attention right now."]
    + ["[[reply_to_current]] HEARTBEAT_OK", "<b>HEARTBEAT_OK</b>", '<p class="x">HEARTBEAT_OK<br/></p>'],
)
def test_a_reply_that_only_says_heartbeat_ok_is_a_heartbeat(reply):
    assert kind_of(turn_of((Speaker.USER, "Anything?"), (Speaker.ASSISTANT, reply))) is TurnKind.HEARTBEAT


ORDER = "Read HEARTBEAT.md if it exists. If nothing needs attention, reply HEARTBEAT_OK."


@pytest.mark.parametrize("role", [Speaker.USER, Speaker.SYSTEM])
@pytest.mark.parametrize(
    "text",
    [
        ORDER,
        "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly. Do not infer or repeat old tasks from "
        "prior chats. If nothing needs attention, reply HEARTBEAT_OK.\nCurrent time: Friday, March 6th, 2026 — 17:59",
        f"[Thu 2026-03-05 16:29 GMT+8] {ORDER}\nWhen reading HEARTBEAT.md, use workspace file /home/x/HEARTBEAT.md.",
        "Please check `HEARTBEAT.md`. Nothing to do? Respond with `HEARTBEAT_OK`.",
        "HEARTBEAT.md: if nothing needs attention, reply HEARTBEAT_OK",
        "Check HEARTBEAT.md and respond with HEARTBEAT_OK if nothing to do",
        "System: [2026-01-01 10:00] Read HEARTBEAT.md if it exists. Reply HEARTBEAT_OK if nothing needs attention.",
        "Check HEARTBEAT.md. Reply HEARTBEAT_OK unless something needs attention.\nCurrent time: Friday",
        "Lies HEARTBEAT.md, falls vorhanden. Wenn nichts zu tun ist, antworte nur mit HEARTBEAT_OK.",
        "Bitte prüfe HEARTBEAT.md und antworte `HEARTBEAT_OK`, wenn nichts ansteht.",
        "Prüf HEARTBEAT.md. Steht nichts an, gib HEARTBEAT_OK zurück.",
    ],
)
def test_an_order_to_read_heartbeat_md_is_a_heartbeat(role, text):
    assert kind_of(turn_of((role, text))) is TurnKind.HEARTBEAT


@pytest.mark.parametrize(
    ("role", "text"),
    [
        (Speaker.ASSISTANT, "HEARTBEAT_OK, but your mother called."),
        (Speaker.ASSISTANT, "heartbeat ok"),
        (Speaker.ASSISTANT, "I wrote HEARTBEAT_OK into HEARTBEAT.md, as you wished."),
        (Speaker.ASSISTANT, "HEARTBEAT_OK. HEARTBEAT_OK is what I reply."),
        (Speaker.ASSISTANT, "HEARTBEAT_OK everything needs attention, Ann still waits"),
        (Speaker.USER, "What does HEARTBEAT_OK mean?"),
        (Speaker.USER, f'My gateway says "{ORDER}" every hour. How do I turn that off?'),
        (Speaker.USER, f"{ORDER} That is what my bot is told all day, and my mother laughs about it."),
        (Speaker.USER, "I put HEARTBEAT.md into my home, and it must answer HEARTBEAT_OK."),
        (Speaker.USER, "Read HEARTBEAT.md to me, and tell me why you reply with HEARTBEAT_OK so often."),
        (Speaker.USER, "Check HEARTBEAT.md: does it tell you to reply HEARTBEAT_OK?"),
        (Speaker.USER, "Check HEARTBEAT.md, reply HEARTBEAT_OK if nothing to do. My mother laughs about that order."),
        (Speaker.USER, "Check HEARTBEAT.md, reply HEARTBEAT_OK if nothing to do, and my mother says hello."),
        (Speaker.USER, "HEARTBEAT.md: why do you reply HEARTBEAT_OK"),
        (Speaker.USER, "Read HEARTBEAT.md and reply HEARTBEAT_OK, then tell me why my mother called."),
        (Speaker.USER, "Lies HEARTBEAT.md vor und sag mir, warum du mit HEARTBEAT_OK antwortest."),
        (Speaker.USER, "In HEARTBEAT.md steht: antworte HEARTBEAT_OK. Was soll das?"),
        (Speaker.ASSISTANT, "<b>HEARTBEAT_OK</b> is what I reply."),
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


@pytest.mark.parametrize(
    ("messages", "kind"),
    [
        ([(Speaker.USER, "Hello."), (Speaker.ASSISTANT, "Hi!"), (Speaker.USER, ORDER)], TurnKind.HEARTBEAT),
        ([(Speaker.USER, "Hello."), (Speaker.ASSISTANT, "Hi!"), (Speaker.SYSTEM, ORDER)], TurnKind.HEARTBEAT),
        ([(Speaker.USER, ORDER), (Speaker.TOOL, "- water the plants")], TurnKind.HEARTBEAT),
        ([(Speaker.USER, ORDER), (Speaker.ASSISTANT, "HEARTBEAT_OK"), (Speaker.USER, "Hello.")], TurnKind.TURN),
        ([(Speaker.ASSISTANT, "HEARTBEAT_OK")], TurnKind.TURN),
    ],
)
def test_before_a_turn_the_newest_question_says_whether_it_is_a_heartbeat(messages, kind):
    window = [Message(*message) for message in messages]

    assert kind_before("s1", window, kind=TurnKind.TURN) is kind


def test_before_a_turn_a_probe_is_known_by_its_session_and_either_by_what_the_caller_says():
    window = [Message(Speaker.USER, "Hello.")]

    assert kind_before("probe-7", window, kind=TurnKind.TURN) is TurnKind.PROBE
    assert kind_before("s1", window, kind=TurnKind.HEARTBEAT) is TurnKind.HEARTBEAT


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


@pytest.mark.parametrize(
    "unit", ["_", "\u200b", "HEARTBEAT.md ", "*", "HEARTBEAT_OK ", "read ", "reply ", "[a] ", "with "]
)
def test_the_cost_of_a_long_text_grows_with_its_length(unit):
    def read(text):
        is_blank(text), kind_of(turn_of((Speaker.ASSISTANT, text), (Speaker.USER, text)))

    assert_linear(read, repeated(unit))
