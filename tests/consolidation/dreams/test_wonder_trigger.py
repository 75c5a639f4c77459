"""After which actions an agent wonders. Every docstring says what was broken, once, to see the test fail."""

import pytest

from consolidation.dreams.wonder_trigger import reason_to_wonder


@pytest.mark.parametrize(
    ("kind", "is_ok", "number", "reason"),
    [
        ("error", True, 1, "error"),
        ("tool_call", False, 1, "error"),
        ("tool_call", False, 5, "error"),
        ("thought", True, 2, "thought"),
        ("thought", True, 5, "thought"),
        ("tool_call", True, 4, None),
        ("tool_call", True, 5, "every few actions"),
        ("message", True, 10, "every few actions"),
        ("message", True, 6, None),
    ],
)
def test_an_error_a_thought_and_every_fifth_action_are_reasons(kind, is_ok, number, reason):
    """Broken: any of the three; the order of them."""
    assert reason_to_wonder(kind, is_ok=is_ok, number=number, has_past=True) == reason


@pytest.mark.parametrize("kind", ["error", "thought", "tool_call"])
def test_who_has_no_past_does_not_wonder(kind):
    """Broken: ``has_past`` is not read."""
    assert reason_to_wonder(kind, is_ok=False, number=5, has_past=False) is None


def test_how_often_it_wonders_without_a_reason_can_be_set():
    """Broken: ``every`` is not read; 0 divides."""
    asked = [
        reason_to_wonder("tool_call", is_ok=True, number=number, has_past=True, every=2) for number in (1, 2, 3, 4)
    ]
    assert [one is not None for one in asked] == [False, True, False, True]
    assert reason_to_wonder("tool_call", is_ok=True, number=5, has_past=True, every=0) is None
