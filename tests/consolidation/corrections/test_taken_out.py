"""
A turn without what a person said is wrong: the sentence that told it goes, in other words too, and the rest stays.

Every docstring says what was broken, once, to see the test fail.
"""

from datetime import UTC, datetime

import pytest

from consolidation.corrections.record import Correction, Target, What
from consolidation.corrections.standing import Standing
from consolidation.corrections.taken_out import as_put_right, tellable
from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)


def turn_of(*contents):
    roles = (Speaker.USER, Speaker.ASSISTANT)
    return StoredTurn(1, NOON, Turn("t1", "s1", tuple(Message(roles[n % 2], one) for n, one in enumerate(contents))))


def decided(what, text, *, to=None, kind="fact"):
    return Standing.of([Correction("c1", NOON, "owner", What(what), Target(kind, text, ("t1",)), to)])


def contents(stored):
    return [(one.role.value, one.content.strip()) for one in stored.turn.messages]


@pytest.mark.parametrize(
    "fact", ["My mother lives in Lyon.", "Ann's mother lives in Lyon.", "The user's mother is living in Lyon."]
)
def test_the_sentence_that_told_it_goes_and_the_others_stay(fact):
    """Broken: only the very words are looked for; the whole message goes."""
    said = turn_of("My mother lives in Lyon. I have two cats.", "So your mother lives in Lyon! Cats are clever.")

    left = tellable(said, decided("wrong", fact))

    assert contents(left.turn) == [("user", "I have two cats."), ("assistant", "Cats are clever.")]
    assert (left.is_spent, left.reason) == (False, "wrong: a person said so")


def test_what_says_something_else_in_the_same_words_stays_and_what_repeats_it_goes():
    """Broken: each sentence that has most of its words goes, whatever else it says."""
    said = turn_of(
        "My daughter Lea is allergic to nuts. My daughter Lea is allergic to cats. My daughter is allergic to cats.",
        "So your daughter Lea is allergic to cats, too!",
    )

    left = tellable(said, decided("wrong", "My daughter Lea is allergic to cats."))

    assert contents(left.turn) == [("user", "My daughter Lea is allergic to nuts.")]


def test_where_nothing_else_was_told_the_turn_is_spent():
    """Broken: what only answers to it is told."""
    left = tellable(
        turn_of("My mother lives in Lyon.", "How nice, Lyon is lovely."), decided("mute", "My mother lives in Lyon.")
    )

    assert (left.is_spent, left.reason) == (True, "muted by a person")


def test_a_fact_that_can_not_be_found_takes_its_turn_with_it():
    """Broken: the turn is told as it is."""
    assert tellable(turn_of("Elle y habite depuis mai."), decided("wrong", "Ingrid lives in Lyon.")).is_spent


def test_a_turn_of_which_nothing_was_decided_is_the_same_value():
    """Broken: every turn is cut into sentences and joined again."""
    said = turn_of("My mother lives in Lyon.")

    assert tellable(said, decided("pin", "My mother lives in Lyon.")).turn is said
    assert tellable(said, Standing()).turn is said


def test_what_is_told_again_has_the_edit_as_a_note_of_its_own():
    """Broken: the person's words are put into the speaker's mouth; an edit is left out."""
    said = turn_of("My mother lives in Lyon. I have two cats.", "Nice.")

    told = as_put_right(said, decided("edit", "My mother lives in Lyon.", to="Ann's mother lives in Porto."))

    assert contents(told) == [
        ("user", "I have two cats."),
        ("assistant", "Nice."),
        ("thought", "Ann's mother lives in Porto."),
    ]


@pytest.mark.parametrize(
    ("told", "to"),
    [
        ("Ich nehme jeden Morgen 5 mg Ramipril.", "Ich nehme jeden Morgen 10 mg Ramipril."),
        ("My mother lives in Lyon.", "My mother lives in Porto."),
        ("Vivo en Sevilla desde mayo.", "Vivo en Cádiz desde mayo."),
        ("Мы живём в Минске с мая.", "Мы живём в Гомеле с мая."),
        ("私は毎朝五時に起きます。", "私は毎朝六時に起きます。"),
    ],
)
def test_an_edit_in_the_first_person_is_of_whoever_told_it_also_without_a_name(told, to):
    """Broken: without a name it is a thought, and so the bot's own."""
    left = as_put_right(turn_of(told, "I see."), decided("edit", told, to=to))

    assert ("user", to) in contents(left)
    assert as_put_right(turn_of(told), decided("edit", told, to=to)).turn.messages[-1].name is None


def test_an_edit_of_what_the_bot_itself_noted_or_said_stays_its_own():
    """Broken: whatever says "I" is the person's."""
    was, to = "I promised the report for Monday.", "I promised the report for Tuesday."
    noted = StoredTurn(1, NOON, Turn("t1", "s1", (Message(Speaker.THOUGHT, was),)))

    assert contents(as_put_right(noted, decided("edit", was, to=to))) == [("thought", to)]
    assert contents(as_put_right(turn_of("I like tea.", was), decided("edit", was, to=to)))[-1] == ("thought", to)


def test_nothing_is_told_of_a_turn_that_is_wrong_as_a_whole():
    """Broken: decisions of whole turns are not looked at."""
    assert as_put_right(turn_of("My mother lives in Lyon."), decided("wrong", "x", kind="turn")) is None


def test_nothing_is_told_of_a_muted_turn_whose_words_were_edited_before():
    """Broken: what a person put in their place is told, as nothing was decided of that itself."""
    fact, whole = Target("fact", "My mother lives in Lyon.", ("t1",)), Target("turn", "x", ("t1",))
    edit = Correction("c1", NOON, "owner", What.EDIT, fact, "Ann's mother lives in Porto.")
    mute = Correction("c2", NOON, "owner", What.MUTE, whole)

    assert as_put_right(turn_of("My mother lives in Lyon."), Standing.of([edit, mute])) is None
