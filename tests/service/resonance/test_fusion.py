"""From lists of hits to one ranking: no arm is lost, no scale wins, ties fall the same way each time."""

from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import NOON

from service.recall.dates import DateHint
from service.recall.text_store import Traits
from service.resonance.fusion import DEPTH, Arms, Cues, Ranked, Scale, Weights, fuse, merged, normalised

hits = st.dictionaries(st.integers(1, 30), st.floats(0, 1000, allow_subnormal=False), max_size=12)
arms = st.builds(Arms, hits, hits, hits, hits)


def traits_of(*, speakers=("Ann",), asks=False, words=100, has_time=False, at=NOON):
    return Traits(speakers=speakers, occurred_at=at, asks=asks, statement_words=words, has_time=has_time)


class All(dict):
    """The same traits for every turn."""

    def __missing__(self, key):
        return traits_of()

    def __contains__(self, key):
        return True


def ranked(found, *, cues=Cues(), traits=All(), weights=Weights()):
    return fuse(found, cues=cues, traits=traits, timezone=UTC, weights=weights)


def order(found):
    return [one.sequence for one in found]


@given(arms)
def test_every_turn_that_any_arm_found_is_ranked_once_best_first(found):
    ranking = ranked(found)

    assert sorted(order(ranking)) == sorted({*found.words, *found.vectors, *found.facts, *found.neighbours})
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
    assert order(ranked(Arms(words={1: 5, 2: 5}, vectors={2: 0.8, 3: 0.8}))) == [2, 3, 1]


def test_turns_without_traits_are_left_out():
    assert order(ranked(Arms(words={1: 5.0, 2: 4.0}), traits={2: traits_of()})) == [2]


def test_an_arm_without_weight_moves_nothing():
    weights = Weights(words=0)

    found = ranked(Arms(words={1: 9.0, 2: 1.0}, vectors={1: 0.1, 2: 0.9}), weights=weights)

    assert order(found) == [2, 1]


@pytest.mark.parametrize(
    ("cues", "traits"),
    [
        (Cues(people=frozenset({"Bob"})), traits_of(speakers=("Bob",))),
        (Cues(date=DateHint(1, 28)), traits_of()),
        (Cues(asks_when=True), traits_of(has_time=True)),
    ],
)
def test_a_cue_of_the_query_lifts_the_turn_that_it_fits(cues, traits):
    other = traits_of(at=NOON.replace(month=6))
    found = Arms(words={1: 5.0, 2: 4.8})

    assert order(ranked(found, traits={1: other, 2: traits})) == [1, 2]
    assert order(ranked(found, cues=cues, traits={1: other, 2: traits})) == [2, 1]


@pytest.mark.parametrize("traits", [traits_of(asks=True), traits_of(words=0)])
def test_a_turn_that_only_asks_or_says_little_sinks(traits):
    assert order(ranked(Arms(words={1: 5.0, 2: 4.8}), traits={1: traits, 2: traits_of()})) == [2, 1]


def test_ranks_tell_where_each_arm_saw_a_turn():
    [first, second] = ranked(Arms(words={1: 5.0, 2: 4.0}, facts={2: 1.0}))

    assert {first.sequence: first.ranks, second.sequence: second.ranks} == {
        1: {"words": 1},
        2: {"words": 2, "facts": 1},
    }


def test_several_queries_give_each_turn_its_best_by_the_querys_trust():
    first = (Ranked(1, 8.0, {}), Ranked(2, 4.0, {}))
    second = (Ranked(2, 0.9, {}), Ranked(3, 0.45, {}))

    found = merged([(1.0, first), (0.7, second), (1.0, ())])

    assert [(one.sequence, round(one.score, 3)) for one in found] == [(1, 1.0), (2, 0.7), (3, 0.35)]
    assert merged([]) == ()
