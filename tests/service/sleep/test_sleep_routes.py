"""What the routes of dreams answer."""

import pytest

from tests.support.agents import act, acted, call, dreams, thought
from tests.support.service import running

pytestmark = pytest.mark.anyio


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


async def test_a_dream_taken_back_leaves_the_waking_and_comes_back_after_a_rebuild(service):
    for cycle in (1, 2):
        await act(
            service, thought(f"I repaired pump {cycle}."), *(call(10 * cycle + n) for n in range(6)), mind="undone"
        )
        await service.http.post("/v1/minds/undone/dreams", json={"wait": True})
    path = "/v1/minds/undone"

    before = (await service.http.get(f"{path}/waking")).json()
    taken = (await service.http.post(f"{path}/dreams/2/undo")).json()
    without = (await service.http.get(f"{path}/waking")).json()
    observed = (await service.http.get(f"{path}/observations")).json()["observations"]
    given = (await service.http.delete(f"{path}/dreams/2/undo")).json()

    assert (taken["undone_by"], given["undone_at"]) == ("local", None)
    assert "pump 2" in before["reflection"]
    assert "pump 1" in without["reflection"]
    gone = {one["text"] for one in taken["changes"] if not one["is_there"]}
    assert gone
    assert gone.isdisjoint(one["text"] for one in observed)
    assert (await service.http.get(f"{path}/waking")).json() == before


async def test_a_dream_taken_back_stays_so_in_an_export(service):
    await acted(service, 6, mind="moved")
    await service.http.post("/v1/minds/moved/dreams", json={"wait": True})
    await service.http.post("/v1/minds/moved/dreams/1/undo")

    archive = (await service.http.get("/v1/minds/moved/export")).content
    await service.http.post("/v1/minds/arrived/import", content=archive)

    assert (await dreams(service, mind="arrived"))[0]["undone_at"] is not None
    assert (await service.http.get("/v1/minds/arrived/observations")).json()["observations"] == []


@pytest.mark.parametrize(("number", "status"), [("9", 404), ("0", 422), ("x", 422)])
async def test_a_dream_that_is_none_can_not_be_taken_back(service, number, status):
    await acted(service, 6, mind="none")

    answer = await service.http.post(f"/v1/minds/none/dreams/{number}/undo")

    assert answer.status_code == status


@pytest.mark.parametrize(
    ("reason", "kept"),
    [
        ("Der Schlüssel ghp_abcdefghijklmnopqrstuvwxyz0123456789AB kam", "Der Schlüssel [redacted: GitHub token] kam"),
        ("Ann came #offtherecord", "woken"),
        ("a message came", "a message came"),
    ],
)
async def test_the_reason_of_a_waking_is_kept_as_a_message_is(service, reason, kept):
    await acted(service, 6, mind="woken")
    await service.http.post("/v1/minds/woken/sleep", json={"seconds": 600, "wait": True})
    await service.http.post("/v1/minds/woken/wake", json={"reason": reason})

    waking = (await service.http.get("/v1/minds/woken/waking")).json()

    assert waking["reason"] == kept
