"""A moving window for each caller."""

from datetime import UTC, datetime, timedelta

from consolidation.kernel.clock import FixedClock
from service.access import rate_limit as rates
from service.access.rate_limit import RateLimit


def at_noon():
    return FixedClock(datetime(2026, 1, 28, 12, tzinfo=UTC))


def test_what_fits_is_let_through_and_the_rest_told_how_long_to_wait():
    clock = at_noon()
    rate = RateLimit(2, clock=clock)

    assert rate.wait("a") == 0
    clock.advance(timedelta(seconds=20))
    assert rate.wait("a") == 0
    assert rate.wait("a") == 40
    assert rate.wait("b") == 0
    clock.advance(timedelta(seconds=39.5))
    assert rate.wait("a") == 1
    clock.advance(timedelta(seconds=0.5))
    assert rate.wait("a") == 0
    assert rate.wait("a") == 20


def test_what_was_refused_is_not_counted():
    clock = at_noon()
    rate = RateLimit(1, clock=clock)
    rate.wait("a")
    for _ in range(100):
        assert rate.wait("a") > 0

    clock.advance(timedelta(seconds=60))

    assert rate.wait("a") == 0


def test_zero_is_no_limit():
    rate = RateLimit(0, clock=at_noon())

    assert {rate.wait("a") for _ in range(1000)} == {0}


def test_callers_without_number_take_bounded_memory():
    rate = RateLimit(1, clock=at_noon())
    for n in range(rates._MOST_CALLERS + 50):
        rate.wait(f"caller {n}")

    assert len(rate._calls) == rates._MOST_CALLERS
    assert rate.wait(f"caller {rates._MOST_CALLERS}") > 0  # the late ones are remembered
