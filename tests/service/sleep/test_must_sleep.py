"""An exhausted agent must sleep until it has, and no dream of before excuses it; a sleep that it had to take does."""

import pytest

from consolidation.kernel.clock import FixedClock
from tests.service.sleep.test_sleeper import START, status
from tests.support.agents import act, acted, call, slept
from tests.support.scripted_models import Brain, hosted, provider_of
from tests.support.service import running

pytestmark = pytest.mark.anyio

NEVER = 3_600
FAILED = {"observations": "none"}


@pytest.fixture
async def service(tmp_path):
    """One whose model dreams nothing that can be used."""
    with provider_of(Brain(dream=FAILED)) as provider:
        settings = hosted(tmp_path, provider, "narrative", "chat", sleep={"retry_seconds": NEVER})
        async with running(tmp_path, settings=settings, clock=FixedClock(START)) as opened:
            yield opened


async def test_a_dream_that_failed_before_excuses_no_exhausted_agent(service):
    await acted(service, 6)
    await slept(service)
    failed = await status(service)
    tired = await acted(service, 73, first=20)
    exhausted = await acted(service, 1, first=99)
    seen = await status(service)

    assert failed["waiting_for"]
    assert [(one["fatigue"], one["must_sleep"]) for one in (tired, exhausted)] == [
        ("tired", False),
        ("exhausted", True),
    ]
    assert seen["must_sleep"]


async def test_an_agent_that_slept_as_it_must_goes_on_though_this_dream_fails_as_well(service):
    await acted(service, 6)
    await slept(service)
    await acted(service, 75, first=20)
    await slept(service)
    after, later = await status(service), await acted(service, 40, first=100)

    assert after["waiting_for"] and after["reason"] == "it had to sleep after 81 tool calls"
    assert not after["must_sleep"] and not later["must_sleep"]


async def test_a_dream_that_a_person_asks_for_takes_nothing_from_an_agent_that_slept_as_it_must(service):
    await acted(service, 80)
    await slept(service)
    await act(service, call(99))
    await service.http.post("/v1/minds/ada/dreams", json={"wait": True})

    assert not (await status(service))["must_sleep"]
