"""
After which actions an agent wonders whether something of the past matters now.

Not after each: most of what tools print is routine. An error, a thought and every fifth action are moments at which
another thought is welcome.
"""

from __future__ import annotations

from typing import Literal

type ActionKind = Literal["thought", "tool_call", "message", "error"]
type WonderReason = Literal["error", "thought", "every few actions"]

WONDER_EVERY = 5  # actions


def reason_to_wonder(
    kind: ActionKind, *, is_ok: bool, number: int, has_past: bool, every: int = WONDER_EVERY
) -> WonderReason | None:
    """
    Why an agent wonders after an action; None where it does not.

    *is_ok* says that the action did not fail. *number* is its place in the agent's cycle, from 1. In its first cycle,
    without *has_past*, it does not wonder. 0 for *every* leaves errors and thoughts alone.
    """
    if not has_past:
        return None
    if kind == "error" or not is_ok:
        return "error"
    if kind == "thought":
        return "thought"
    return "every few actions" if every > 0 and number % every == 0 else None
