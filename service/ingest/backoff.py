"""How long to wait before trying again: exponential backoff, with jitter so that not all return at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_DOUBLINGS = 32  # beyond any longest pause; keeps the number finite however long something is away


class Backoff:
    """Grows with each failure in a row."""

    def __init__(self, *, first_seconds: float, most_seconds: float, chance: Callable[[], float]) -> None:
        """Begin at *first_seconds*, never wait longer than *most_seconds*; *chance* gives 0 to 1 for the jitter."""
        self._first_seconds = first_seconds
        self._most_seconds = most_seconds
        self._chance = chance
        self._failures = 0

    def next_seconds(self) -> float:
        """The pause after one more failure: doubled each time, up to the longest, and shortened by at most half."""
        doubled = self._first_seconds * 2.0 ** min(self._failures, _MOST_DOUBLINGS)
        self._failures += 1
        return min(doubled, self._most_seconds) * (1 - self._chance() / 2)

    def reset(self) -> None:
        """Begin again: something worked."""
        self._failures = 0
