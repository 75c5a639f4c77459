"""How much an observation counts: by its level, and by its age where it only informs."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.dreams.observations import Level
from service.index.observed_lines import ObservedLine
from service.journal.observations import level_share, observed_at

AT = datetime(2026, 2, 12, 9, 30, tzinfo=UTC)


def observed(level):
    return ObservedLine(date(2026, 2, 12), "09:30", level, "d")


def test_what_informs_counts_less_after_48_hours_and_not_before():
    green = observed(Level.GRN)

    at_47_59, at_48_01 = (level_share(green, now=AT + timedelta(hours=48, minutes=one), zone=UTC) for one in (-1, 1))

    assert at_48_01 < at_47_59 == level_share(green, now=AT, zone=UTC)


@given(st.timedeltas(timedelta(0), timedelta(days=3650)))
def test_at_any_age_red_counts_in_full_and_more_than_the_others(age):
    red, yellow, green = (level_share(observed(level), now=AT + age, zone=UTC) for level in Level)

    assert 1 == red > yellow > green > 0


def test_an_observation_was_when_the_clock_of_its_agent_said_so():
    red, green = observed(Level.RED), observed(Level.GRN)
    auckland = ZoneInfo("Pacific/Auckland")  # 13 hours ahead
    at_35_01 = AT + timedelta(hours=35, minutes=1)

    assert observed_at(red, now=AT, zone=auckland) == AT - timedelta(hours=13)
    assert level_share(green, now=at_35_01, zone=auckland) < level_share(green, now=at_35_01, zone=UTC)


def test_a_time_of_a_zone_that_is_ahead_is_not_in_the_future():
    assert observed_at(observed(Level.RED), now=AT - timedelta(hours=2), zone=UTC) == AT - timedelta(hours=2)
    assert observed_at(observed(Level.RED), now=AT + timedelta(hours=2), zone=UTC) == AT


@pytest.mark.parametrize(("day", "zone"), [(date.min, "Pacific/Kiritimati"), (date.max, "America/Los_Angeles")])
def test_the_ends_of_the_calendar_are_no_error_in_any_zone(day, zone):
    line = ObservedLine(day, "23:59" if day == date.max else "00:00", Level.GRN, "d")

    assert observed_at(line, now=datetime.max.replace(tzinfo=UTC), zone=ZoneInfo(zone)).date() == day
