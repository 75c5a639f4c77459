"""
The evidence of a dream after what people put right: what they took out is not there, and every turn is counted.

Every docstring says what was broken, once, to see the test fail.
"""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from consolidation.corrections.record import Correction, Target, What
from consolidation.corrections.standing import Standing
from consolidation.dreams.actions import Action, action_turn
from consolidation.dreams.evidence import gather_evidence
from consolidation.dreams.quoted_dream import quote_dream
from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn, TurnKind

NOW = datetime(2026, 2, 12, 9, 32, tzinfo=UTC)
PORTO = "Ann's mother lives in Porto."
ACTIONS = {
    "thought": Action("thought", text="The key lies in Lyon."),
    "message": Action("message", text="The key lies in Lyon."),
    "error": Action("error", is_ok=False, text="No key in Lyon."),
    "tool_call": Action("tool_call", tool="shell", input={"at": "Lyon"}, is_ok=False, output="No key in Lyon."),
}


def lived(*turns):
    return tuple(StoredTurn(number, NOW, turn) for number, turn in enumerate(turns, 1))


def acted(action, turn_id="t1"):
    return action_turn(replace(action, timestamp=NOW), session_id="cycle-1", turn_id=turn_id)


def said(*contents):
    return Turn("t1", "s1", tuple(Message(Speaker.USER, one) for one in contents))


def evidence_of(turns, what=None, text="x", *, to=None, kind="turn"):
    made = [Correction("c1", NOW, "owner", What(what), Target(kind, text, ("t1",)), to)] if what else []
    return gather_evidence(turns, zone=UTC, standing=Standing.of(made))


@pytest.mark.parametrize("kind", ACTIONS)
def test_an_action_that_a_person_put_right_is_not_seen_and_still_counted(kind):
    """Broken: the action is read from the metadata of what is left; what is not seen is not counted."""
    turns = lived(acted(ACTIONS[kind]), acted(Action("tool_call", tool="shell", output="done"), "t2"))

    before, after = evidence_of(turns), evidence_of(turns, "edit", to=PORTO)

    assert "Lyon" in " ".join(before.texts)
    assert "Lyon" not in " ".join(after.texts)
    assert after.narration == (() if kind == "message" else (PORTO,))
    assert [one.text for one in after.items if one.is_persons] == ([PORTO] if kind == "message" else [])
    assert (after.actions, after.failed_calls) == (before.actions, before.failed_calls)
    assert (after.first_sequence, after.session_id) == (1, "cycle-1")


def test_only_the_sentence_that_told_it_goes():
    """Broken: evidence is made of the turns as they were said."""
    turns = lived(said("My mother lives in Lyon. I have two cats."))

    found = evidence_of(turns, "wrong", "My mother lives in Lyon.", kind="fact")

    assert [one.text for one in found.items] == ["I have two cats."]


def test_what_was_put_in_the_place_of_a_message_to_the_agent_stands_beside_its_rest():
    """Broken: of an action, only the first message is read; what a person put there is a thought of the agent."""
    turns = lived(acted(Action("message", text="My mother lives in Lyon. I have two cats.")))

    found = evidence_of(turns, "edit", "My mother lives in Lyon.", to=PORTO, kind="fact")

    assert [(one.text, one.is_persons) for one in found.items] == [("I have two cats.", True), (PORTO, True)]
    assert found.narration == ()


def test_where_nothing_is_left_there_is_nothing_to_dream_of():
    """Broken: the words of a turn that is wrong as a whole are told."""
    assert evidence_of(lived(said("My mother lives in Lyon.")), "wrong").is_empty


def test_a_person_is_known_as_one_under_any_name():
    """Broken: whoever has a name is nobody."""
    messages = tuple(Message(role, "Hello there.", name="Ann") for role in (Speaker.USER, Speaker.ASSISTANT))
    turns = lived(Turn("t1", "s1", messages), acted(Action("message", text="Ann writes: hello."), "t2"))

    found = evidence_of(turns)

    assert [one.is_persons for one in found.items] == [True, False, True]


def test_a_saved_memory_is_evidence_and_not_what_the_agent_thought_last():
    """Broken: whatever was saved is a thought, and the agent wakes to it as its intention."""
    saved = Turn("t2", "s1", (Message(Speaker.THOUGHT, "My mother lives in Lyon."),), kind=TurnKind.MEMORY)

    found = evidence_of(lived(acted(Action("thought", text="I will mend the lamp.")), saved))

    assert [(one.who, one.text, one.is_persons, one.sequence) for one in found.items] == [
        ("memory", "My mother lives in Lyon.", False, 2)
    ]
    assert (found.last_words, found.narration) == ("I will mend the lamp.", ("I will mend the lamp.",))
    assert evidence_of(lived(saved)).last_words == ""
    dreamt = quote_dream({"items": evidence_of(lived(saved)).items, "narration": (), "language": "en", "priority": ""})
    assert "Lyon" not in dreamt.priority


def test_an_edit_that_names_somebody_who_is_muted_is_not_evidence():
    """Broken: what people put in the place of a message is taken from the corrections, and not from what is left."""
    turns = lived(acted(Action("message", text="My mother lives in Lyon. I have two cats.")))
    edit = Correction("c1", NOW, "owner", What("edit"), Target("fact", "My mother lives in Lyon.", ("t1",)), PORTO)
    mute = Correction("c2", NOW, "owner", What("mute"), Target("entity", "Ann"))

    found = gather_evidence(turns, zone=UTC, standing=Standing.of([edit, mute]))

    assert [one.text for one in found.items] == ["I have two cats."]
    assert found.narration == ()


def test_a_failure_says_what_was_wrong_though_a_long_trace_stands_before_it():
    """Broken: "FAIL: Traceback (most recent call last):", for the dream of a model as well."""
    trace = "Traceback (most recent call last):\n" + '  File "a.py", line 8\n' * 60 + "KeyError: 'DATABASE_URL'"
    did = (Action("tool_call", tool="shell", input="migrate", is_ok=False, output=trace), Action("error", text=trace))

    found = gather_evidence(lived(*map(acted, did, ("t1", "t2"))), zone=UTC, standing=Standing())

    ends = "Traceback (most recent call last): … KeyError: 'DATABASE_URL'"
    assert [one.text for one in found.items] == [f"shell: migrate → FAIL: {ends}", ends]
