"""How long to wait before trying again: exponential with jitter, by tenacity's rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tenacity import RetryCallState, Retrying, wait_exponential_jitter

if TYPE_CHECKING:
    from tenacity.wait import wait_base


class Patience:
    """Grows with each failure in a row."""

    def __init__(self, *, first_seconds: float, most_seconds: float) -> None:
        """Begin at *first_seconds*, never wait longer than *most_seconds*."""
        jitter = first_seconds / 2
        self._wait: wait_base = wait_exponential_jitter(multiplier=first_seconds, max=most_seconds, jitter=jitter)
        self._failures = 0

    def next_seconds(self) -> float:
        """The pause after one more failure."""
        self._failures += 1
        state = RetryCallState(Retrying(), None, (), {})
        state.attempt_number = self._failures
        return float(self._wait(state))

    def reset(self) -> None:
        """Begin again: something worked."""
        self._failures = 0
