"""A time limit stands still while the work in it waits for others, and runs on afterwards."""

import asyncio

import pytest

from service.runtime.time_limit import limited, uncounted

pytestmark = pytest.mark.anyio


async def test_what_is_waited_for_inside_of_uncounted_does_not_count():
    async with limited(0.05):
        with uncounted():
            await asyncio.sleep(0.2)


async def test_the_rest_of_the_time_runs_on_behind_a_wait():
    with pytest.raises(TimeoutError):
        async with limited(0.05):
            with uncounted():
                await asyncio.sleep(0.1)
            await asyncio.Event().wait()


async def test_while_one_of_several_waits_goes_on_the_limit_stands_still():
    async def wait(seconds):
        with uncounted():
            await asyncio.sleep(seconds)

    async with limited(0.05):
        await asyncio.gather(wait(0.01), wait(0.2))


async def test_work_that_is_given_up_while_it_waits_ends_as_it_was_given_up():
    async def work():
        async with limited(60):
            with uncounted():
                await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_without_a_limit_nothing_is_kept_from_running_out():
    with uncounted():
        await asyncio.sleep(0)
