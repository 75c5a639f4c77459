"""The narrator's notes: kept with the story, read with the next batch, seen by people, dropped where they may not hold."""

import json

import pytest

from tests.e2e.test_bad_narrators import consolidate, narrated_by
from tests.e2e.test_story import TALK, chapter, keep_talk

pytestmark = pytest.mark.anyio

FIRST = {
    "append": [{"at": "2026-01-09 18:30", "title": "Lyon", "text": "Ann told me of her mother Ines in Lyon."}],
    "people": [{"name": "Ines", "who": "the mother of Ann, in Lyon"}, {"name": "Roderick Spode", "who": "nobody"}],
    "open": [{"what": "Ann has promised Carla to visit her in March", "since": "2026-01-09", "last": "the 5000 of us"}],
}
OPEN = {"what": "Ann has promised Carla to visit her in March", "since": "2026-01-09", "last": ""}
SECOND = chapter("Ann adopted a dog, and I learned his name: Pascal.")


async def noted(service, model_answers):
    """A first batch, told with notes; and the story as it is seen then."""
    model_answers[:] = [{**FIRST, "open": [OPEN, *FIRST["open"]]}]
    await keep_talk(service, TALK[:2])
    await consolidate(service, trigger="manual")
    return (await service.http.get("/v1/minds/ada/story")).json()


async def next_prompt(service, model, model_answers):
    """What the narrator is shown with the next batch."""
    model_answers[:] = [SECOND]
    await keep_talk(service, TALK[2:])
    run = await consolidate(service, trigger="manual")
    assert run["last_run"]["error"] is None
    return model.chats[-1].words


@pytest.fixture
async def narrated(tmp_path):
    """A service, its narrator, and the list of what that answers."""
    answers = []
    async with narrated_by(answers, tmp_path) as (service, model):
        yield service, model, answers


async def test_the_next_batch_is_told_with_the_notes_of_the_one_before_and_people_see_them(narrated):
    service, model, answers = narrated
    story = await noted(service, answers)
    prompt = await next_prompt(service, model, answers)

    first = model.chats[0].words
    assert (
        "<dates>last week = Monday 2025-12-29 to Sunday 2026-01-04</dates>" in first and "[Friday 2026-01-09" in first
    )
    assert "What happened ends where the story stands now" in first and "(36 days later)" not in first
    assert story["people"] == [{"name": "Ines", "who": "the mother of Ann, in Lyon"}]
    assert story["open"] == [OPEN], "what was never said is left out"
    assert "- who is who: Ines: the mother of Ann, in Lyon" in prompt
    assert "- open since 2026-01-09: Ann has promised Carla to visit her in March" in prompt


async def test_notes_are_dropped_when_a_person_changes_the_story(narrated, tmp_path):
    service, model, answers = narrated
    await noted(service, answers)
    file = tmp_path / "minds/ada/STORY.md"
    file.write_text(file.read_text().replace("her mother Ines", "her mother"))
    story = (await service.http.get("/v1/minds/ada/story")).json()
    prompt = await next_prompt(service, model, answers)

    assert (story["people"], story["open"]) == ([], [])
    assert "who is who" not in prompt.partition("<happened>")[0].partition("<story>")[2]


async def test_an_erasure_leaves_no_word_of_the_notes(narrated, tmp_path):
    service, _, answers = narrated
    await noted(service, answers)
    turns = (await service.http.get("/v1/minds/ada/log", params={"query": "Ines"})).json()["items"]
    erased = await service.http.request("DELETE", f"/v1/minds/ada/turns/{turns[0]['turn_id']}")
    ledgers = [file for file in (tmp_path / "minds/ada").rglob("*.json") if b"tellings" in file.read_bytes()]

    assert erased.status_code in {200, 202}
    assert ledgers and all(json.loads(file.read_text())["notes"] == {"people": [], "open": []} for file in ledgers)
    assert not any("Ines" in file.read_text() for file in ledgers)


async def test_a_talk_that_goes_on_is_said_to_and_its_chapter_may_be_written_anew(narrated):
    service, model, answers = narrated
    await noted(service, answers)
    whole = {"number": 1, "title": "Lyon and a promise", "text": "Ann told me of Ines in Lyon, and then of her father."}
    answers[:] = [{"append": [], "revise": [whole]}]
    await keep_talk(service, [("2026-01-09T18:40:00Z", "My father lives there, too.")])
    run = await consolidate(service, trigger="manual")
    story = (await service.http.get("/v1/minds/ada/story")).json()

    assert "The talk of the newest chapter goes on" in model.chats[-1].words
    assert (run["last_run"]["error"], run["pending_turns"]) == (None, 0)
    assert [one["heading"] for one in story["chapters"]][1:] == ["### [2026-01-09 18:30] Lyon and a promise"]


async def test_only_the_chapter_at_fault_is_asked_for_again_and_the_others_stand(narrated, tmp_path):
    service, model, answers = narrated
    good = {"at": "2026-01-09 18:30", "title": "Lyon", "text": "Ann told me of her mother Ines in Lyon."}
    bad = {"at": "2026-01-09 18:31", "title": "March", "text": "Carla waits in Totleigh Towers for a visit in March."}
    better = {**bad, "text": "Carla waits for a visit in March."}
    answers[:] = [{"append": [good, bad]}, {"append": [better]}]
    await keep_talk(service, TALK[:2])
    run = await consolidate(service, trigger="manual")
    second = model.chats[-1].words.partition("</happened>")[2]

    assert run["last_run"]["error"] is None
    assert "Totleigh Towers' does not occur" in second and bad["text"] in second and good["text"] not in second
    text = (tmp_path / "minds/ada/STORY.md").read_text()
    assert good["text"] in text and better["text"] in text
