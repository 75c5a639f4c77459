"""The stable part of what is injected: newest chapters whole, older ones at a glance, the same until the story changes."""

import pytest

from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

WHO = ("Iker", "Ines", "Carla", "Pascal", "Dorothea", "Fumiko", "Wanda", "Oskar")


async def keep(service, number):
    name, at = WHO[number], f"2026-01-{number + 1:02}T09:00:00Z"
    said = (
        f"My friend {name} and I decided to move to Lyon together in May.",
        f"We bought {number + 3} old chairs, and I was proud of my bargain.",
    )
    messages = [{"role": "user", "name": "Ann", "content": one, "timestamp": at} for one in said]
    assert (await service.keep("ada", *messages)).status_code == 202


async def told(service):
    answer = await service.http.post("/v1/minds/ada/consolidation", json={})
    assert answer.json()["last_run"]["error"] is None


async def stable(service, **more):
    return (await service.resonate("ada", "Hello there!", **more)).json()["stable"]


async def test_the_newest_chapters_are_whole_and_older_ones_a_glance_until_the_story_changes(tmp_path):
    settings = settings_of(tmp_path, resonance={"story_tokens": 250}, story={"threshold_tokens": 0})
    async with running(tmp_path, settings=settings) as service:
        for number in range(len(WHO) - 1):
            await keep(service, number)
        await told(service)
        first, again = await stable(service), await stable(service)
        known = await stable(service, known_story_etag=first["etag"])
        await keep(service, len(WHO) - 1)
        waiting = await stable(service)
        await told(service)
        after = await stable(service, known_story_etag=first["etag"])

    whole = "decided to move to Lyon together in May. … We bought {} old chairs"
    assert whole.format(9) in first["text"]  # the newest
    assert (
        whole.format(6) not in first["text"] and "[2026-01-04 09:00]" in first["text"]
    )  # an older one, by one sentence
    assert first["text"].index("[2026-01-04") < first["text"].index("[2026-01-07")
    assert again == first == waiting and known == {"text": None, "etag": first["etag"]}
    assert after["etag"] != first["etag"] and whole.format(10) in after["text"]
    assert "LAST_PROCESSED" not in after["text"]
