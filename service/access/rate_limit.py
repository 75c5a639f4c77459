"""
Rate limiting: a sliding window for each caller, on our clock, in bounded memory.

It is ours because the well-kept package (limits 5.8) never forgets an address, starts a thread or a task with every
call, and measures by a clock that may be set back.
"""

from __future__ import annotations

from collections import deque
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from consolidation.kernel.ports import Clock

_MOST_CALLERS = 10_000


class RateLimit:
    """At most *most* calls in any *seconds* for each caller; 0 sets no limit."""

    def __init__(self, most: int, *, clock: Clock, seconds: float = 60) -> None:
        self._most = most
        self._clock = clock
        self._seconds = seconds
        self._calls: dict[str, deque[float]] = {}

    def wait(self, caller: str) -> int:
        """Count a call of *caller* and return 0; or return the whole seconds to wait, and count nothing."""
        if not self._most:
            return 0
        now = self._clock.monotonic()
        calls = self._calls.pop(caller, None) or deque()
        self._calls[caller] = calls  # the latest caller is last
        while calls and calls[0] <= now - self._seconds:
            calls.popleft()
        if len(calls) >= self._most:
            return max(1, ceil(calls[0] + self._seconds - now))
        calls.append(now)
        if len(self._calls) > _MOST_CALLERS:
            del self._calls[next(iter(self._calls))]  # the caller that was quiet longest
        return 0
