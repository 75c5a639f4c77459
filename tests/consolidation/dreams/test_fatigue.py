"""How tired an agent is, and when it is told: once, also where the answer was lost and the post is sent again."""

import pytest

from consolidation.dreams.fatigue import FatigueThresholds, fatigue_level, is_notice_due, notice

AT = FatigueThresholds()


@pytest.mark.parametrize(
    ("actions", "level"), [(0, "rested"), (59, "rested"), (60, "tired"), (79, "tired"), (80, "exhausted")]
)
def test_an_agent_tires_at_60_and_is_exhausted_at_80(actions, level):
    assert fatigue_level(actions, AT) == level


def test_the_notice_comes_with_the_post_that_reaches_the_warning_and_no_other():
    posts = [(0, 59), (59, 60), (60, 61), (58, 65), (79, 80)]

    assert [is_notice_due(before=before, after=after, thresholds=AT) for before, after in posts] == [
        False,
        True,
        False,
        True,
        False,
    ]


def test_the_notice_says_how_much_is_left():
    assert "After 15 more" in notice(65, AT)
    assert "now" in notice(90, AT)
