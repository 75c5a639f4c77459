"""STORY.md tells itself: what is kept becomes chapters, a person's edits stand, nothing is told twice."""

import pytest

from tests.support.service import running, settings_of
from tests.twins.provider import ScriptedProvider

pytestmark = pytest.mark.anyio

TALK = (
    ("2026-01-09T18:30:00Z", "My mother Ines lives in Lyon and turned seventy last week."),
    ("2026-01-09T18:31:00Z", "I promised my sister Carla to visit her in March."),
    ("2026-02-14T10:00:00Z", "We adopted a dog today and called him Pascal!"),
)


def telling(home, **more):
    return settings_of(home, story={"threshold_tokens": 1}, **more)


async def keep_talk(service, talk=TALK):
    for at, said in talk:
        kept = await service.keep("ada", {"role": "user", "name": "Ann", "content": said, "timestamp": at})
        assert kept.status_code == 202


async def told(service, turns):
    return await service.until("ada", lambda s: s["story"]["sequence"] == turns and not s["story"]["pending_turns"])


async def test_what_is_kept_becomes_dated_chapters_of_what_was_said(tmp_path):
    async with running(tmp_path, settings=telling(tmp_path)) as service:
        await keep_talk(service)
        status = await told(service, 3)
        found = (await service.resonate("ada", "Hello!")).json()
    story = (tmp_path / "minds/ada/STORY.md").read_text()

    assert "### [2026-01-09 18:30] " in story and "### [2026-02-14 10:00] " in story
    assert "Ann told me: “My mother Ines lives in Lyon and turned seventy last week." in story
    assert all(story.count(said) == 1 for _, said in TALK)
    assert story.endswith("<!-- LAST_PROCESSED: 2026-02-14T10:00:00.000Z -->\n")
    assert status["story"]["chapters"] >= 2 and status["story"]["last_processed"] == "2026-02-14T10:00:00Z"
    assert "called him Pascal" in found["stable"]["text"] and "LAST_PROCESSED" not in found["stable"]["text"]


async def test_a_persons_edit_stands_and_nothing_is_told_twice_across_a_restart(tmp_path):
    path = tmp_path / "minds/ada/STORY.md"
    async with running(tmp_path, settings=telling(tmp_path)) as service:
        await keep_talk(service, TALK[:2])
        await told(service, 2)
        path.write_text("Begun by hand.\n\n" + path.read_text().replace("turned seventy", "turned 70, on Sunday"))
    async with running(tmp_path, settings=telling(tmp_path)) as service:
        await keep_talk(service, TALK[2:])
        await told(service, 3)

    story = path.read_text()
    assert story.startswith("Begun by hand.\n") and "turned 70, on Sunday" in story and "turned seventy" not in story
    assert story.count("promised my sister Carla") == 1 and story.count("We adopted a dog today") == 1
    assert story.count("LAST_PROCESSED") == 1


def chapter(text, title="The dog"):
    return {"append": [{"at": "2026-02-14 10:00", "title": title, "text": text}], "revise": []}


async def test_a_hosted_narrator_tells_it_in_its_own_words(tmp_path):
    with ScriptedProvider(
        respond=lambda _: chapter("Ann and hers adopted a dog, and I learned his name: Pascal.")
    ) as model:
        narrative = {"model": "openai/scripted", "api_base": model.url, "api_key": "k"}
        async with running(tmp_path, settings=telling(tmp_path, models={"narrative": narrative})) as service:
            await keep_talk(service, TALK[2:])
            await told(service, 1)

    assert "I learned his name: Pascal." in (tmp_path / "minds/ada/STORY.md").read_text()
    assert "We adopted a dog today" in model.chats[0].words
