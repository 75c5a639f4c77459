"""Whether it is time to narrate: enough tokens are pending, or nobody has spoken for a while."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

_MOST_DOUBLINGS = 6


class Trigger(StrEnum):
    """Why a run starts."""

    THRESHOLD = "threshold"
    SESSION_SYNC = "session_sync"
    GLOBAL_SYNC = "global_sync"
    BOOTSTRAP = "bootstrap"
    IDLE = "idle"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class Waiting:
    """
    What waits for a run: pending tokens, and the seconds since the last turn was stored.

    ``failures`` are those in a row, ``failed_seconds`` the time since the last of them.
    """

    tokens: int
    quiet_seconds: float
    failures: int = 0
    failed_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TriggerThresholds:
    """
    When a run starts by itself: at this many pending tokens, or after this many quiet seconds (0: never).

    After a failure the next run waits *retry_seconds*, doubled with each further failure, up to 64 times.
    """

    threshold_tokens: int
    idle_seconds: float
    retry_seconds: float


def due(waiting: Waiting, thresholds: TriggerThresholds) -> Trigger | None:
    """The trigger that starts a run now; None for not yet."""
    if due_in(waiting, thresholds) != 0:
        return None
    is_many = thresholds.threshold_tokens and waiting.tokens >= thresholds.threshold_tokens
    return Trigger.THRESHOLD if is_many else Trigger.IDLE


def due_in(waiting: Waiting, thresholds: TriggerThresholds) -> float | None:
    """In how many seconds a run starts by itself if no turn comes; None for never."""
    if waiting.tokens <= 0:
        return None
    retry = thresholds.retry_seconds * 2 ** min(waiting.failures - 1, _MOST_DOUBLINGS) if waiting.failures else 0.0
    until_retry = retry - waiting.failed_seconds
    if thresholds.threshold_tokens and waiting.tokens >= thresholds.threshold_tokens:
        return max(until_retry, 0.0)
    if thresholds.idle_seconds:
        return max(until_retry, thresholds.idle_seconds - waiting.quiet_seconds, 0.0)
    return None
