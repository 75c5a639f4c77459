"""
Memory never breaks a turn: what fails, or is late, ends a call in silence, named.

Every docstring says what was broken, once, to see the test fail.
"""

import asyncio
from datetime import timedelta

import pytest

from consolidation.kernel.clock import FixedClock
from consolidation.kernel.errors import GraphUnavailable, TranscriptUnreadable
from service.resonance.call import Deadline
from service.runtime.foreground import Foreground
from tests.support.fragments import NOON
from tests.support.read_path import call_of, mind_in

pytestmark = pytest.mark.anyio


@pytest.fixture
async def mind(tmp_path):
    async with mind_in(tmp_path) as mind:
        yield mind


async def failing(mind, fault, **asked):
    call = call_of(mind, "Hello.", **asked)
    async with call.failing_open(Foreground()):
        if fault is not None:
            raise fault
        await asyncio.sleep(60)
    return call.trace


async def test_a_deadline_ends_the_phases(mind):
    """Broken: ``asyncio.timeout`` is given no time; ``TimeoutError`` gets out."""
    trace = await failing(mind, None, seconds=0.05)

    assert (trace.degraded, trace.silence) == (("deadline",), "the deadline came first")


async def test_a_disk_that_fails_is_named_and_shown_in_the_status(mind):
    """Broken: ``HomeFault`` is taken for any other failure; ``disk.failed`` is not called."""
    trace = await failing(mind, TranscriptUnreadable("no such file"))

    assert (trace.degraded, trace.silence) == (("disk_failed",), "memory can not be read: no such file")
    assert mind.disk.trouble == "no such file"


async def test_whatever_else_fails_gives_silence_and_no_secret(mind):
    """Broken: the last ``except`` is gone; the words of a foreign error are answered."""
    ours, foreign = await failing(mind, GraphUnavailable("no graph")), await failing(mind, ValueError("a secret"))

    assert (ours.degraded, ours.silence) == (("memory_failed",), "memory failed: no graph")
    assert (foreign.degraded, foreign.silence) == (("memory_failed",), "memory failed; see the log")


async def test_a_call_that_works_says_that_the_disk_works_again(mind):
    """Broken: ``disk.worked`` is not called: a disk that failed once would be ill for ever."""
    await failing(mind, TranscriptUnreadable("no such file"))
    async with call_of(mind, "Hello.").failing_open(Foreground()):
        pass

    assert mind.disk.trouble is None


def test_a_deadline_is_shared_out_and_leaves_a_margin():
    """Broken: the margin is not taken off; ``share`` is not applied; what is over is negative."""
    clock = FixedClock(NOON)
    deadline = Deadline(clock.monotonic, clock.monotonic(), 1.04)

    assert deadline.left() == pytest.approx(1.0)
    clock.advance(timedelta(seconds=0.25))
    assert deadline.left(share=0.5) == pytest.approx(0.25)
    assert deadline.left(share=0.2) == 0
    assert Deadline(clock.monotonic, 0.0, None).left() is None
    assert Deadline(clock.monotonic, clock.monotonic(), 0.01).left() == 0
