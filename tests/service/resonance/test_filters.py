"""What may surface: not what was shown lately, not twice, not all of one day, and in an order that has reasons."""

from datetime import UTC, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st
from making import NOON, fragment_of

from service.resonance.filters import Filtered, chosen, unseen
from service.resonance.ledger import Echoes

WORDS = (
    "mother in Lyon",
    "cello lessons",
    "a red bicycle",
    "rain in spring",
    "two cats",
    "the night train",
    "new shoes",
)


def fragments_of(*scores, **more):
    return tuple(fragment_of(f"f{n}", WORDS[n], score=score, sequences=(n,), **more) for n, score in enumerate(scores))


def names(filtered):
    return [fragment.id for fragment in filtered.kept]


def choose(fragments, *, is_gated=False, limit=5, timezone=UTC):
    return chosen(Filtered(tuple(fragments)), is_gated=is_gated, limit=limit, timezone=timezone)


def test_what_is_hidden_is_dropped_with_its_reason():
    found = unseen(fragments_of(1, 0.9), is_hidden=lambda one: one.id == "f0", echoes=Echoes())

    assert names(found) == ["f1"]
    assert found.dropped == {"f0": "horizon: still in sight"}


def test_what_was_shown_lately_is_dropped_by_its_name_or_by_its_turns():
    echoes = Echoes(frozenset({"f0"}), frozenset({1, 5}))

    found = unseen(fragments_of(1, 0.9, 0.8), is_hidden=lambda one: False, echoes=echoes)

    assert names(found) == ["f2"]
    assert set(found.dropped.values()) == {"echo: shown lately"}


def test_a_memory_with_one_new_source_is_no_echo():
    fragment = fragment_of("fact", sequences=(1, 2))

    assert names(unseen([fragment], is_hidden=lambda one: False, echoes=Echoes(sequences=frozenset({1})))) == ["fact"]
    assert names(unseen([fragment_of("x", sequences=())], is_hidden=lambda one: False, echoes=Echoes())) == ["x"]


def test_what_scores_far_below_the_first_is_dropped_when_gated():
    fragments = fragments_of(1, 0.61, 0.59)

    assert names(choose(fragments, is_gated=True)) == ["f0", "f1"]
    assert names(choose(fragments)) == ["f0", "f1", "f2"]


def test_the_second_of_two_that_say_the_same_is_dropped():
    fragments = [fragment_of("a", "My mother lives in Lyon."), fragment_of("b", "my MOTHER lives in lyon!", score=0.9)]

    found = choose(fragments)

    assert names(found) == ["a"]
    assert found.dropped == {"b": "near-duplicate"}


def test_six_of_one_day_do_not_crowd_out_another():
    days = [
        *fragments_of(1, 0.95, 0.9, 0.85, 0.8, 0.75),
        fragment_of("old", WORDS[6], score=0.7, at=NOON - timedelta(days=9)),
    ]

    found = choose(days)

    assert names(found) == ["f0", "f1", "f2", "f3", "old"]
    assert found.dropped == {"f4": "limit", "f5": "limit"}


def test_one_day_may_fill_the_rest_when_no_other_has_anything_to_say():
    assert names(choose(fragments_of(1, 0.9, 0.8, 0.7, 0.6, 0.5))) == ["f0", "f1", "f2", "f3", "f4"]


def test_a_day_is_a_day_where_the_caller_lives():
    late, early = NOON.replace(hour=23), NOON.replace(hour=1) + timedelta(days=1)
    fragments = [fragment_of(f"f{n}", WORDS[n], score=1 - n / 10, at=at) for n, at in enumerate((late, early, late))]

    assert names(choose(fragments, limit=2, timezone=ZoneInfo("Asia/Tokyo"))) == ["f0", "f1"]
    assert names(choose(fragments, limit=1, timezone=ZoneInfo("Asia/Tokyo"))) == ["f0"]


def test_the_named_come_first_then_facts_then_the_best():
    fragments = [
        fragment_of("episode", WORDS[0], score=1),
        fragment_of("weak fact", WORDS[1], score=0.7, kind="fact"),
        fragment_of("named", WORDS[2], score=0.65, boosted=True),
        fragment_of("fact", WORDS[3], score=0.8, kind="fact"),
    ]

    assert names(choose(fragments)) == ["named", "fact", "weak fact", "episode"]


made = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 4), st.sampled_from(["fact", "episode"]), st.booleans()), max_size=20
)


@given(made, st.integers(0, 8), st.booleans())
def test_nothing_is_lost_without_a_reason(rows, limit, is_gated):
    rows = sorted(rows, reverse=True)
    fragments = [
        fragment_of(f"f{n}", f"number {n}", score=score, kind=kind, boosted=boosted, at=NOON - timedelta(days=day))
        for n, (score, day, kind, boosted) in enumerate(rows)
    ]

    found = choose(fragments, is_gated=is_gated, limit=limit)

    assert len(found.kept) <= limit
    assert {one.id for one in fragments} == set(names(found)) | found.dropped.keys()
    assert not set(names(found)) & found.dropped.keys()
    if limit and fragments:
        assert found.kept
