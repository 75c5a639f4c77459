"""When a turn that no model can read is parked, and what a parked turn's error means."""

from datetime import UTC, datetime, timedelta

import pytest

from consolidation.kernel.errors import (
    EmbedderUnavailable,
    InvalidModelOutput,
    ModelCircuitOpen,
    ModelTimedOut,
    ModelUnavailable,
)
from service.ingest.parking import (
    READ_AGAIN,
    is_last_chance,
    is_outage,
    is_over,
    is_to_be_parked,
    is_to_be_probed,
    is_to_be_read_again,
    parking_reason,
)
from service.ports.graph import Parked

POISON = InvalidModelOutput("the answer holds no JSON")
OUTAGE = ModelUnavailable("no credit left")


PARKED_AT = datetime(2026, 1, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


def parked(error, *, is_final=False, attempts=5):
    reason = error if isinstance(error, str) else parking_reason(error, is_final=is_final)
    return Parked(1, "t1", reason, attempts, PARKED_AT)


def is_parked(error, attempt, *, in_outage=False):
    return is_to_be_parked(error, attempt=attempt, most_attempts=5, in_outage=in_outage)


def test_a_poison_turn_is_parked_at_its_fifth_failure_and_not_before():
    assert [is_parked(POISON, attempt) for attempt in (1, 4, 5, 6)] == [False, False, True, True]


def test_in_an_outage_a_turn_has_four_times_as_many_attempts():
    assert [is_parked(OUTAGE, attempt, in_outage=True) for attempt in (5, 19, 20)] == [False, False, True]


def test_an_outage_gives_a_poison_turn_no_more_attempts():
    assert is_parked(POISON, 5, in_outage=True)


@pytest.mark.parametrize(
    "error",
    [
        OUTAGE,
        EmbedderUnavailable("away"),
        ModelTimedOut("late"),
        ModelCircuitOpen("off"),
    ],
)
def test_a_turn_that_was_parked_for_an_absent_provider_is_the_sign_of_an_outage(error):
    assert is_outage([parked(POISON), parked(error)])


def test_a_turn_that_had_its_chances_after_the_outage_is_no_sign_of_it_any_more():
    assert not is_outage([parked(OUTAGE, is_final=True), parked(POISON)])


def test_a_turn_of_an_outage_has_five_chances_and_more_after_it():
    found = [is_last_chance(parked(OUTAGE, attempts=made), most_attempts=5) for made in (5, 20, 23, 24)]
    assert found == [False, False, False, True]


@pytest.mark.parametrize(("read_at", "is_so"), [(None, False), (PARKED_AT - HOUR, False), (PARKED_AT + HOUR, True)])
def test_an_outage_is_over_once_a_turn_was_read_after_it_parked_one(read_at, is_so):
    assert is_over(parked(OUTAGE), read_at=read_at) is is_so


def test_a_turn_is_a_probe_for_a_week_while_its_outage_may_go_on_and_never_when_it_was_parked_for_itself():
    def is_probe(one, *, hours, read_at=None):
        return is_to_be_probed(one, read_at=read_at, now=PARKED_AT + hours * HOUR)

    assert [is_probe(parked(OUTAGE), hours=hours) for hours in (0, 167, 169)] == [True, True, False]
    assert not is_probe(parked(OUTAGE), hours=2, read_at=PARKED_AT + HOUR)
    assert not is_probe(parked(POISON), hours=0)
    assert not is_probe(parked(OUTAGE, is_final=True), hours=0)


def test_a_turn_that_is_to_be_read_again_is_told_from_one_that_failed():
    assert is_to_be_read_again(parked(READ_AGAIN))
    assert not is_to_be_read_again(parked(POISON))


def test_a_reason_is_never_longer_than_500_characters():
    assert len(parking_reason(ModelUnavailable("x" * 9_000), is_final=True)) == 500
