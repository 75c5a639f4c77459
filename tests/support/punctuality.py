"""
Whether an answer came in time, by the measure of what this machine does meanwhile.

The service promises an answer within a deadline. A test on a busy machine must not fail for what the machine's other
work costs, and must still fail when the service waits for something that hangs. So each call is compared with a
yardstick of the same run: a short sleep and a fixed piece of work, taken in the same thread right before the call.
"""

from __future__ import annotations

import time

_NAP = 0.01  # seconds
_ROUNDS = 50_000  # a few milliseconds of work; putting an answer together after its deadline takes a few times as long
_SAMPLES = 3
_FACTOR = 20
_SHARE = 0.2  # of the deadline


def allowed(seconds: float) -> float:
    """Seconds that what is due within *seconds* may take on this machine now."""
    return seconds * (1 + _SHARE) + _FACTOR * max(_lateness() for _ in range(_SAMPLES))


def _lateness() -> float:
    """Seconds by which a nap and a little work end late, the work itself included."""
    began = time.monotonic()
    time.sleep(_NAP)
    sum(number * number for number in range(_ROUNDS))
    return time.monotonic() - began - _NAP


def timed(call, *, within: float):
    """What *call* returns, the seconds it took, and whether that is within so many seconds on this machine."""
    limit, began = allowed(within), time.monotonic()
    answer = call()
    took = time.monotonic() - began
    return answer, took, took < limit


async def timed_async(call, *, within: float):
    """The same for a function that returns an awaitable."""
    limit, began = allowed(within), time.monotonic()
    answer = await call()
    took = time.monotonic() - began
    return answer, took, took < limit
