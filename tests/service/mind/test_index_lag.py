"""Whoever recalls right after a turn waits until full text has it, and never for long."""

import asyncio

import pytest

from consolidation.kernel.turns import Turn
from service.ingest.episodes import as_indexed
from service.mind.index_lag import until_indexed
from service.ports.graph import episode_uuid
from tests.support.fragments import message_of
from tests.support.read_path import mind_in

pytestmark = pytest.mark.anyio

NEVER = 3600
FRIENDS = [f"My friend number {number} lives in Lyon." for number in range(60)]


async def kept(mind, *texts):
    """The last of *texts* as it was stored, a turn each; nothing is indexed yet."""
    for number, text in enumerate(texts, start=1):
        await mind.transcript.append(Turn(f"t{number}", "s1", (message_of(text),)), tokens=1)
    return (await mind.transcript.after(len(texts) - 1, limit=1))[0]


def index(mind, stored):
    indexed = as_indexed(stored, uuid=episode_uuid(mind.mind_id, stored.turn.turn_id), before=(), fallback="en")
    mind.text.add_turns((indexed,), cursor=stored.sequence)


async def test_a_turn_stored_a_moment_ago_is_waited_for(tmp_path):
    async with mind_in(tmp_path) as mind:
        stored = await kept(mind, "My mother lives in Lyon.")
        waiting = asyncio.create_task(until_indexed(mind, seconds=NEVER))
        await asyncio.sleep(0.1)
        assert not waiting.done()

        index(mind, stored)

        assert await asyncio.wait_for(waiting, 60)


async def test_a_turn_that_comes_later_is_not_waited_for(tmp_path):
    async with mind_in(tmp_path) as mind:
        first = await kept(mind, "My mother lives in Lyon.")
        waiting = asyncio.create_task(until_indexed(mind, seconds=NEVER))
        await asyncio.sleep(0)
        await mind.transcript.append(Turn("later", "s1", (message_of("She likes it."),)), tokens=1)
        index(mind, first)

        assert await asyncio.wait_for(waiting, 60)


async def test_an_index_that_does_not_come_costs_what_is_allowed(tmp_path):
    async with mind_in(tmp_path) as mind:
        await kept(mind, "My mother lives in Lyon.")

        assert not await asyncio.wait_for(until_indexed(mind, seconds=0.05), 60)


async def test_an_index_that_is_far_behind_and_comes_no_nearer_is_not_waited_for(tmp_path):
    async with mind_in(tmp_path) as mind:
        await kept(mind, *FRIENDS)

        assert not await asyncio.wait_for(until_indexed(mind, seconds=NEVER), 60)


async def test_an_index_that_is_far_behind_is_waited_for_while_it_comes_nearer(tmp_path):
    async with mind_in(tmp_path) as mind:
        await kept(mind, *FRIENDS)
        waiting = asyncio.create_task(until_indexed(mind, seconds=NEVER))
        for stored in await mind.transcript.after(0, limit=len(FRIENDS)):
            assert not waiting.done()
            index(mind, stored)
            await asyncio.sleep(0.02)

        assert await asyncio.wait_for(waiting, 60)


async def test_an_index_that_begins_late_is_waited_for(tmp_path):
    """A busy machine takes a while to begin: that says nothing of its pace."""
    async with mind_in(tmp_path) as mind:
        await kept(mind, *FRIENDS)
        waiting = asyncio.create_task(until_indexed(mind, seconds=NEVER))
        await asyncio.sleep(0.4)  # twice the time after which a pace is judged, and far less than is waited

        for stored in await mind.transcript.after(0, limit=len(FRIENDS)):
            index(mind, stored)

        assert await asyncio.wait_for(waiting, 60)
