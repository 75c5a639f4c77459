"""The gate: surer the nearer and the more of the message is found; unsure the more of it is missing; never beyond 0…1."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.resonance.relevance import Evidence, Topic, content_weights, is_chore, is_meant, probability
from service.retrieval.intent import intent_of

WORDS = ["lyon", "mother", "cello", "train", "cat"]
MESSAGES = ["Where does my mother live?", "Who won?", "Write me a poem.", "My cat is ill.", "It rains.", "What is 2+2?"]

stems = st.dictionaries(st.sampled_from(WORDS), st.floats(0, 15), max_size=5)
meanings = st.frozensets(st.sampled_from(["family", "music", "pet"]))
intents = st.sampled_from([intent_of(text, language="en", names_known=False) for text in MESSAGES])
abouts = st.builds(
    Topic,
    stems,
    meanings,
    intents,
    names_known=st.booleans(),
    names_period=st.booleans(),
    names_plan=st.booleans(),
    looks_ahead=st.booleans(),
    has_unknown_name=st.booleans(),
    is_personal=st.booleans(),
    asks_of_name=st.booleans(),
)
evidence = st.builds(
    Evidence,
    st.none() | st.floats(-1, 1),
    st.frozensets(st.sampled_from(WORDS)),
    meanings,
    st.floats(0, 8),
    st.booleans(),
)


def about(*words, message="Where does my mother live?", concepts=(), **more):
    return Topic(
        dict.fromkeys(words, 6.0),
        frozenset(concepts),
        intent_of(message, language="en", names_known=False),
        **more,
    )


def sure(of, *best, turns=200):
    return probability(of, best, turns=turns)


def holds(*words, cosine=0.5, concepts=()):
    return Evidence(cosine, frozenset(words), frozenset(concepts))


@given(abouts, st.lists(evidence, max_size=7), st.integers(0, 10**9))
def test_a_probability_is_one(of, best, turns):
    assert 0 <= probability(of, best, turns=turns) <= 1


@given(abouts, st.lists(evidence, min_size=1, max_size=4), st.integers(1, 5000))
def test_more_of_the_message_found_is_never_less_sure(of, best, turns):
    better = [replace(one, words=one.words | of.stems.keys(), concepts=one.concepts | of.concepts) for one in best]

    assert probability(of, better, turns=turns) >= probability(of, best, turns=turns)


@given(abouts, st.floats(-1, 0.9), st.integers(1, 5000))
def test_nearer_is_never_less_sure(of, cosine, turns):
    far, near = Evidence(cosine), Evidence(cosine + 0.1)

    assert sure(of, near, turns=turns) >= sure(of, far, turns=turns)


def test_nothing_found_is_silence():
    assert sure(about("lyon")) == 0


def test_a_name_never_heard_of_makes_it_less_sure():
    best = holds("lyon")

    assert sure(about("lyon", has_unknown_name=True), best) < sure(about("lyon"), best)


def test_a_question_about_a_life_is_surer_than_any_other():
    best = holds("lyon")
    asked = [about("lyon", message=one) for one in ("Where is my house?", "Where is Lyon?", "The sun is out.")]

    personal, other, remark = (sure(one, best) for one in asked)

    assert personal > other > remark


def test_more_turns_are_nearer_by_chance_up_to_where_it_was_measured():
    best = holds("lyon")

    assert sure(about("lyon"), best, turns=15) > sure(about("lyon"), best, turns=1000)
    assert math.isclose(sure(about("lyon"), best, turns=1), sure(about("lyon"), best, turns=15))
    assert math.isclose(sure(about("lyon"), best, turns=20_000), sure(about("lyon"), best, turns=10**9))


def test_an_answer_to_the_question_passes_and_a_chance_neighbour_does_not():
    assert sure(about("mother", "lyon"), holds("mother", "lyon", cosine=0.62)) > 0.5
    assert sure(about("tax", "form", message="Which tax form is that?"), holds("cat", cosine=0.25)) < 0.5


def test_other_words_that_mean_the_same_count_as_found():
    pet = about("pet", message="What is the pet called?", concepts=["pet"])

    assert sure(pet, holds("cat", cosine=None, concepts=["pet"])) > sure(pet, holds("cat", cosine=None))


def test_a_question_that_was_asked_before_without_an_answer_is_silent():
    assert sure(about("sister", unanswered=0.4), holds("sister")) > 0.5
    assert sure(about("sister", unanswered=0.5), holds("sister", cosine=0.95)) == 0


def test_what_nobody_spoke_of_is_silent_unless_something_is_plainly_near():
    unheard = about("car", least_near=0.3)

    assert sure(unheard, holds(cosine=0.29)) == 0
    assert sure(unheard, holds(cosine=None)) == 0
    assert sure(unheard, holds(cosine=0.1), holds(cosine=0.3)) > 0
    assert sure(replace(unheard, least_near=0.0), holds(cosine=0.29)) > 0


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("What is 15% of 80?", ()),
        ("Write a Python function that sorts cats.", ("python", "function", "sort", "cat")),
        ("Translate 'the cat sleeps' into German.", ("translate", "cat", "sleep", "german")),
        ("Tell a joke about cats.", ("joke", "cat")),
    ],
)
def test_what_anybody_may_ask_for_is_silent_whatever_is_found(message, words):
    best = Evidence(1.0, frozenset(words), frozenset({"pet"}), 8.0)

    assert sure(about(*words, message=message, is_personal=False), best) == 0
    assert sure(about(*words, message=message, is_personal=False, names_known=True), best) > 0


def test_a_task_that_asks_for_what_was_said_is_no_chore():
    said, dated = "Write the code that you gave to Ann.", "Summarize what happened."

    assert not about("code", message=said, is_personal=False).needs_no_memory
    assert not about("happen", message=dated, is_personal=False, names_period=True).needs_no_memory


def test_words_of_a_sum_are_a_sum_only_where_nothing_else_is_asked():
    family = intent_of("How many children are there?", language="en", names_known=False)

    assert not is_chore(family, has_subject=True)
    assert is_chore(family, has_subject=False)


def test_a_fragment_may_be_meant_by_a_word_by_its_meaning_or_by_being_near():
    topic = about("pet", concepts=["pet"])

    assert is_meant(topic, holds("pet", cosine=0.0))
    assert is_meant(topic, holds("cat", cosine=0.0, concepts=["pet"]))
    assert is_meant(topic, holds("cat", cosine=0.2))
    assert not is_meant(topic, holds("cat", cosine=0.05))
    assert not is_meant(topic, holds("cat", cosine=0.19), is_clear=True)
    assert is_meant(topic, holds("cat", cosine=0.21), is_clear=True)
    assert is_meant(topic, holds("pet", cosine=0.0), is_clear=True)


def test_where_a_time_is_asked_for_what_was_told_in_it_is_meant_and_nothing_for_the_time_alone():
    in_june = about("pet", names_period=True)

    assert is_meant(in_june, Evidence(0.0, is_in_period=True))
    assert not is_meant(in_june, Evidence(0.0))
    assert is_meant(about(), Evidence(0.0))
    assert not is_meant(about(), Evidence(0.0), is_clear=True)
    assert not is_meant(about(names_period=True), Evidence(0.0))


def test_where_a_day_to_come_is_asked_for_what_names_it_is_meant():
    in_august = about("pet", looks_ahead=True)

    assert in_august.names_time
    assert is_meant(in_august, Evidence(0.0, is_in_period=True))
    assert not is_meant(in_august, Evidence(0.0))
    assert probability(in_august, [Evidence(0.0, is_in_period=True)], turns=90) > probability(
        about("pet"), [Evidence(0.0)], turns=90
    )


def test_a_time_speaks_for_a_memory_that_was_told_in_it_and_a_plan_for_one_on_its_subject():
    in_june, plan = about("pet", names_period=True), about("pet", names_plan=True)

    assert probability(in_june, [Evidence(0.0, is_in_period=True)], turns=90) > probability(
        in_june, [Evidence(0.0)], turns=90
    )
    assert probability(plan, [holds("pet")], turns=90) > probability(about("pet"), [holds("pet")], turns=90)
    assert probability(plan, [holds("cat")], turns=90) == probability(about("pet"), [holds("cat")], turns=90)


def test_numbers_and_single_letters_are_not_what_a_message_is_about():
    words = {"2026": "2026", "x": "x", "lyon": "lyon", "里昂": "里昂", "好": "好"}

    assert content_weights(words, rarity=len) == {"lyon": 4, "里昂": 2, "好": 1}


def test_who_asks_of_nothing_but_a_known_name_is_answered_in_a_mind_of_thousands_of_turns():
    """Broken: "asks of a name" weighs nothing; it counts where the name was not found."""
    of = about("wren", message="Who is Wren?", names_known=True)
    asks_of_it = replace(of, asks_of_name=True)

    assert sure(of, holds("wren", cosine=0.2), turns=5000) < 0.5
    assert sure(asks_of_it, holds("wren", cosine=0.2), turns=5000) > 0.5
    assert sure(asks_of_it, holds(cosine=0.2), turns=5000) < 0.5
