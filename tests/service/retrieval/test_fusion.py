"""From lists of hits to one ranking: no arm is lost, no scale wins, ties fall the same way each time."""

from datetime import UTC, date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.index.text_store import Traits
from service.retrieval.fusion import (
    COSINES,
    DEPTH,
    SHARES,
    WORDS,
    ArmHits,
    Cues,
    Ranked,
    Scale,
    TraitWeights,
    fuse,
    merged,
    normalised,
    with_corrections,
)
from service.retrieval.periods import Period
from tests.support.fragments import NOON

hits = st.dictionaries(st.integers(1, 30), st.floats(0, 1000, allow_subnormal=False), max_size=12)
SCALES = {"words": WORDS, "vectors": COSINES, "facts": SHARES}


def arms_of(**found):
    """What each arm found, every arm with a weight of 1."""
    return tuple(ArmHits(name, hits, 1.0, SCALES[name]) for name, hits in found.items())


arms = st.builds(arms_of, words=hits, vectors=hits, facts=hits)


def traits_of(*, speakers=("Ann",), asks=False, words=100, has_time=False, at=NOON, **more):
    return Traits(speakers=speakers, occurred_at=at, asks=asks, statement_words=words, has_time=has_time, **more)


class All(dict):
    """The same traits for every turn."""

    def __missing__(self, key):
        return traits_of()

    def __contains__(self, key):
        return True


EQUAL = TraitWeights(words_unnamed=1.0)  # every arm counts in full, whoever the query names


def ranked(found, *, cues=Cues(), traits=All(), weights=EQUAL):
    return fuse(found, cues=cues, traits=traits, timezone=UTC, weights=weights)


def order(found):
    return [one.sequence for one in found]


@given(arms)
def test_every_turn_that_any_arm_found_is_ranked_once_best_first(found):
    ranking = ranked(found)

    assert sorted(order(ranking)) == sorted({sequence for arm in found for sequence in arm.hits})
    assert [one.score for one in ranking] == sorted((one.score for one in ranking), reverse=True)
    assert all(one.ranks for one in ranking)


@given(hits, st.floats(0, 10), st.floats(0, 10))
def test_normalised_scores_are_in_0_to_1_and_keep_their_order(found, floor, least_top):
    scaled = normalised(found, scale=Scale(floor=floor, least_top=least_top))

    assert scaled.keys() == found.keys()
    assert all(0 <= score <= 1 for score in scaled.values())
    assert sorted(scaled.values()) == [scaled[one] for one in sorted(found, key=lambda one: found[one])]


def test_a_full_list_ends_at_zero_and_a_short_one_at_its_scales_floor():
    full = {n: float(n) for n in range(1, DEPTH + 1)}
    scale = Scale(floor=0.0, least_top=0.0)

    assert normalised(full, scale=scale)[1] == 0
    assert normalised({1: 1.0, 2: 2.0}, scale=scale) == {1: 0.5, 2: 1.0}
    assert normalised({}, scale=scale) == {}


def test_a_turn_that_two_arms_find_beats_one_that_one_finds():
    assert order(ranked(arms_of(words={1: 5, 2: 5}, vectors={2: 0.8, 3: 0.8}))) == [2, 3, 1]


def test_turns_without_traits_are_left_out():
    assert order(ranked(arms_of(words={1: 5.0, 2: 4.0}), traits={2: traits_of()})) == [2]


def test_an_arm_without_weight_moves_nothing():
    found = (ArmHits("words", {1: 9.0, 2: 1.0}, 0.0, WORDS), ArmHits("vectors", {1: 0.1, 2: 0.9}, 1.0, COSINES))

    assert order(ranked(found)) == [2, 1]


@pytest.mark.parametrize(
    ("cues", "traits"),
    [
        (Cues(people=frozenset({"Bob"})), traits_of(speakers=("Bob",))),
        (Cues(period=Period(date(2026, 1, 28), date(2026, 1, 28))), traits_of()),
        (Cues(asks_when=True), traits_of(has_time=True)),
        (Cues(answer_types=frozenset({"name"})), traits_of(answers=frozenset({"name", "number"}))),
        (Cues(recalls_answer=True), traits_of(wants_answer=True)),
    ],
)
def test_a_cue_of_the_query_lifts_the_turn_that_it_fits(cues, traits):
    other = traits_of(at=NOON.replace(month=6))
    found = arms_of(words={1: 5.0, 2: 4.8})

    assert order(ranked(found, traits={1: other, 2: traits})) == [1, 2]
    assert order(ranked(found, cues=cues, traits={1: other, 2: traits})) == [2, 1]


def test_a_turn_within_the_period_beats_one_told_soon_after_and_that_one_beats_the_rest():
    january = Cues(period=Period(date(2026, 1, 1), date(2026, 1, 31)))
    traits = {
        1: traits_of(at=NOON + timedelta(days=60)),
        2: traits_of(at=NOON + timedelta(days=8)),
        3: traits_of(at=NOON),
    }

    assert order(ranked(arms_of(words={1: 5.0, 2: 4.9, 3: 4.8}), cues=january, traits=traits)) == [3, 2, 1]


def test_of_the_present_the_newest_answer_holds_and_of_the_past_it_does_not():
    found = arms_of(words={1: 5.0, 9: 4.8})

    assert order(ranked(found, cues=Cues(is_present=True, newest=9))) == [9, 1]
    assert order(ranked(found, cues=Cues(newest=9))) == [1, 9]


