"""
What a bot said again of what is wrong now goes; what a person said, and what is said later, stays.

Every docstring says what was broken, once, to see the test fail.
"""

from datetime import UTC, datetime, timedelta

import pytest

from consolidation.corrections.record import Correction, Target, What
from consolidation.corrections.standing import Standing
from consolidation.corrections.taken_out import tellable
from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)
ASKS, MOTHER = "Where does my mother live?", "My mother Ingrid lives in Lyon."


def answered(*contents, at=NOON):
    """Another turn than the one that is wrong."""
    roles = (Speaker.USER, Speaker.ASSISTANT)
    return StoredTurn(2, at, Turn("t2", "s2", tuple(Message(roles[n % 2], one) for n, one in enumerate(contents))))


def wrong(text=MOTHER, *, kind="fact", to=None, later=()):
    what = What.EDIT if to else What.WRONG
    made = Correction("c1", NOON + timedelta(hours=1), "owner", what, Target(kind, text, ("t1",)), to)
    return Standing.of([made, *later])


def bots(left):
    return " ".join(one.content.strip() for one in left.turn.turn.messages if one.role is Speaker.ASSISTANT)


@pytest.mark.parametrize(
    "said",
    [
        "Your mother Ingrid lives in Lyon.",
        "Your mother lives in Lyon.",
        "As you told me in June, your mother Ingrid lives in Lyon, near the river.",
    ],
)
@pytest.mark.parametrize("kind", ["fact", "turn"])
def test_what_repeats_it_goes_and_a_question_alone_is_not_told(said, kind):
    """Broken: only turns that the decision names are looked at; the question is told without its answer."""
    text = f"user: {MOTHER} assistant: Lovely city." if kind == "turn" else MOTHER

    left = tellable(answered(ASKS, said), wrong(text, kind=kind))

    assert (left.is_spent, left.taken, left.reason) == (True, (said,), "wrong: a person said so")


def test_its_other_sentences_stay():
    """Broken: the whole turn goes."""
    left = tellable(answered(ASKS, "Your mother Ingrid lives in Lyon. Your father Paul lives in Rome."), wrong())

    assert (left.is_spent, bots(left)) == (False, "Your father Paul lives in Rome.")


@pytest.mark.parametrize(
    ("text", "to", "said"),
    [
        (MOTHER, None, "Your mother Ingrid lives in Porto."),
        (MOTHER, "My mother Ingrid lives in Nice.", "Your mother Ingrid lives in Nice, not in Lyon."),
        ("I drive a red car.", None, "You drive a green car."),
        ("I live in Lyon.", None, "Your mother lives in Lyon."),
        ("I LIVE in Lyon.", "I live in Lyon.", "You live in Lyon."),
    ],
)
def test_what_says_something_else_stays(text, to, said):
    """Broken: whatever has most of its words goes; an edit of case alone takes what is right."""
    left = tellable(answered(ASKS, said), wrong(text, to=to))

    assert (left.is_spent, bots(left)) == (False, said)


def test_what_a_person_says_in_another_turn_stays_with_its_answer():
    """Broken: the answer to what stays goes."""
    said = answered("My mother Ingrid lives in Lyon, I am sure.", "So your mother Ingrid lives in Lyon!")

    assert tellable(said, wrong()).turn == said


def test_what_is_said_after_the_decision_stays():
    """Broken: the time of the decision is not looked at."""
    later = answered(ASKS, "Your mother Ingrid lives in Lyon.", at=NOON + timedelta(hours=2))

    assert tellable(later, wrong()).turn == later


@pytest.mark.parametrize("kind", ["fact", "turn"])
def test_what_a_person_confirmed_stays(kind):
    """Broken: a decision of the bot's own turn is not asked for."""
    said = answered(ASKS, "Your mother Ingrid lives in Lyon.")
    target = Target(kind, "Your mother Ingrid lives in Lyon.", ("t2",))
    right = Correction("c2", NOON + timedelta(hours=3), "owner", What.RIGHT, target)

    assert tellable(said, wrong(later=[right])).turn == said


def test_what_is_wrong_of_a_turn_that_only_asks_is_its_answer():
    """Broken: the question is what is wrong."""
    beginning = f"user: {ASKS} assistant: Your mother Ingrid lives in Lyon."

    left = tellable(answered("And Ingrid?", "Your mother Ingrid lives in Lyon."), wrong(beginning, kind="turn"))

    assert left.is_spent
