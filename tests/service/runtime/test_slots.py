"""
Slots: as many at once as there are, and what somebody waits for before what nobody does.

Every docstring says what was broken, once, to see the test fail.
"""

import asyncio

import pytest

from service.runtime.slots import Demand, Slots

pytestmark = pytest.mark.anyio


class Work:
    """A piece of work that holds a slot until it is told to end; ``at_work`` are those that have one, in order."""

    def __init__(self, slots, at_work, name):
        self.demand, self.end, self.is_broken_off = Demand(), asyncio.Event(), False
        self.task = asyncio.create_task(self._run(slots, at_work, name))

    async def _run(self, slots, at_work, name):
        try:
            async with self.demand.breakable(), slots:
                at_work.append(name)
                try:
                    await self.end.wait()
                finally:
                    at_work.remove(name)
        except TimeoutError:
            self.is_broken_off = True


@pytest.fixture
async def begin():
    slots, at_work, begun = Slots(2), [], []

    async def begin(*names):
        begun.extend(Work(slots, at_work, name) for name in names)
        await settled()
        return begun[-len(names) :]

    begin.at_work = at_work
    yield begin
    for work in begun:
        work.task.cancel()
    await asyncio.gather(*(work.task for work in begun), return_exceptions=True)


async def settled():
    for _ in range(10):
        await asyncio.sleep(0)


async def test_as_many_work_at_once_as_there_are_slots_and_the_others_wait_in_their_order(begin):
    """Broken: ``_admit`` grants to all; to the last of the queue."""
    first, *_ = await begin("a", "b", "c", "d")

    assert begin.at_work == ["a", "b"]
    first.end.set()
    await settled()
    assert begin.at_work == ["b", "c"]


async def test_what_is_waited_for_takes_the_slot_of_the_oldest_that_nobody_waits_for(begin):
    """Broken: ``_admit`` breaks nothing off; the newest one."""
    first, second = await begin("a", "b")
    first.demand.release()
    second.demand.release()
    await settled()
    assert begin.at_work == ["a", "b"]  # there is room: it may still be of use

    await begin("c")

    assert (begin.at_work, first.is_broken_off, second.is_broken_off) == (["b", "c"], True, False)


async def test_a_slot_is_taken_as_soon_as_nobody_waits_for_what_holds_it(begin):
    """Broken: ``release`` tells nobody."""
    first, *_ = await begin("a", "b", "c")
    assert begin.at_work == ["a", "b"]

    first.demand.release()
    await settled()

    assert begin.at_work == ["b", "c"]


async def test_what_nobody_waits_for_breaks_nothing_off_and_comes_last(begin):
    """Broken: ``_admit`` takes the first of the queue; breaks off for anything."""
    first, _, third, _ = await begin("a", "b", "c", "d")
    third.demand.release()
    first.demand.release()
    await settled()

    assert begin.at_work == ["b", "d"]


async def test_what_is_waited_for_again_is_not_broken_off(begin):
    """Broken: ``waiting`` counts nothing."""
    first, *_ = await begin("a", "b")
    first.demand.release()
    with first.demand.waiting():
        await begin("c")
        assert begin.at_work == ["a", "b"]
    await settled()

    assert begin.at_work == ["b", "c"]


async def test_what_is_cancelled_in_the_queue_or_at_work_leaves_its_slot(begin):
    """Broken: ``__aenter__`` lets a cancellation through; ``_leave`` admits nobody."""
    first, _, third, _ = await begin("a", "b", "c", "d")
    third.task.cancel()
    await settled()
    first.task.cancel()
    await settled()

    assert begin.at_work == ["b", "d"]


async def test_a_slot_that_is_left_as_who_waits_for_it_is_cancelled_goes_to_the_next_one(begin):
    """Broken: ``_admit`` gives it to the one that was cancelled and could not leave yet, and fails whoever leaves it."""
    first, _, third, _ = await begin("a", "b", "c", "d")
    first.end.set()
    third.task.cancel()
    await settled()

    assert begin.at_work == ["b", "d"]
    assert first.task.exception() is None
