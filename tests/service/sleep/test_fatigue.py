"""How tired an agent was over days, and when it slept: counted anew from what is on disk."""

import re

import pytest

from tests.support.agents import acted, slept
from tests.support.service import running

pytestmark = pytest.mark.anyio

PATH = "/v1/minds/ada/fatigue"


@pytest.fixture
async def service(tmp_path):
    async with running(tmp_path) as opened:
        yield opened


async def test_the_line_falls_with_a_dream_and_the_sleep_is_told_after_a_restart(tmp_path):
    async with running(tmp_path) as service:
        await acted(service, 6)
        await slept(service)
        await service.http.post("/v1/minds/ada/wake", json={})
        await acted(service, 2, first=7)

    async with running(tmp_path) as service:
        found = (await service.http.get(PATH)).json()

    assert [one["actions"] for one in found["points"]] == [1, 2, 3, 4, 5, 6, 0, 1, 2, 2]
    assert [one["kind"] for one in found["sleeps"]] == ["dream"]
    assert (found["warning"], found["limit"], found["asleep_since"]) == (60, 80, None)


async def test_each_sleep_is_kept_naps_too_and_the_one_that_goes_on(service):
    await acted(service, 6)
    await slept(service)
    await acted(service, 1, first=7)
    await slept(service, 5)  # it ends the one before
    await slept(service, 5)

    found = (await service.http.get(PATH)).json()

    assert [one["kind"] for one in found["sleeps"]] == ["dream", "nap"]
    assert found["sleeps"][0]["woke_at"] <= found["sleeps"][1]["asleep_at"]
    assert found["asleep_since"] is not None


async def test_the_metric_of_agents_says_how_tired_they_are_now(service):
    """Broken: whoever was exhausted once is so until the service ends, though it slept, or was erased."""

    async def agents():
        told = (await service.http.get("/metrics")).text
        return [int(float(value)) for value in re.findall(r'^mind_memory_agents\{fatigue="\w+"\} (\S+)', told, re.M)]

    await acted(service, 80)
    exhausted = await agents()
    await slept(service)
    rested = await agents()
    (await service.http.delete("/v1/minds/ada")).raise_for_status()

    assert (exhausted, rested, await agents()) == ([0, 0, 1], [1, 0, 0], [0, 0, 0])


async def test_a_mind_whose_agent_did_nothing_has_no_points(service):
    await service.keep("ada", "My mother lives in Lyon.", "Noted.")

    found = (await service.http.get(PATH)).json()

    assert (found["points"], found["sleeps"]) == ([], [])


@pytest.mark.parametrize("days", ["0", "91", "x"])
async def test_days_that_are_none_are_refused_with_their_place(service, days):
    await service.keep("ada", "My mother lives in Lyon.", "Noted.")

    answer = await service.http.get(PATH, params={"days": days})

    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "query/days")
