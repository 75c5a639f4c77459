"""How a test waits: it looks again and again until something is so, and gives up after a time that only a hang takes."""

from __future__ import annotations

import asyncio
import subprocess
import time

GIVE_UP = 120.0  # seconds; a guard against hanging and never an assertion, so it is generous
OFTEN, SELDOM = 0.02, 0.2  # seconds between two looks, at the beginning and after a while
_SHARE = 0.1  # of the time waited so far: who waits long looks seldom, since each look takes from what it waits for


def pause(waited):
    """The seconds until the next look, after so many."""
    return min(max(waited * _SHARE, OFTEN), SELDOM)


def until(look, *, seconds=GIVE_UP, every=None, said=lambda: ""):
    """What *look* returns once that is true; a failure says what *said* returns."""
    began = time.monotonic()
    while (waited := time.monotonic() - began) < seconds:
        if found := look():
            return found
        time.sleep(every or pause(waited))
    raise AssertionError(f"it never came true; {said()}")


def until_answered(ask, is_so):
    """What *ask* returns once *is_so* of it; a failure shows the last answer."""
    answers = []

    def look():
        answers[:] = [ask()]
        return is_so(answers[0])

    until(look, said=lambda: answers)
    return answers[0]


async def until_async(look, *, seconds=GIVE_UP):
    """The same as ``until`` on an event loop; *look* is a plain function."""
    began = time.monotonic()
    while (waited := time.monotonic() - began) < seconds:
        if found := look():
            return found
        await asyncio.sleep(pause(waited))
    raise AssertionError("it never came true")


async def eventually(ask, is_so):
    """What the coroutine function *ask* answers once it is so; a failure shows the last answer."""
    answer, began = None, time.monotonic()
    try:
        async with asyncio.timeout(GIVE_UP):
            while not is_so(answer := await ask()):
                await asyncio.sleep(pause(time.monotonic() - began))
            return answer
    except TimeoutError:
        raise AssertionError(answer) from None


def end(process):
    """
    Ask a process to end; one that does not is killed, and fails its test here.

    A process that is left behind would fail the next test instead, by a ResourceWarning when Python collects it.
    """
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(GIVE_UP)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise
