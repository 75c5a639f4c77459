"""What bears on a question, how it stands, and what took whose place."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from service.ask.evidence import Evidence, contradicting, followed_names, queries_of, state_of
from service.retrieval.remembered import Remembered

JAN, FEB, MAR = (datetime(2026, month, 1, tzinfo=UTC) for month in (1, 2, 3))


def memory(text="Ines lives in Lyon.", *, kind="fact", since=None, until=None, names=("Ines", "Lyon")):
    return Remembered(f"{kind}:{text}", kind, text, JAN, since, until, 1.0, (), names=names)


@pytest.mark.parametrize(
    ("since", "until", "state"),
    [
        (None, None, "holding"),
        (JAN, None, "holding"),
        (JAN, FEB, "ended"),
        (JAN, MAR, "holding"),
        (MAR, None, "planned"),
    ],
)
def test_a_fact_stands_as_its_days_say(since, until, state):
    assert state_of(memory(since=since, until=until), at=FEB) == state


def test_what_is_no_fact_was_said():
    assert state_of(memory(kind="episode", since=MAR), at=FEB) == "said"


def test_a_fact_contradicts_the_one_about_the_same_that_ended_when_it_began():
    lyon, porto = memory(since=JAN, until=MAR), memory("Ines lives in Porto.", since=MAR, names=("INES", "Porto"))
    other = memory("Bob moved to Bern.", since=MAR, names=("Bob", "Bern"))

    pairs = contradicting([Evidence(one, "said") for one in (porto, other, lyon)])

    assert pairs == (frozenset({0, 2}),)


def test_the_names_of_the_best_facts_are_followed_but_not_those_of_roles_or_of_the_question():
    facts = (
        memory("My mother Ines lives in Lyon.", names=("user", "Ines")),
        memory("Lyon is near Geneva.", names=("Lyon", "Geneva")),
        replace(memory("Bob likes tea.", names=("Bob", "Tea")), score=0.1),
    )

    def names_in(text):
        return [("u1", "Rhône")] if "Geneva" in text else []

    assert followed_names(facts, "Where in Lyon does my mother live?", names_in) == ("Ines", "Geneva", "Rhône")


def test_a_question_of_several_sentences_is_searched_for_by_each_of_them():
    question = "Where does Ines live? When did Bob visit her?"

    queries = queries_of(question, language="en")

    assert queries[question] == 1.0
    assert {"Where does Ines live?", "When did Bob visit her?"} <= queries.keys()
    assert all(share < 1 for query, share in queries.items() if query != question)
