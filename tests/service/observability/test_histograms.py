"""Durations in buckets: each is counted in the first bucket that holds it and in all above, whatever they are."""

from hypothesis import given
from hypothesis import strategies as st

from service.observability.histograms import PATIENT, Durations


@given(st.lists(st.floats(min_value=0, max_value=1_000), min_size=1))
def test_a_bucket_holds_all_that_took_at_most_its_bound(seconds):
    durations = Durations(PATIENT)
    for one in seconds:
        durations.add("reading", seconds=one)

    [(key, spread)] = durations.spreads().items()

    assert key == ("reading",)
    assert spread.up_to == (*(sum(one <= bound for one in seconds) for bound in PATIENT), len(seconds))
    assert abs(spread.seconds - sum(seconds)) < 1e-6 * max(1, sum(seconds))


def test_what_was_taken_does_not_change_with_what_is_counted_later():
    durations = Durations(PATIENT)
    durations.add(seconds=1)
    before = durations.spreads()[()]

    durations.add(seconds=1)

    assert before.up_to[-1] == 1
    assert durations.spreads()[()].up_to[-1] == 2
