"""A remark's memories: likelier the more they share with it, never beyond 0…1; questions and chores are not weighed so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.resonance.relevance import Evidence, Topic
from service.resonance.remark_relevance import Told, changes_answer, is_weighed_by_memory
from service.retrieval.intent import intent_of

REMARK = "My mother plays the cello."


def about(message=REMARK, *, language="en", **more):
    return Topic(
        {"mother": 3.0, "cello": 7.0},
        frozenset({"music"}),
        intent_of(message, language=language, names_known=False),
        **more,
    )


def told(**more):
    return Told(**({"kind": "episode", "score": 0.5, "statement_words": 8} | more))


def likely(evidence=None, of=None, turns=200, **known):
    return changes_answer(of or about(), evidence or Evidence(0.3), told(**known), turns=turns)


@given(st.floats(-1, 1) | st.none(), st.floats(0, 1), st.integers(0, 10**9), st.booleans())
def test_a_likelihood_is_one(cosine, score, turns, shares_name):
    assert 0 <= likely(Evidence(cosine), score=score, turns=turns, shares_name=shares_name) <= 1


@pytest.mark.parametrize(
    "more",
    [
        {"evidence": Evidence(0.6)},
        {"evidence": Evidence(0.3, frozenset({"cello"}))},
        {"stems": frozenset({"cello"}), "evidence": Evidence(0.3, frozenset({"cello"}))},
        {"shares_name": True},
        {"score": 0.9},
        {"kind": "fact"},
        {"statement_words": 30},
        {"turns": 20},
    ],
)
def test_what_has_more_in_common_is_likelier_to_matter(more):
    assert likely(**more) > likely()


@pytest.mark.parametrize("more", [{"only_asks": True}, {"statement_words": 0}, {"turns": 10_000}])
def test_a_question_a_fragment_and_a_large_mind_are_less_likely_to_matter(more):
    assert likely(**more) < likely()


def test_a_word_of_the_turn_itself_counts_more_than_one_beside_it():
    beside = Evidence(0.3, frozenset({"cello"}))

    assert likely(beside, stems=frozenset({"cello"})) > likely(beside)


@pytest.mark.parametrize(
    "message",
    [
        "Where does my mother live?",
        "do you remember my mother's name",
        "since when have i been sleeping on the boat",
        "list all the bosses i've had this year",
        "write a python function that reverses a list",
    ],
)
def test_what_asks_for_something_stored_and_chores_are_not_weighed_by_memory(message):
    assert not is_weighed_by_memory(about(message))


@pytest.mark.parametrize("message", [REMARK, "write my neighbour a letter about his hedge", "the cellist is ill"])
def test_remarks_and_personal_requests_are(message):
    assert is_weighed_by_memory(about(message))


def test_a_question_about_a_time_is_not():
    assert not is_weighed_by_memory(about(names_period=True))


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("depuis quand je dors sur le bateau", "fr"),
        ("de quoi on a parlé le 20 août", "fr"),
        ("mit wem war ich im kino", "de"),
        ("desde cuándo trabajo aquí", "es"),
        ("con chi ho cenato ieri", "it"),
        ("sinds wanneer woon ik hier", "nl"),
    ],
)
def test_a_preposition_before_the_question_word_asks_too(message, language):
    assert not is_weighed_by_memory(about(message, language=language))
