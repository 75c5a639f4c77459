"""The gate: surer the nearer and the more of the message is found; unsure the more of it is missing; never beyond 0…1."""

import math

from hypothesis import given
from hypothesis import strategies as st

from service.resonance.relevance import About, Evidence, probability, telling

stems = st.dictionaries(st.sampled_from(["lyon", "mother", "cello", "train", "cat"]), st.floats(0, 15), max_size=5)
abouts = st.builds(About, stems, st.booleans(), st.booleans())
evidence = st.builds(
    Evidence, st.none() | st.floats(-1, 1), st.frozensets(st.sampled_from(["lyon", "mother", "cello", "train", "cat"]))
)


def about(*words, anchored=False, unknown=False):
    return About(dict.fromkeys(words, 6.0), anchored, unknown)


def sure(of, *best, turns=200):
    return probability(of, best, turns=turns)


@given(abouts, st.lists(evidence, max_size=7), st.integers(0, 10**9))
def test_a_probability_is_one(of, best, turns):
    assert 0 <= probability(of, best, turns=turns) <= 1


@given(abouts, st.lists(evidence, min_size=1, max_size=4), st.integers(1, 5000))
def test_more_of_the_message_found_is_never_less_sure(of, best, turns):
    better = [Evidence(one.cosine, one.words | of.stems.keys()) for one in best]

    assert probability(of, better, turns=turns) >= probability(of, best, turns=turns)


@given(abouts, st.floats(-1, 0.9), st.integers(1, 5000))
def test_nearer_is_never_less_sure(of, cosine, turns):
    far, near = Evidence(cosine, frozenset()), Evidence(cosine + 0.1, frozenset())

    assert sure(of, near, turns=turns) >= sure(of, far, turns=turns)


def test_nothing_found_or_nothing_meant_is_silence():
    assert sure(about("lyon")) == 0
    assert sure(about(), Evidence(0.99, frozenset())) == 0
    assert sure(about(anchored=True), Evidence(0.9, frozenset())) > 0.5


def test_a_name_never_heard_of_makes_it_less_sure():
    best = Evidence(0.5, frozenset({"lyon"}))

    assert sure(about("lyon", unknown=True), best) < sure(about("lyon"), best)


def test_more_turns_are_nearer_by_chance_up_to_where_it_was_measured():
    best = Evidence(0.5, frozenset({"lyon"}))

    assert sure(about("lyon"), best, turns=10) > sure(about("lyon"), best, turns=1000)
    assert math.isclose(sure(about("lyon"), best, turns=20_000), sure(about("lyon"), best, turns=10**9))


def test_an_answer_to_the_question_passes_and_a_chance_neighbour_does_not():
    assert sure(about("mother", "lyon"), Evidence(0.62, frozenset({"mother", "lyon"}))) > 0.5
    assert sure(about("tax", "form"), Evidence(0.25, frozenset({"cat"}))) < 0.5


def test_small_talk_and_numbers_are_not_what_a_message_is_about():
    words = {"thanks": "thank", "2026": "2026", "x": "x", "lyon": "lyon", "里昂": "里昂", "好": "好"}

    assert telling(words, rarity=len) == {"lyon": 4, "里昂": 2, "好": 1}
