"""How tired an agent was: the count of each call, 0 with each dream, and now."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from consolidation.dreams.dream_log import DreamRecord
from consolidation.dreams.fatigue_history import fatigue_points

START = datetime(2026, 2, 12, 9, 0, tzinfo=UTC)


def minute(number):
    return START + timedelta(minutes=number)


def called(*sequences):
    """Tool calls, each in the minute of its sequence."""
    return [(one, minute(one)) for one in sequences]


def points(calls, dreams=(), *, since=0, now=100):
    found = fatigue_points(calls, dreams, since=minute(since), now=minute(now))
    return [((one.at - START) // timedelta(minutes=1), one.actions) for one in found]


def dreamt(*, at, until, number=1):
    return DreamRecord(t=minute(at), dream=number, last_sequence=until)


def test_it_tires_with_each_call_until_now():
    assert points(called(1, 2, 5)) == [(1, 1), (2, 2), (5, 3), (100, 3)]


def test_a_dream_takes_the_count_back_to_nothing():
    dreams = [dreamt(at=6, until=5)]

    assert points(called(1, 5, 8), dreams) == [(1, 1), (5, 2), (6, 0), (8, 1), (100, 1)]


def test_what_was_done_while_a_dream_was_written_comes_after_it():
    dreams = [dreamt(at=9, until=5)]

    assert points(called(5, 7), dreams) == [(5, 1), (9, 0), (9, 1), (100, 1)]


def test_a_plot_begins_with_how_tired_it_was_then():
    assert points(called(1, 2, 5), since=3) == [(3, 2), (5, 3), (100, 3)]


def test_an_agent_that_did_nothing_has_no_points():
    assert points([]) == []


def test_of_a_very_long_day_the_ends_stay_and_few_calls():
    found = points(called(*range(1, 1_001)), now=2_000)

    assert found[0] == (1, 1)
    assert found[-2:] == [(1_000, 1_000), (2_000, 1_000)]
    assert len(found) < 125


@given(st.lists(st.integers(1, 99), unique=True), st.lists(st.tuples(st.integers(1, 99), st.integers(0, 20))))
def test_time_never_goes_back_and_the_last_point_is_the_count_since_the_last_dream(sequences, nights):
    ends = sorted({until for until, _ in nights})
    dreams = [dreamt(at=until + dict(nights)[until], until=until, number=at) for at, until in enumerate(ends, 1)]

    found = points(called(*sorted(sequences)), dreams, now=200)

    assert [at for at, _ in found] == sorted(at for at, _ in found)
    assert (found[-1][1] if found else 0) == sum(one > max(ends, default=0) for one in sequences)