def test_in_few_turns_the_newest_is_hardly_newer_than_the_first():
    few, many = arms_of(words={1: 5.0, 2: 4.8}), arms_of(words={50: 5.0, 100: 4.8})

    assert order(ranked(few, cues=Cues(is_present=True, newest=2))) == [1, 2]
    assert order(ranked(many, cues=Cues(is_present=True, newest=100))) == [100, 50]


def test_a_turn_is_no_newer_than_the_newest():
    [only] = ranked(arms_of(words={9: 5.0}), cues=Cues(is_present=True, newest=3), weights=TraitWeights(brief=0.0))

    assert only.score == pytest.approx(TraitWeights().words_unnamed + TraitWeights().recency)


def test_words_count_for_little_unless_the_query_names_who_said_them():
    found = arms_of(words={1: 5.0}, vectors={2: 0.9})
    named = Cues(people=frozenset({"Ann"}))

    assert order(ranked(found, weights=TraitWeights())) == [2, 1]
    assert order(ranked(arms_of(words={1: 5.0}, vectors={2: 0.3}), cues=named, weights=TraitWeights())) == [1, 2]


def test_who_asks_about_people_that_speak_here_has_their_words_and_needs_concepts_less():
    named, known = Cues(people=frozenset({"Ann"}), names_known=True), Cues(names_known=True)

    def score(arm, cues):
        [only] = ranked((ArmHits(arm, {1: 5.0}, 1.0, WORDS),), cues=cues, weights=TraitWeights(brief=0.0))
        return only.score

    assert score("words", named) > score("words", known)
    assert score("concepts", named) < score("concepts", known)


def test_of_people_that_speak_here_a_turn_that_asks_is_answered_by_another():
    named, asking = Cues(people=frozenset({"Ann", "Bo"})), {1: traits_of(asks=True), 2: traits_of()}
    found = arms_of(vectors={1: 0.9, 2: 0.8})

    assert order(ranked(found, cues=named, traits=asking)) == [2, 1]
    assert order(ranked(found, traits=asking)) == [1, 2]


def test_a_turn_that_denies_another_stands_right_before_it():
    ranking = (Ranked(1, 0.9, {"words": 1}), Ranked(2, 0.5, {"words": 2}), Ranked(3, 0.1, {"words": 3}))

    assert order(with_corrections(ranking, {1: 3})) == [3, 1, 2]
    assert order(with_corrections(ranking, {2: 1})) == [1, 2, 3]


def test_a_denial_that_no_arm_found_comes_with_what_it_denies():
    [denial, denied] = with_corrections((Ranked(1, 0.9, {"words": 1}),), {1: 2, 7: 8})

    assert (denial.sequence, denial.ranks, denied.sequence) == (2, {"words": 1}, 1)


@pytest.mark.parametrize(
    "traits", [traits_of(asks=True), traits_of(words=0), traits_of(only_asks=True), traits_of(knows_not=True)]
)
def test_a_turn_that_only_asks_or_says_little_sinks(traits):
    assert order(ranked(arms_of(words={1: 5.0, 2: 4.8}), traits={1: traits, 2: traits_of()})) == [2, 1]


def test_ranks_tell_where_each_arm_saw_a_turn():
    [first, second] = ranked(arms_of(words={1: 5.0, 2: 4.0}, facts={2: 1.0}))

    assert {first.sequence: first.ranks, second.sequence: second.ranks} == {
        1: {"words": 1},
        2: {"words": 2, "facts": 1},
    }


def test_several_queries_give_each_turn_its_best_by_the_querys_trust():
    first = (Ranked(1, 1.2, {}), Ranked(2, 0.4, {}))
    second = (Ranked(2, 0.9, {}), Ranked(3, 0.5, {}), Ranked(4, -0.2, {}))

    found = merged([(1.0, first), (0.7, second), (1.0, ())])

    assert [(one.sequence, round(one.score, 3)) for one in found] == [(1, 1.2), (2, 0.63), (3, 0.35), (4, 0.0)]
    assert merged([]) == ()


def test_turns_of_others_count_for_less_than_those_of_whom_a_query_is_about():
    """Broken: ``others`` moves nothing, or the turns in which nobody has a name."""
    found = arms_of(words={1: 3.0, 2: 2.9, 3: 2.0})
    asked = ranked(found, cues=Cues(own=frozenset({2}), others=frozenset({1})))

    assert [one.sequence for one in ranked(found)] == [1, 2, 3]
    assert [one.sequence for one in asked] == [2, 3, 1]
    assert [one.ranks.get("speaker") for one in asked] == [1, None, None]
    assert ranked(found, cues=Cues(own=frozenset({1, 2}))) == ranked(found)


def test_turns_of_nobody_known_count_for_less_than_the_askers_and_for_more_than_those_of_others():
    """Broken: ``unnamed`` moves nothing."""
    found = arms_of(words={1: 3.0, 2: 2.9, 3: 2.9})
    asked = ranked(found, cues=Cues(own=frozenset({3}), others=frozenset({1}), unnamed=frozenset({2})))

    assert [one.sequence for one in ranked(found)] != [3, 2, 1]
    assert [one.sequence for one in asked] == [3, 2, 1]
