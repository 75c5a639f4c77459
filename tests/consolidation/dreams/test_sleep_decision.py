"""What a sleep is, at each edge of the rules."""

from datetime import timedelta

import pytest

from consolidation.dreams.sleep_decision import (
    BeforeSleep,
    SleepKind,
    SleepRules,
    decide_sleep,
    kind_when_dreamt,
    pause_seconds,
)

RULES = SleepRules()
LONG_AGO = timedelta(hours=1)


def decided(seconds=600.0, *, actions=20, dreams=0, since=None, is_exhausted=False):
    return decide_sleep(BeforeSleep(seconds, actions, dreams, since, is_exhausted), RULES)


@pytest.mark.parametrize(("seconds", "kind"), [(2, "nap"), (29.9, "nap"), (30, "dream"), (86_400, "dream")])
def test_a_sleep_of_thirty_seconds_consolidates(seconds, kind):
    assert decided(seconds) == kind


@pytest.mark.parametrize(("minutes", "kind"), [(0, "nap"), (9.99, "nap"), (10, "dream"), (11, "dream")])
def test_ten_minutes_lie_between_two_dreams(minutes, kind):
    assert decided(since=timedelta(minutes=minutes)) == kind


@pytest.mark.parametrize(("minutes", "kind"), [(-0.1, "nap"), (-9.99, "nap"), (-10, "dream"), (-43_200, "dream")])
def test_a_last_dream_that_a_wrong_clock_dated_ahead_stops_no_dream_and_a_small_skew_is_soon(minutes, kind):
    assert decided(since=timedelta(minutes=minutes)) == kind


def test_an_agent_that_never_dreamt_dreams():
    assert decided(since=None) is SleepKind.DREAM


@pytest.mark.parametrize(("actions", "kind"), [(0, "nap"), (1, "lightweight"), (4, "lightweight"), (5, "dream")])
def test_who_did_nothing_only_pauses_and_who_did_little_dreams_lightly(actions, kind):
    assert decided(actions=actions) == kind


def test_an_exhausted_agent_dreams_whatever_it_asks_for():
    assert decided(2, actions=80, since=timedelta(seconds=1), is_exhausted=True) is SleepKind.DREAM


@pytest.mark.parametrize(("dreams", "is_deep"), [(0, False), (8, False), (9, True), (10, False), (19, True)])
def test_every_tenth_dream_is_a_deep_sleep(dreams, is_deep):
    assert (decided(dreams=dreams, since=LONG_AGO) is SleepKind.DEEP_SLEEP) == is_deep


@pytest.mark.parametrize(
    ("promised", "dreams", "kind"),
    [
        ("dream", 8, "dream"),
        ("dream", 9, "deep_sleep"),
        ("lightweight", 9, "lightweight"),
        ("deep_sleep", 3, "deep_sleep"),
    ],
)
def test_a_promised_dream_is_a_deep_sleep_if_it_is_the_tenth_when_it_is_dreamt(promised, dreams, kind):
    assert kind_when_dreamt(SleepKind(promised), dreams=dreams, rules=RULES) == kind


def test_a_deep_sleep_pauses_for_five_minutes_at_least():
    assert pause_seconds(SleepKind.DEEP_SLEEP, asked=60, rules=RULES) == 300
    assert pause_seconds(SleepKind.DEEP_SLEEP, asked=900, rules=RULES) == 900
    assert pause_seconds(SleepKind.DREAM, asked=60, rules=RULES) == 60
