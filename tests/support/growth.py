"""
How the cost of reading a text grows with its length.

Two lengths of one run are compared, so that the answer is the same on every machine: a text four times as long costs
four times as much where the work grows with the text, and sixteen times as much where it grows with its square.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

FACTOR = 4
MOST = 8  # between 4 (a line) and 16 (a square)
_TRIES = 10  # a neighbour on the same core may make one measurement too long, and a square is one at every try
_PAUSE = 0.02  # seconds before the second try, twice as many before the third: the neighbour ends meanwhile
_MEASURABLE = 0.002  # seconds of this thread; below it the clock and its interruptions are what would be compared


def repeated(unit: str, *, start: str = "", end: str = "") -> Callable[[int], str]:
    """A text of about the wanted length that repeats *unit*."""
    return lambda length: start + unit * (length // len(unit)) + end


def thread_seconds(work: Callable[[str], object], text: str) -> float:
    """What reading *text* costs this thread, whatever other threads and processes do meanwhile."""
    gc.disable()
    try:
        began = time.thread_time()
        work(text)
        return time.thread_time() - began
    finally:
        gc.enable()


def assert_linear(
    work: Callable[[str], object],
    text_of: Callable[[int], str],
    *,
    length: int = 16_000,
    longest: int = 1_000_000,
    name: str = "",
) -> None:
    """
    Assert that the cost of *work* grows with the length of a text, and not with its square.

    *length* is where the comparison begins. It moves up while the work is too short to measure, until the longer of the
    two texts has *longest* characters; what is too short to measure even then is not slow. A failure says *name*.
    """
    small = thread_seconds(work, text_of(length))
    while small < _MEASURABLE and length * FACTOR * FACTOR <= longest:
        length *= FACTOR
        small = thread_seconds(work, text_of(length))
    large = thread_seconds(work, text_of(length * FACTOR))
    if large < MOST * _MEASURABLE:
        return
    small = min(small, *(thread_seconds(work, text_of(length - number)) for number in (1, 2)))
    for number in range(1, _TRIES):
        if large < MOST * max(small, _MEASURABLE):
            return
        time.sleep(_PAUSE * number)
        # Another length each time, since an answer may be cached.
        small = min(small, thread_seconds(work, text_of(length + number)))
        large = min(large, thread_seconds(work, text_of(length * FACTOR + number)))
    assert large < MOST * max(small, _MEASURABLE), (
        f"{name or text_of(60)!r}: {length} characters cost {small * 1000:.1f} ms, {FACTOR} times as many {large * 1000:.1f} ms"
    )
