"""pending-episodes.log: one write for many turns, never in a turn's way, and never a reason to fail."""

import asyncio
import re

import pytest

from consolidation.story.triggers import Trigger
from tests.support.waiting import until_async

pytestmark = pytest.mark.anyio


def listed(mind):
    file = mind.workspace.pending
    return list(map(int, re.findall(r"^\[(\d+) \|", file.read_text(), re.MULTILINE))) if file.is_file() else []


async def test_turns_are_listed_soon_after_they_are_stored_each_once(stage):
    for _ in range(5):
        mind = await stage.store(tokens=1)
        stage.pending_log.wake(mind)

    await until_async(lambda: listed(mind) == [1, 2, 3, 4, 5])


async def test_only_what_is_not_narrated_is_listed_and_new_turns_follow(stage):
    mind = await stage.store(tokens=1)
    await stage.writer.narrate(mind, trigger=Trigger.MANUAL)
    after = listed(mind)
    await stage.store(tokens=1)
    stage.pending_log.wake(mind)

    assert after == []
    await until_async(lambda: listed(mind) == [2])


async def test_after_a_restart_the_list_goes_on_where_the_file_ends(stage):
    mind = await stage.store(tokens=1)
    stage.pending_log.wake(mind)
    await until_async(lambda: listed(mind) == [1])
    stage.pending_log.forget("ada")  # as a service that has just started
    await stage.store(tokens=1)
    stage.pending_log.wake(mind)

    await until_async(lambda: listed(mind) == [1, 2])


async def test_a_list_that_a_person_deleted_is_written_again_where_turns_wait(stage):
    """Broken: it comes back with the next turn, and without those before."""
    mind = await stage.store(tokens=1)
    await stage.store(tokens=1)
    stage.pending_log.wake(mind)
    await until_async(lambda: listed(mind) == [1, 2])
    for is_restarted in (False, True):
        mind.workspace.pending.unlink()
        if is_restarted:
            stage.pending_log.forget("ada")
        await stage.pending_log.look(mind)
        await until_async(lambda: listed(mind) == [1, 2])
    await stage.writer.narrate(mind, trigger=Trigger.MANUAL)
    mind.workspace.pending.unlink()
    await stage.pending_log.look(mind)

    assert not mind.workspace.pending.exists()


async def test_a_list_that_can_not_be_written_is_trouble_of_the_disk_until_it_can(stage):
    mind = await stage.store(tokens=1)
    mind.workspace.pending.mkdir()
    stage.pending_log.wake(mind)
    await until_async(lambda: stage.disk.trouble)
    trouble = stage.disk.trouble
    run = await stage.writer.narrate(mind, trigger=Trigger.MANUAL)
    mind.workspace.pending.rmdir()
    await stage.store(tokens=1)
    stage.pending_log.wake(mind)
    await until_async(lambda: listed(mind) == [2])

    assert "list of pending turns" in trouble and run.error is None
    await until_async(lambda: stage.disk.trouble is None)


async def test_a_write_that_is_stopped_while_it_waits_for_another_keeps_no_later_one_from_coming(stage):
    """Broken: the stopped one counts as still to come."""
    mind, begun, goes_on = await stage.store(tokens=1), asyncio.Event(), asyncio.Event()

    async def pending():
        begun.set()
        await goes_on.wait()
        return ()

    rewriting = asyncio.create_task(stage.pending_log.rewrite(mind, pending))
    await begun.wait()
    stage.pending_log.wake(mind)
    await asyncio.sleep(0)  # it waits now
    await stage.background.stop("ada")  # as an erasure does
    goes_on.set()
    await rewriting
    await stage.store(tokens=1)
    stage.pending_log.wake(mind)

    await until_async(lambda: listed(mind) == [2])
