"""
What outcomes come to: two numbers a memory, moved ever less by each, and faded only where they were gained.

Every docstring says what was broken, once, to see the test fail.
"""

from datetime import timedelta
from itertools import pairwise

import pytest

from service.index.salience import UNKNOWN, Salience, Signal, salience_of
from tests.support.fragments import NOON


def after(*outcomes, weight=1.0, newest=10):
    return salience_of(Signal(one, weight, NOON, newest) for one in outcomes)


@pytest.mark.parametrize(
    ("outcome", "usefulness", "doubt"),
    [("acted", 0.7, 0), ("used", 0.5, 0), ("deferred", 0.5, 0), ("dismissed", 0.45, 0), ("contradicted", 0.1, 1)],
)
def test_a_first_outcome_moves_a_memory_by_its_kind(outcome, usefulness, doubt):
    """Broken: any step or target; ``contradicted`` without its double step."""
    found = after(outcome)
    assert (found.usefulness, found.doubt) == (pytest.approx(usefulness), doubt)


def test_each_further_signal_moves_less_but_never_less_than_a_little():
    """Broken: the step does not shrink; it shrinks for ever."""
    steps = [
        after(*["acted"] * (count + 1)).usefulness - after(*["acted"] * count).usefulness for count in range(1, 40)
    ]
    gaps = [0.9 - after(*["acted"] * count).usefulness for count in range(1, 40)]
    shares = [step / gap for step, gap in zip(steps, gaps, strict=True)]
    assert shares[0] == pytest.approx(1 / 3)
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(shares))
    assert shares[-1] == pytest.approx(1 / 21, rel=1e-3)


def test_one_contradiction_is_enough_however_much_spoke_for_a_memory():
    """Broken: the sums decide."""
    assert after(*["acted"] * 100, "contradicted").is_held_back([1])
    assert after("acted", "contradicted", "dismissed", "dismissed", "dismissed", "used").is_held_back([1])


def test_who_acts_on_a_memory_brings_it_back_however_often_it_was_contradicted():
    """Broken: the sums decide; doubt stays."""
    assert not after(*["contradicted"] * 30, "acted").is_held_back([1])
    assert after(*["contradicted"] * 3, "acted", "contradicted").is_held_back([1])


def test_what_was_said_of_a_fact_counts_for_its_turn_by_its_sums_alone():
    """Broken: a half decides as well; doubt from before stays."""

    def turn(*signals):
        return salience_of(Signal(outcome, weight, NOON, 10) for outcome, weight in signals)

    assert turn(("contradicted", 1.0), ("acted", 0.5), ("acted", 0.5)).is_held_back([1])
    assert not turn(("contradicted", 0.5), ("contradicted", 0.5), ("acted", 1.0), ("contradicted", 0.5)).is_held_back(
        [1]
    )


def test_one_contradiction_of_a_fact_does_not_silence_its_turn():
    """Broken: the weight is not read."""
    assert not after("contradicted", weight=0.5).is_held_back([1])
    assert after("contradicted", "contradicted", weight=0.5).is_held_back([1])


def test_what_is_said_again_is_not_held_back():
    """Broken: ``is_held_back`` looks at the numbers alone."""
    wrong = after("contradicted", newest=10)
    assert [wrong.is_held_back(turns) for turns in ([3], [3, 10], [3, 11])] == [True, True, False]


def test_what_was_gained_fades_and_what_was_lost_stays():
    """Broken: nothing fades; both do."""
    loved, wrong = after(*["acted"] * 30), after("contradicted")
    month, years = NOON + timedelta(30), NOON + timedelta(3650)
    gained = [loved.factor(now) - 1 for now in (NOON, month, years)]
    assert gained[1] == pytest.approx(gained[0] / 2)
    assert gained[2] == pytest.approx(0, abs=1e-6)
    assert wrong.factor(NOON) == wrong.factor(years) == pytest.approx(0.68)
    assert UNKNOWN.factor(NOON) == 1
    assert 0.68 <= min(loved.factor(NOON), Salience(0.9).factor(NOON)) <= 1.32
