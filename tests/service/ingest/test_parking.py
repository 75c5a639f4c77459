"""When a turn that no model can read is parked, and what a parked turn's error means."""

from datetime import UTC, datetime

import pytest

from consolidation.kernel.errors import (
    EmbedderUnavailable,
    InvalidModelOutput,
    ModelCircuitOpen,
    ModelTimedOut,
    ModelUnavailable,
)
from service.ingest.parking import READ_AGAIN, is_outage, is_to_be_parked, is_to_be_read_again, parking_reason
from service.ports.graph import Parked

POISON = InvalidModelOutput("the answer holds no JSON")
OUTAGE = ModelUnavailable("no credit left")


def parked(error, *, is_retry=False):
    reason = error if isinstance(error, str) else parking_reason(error, is_retry=is_retry)
    return Parked(1, "t1", reason, 5, datetime(2026, 1, 9, tzinfo=UTC))


def is_parked(error, attempt, *, in_outage=False):
    return is_to_be_parked(error, attempt=attempt, most_attempts=5, in_outage=in_outage)


def test_a_poison_turn_is_parked_at_its_fifth_failure_and_not_before():
    assert [is_parked(POISON, attempt) for attempt in (1, 4, 5, 6)] == [False, False, True, True]


def test_in_an_outage_a_turn_has_four_times_as_many_attempts():
    assert [is_parked(OUTAGE, attempt, in_outage=True) for attempt in (5, 19, 20)] == [False, False, True]


def test_an_outage_gives_a_poison_turn_no_more_attempts():
    assert is_parked(POISON, 5, in_outage=True)


@pytest.mark.parametrize("error", [OUTAGE, EmbedderUnavailable("away"), ModelTimedOut("late"), ModelCircuitOpen("off")])
def test_a_turn_that_was_parked_for_an_absent_provider_is_the_sign_of_an_outage(error):
    assert is_outage([parked(POISON), parked(error)])


def test_a_turn_that_was_tried_again_after_the_outage_is_no_sign_of_it_any_more():
    assert not is_outage([parked(OUTAGE, is_retry=True), parked(POISON)])


def test_a_turn_that_is_to_be_read_again_is_told_from_one_that_failed():
    assert is_to_be_read_again(parked(READ_AGAIN))
    assert not is_to_be_read_again(parked(POISON))


def test_a_reason_is_never_longer_than_500_characters():
    assert len(parking_reason(ModelUnavailable("x" * 9_000), is_retry=True)) == 500
