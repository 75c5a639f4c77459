"""
What people put right holds in what an agent dreamt: waking, observations and dreams say it no more.

Every docstring says what was broken, once, to see the test fail.
"""

import json

import pytest

from tests.support.agents import act, acted, dreams, slept
from tests.support.service import running
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio

ORDER = "The freight lift of hall 3 must not be used, its brake is broken."


async def dreamt(service):
    """An agent that was told an order, acted, and dreamt of both; the text of its waking."""
    await act(service, {"kind": "message", "text": ORDER, "id": "order"})
    await acted(service, 6)
    await slept(service)
    await dreams(service)
    return await waking(service)


async def waking(service):
    return (await service.http.get("/v1/minds/ada/waking")).raise_for_status().json()


async def decide(service, what, **more):
    body = {"what": what, "target": {"kind": "turn", "turn_ids": ["order"], "text": ORDER}, **more}
    answer = await service.http.post("/v1/minds/ada/corrections", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def dreamt_again(service, is_so):
    return await eventually(lambda: waking(service), lambda found: is_so(json.dumps(found)))


async def test_an_edited_order_is_said_by_no_dream_and_by_no_observation(tmp_path):
    """Broken: waking reads observations as they stand; dreams keep the words that they came to."""
    async with running(tmp_path) as service:
        before = await dreamt(service)
        made = await decide(service, "edit", to="The freight lift of hall 3 is repaired, use it again.")
        after = await dreamt_again(service, lambda text: "must not" not in text and "repaired" in text)
        asked = (await service.resonate("ada", "May I use the freight lift of hall 3?")).json()
        await service.http.delete(f"/v1/minds/ada/corrections/{made['id']}")
        back = await dreamt_again(service, lambda text: text.count("must not") == json.dumps(before).count("must not"))

    assert "must not be used" in before["priority"]
    assert "repaired" in after["priority"]
    assert "repaired" in asked["block"]
    assert "must not" not in asked["block"]
    assert back["priority"] == before["priority"]


async def test_a_wrong_order_goes_out_of_the_next_deep_sleeps_priorities(tmp_path):
    """Broken: a deep sleep is handed the observations as they stand."""
    async with running(tmp_path) as service:
        await dreamt(service)
        await decide(service, "wrong")
        await dreamt_again(service, lambda text: "must not" not in text)
        body = {"deep": True, "wait": True}
        (await service.http.post("/v1/minds/ada/dreams", json=body)).raise_for_status()
        after = await waking(service)

    assert "must not" not in json.dumps(after)
