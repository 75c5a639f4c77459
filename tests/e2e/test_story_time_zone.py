"""The story's days are those of the mind's time zone: in its headings, in what its narrator is told, and in the checks."""

import pytest

from tests.e2e.test_bad_narrators import consolidate, narrated_by, patient, roles
from tests.support.service import running
from tests.twins.provider import ScriptedProvider

pytestmark = pytest.mark.anyio

ZONE = 'timezone = "America/Los_Angeles"\n'
ENGAGED = {
    "role": "user",
    "name": "Ann",
    "content": "My sister Ines got engaged yesterday, and my father Karl moved to Denver last month.",
    "timestamp": "2026-01-31T20:30:00-08:00",
}
LATER = {
    "role": "user",
    "name": "Ann",
    "content": "My sister Ines and I chose the restaurant in Portland for her party.",
    "timestamp": "2026-02-01T19:00:00-08:00",
}


def write_settings(home, text):
    folder = home / "minds/ada"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.toml").write_text(text)


def story_of(home):
    return (home / "minds/ada/STORY.md").read_text()


def chapter(text, at="2026-01-31 20:30"):
    return {"append": [{"at": at, "title": "The ring", "text": text}], "revise": []}


@pytest.fixture
async def narrated(tmp_path):
    """A service, its narrator, and the list of what that answers."""
    answers = []
    async with narrated_by(answers, tmp_path) as (service, model):
        yield service, model, answers


async def test_without_a_model_a_chapter_is_of_the_minds_own_day(tmp_path):
    write_settings(tmp_path, ZONE)
    async with running(tmp_path) as service:
        await service.keep("ada", ENGAGED)
        await service.keep("ada", LATER)
        await consolidate(service, trigger="manual")
        story = (await service.http.get("/v1/minds/ada/story")).json()

    assert "### [2026-01-31 20:30" in story["text"] and "got engaged yesterday" in story["text"]
    assert story["chapters"][0]["from"] == "2026-01-31 20:30"
    assert "CURSOR: v1 seq=2 for=2026-02-02T03:00:00.000Z" in story_of(tmp_path), "what is compared stays in UTC"


async def test_without_the_setting_days_are_those_of_utc(narrated):
    service, model, answers = narrated
    answers[:] = [
        chapter("On January 31, Ann's sister Ines got engaged, and I was glad for her.", at="2026-02-01 04:30")
    ]
    await service.keep("ada", ENGAGED)
    run = await consolidate(service, trigger="manual")

    assert "[Sunday 2026-02-01 04:30]" in model.chats[0].words and "last month = January 2026" in model.chats[0].words
    assert run["last_run"]["error"] is None


async def test_the_narrator_is_told_the_minds_days_and_may_tell_them(narrated, tmp_path):
    service, model, answers = narrated
    write_settings(tmp_path, ZONE)
    right = (
        "On Friday, January 30, Ann's sister Ines got engaged; Karl, her father, had gone to Denver in December 2025."
    )
    answers[:] = [chapter(right)]
    await service.keep("ada", ENGAGED)
    run = await consolidate(service, trigger="manual")

    shown = model.chats[0].words
    assert "[Saturday 2026-01-31 20:30]" in shown
    assert "yesterday = Friday 2026-01-30" in shown and "last month = December 2025" in shown
    assert run["last_run"]["error"] is None and len(model.chats) == 1
    assert "### [2026-01-31 20:30] The ring\n\nOn Friday, January 30" in story_of(tmp_path)


async def test_the_day_that_utc_would_have_is_an_invention(narrated, tmp_path):
    service, model, answers = narrated
    write_settings(tmp_path, ZONE)
    answers[:] = [
        chapter("Ann told me on February 1 that her sister Ines got engaged."),
        chapter("Ann told me on January 31 that her sister Ines got engaged."),
    ]
    await service.keep("ada", ENGAGED)
    await consolidate(service, trigger="manual")

    assert len(model.chats) == 2 and "February 1" in model.chats[1].words
    assert "on January 31 that" in story_of(tmp_path)


async def test_chapters_stay_as_they_are_when_the_zone_is_set_later_and_a_revised_one_keeps_its_time(
    narrated, tmp_path
):
    service, _, answers = narrated
    first = "Ann told me that her sister Ines got engaged and that her father Karl moved to Denver."
    answers[:] = [chapter(first, at="2026-02-01 04:30")]
    await service.keep("ada", ENGAGED)
    await consolidate(service, trigger="manual")
    write_settings(tmp_path, ZONE)
    answers[:] = [
        {
            "append": [{"at": "2026-02-01 19:00", "title": "A table", "text": "They chose a restaurant in Portland."}],
            "revise": [{"number": 1, "title": "The ring", "text": f"{first} The party will be in Portland."}],
        }
    ]
    await service.keep("ada", LATER)
    run = await consolidate(service, trigger="manual")

    story = story_of(tmp_path)
    assert run["last_run"]["error"] is None
    assert story.index("### [2026-02-01 04:30] The ring") < story.index("### [2026-02-01 19:00] A table")
    assert "The party will be in Portland." in story


async def test_an_erased_turn_takes_along_the_chapter_of_its_own_day(tmp_path):
    write_settings(tmp_path, ZONE)
    async with running(tmp_path) as service:
        await service.keep("ada", ENGAGED, turn_id="ring")
        await service.keep("ada", {**LATER, "timestamp": "2026-02-09T20:00:00-08:00"}, turn_id="table")
        await consolidate(service, trigger="manual")
        before = story_of(tmp_path)
        erased = await service.http.delete("/v1/minds/ada/turns/table")

    assert "### [2026-02-09 20:00]" in before
    assert erased.status_code == 200, erased.text
    assert "### [2026-01-31 20:30]" in story_of(tmp_path) and "### [2026-02-09" not in story_of(tmp_path)


async def test_the_zone_that_an_agents_sleep_names_does_not_move_its_story(narrated):
    """Broken: the story changes its zone in the middle, and chapters stand in the wrong order."""
    service, model, answers = narrated
    answers[:] = [chapter("Ann told me that her sister Ines got engaged.")]
    await service.keep("ada", ENGAGED)
    slept = await service.http.post("/v1/minds/ada/sleep", json={"seconds": 5, "timezone": "America/Los_Angeles"})
    await consolidate(service, trigger="manual")

    assert slept.status_code in {200, 202}, slept.text
    assert not any("yesterday = Friday 2026-01-30" in one.words for one in model.chats)


async def test_a_model_that_extracts_is_told_the_time_of_the_minds_zone(tmp_path):
    write_settings(tmp_path, ZONE)
    fact = {"source": "Ines", "relation": "IS_SISTER_OF", "target": "Ann", "message": 1, "importance": 0.9}
    fact |= {"fact": "On 2026-01-30 Ines, the sister of Ann, got engaged.", "valid_at": None, "invalid_at": None}
    answer = {"entities": [{"name": "Ines"}, {"name": "Ann"}], "facts": [fact]}
    with ScriptedProvider(respond=lambda _: answer) as model:
        async with running(tmp_path, settings=patient(tmp_path, roles(model, "extraction"))) as service:
            await service.keep("ada", ENGAGED)
            await service.digested("ada")
            facts = (await service.http.get("/v1/minds/ada/facts")).json()["items"]

    assert "It was said at 2026-01-31T20:30:00-08:00." in model.chats[0].words
    assert [one["text"] for one in facts] == [fact["fact"]], "its day is the day before, and not invented"
