"""What bears on a question, how it stands, and what took whose place."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from service.ask.evidence import Evidence, followed_names, queries_of, state_of, unsettled
from service.retrieval.moment import Source
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


LYON, PORTO = "Ines lives in Lyon.", "Ines lives in Porto."


@pytest.mark.parametrize(
    ("first", "second", "is_open"),
    [
        (memory(LYON, since=JAN), memory(PORTO, since=FEB), True),
        (memory(LYON), memory(PORTO), True),
        (memory(LYON, since=JAN, until=MAR), memory(PORTO, since=FEB), True),
        (memory(LYON, since=JAN, until=FEB), memory(PORTO, since=FEB), False),
        (memory(LYON, since=JAN, until=FEB), memory(PORTO, since=FEB, until=MAR), False),
        (memory(LYON, since=JAN), memory(PORTO, kind="episode"), True),
        (memory(LYON, since=JAN), memory(PORTO, since=MAR), False),
        (memory(LYON, since=MAR), memory(PORTO, since=MAR), True),
        (memory(LYON, since=JAN), replace(memory(PORTO, since=JAN), is_contradicted=True), False),
        (memory(LYON, since=JAN), replace(memory(PORTO, since=JAN), is_held_back=True), False),
        (replace(memory(LYON), is_held_back=True), replace(memory(PORTO), is_held_back=True), False),
    ],
)
def test_what_claims_the_same_time_can_contradict_and_what_is_settled_can_not(first, second, is_open):
    evidence = [Evidence(one, state_of(one, at=FEB)) for one in (first, second, memory("Bob owns a bike.", since=JAN))]

    assert unsettled(evidence, (0, 1)) == unsettled(evidence, (1, 0)) == (frozenset({0, 1}) if is_open else frozenset())


def test_a_turn_ends_with_the_facts_that_it_told():
    source = Source("t1", "s1", 1, JAN, LYON)
    turn = replace(memory("Ines lives in Lyon and is well.", kind="episode"), sources=(source,))
    lyon = replace(memory(LYON, since=JAN, until=FEB), sources=(source,))
    porto = memory(PORTO, since=FEB)
    evidence = [Evidence(one, state_of(one, at=MAR)) for one in (turn, porto, lyon)]

    assert unsettled(evidence[:2], (0, 1)) == frozenset({0, 1})
    assert unsettled(evidence, (0, 1)) == frozenset()


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
