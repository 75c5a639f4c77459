"""
Places: as many at once as there are, in the order of arrival, before what comes too late to be of use.

Every docstring says what was broken, once, to see the test fail.
"""

import asyncio

import pytest

from service.runtime.places import Places

pytestmark = pytest.mark.anyio

AMPLE = 100.0  # seconds


class Work:
    """A piece of work that holds a place until it is told to end; ``begun`` are all that had one, in order."""

    def __init__(self, places, begun, name, seconds):
        self.end = asyncio.Event()
        self.task = asyncio.create_task(self._run(places, begun, name, seconds))

    async def _run(self, places, begun, name, seconds):
        async with places.place(seconds=seconds):
            begun.append(name)
            await self.end.wait()


class Crowd:
    """Two places, and who wants them. ``now`` is the time, in seconds."""

    def __init__(self):
        self.now, self.begun, self.pieces = 0.0, [], {}
        self._places = Places(2, monotonic=lambda: self.now)

    async def come(self, *names, seconds=AMPLE):
        """Begin pieces of work by name, one after the other, of use within *seconds*."""
        for name in names:
            self.pieces[name] = Work(self._places, self.begun, name, seconds)
            await _settled()

    async def end(self, *names):
        """End pieces of work, one after the other."""
        for name in names:
            self.pieces[name].end.set()
            await self.pieces[name].task
            await _settled()

    async def leave(self):
        """End all that is left."""
        for one in self.pieces.values():
            one.task.cancel()
        await asyncio.gather(*(one.task for one in self.pieces.values()), return_exceptions=True)


@pytest.fixture
async def crowd():
    found = Crowd()
    yield found
    await found.leave()


async def _settled():
    for _ in range(5):
        await asyncio.sleep(0)


async def test_no_more_are_inside_than_there_are_places(crowd):
    """Broken: a place for everybody."""
    await crowd.come(*"abcd")
    assert crowd.begun == ["a", "b"]


async def test_the_first_to_come_is_next(crowd):
    """Broken: the last of those who wait."""
    await crowd.come(*"abcd")
    await crowd.end(*"ab")
    assert crowd.begun == ["a", "b", "c", "d"]


async def test_what_would_be_over_too_late_lets_the_rest_pass(crowd):
    """Broken: the order of arrival alone; how long a piece takes was not learnt; a piece without a limit was late."""
    await crowd.come("a", "b")
    await crowd.come("short", seconds=65)
    await crowd.come("endless", seconds=None)
    await crowd.come("ample")
    crowd.now = 60.0  # so long took "a": what is left to "short" is not enough
    await crowd.end(*"ab")
    assert crowd.begun == ["a", "b", "endless", "ample"]


async def test_where_all_are_late_the_last_to_come_is_next(crowd):
    """Broken: the first, whose time is over before that of any other; none, though places are free."""
    await crowd.come(*"ab")
    await crowd.come(*"cd", seconds=0)
    crowd.now = 1.0
    await crowd.end(*"ab")
    assert crowd.begun == ["a", "b", "d", "c"]


async def test_who_gives_up_waiting_takes_no_place(crowd):
    """Broken: their turn stayed in the queue, and the place was lost; one was given back that they never had."""
    await crowd.come(*"abcd")
    crowd.pieces["c"].task.cancel()
    await _settled()
    assert crowd.begun == ["a", "b"]
    await crowd.end(*"ab")
    await crowd.come("e")
    assert crowd.begun == ["a", "b", "d", "e"]


async def test_who_gives_up_at_the_moment_of_their_turn_passes_the_place_on(crowd):
    """Broken: nothing given back on cancellation; given back twice."""
    await crowd.come(*"abcd")
    crowd.pieces["a"].end.set()
    while not crowd.pieces["a"].task.done():  # its place is on the way to c, which does not run yet
        await asyncio.sleep(0)
    crowd.pieces["c"].task.cancel()
    await _settled()
    await crowd.come("e")
    assert crowd.begun == ["a", "b", "d"]
    await crowd.end("b")
    assert crowd.begun == ["a", "b", "d", "e"]


async def test_work_that_fails_gives_its_place_back():
    """Broken: the place was given back after work that went well alone."""
    places = Places(1, monotonic=lambda: 0.0)
    with pytest.raises(ValueError, match="as scripted"):
        async with places.place(seconds=None):
            raise ValueError("as scripted")
    async with asyncio.timeout(30), places.place(seconds=None):
        pass
