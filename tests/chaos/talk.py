"""What is said to twelve minds: a turn is a function of its number, so that whoever posts it posts the same. Pure."""

from __future__ import annotations

from tests.crash.talk import PEOPLE, SESSIONS, day_of, said_in
from tests.support.story_processes import token_of

MINDS = tuple(f"mind-{number:02}" for number in range(12))
A_MIND = 10_000
LAST = 6000  # the first place of the turns that are told when all is mended; later ones would be in the future


def number_of(mind, place):
    """The number of the *place*-th turn of a mind."""
    return A_MIND * (1 + MINDS.index(mind)) + place


def mind_of(number):
    return MINDS[number // A_MIND - 1]


def turn_id_of(number):
    return f"turn-{token_of(number)}"


def turn_of(number):
    """The turn of this number, as it is posted."""
    at = day_of(number % A_MIND).isoformat()
    message = {"role": "user", "content": said_in(number), "timestamp": at}
    return {"turn_id": turn_id_of(number), "session_id": SESSIONS[number % 3], "messages": [message]}


def question_of(number):
    """A pre-turn call whose question many turns answer, the one of this number among them."""
    asked = f"What did I tell you of {PEOPLE[number // 2 % len(PEOPLE)]}?"
    return {"session_id": f"look-{number}", "messages": [{"role": "user", "content": asked}]}
