"""Who works in a mind is waited for, what is a mind's is stopped, and nothing of it is left half begun."""

import asyncio

import pytest

from service.background import Background
from service.fence import Fence, Hold

pytestmark = pytest.mark.anyio


async def test_an_erase_waits_for_who_came_before_it_and_not_for_who_came_after():
    fence, leaves = Fence(), asyncio.Event()

    async def work():
        with fence.inside("ada"):
            await leaves.wait()

    before = asyncio.create_task(work())
    await asyncio.sleep(0)
    waiting = asyncio.create_task(fence.emptied("ada", seconds=60))
    await asyncio.sleep(0)
    with fence.inside("ada"):
        assert not waiting.done()
        leaves.set()
        assert await waiting

    await before
    assert await fence.emptied("ada", seconds=0) and await fence.emptied("bob", seconds=0)


async def test_who_does_not_leave_is_waited_for_only_so_long():
    fence = Fence()
    with fence.inside("ada"):
        assert not await fence.emptied("ada", seconds=0.01)


async def test_background_work_that_is_held_goes_on_when_it_is_free():
    fence = Fence()
    fence.hold("ada", Hold.ALL)
    going_on = asyncio.create_task(fence.until_free("ada"))
    await asyncio.sleep(0)
    assert not going_on.done() and fence.held("bob") is Hold.NOTHING

    fence.hold("ada", Hold.GRAPH)
    await going_on
    fence.hold("ada", Hold.NOTHING)
    assert fence.held("ada") is Hold.NOTHING


async def test_all_that_is_somebodys_is_stopped_what_had_only_just_begun_too_and_cleans_up():
    tidied, forever = [], asyncio.Event()

    async def job(name):
        try:
            await forever.wait()
        finally:
            tidied.append(name)

    async def stubborn():
        try:
            await forever.wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0)
        await job("stubborn")

    async with Background(drain_seconds=0) as background:
        others = background.start("other", lambda: job("other"), of="bob")
        tasks = [background.start("one", lambda: job("one"), of="ada"), background.start("s", stubborn, of="ada")]
        await background.stop("ada")

        assert sorted(tidied) == ["one", "stubborn"] and not others.done()
        assert [task.result() for task in tasks] == [None, None]
        await background.stop("bob", named=("seeds",))
        assert not others.done()
