"""Work that several wait for: done once, raised to each, and not given up with those who waited."""

import asyncio

import pytest

from service.runtime.shared_work import SharedWork

pytestmark = pytest.mark.anyio


class Begun:
    """Work that goes on until it is let go, and how often it was begun."""

    def __init__(self):
        self.times, self.goes_on = 0, asyncio.Event()

    async def __call__(self):
        self.times += 1
        await self.goes_on.wait()
        return self.times


async def test_what_is_under_way_is_not_begun_again():
    work, begun = SharedWork(), Begun()
    waiting = [asyncio.create_task(work.wait("ada", begun, seconds=None)) for _ in range(3)]
    await asyncio.sleep(0)
    begun.goes_on.set()

    assert await asyncio.gather(*waiting) == [1, 1, 1]
    assert await work.wait("ada", begun, seconds=None) == 2  # that was over


async def test_it_goes_on_when_those_who_waited_have_gone():
    work, begun = SharedWork(), Begun()
    with pytest.raises(TimeoutError):
        await work.wait("ada", begun, seconds=0)
    cancelled = asyncio.create_task(work.wait("ada", begun, seconds=None))
    await asyncio.sleep(0)
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    begun.goes_on.set()

    assert await work.wait("ada", begun, seconds=None) == 1


async def test_each_who_waits_is_told_of_a_failure_and_nobody_else():
    work = SharedWork()

    async def fails():
        raise ValueError("no such mind")

    with pytest.raises(TimeoutError):
        await work.wait("bob", fails, seconds=0)
    found = await asyncio.gather(*(work.wait("ada", fails, seconds=None) for _ in range(2)), return_exceptions=True)
    assert [str(one) for one in found] == ["no such mind", "no such mind"]


async def test_the_end_waits_for_what_is_under_way():
    work, begun = SharedWork(), Begun()
    with pytest.raises(TimeoutError):
        await work.wait("ada", begun, seconds=0)
    ending = asyncio.create_task(work.end())
    await asyncio.sleep(0)
    assert not ending.done()

    begun.goes_on.set()
    await ending
    assert begun.times == 1
