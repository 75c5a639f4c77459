"""What the routes of dreams answer."""

import pytest

from tests.support.agents import act, acted, call, dreams, thought
from tests.support.service import running

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
async def service(anyio_backend, tmp_path_factory):
    async with running(tmp_path_factory.mktemp("sleep") / "home") as found:
        yield found


async def test_a_dream_that_goes_on_is_202_and_one_that_ended_200(service):
    await acted(service, 6, mind="dreamer")
    path = "/v1/minds/dreamer/dreams"

    begun = await service.http.post(path, json={})
    ended = await service.http.post(path, json={"wait": True})
    nothing = await service.http.post(path, json={})

    assert [one.status_code for one in (begun, ended, nothing)] == [202, 200, 200]
    assert [one["actions"] for one in nothing.json()["dreams"]] == [6]


async def test_the_newest_dreams_come_first_and_no_more_than_asked_for(service):
    for cycle in (1, 2):
        await act(service, thought(f"Cycle {cycle}."), *(call(10 * cycle + n) for n in range(6)), mind="many")
        await service.http.post("/v1/minds/many/dreams", json={"wait": True})

    newest = (await service.http.get("/v1/minds/many/dreams", params={"limit": 1})).json()

    assert [one["dream"] for one in newest["dreams"]] == [2]
    assert newest["status"]["dreams"] == 2
    assert [one["dream"] for one in await dreams(service, mind="many")] == [2, 1]
