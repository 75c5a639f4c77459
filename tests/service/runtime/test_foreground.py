"""Background work gives way while somebody waits, and never for long."""

import asyncio

import pytest

from service.runtime.foreground import Foreground

pytestmark = pytest.mark.anyio

FOR_EVER = 3_600


async def test_nobody_is_waited_for_where_nobody_waits():
    await asyncio.wait_for(Foreground().until_free(seconds=FOR_EVER), 60)


async def test_the_last_of_several_calls_is_waited_for():
    foreground = Foreground()
    with foreground.call():
        with foreground.call():
            waiting = asyncio.create_task(foreground.until_free(seconds=FOR_EVER))
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.01)
        assert not waiting.done()

    await asyncio.wait_for(waiting, 60)


async def test_calls_that_never_end_are_waited_for_so_long_and_no_longer():
    foreground = Foreground()
    with foreground.call():
        await asyncio.wait_for(foreground.until_free(seconds=0.01), 60)
