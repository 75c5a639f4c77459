"""Many minds on one service: only so many are open, each answers, and nothing of a closed one is lost."""

import asyncio
import gc

import pytest

from service.adapters.falkordb.mind_graph import FalkorMindGraph
from service.mind.minds import Mind
from tests.support.service import running, settings_of
from tests.support.waiting import until_async

pytestmark = pytest.mark.anyio

MINDS, OPEN = 100, 10
FEW = 3  # held for a moment by what has just ended


def open_objects(kind):
    gc.collect()
    return sum(isinstance(one, kind) for one in gc.get_objects())


def word(number):
    return f"Quandrillo{number:03}"


async def test_of_many_minds_few_are_open_and_each_answers(tmp_path):
    settings = settings_of(tmp_path / "home", most_open_minds=OPEN, access={"new_minds_per_minute": 0})
    async with running(tmp_path / "home", settings=settings) as service:
        for number in range(MINDS):
            assert (await service.keep(f"m{number}", f"My boat is called {word(number)}.")).status_code == 202
        minds = service.memory.minds

        await until_async(lambda: len(minds.opened()) <= OPEN)
        answers = [await service.resonate(f"m{number}", "What is my boat called?") for number in range(MINDS)]

        for number, answer in enumerate(answers):
            assert [word(number) in one["text"] for one in answer.json()["flashbacks"]] == [True], number
        await until_async(lambda: len(minds.opened()) <= OPEN)
        assert open_objects(Mind) <= OPEN + FEW
        assert open_objects(FalkorMindGraph) <= OPEN + FEW
        listed = (await service.http.get("/v1/minds", params={"limit": MINDS})).json()["minds"]
        standings = (await service.http.get("/v1/status", params={"limit": MINDS})).json()["minds"]
        assert [one["turns"] for one in listed] == [1] * MINDS
        assert [(one["turns"], one["lag"]["extracting"], one["resonance"]["calls"]) for one in standings] == [
            (1, 0, 1)
        ] * MINDS
        assert len(minds.opened()) <= OPEN  # a list opens none


async def test_calls_that_come_while_minds_are_closed_lose_nothing(tmp_path):
    """Each of four minds is posted to and asked by many at once, where only one may be open."""
    settings = settings_of(tmp_path / "home", most_open_minds=1, idle_mind_seconds=0.01)
    async with running(tmp_path / "home", settings=settings) as service:
        minds = service.memory.minds
        closed = []
        minds.when_closed(closed.append)

        async def use(name):
            for number in range(12):
                assert (await service.keep(name, f"Number {number} of {name} is blue.")).status_code == 202
                assert (await service.resonate(name, f"Which number of {name} is blue?")).status_code == 200
                await minds.close_unused()

        await asyncio.gather(*(use(name) for name in ("ada", "bob", "eve", "zoe")))
        for name in ("ada", "bob", "eve", "zoe"):
            status = await service.digested(name)
            assert (status["turns"], status["last_sequence"], status["graph"]["episodes"]) == (12, 12, 12)

        await until_async(lambda: not minds.opened() and {"ada", "bob", "eve", "zoe"} <= set(closed))


async def test_a_mind_with_work_under_way_or_somebody_inside_stays_open(tmp_path):
    settings = settings_of(tmp_path / "home", most_open_minds=1, idle_mind_seconds=0.01)
    async with running(tmp_path / "home", settings=settings) as service:
        minds = service.memory.minds
        await service.keep("ada", "My boat is blue.")
        await service.digested("ada")

        with minds.gate.enter("ada"):
            mind = await minds.find("ada")
            await asyncio.sleep(0.05)
            await minds.close_unused()
            assert minds.get("ada") is mind

        await until_async(lambda: minds.get("ada") is None)


async def test_a_story_is_written_of_a_mind_that_was_closed_meanwhile(tmp_path):
    settings = settings_of(tmp_path / "home", idle_mind_seconds=0.01, story={"idle_seconds": 5})
    async with running(tmp_path / "home", settings=settings) as service:
        minds = service.memory.minds
        await service.keep("bob", "My boat is called Quandrillo.")
        await service.digested("bob")  # from now on a turn is digested in much less than the five seconds
        await service.keep("ada", "My boat is called Zibblewock.")
        await service.digested("ada")

        await until_async(lambda: minds.is_resting("ada"))

        assert (await minds.summary("ada")).pending.turns == 1
        file = tmp_path / "home/minds/ada/STORY.md"
        await until_async(lambda: file.exists() and "Zibblewock" in file.read_text())
