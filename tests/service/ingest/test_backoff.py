"""Who fails again waits longer, up to a limit, and not just as long as everybody else who failed."""

import math

from hypothesis import given
from hypothesis import strategies as st

from service.ingest.backoff import Backoff


def test_each_failure_doubles_the_pause_until_the_longest():
    backoff = Backoff(first_seconds=2, most_seconds=30, chance=lambda: 0.0)

    assert [backoff.next_seconds() for _ in range(6)] == [2, 4, 8, 16, 30, 30]


def test_what_worked_begins_anew():
    backoff = Backoff(first_seconds=2, most_seconds=30, chance=lambda: 0.0)
    backoff.next_seconds()
    backoff.next_seconds()

    backoff.reset()

    assert backoff.next_seconds() == 2


@given(first=st.floats(0.01, 60), chance=st.floats(0, 1), failures=st.integers(1, 1200))
def test_chance_shortens_every_pause_by_at_most_half(first, chance, failures):
    """Broken: at the longest pause it did nothing, and all that had failed for long came back at once."""
    backoff = Backoff(first_seconds=first, most_seconds=600, chance=lambda: chance)
    bare = Backoff(first_seconds=first, most_seconds=600, chance=lambda: 0.0)

    for _ in range(failures):
        shorter, longer = backoff.next_seconds(), bare.next_seconds()

    assert math.isclose(shorter, longer * (1 - chance / 2))
