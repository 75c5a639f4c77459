"""Lists of minds come in pages, by id, and a mind that can not be opened is listed with the reason."""

import pytest

from tests.support.service import running

pytestmark = pytest.mark.anyio

NAMES = [f"m{number}" for number in range(7)]


@pytest.fixture
async def service(tmp_path):
    async with running(tmp_path / "home") as service:
        for name in NAMES:
            await service.keep(name, "My boat is blue.")
        yield service


async def walk(service, path, *, limit):
    """The ids on each page."""
    pages, cursor = [], None
    while True:
        asked = {"limit": limit} | ({"cursor": cursor} if cursor else {})
        answer = (await service.http.get(path, params=asked)).json()
        pages.append([one["mind_id"] for one in answer["minds"]])
        if (cursor := answer["next_cursor"]) is None:
            return pages


@pytest.mark.parametrize("path", ["/v1/minds", "/v1/status"])
async def test_each_mind_is_on_one_page(service, path):
    assert await walk(service, path, limit=3) == [NAMES[:3], NAMES[3:6], NAMES[6:]]
    assert await walk(service, path, limit=7) == [NAMES]


@pytest.mark.parametrize("path", ["/v1/minds", "/v1/status"])
async def test_a_mind_that_comes_between_two_pages_moves_no_other(service, path):
    first = (await service.http.get(path, params={"limit": 3})).json()
    await service.keep("m00", "My dog is green.")

    rest = (await service.http.get(path, params={"limit": 9, "cursor": first["next_cursor"]})).json()

    assert [one["mind_id"] for one in rest["minds"]] == NAMES[3:]


@pytest.mark.parametrize("path", ["/v1/minds", "/v1/status"])
@pytest.mark.parametrize("asked", [{"cursor": "nonsense"}, {"limit": 0}, {"limit": 501}])
async def test_what_is_no_page_is_refused(service, path, asked):
    answer = await service.http.get(path, params=asked)

    assert answer.status_code == 422 and next(iter(asked)) in answer.text


async def test_the_status_of_one_mind_alone(service):
    async def shown(name):
        answer = await service.http.get("/v1/status", params={"mind_id": name})
        return [one["mind_id"] for one in answer.json()["minds"]]

    assert (await shown("m3"), await shown("nobody")) == (["m3"], [])


async def test_a_mind_that_can_not_be_opened_is_listed_with_the_reason(tmp_path):
    async with running(tmp_path / "home") as service:
        (tmp_path / "elsewhere").mkdir()
        mind = tmp_path / "home" / "minds" / "broken"
        (mind / "transcript").mkdir(parents=True)
        (mind / "story-history").symlink_to(tmp_path / "elsewhere")

        listed = (await service.http.get("/v1/minds")).json()["minds"]
        (standing,) = (await service.http.get("/v1/status")).json()["minds"]

    assert listed == [
        {
            "mind_id": "broken",
            "turns": None,
            "sessions": None,
            "waiting_for": standing["waiting_for"],
            "is_example": False,
        }
    ]
    assert "LinkRefused" in standing["waiting_for"] or "link" in standing["waiting_for"]
