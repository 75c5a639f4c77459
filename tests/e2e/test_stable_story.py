"""The stable part of what is injected: newest chapters whole, older ones at a glance, the same until the story changes."""

import pytest
from structlog.testing import capture_logs

from consolidation.text.tokens import count_tokens
from tests.support.service import running, settings_of
from tests.twins.provider import ScriptedProvider

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


@pytest.mark.parametrize(("window", "is_cut"), [(4096, True), (65_536, False), (None, False)])
async def test_a_chat_through_the_proxy_leaves_most_of_its_models_window_to_what_is_said(tmp_path, window, is_cut):
    """Broken: the story takes 8,000 tokens of a window of 4,096, and the server drops the bot's persona."""
    lines = "Clara counted the pebbles. " * 60
    story = "".join(f"### [2026-01-{day:02} 10:00] Day {day}\n\n{lines}\n\n" for day in range(1, 31))
    with ScriptedProvider(respond=lambda _: "By the river.") as model:
        here = {"model": "openai/local", "api_base": model.url, "api_key": "k"}
        settings = settings_of(tmp_path, **here, models={"context_tokens": window})
        async with running(tmp_path, settings=settings) as service:
            await service.keep("ada", "Hello there!", "Hi.")
            (tmp_path / "minds/ada/STORY.md").write_text(story)
            with capture_logs() as logs:
                for _ in range(2):
                    said = [{"role": "system", "content": "You are Ada."}, {"role": "user", "content": "Hello?"}]
                    body = {"model": "memory", "user": "ada", "messages": said}
                    assert (await service.http.post("/v1/chat/completions", json=body)).status_code == 200
            own_bot = (await stable(service))["text"]
        bodies = [one.body for one in model.chats if "You are Ada." in one.body["messages"][0]["content"]]

    told = [one for one in logs if one["event"] == "proxy.story_cut"]
    size = count_tokens("\n".join(one["content"] for one in bodies[-1]["messages"]))
    assert len(bodies) == 2 and "Day 30" in bodies[-1]["messages"][0]["content"]
    assert (size < 4096 / 2) == is_cut
    assert [one["window_tokens"] for one in told] == [4096] * is_cut
    assert all(one["setting"] == "MIND_MEMORY_RESONANCE__STORY_TOKENS" for one in told)
    assert "Day 24" in own_bot and count_tokens(own_bot) > 4096  # whose model nobody here knows


async def test_the_mark_that_an_editor_puts_before_the_story_is_not_shown_and_stays_in_the_file(tmp_path):
    """Broken: the prompt has the bytes of the file, and begins with a sign that nobody sees."""
    async with running(tmp_path) as service:
        await keep(service, 0)
        await told(service)
        file = tmp_path / "minds/ada/STORY.md"
        file.write_text(f"\ufeff{file.read_text()}")
        shown = await stable(service)

    assert "decided to move to Lyon" in shown["text"] and "\ufeff" not in shown["text"]
    assert file.read_text().startswith("\ufeff###")
