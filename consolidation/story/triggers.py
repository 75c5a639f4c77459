"""Whether it is time to tell: enough waits, or nobody has spoken for a while. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

_MOST_DOUBLINGS = 6


class Trigger(StrEnum):
    """Why a run begins."""

    THRESHOLD = "threshold"
    SESSION_SYNC = "session_sync"
    GLOBAL_SYNC = "global_sync"
    BOOTSTRAP = "bootstrap"
    IDLE = "idle"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class Backlog:
    """
    What waits: tokens, seconds since the last turn came.

    ``failures`` in a row, and the seconds since the last of them.
    """

    tokens: int
    quiet_seconds: float
    failures: int = 0
    failed_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Patience:
    """When a run begins by itself: at so many tokens, after so many quiet seconds (0: never); and after a failure."""

    threshold_tokens: int
    idle_seconds: float
    retry_seconds: float


def due(backlog: Backlog, patience: Patience) -> Trigger | None:
    """The trigger that begins a run now; None for not yet. What failed is tried at ever longer intervals."""
    if backlog.tokens <= 0:
        return None
    if backlog.failures:
        wait = patience.retry_seconds * 2 ** min(backlog.failures - 1, _MOST_DOUBLINGS)
        if backlog.failed_seconds < wait:
            return None
    if patience.threshold_tokens and backlog.tokens >= patience.threshold_tokens:
        return Trigger.THRESHOLD
    if patience.idle_seconds and backlog.quiet_seconds >= patience.idle_seconds:
        return Trigger.IDLE
    return None
