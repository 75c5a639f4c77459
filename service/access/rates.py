"""
How often somebody may ask: a moving window for each, on our clock, in bounded memory.

Ours and not a package's: the well-kept one (limits 5.8) keeps an entry for ever for each address that ever called,
starts a thread or a task with every call, and measures by a clock that may be set back.
"""

from __future__ import annotations

from collections import deque
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from consolidation.kernel.ports import Clock

_MOST_CALLERS = 10_000


class Rate:
    """At most *most* calls in any *seconds* for each caller; 0 sets no limit."""

    def __init__(self, most: int, *, clock: Clock, seconds: float = 60) -> None:
        self._most = most
        self._clock = clock
        self._seconds = seconds
        self._calls: dict[str, deque[float]] = {}

    def wait(self, who: str) -> int:
        """Count a call of *who* and return 0; or the whole seconds until one fits again, and count nothing."""
        if not self._most:
            return 0
        now = self._clock.monotonic()
        calls = self._calls.pop(who, None) or deque()
        self._calls[who] = calls  # the last caller stands last
        while calls and calls[0] <= now - self._seconds:
            calls.popleft()
        if len(calls) >= self._most:
            return max(1, ceil(calls[0] + self._seconds - now))
        calls.append(now)
        if len(self._calls) > _MOST_CALLERS:
            del self._calls[next(iter(self._calls))]  # who called longest ago
        return 0
