"""An agent that named no time zone dreams and wakes in its mind's own; one that named one, UTC too, stays in it."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from consolidation.kernel.clock import FixedClock
from tests.support.agents import act, acted, call, slept, thought
from tests.support.service import running

pytestmark = pytest.mark.anyio

START = datetime(2026, 2, 12, 9, 0, tzinfo=UTC)
ASKS = {"kind": "message", "text": "Ann asks for the report by noon."}


@pytest.fixture
def clock():
    return FixedClock(START)


async def lived(service, tmp_path):
    """A day of an agent whose mind has a time zone."""
    await acted(service, 6)
    (tmp_path / "minds/ada/settings.toml").write_text('timezone = "Asia/Tokyo"\n')
    await act(service, ASKS, thought("Next is the report."))


async def waking(service):
    return (await service.http.get("/v1/minds/ada/waking")).json()


async def test_an_agent_that_names_no_zone_dreams_and_wakes_in_the_minds_own(tmp_path, clock):
    """Broken: its zone is UTC until it names one."""
    async with running(tmp_path, clock=clock) as service:
        await lived(service, tmp_path)
        await slept(service)
        await service.http.post("/v1/minds/ada/dreams", json={"deep": True, "wait": True})
        woken = await waking(service)
        query = {"query": "report by noon", "kinds": "observation"}
        [found] = (await service.http.get("/v1/minds/ada/remember", params=query)).json()["memories"]

    assert [one["at"] for one in woken["observations"] if one["level"] == "RED"] == ["18:00"]
    assert "2026-02-12 18:01+09:00" in woken["text"]
    assert found["occurred_at"] == "2026-02-12T09:00:00Z"
    diary = (tmp_path / "minds/ada/diary.md").read_text()
    assert diary.startswith("## 2026-02-12 18:00\n\n2026-02-12 18:00: Next is the report.")


@pytest.mark.parametrize(("zone", "at"), [("UTC", "09:11+00:00"), ("Europe/Paris", "10:11+01:00")])
async def test_a_zone_that_an_agent_named_stays_its_own_over_a_restart(tmp_path, clock, zone, at):
    """Broken: UTC can not be named."""
    async with running(tmp_path, clock=clock) as service:
        await lived(service, tmp_path)
        await slept(service, timezone=zone)
    clock.advance(timedelta(minutes=11))
    async with running(tmp_path, clock=clock) as service:
        await act(service, call(10))
        await slept(service, 10)
        woken = await waking(service)

    assert f"2026-02-12 {at}" in woken["text"]


@pytest.mark.parametrize(("zone", "at"), [("UTC", "18:01+09:00"), ("Europe/Paris", "10:01+01:00")])
async def test_a_file_of_an_earlier_version_names_a_zone_where_it_is_not_utc(tmp_path, clock, zone, at):
    """Broken: what an earlier version wrote by itself counts as named; what was named in it does not."""
    async with running(tmp_path, clock=clock) as service:
        await lived(service, tmp_path)
        await slept(service)
        file = tmp_path / "minds/ada/sleep.json"
        known = json.loads(file.read_text())
        del known["is_zone_named"]
        file.write_text(json.dumps(known | {"timezone": zone}))
        woken = await waking(service)

    assert f"2026-02-12 {at}" in woken["text"]
