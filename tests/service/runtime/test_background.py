"""Jobs that outlive a request: who waits for them, who stops them, and that none stops another."""

import asyncio
import threading

import anyio
import anyio.to_thread
import pytest
from structlog.testing import capture_logs

from service.runtime.background import Background

pytestmark = pytest.mark.anyio

FOR_EVER = 3_600


async def test_every_job_of_an_owner_is_stopped_one_that_had_only_just_begun_too_and_cleans_up():
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
            with anyio.CancelScope(shield=True):
                await asyncio.sleep(0)
        await job("stubborn")

    async with Background(drain_seconds=0) as background:
        others = background.start("other", lambda: job("other"), owner="bob")
        tasks = [background.start("one", lambda: job("one"), owner="ada"), background.start("s", stubborn, owner="ada")]
        await background.stop("ada")

        assert sorted(tidied) == ["one", "stubborn"] and not others.done()
        assert [task.result() for task in tasks] == [None, None]
        await background.stop("bob", prefixes=("seeds",))
        assert not others.done()


async def test_a_job_that_fails_is_logged_ends_with_none_and_stops_no_other():
    async def fails():
        raise ZeroDivisionError

    async def works():
        await asyncio.sleep(0)
        return "done"

    with capture_logs() as events:
        async with Background(drain_seconds=FOR_EVER) as background:
            failed, worked = background.start("bad", fails), background.start("good", works)
            assert (await failed, await worked) == (None, "done")

    assert [(event["event"], event["job"]) for event in events] == [("job.failed", "bad")]


async def test_the_end_cancels_daemons_at_once_and_waits_for_the_other_jobs():
    order, has_begun = [], asyncio.Event()

    async def daemon():
        try:
            has_begun.set()
            await asyncio.Event().wait()
        finally:
            order.append("daemon")

    async def job():
        await background.pause(FOR_EVER)
        order.append("job")

    async with Background(drain_seconds=FOR_EVER) as background:
        background.start_daemon("daemon", daemon)
        background.start("job", job)
        await has_begun.wait()

    assert order == ["daemon", "job"]


async def test_a_daemon_that_fails_is_begun_again():
    """Broken: whatever it did was not done any more until the service was started again."""
    begun, is_well = [], asyncio.Event()

    async def daemon():
        begun.append(len(begun))
        if len(begun) == 1:
            raise OSError(5, "the disk was away")
        is_well.set()
        await asyncio.Event().wait()

    with capture_logs() as logs:
        async with Background(drain_seconds=FOR_EVER) as background:
            background.start_daemon("daemon", daemon)
            await is_well.wait()

    assert begun == [0, 1]
    assert [(one["event"], one["job"]) for one in logs] == [("job.failed", "daemon")]


async def test_the_end_waits_for_jobs_that_begin_meanwhile_and_for_what_will_start_one():
    """Broken: only jobs that ran when the end began were waited for, and not those that they started."""
    order, is_told = [], asyncio.Event()

    async def second():
        await asyncio.sleep(0)
        order.append("second")

    async def first():
        await background.pause(FOR_EVER)
        background.start("second", second)

    async def stream():
        with background.awaiting_jobs():
            is_told.set()
            await background.pause(FOR_EVER)
            await asyncio.sleep(0)
            background.start("first", first)

    async with Background(drain_seconds=FOR_EVER) as background:
        streaming = asyncio.create_task(stream())
        await is_told.wait()

    assert streaming.done() and order == ["second"]


async def test_what_will_start_a_job_is_not_waited_for_beyond_the_drain():
    async with Background(drain_seconds=0) as background:
        waiting = background.awaiting_jobs()
        waiting.__enter__()

    waiting.__exit__(None, None, None)
    assert background.is_stopping


async def test_a_job_that_does_not_end_within_the_drain_is_cancelled():
    ended = []

    async def job():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    async with Background(drain_seconds=0.01) as background:
        background.start("job", job)
        await asyncio.sleep(0)

    assert ended == ["cancelled"]


async def test_a_drain_waits_for_the_jobs_of_one_owner_and_cancels_none():
    finishes = asyncio.Event()
    async with Background(drain_seconds=0) as background:
        mine = background.start("mine", finishes.wait, owner="ada")
        others = background.start("others", asyncio.Event().wait, owner="bob")
        await background.drain("ada", seconds=0.01)
        assert not mine.done()
        finishes.set()
        await background.drain("ada", seconds=FOR_EVER)

        assert (mine.done(), others.done()) == (True, False)


async def test_a_pause_ends_when_its_event_is_set_and_when_the_service_stops():
    event, answers = asyncio.Event(), []

    async def job():
        answers.append(await background.pause(FOR_EVER, unless=event))
        answers.append(await background.pause(FOR_EVER))

    async with Background(drain_seconds=FOR_EVER) as background:
        background.start("job", job)
        await asyncio.sleep(0)
        event.set()
        while not answers:
            await asyncio.sleep(0)

    assert answers == [True, False]


async def test_a_job_that_is_stopped_leaves_no_thread_that_works_on():
    ended, may_end = [], threading.Event()

    def write():
        may_end.wait(FOR_EVER)
        ended.append("written")

    async def job():
        await anyio.to_thread.run_sync(write)
        await anyio.to_thread.run_sync(ended.append, "went on")

    async with Background(drain_seconds=0) as background:
        background.start("writes", job, owner="ada")
        await asyncio.sleep(0.05)
        stopping = asyncio.ensure_future(background.stop("ada"))
        await asyncio.sleep(0.05)
        is_waited_for = not stopping.done()
        may_end.set()
        await stopping

        assert is_waited_for and ended == ["written"]
