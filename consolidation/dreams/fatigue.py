"""
How tired an agent is: tool calls since its last dream. At the limit it has to sleep.

The count is of the transcript, above the last sequence that was dreamt, so a restart forgets none of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FatigueLevel(StrEnum):
    """From which on an agent is told to wrap up, and has to sleep."""

    RESTED = "rested"
    TIRED = "tired"
    EXHAUSTED = "exhausted"


@dataclass(frozen=True, slots=True)
class FatigueThresholds:
    """After how many tool calls an agent is tired, and after how many it has to sleep."""

    warning: int = 60
    limit: int = 80


def fatigue_level(actions: int, thresholds: FatigueThresholds) -> FatigueLevel:
    """How tired an agent is after *actions* tool calls without a dream."""
    if actions >= thresholds.limit:
        return FatigueLevel.EXHAUSTED
    return FatigueLevel.TIRED if actions >= thresholds.warning else FatigueLevel.RESTED


def is_notice_due(*, before: int, after: int, thresholds: FatigueThresholds) -> bool:
    """
    Whether the agent is told that it is tired: once, with the post whose tool calls reach the warning.

    *before* and *after* count the tool calls before the new ones of that post and with them, or, where it has no new
    one, before all of them and with them: so the retry of a post that got no answer is told again.
    """
    return before < thresholds.warning <= after


def notice(actions: int, thresholds: FatigueThresholds) -> str:
    """What a tired agent is told."""
    left = max(thresholds.limit - actions, 0)
    when = f"After {left} more you have to sleep." if left else "You have to sleep now."
    return f"You have been active for {actions} tool calls since your last dream. Begin to wrap up. {when}"
