"""
What is said under load: a turn is a function of its number, so that whoever posts it posts the same. Pure.

Two turns of numbers that follow each other share a timestamp; every third pair goes back in time. No two turns of a
pair say the same, so that each is quoted once, and every one holds its token once.
"""

from __future__ import annotations

from datetime import timedelta

from tests.support.story_processes import DAY_ZERO, token_of

MINDS = ("ada", "bo")
A_MIND = 100_000
SESSIONS = ("telegram:42", "web", "mail — Zoë")
PEOPLE = ("Zoe", "Boris", "Carla", "Dmitri", "Elena", "Farid", "Greta")
TOWNS = ("Lyon", "Ghent", "Porto", "Turin", "Krakow")
SAID = (
    "I told you that {who} has the number {token} in {town} today.",
    "The old violin, which {who} once bought from a sailor at {town}, has the number {token} in faded ink.",
)


def number_of(mind, place):
    """The number of the *place*-th turn of a mind."""
    return A_MIND * (1 + MINDS.index(mind)) + place


def mind_of(number):
    return MINDS[number // A_MIND - 1]


def said_in(number):
    who, town = PEOPLE[number // 2 % len(PEOPLE)], TOWNS[number % len(TOWNS)]
    return SAID[number % 2].format(who=who, token=token_of(number), town=town)


def asked_in(number):
    """A question that many turns answer, the one of this number among them."""
    return f"What did I tell you of {PEOPLE[number // 2 % len(PEOPLE)]}?"


def day_of(number):
    pair = number % A_MIND // 2
    return DAY_ZERO + timedelta(days=-pair if pair % 3 == 0 else pair)


def turn_of(number):
    """The turn of this number, as it is posted."""
    message = {"role": "user", "content": said_in(number), "timestamp": day_of(number).isoformat()}
    return {"turn_id": f"turn-{token_of(number)}", "session_id": SESSIONS[number % 3], "messages": [message]}


def stock_turn_of(number):
    """The same for the stock pattern."""
    message = {"content": said_in(number), "role": "user", "role_type": "user", "timestamp": day_of(number).isoformat()}
    return {"group_id": mind_of(number), "messages": [{**message, "source_description": SESSIONS[number % 3]}]}
