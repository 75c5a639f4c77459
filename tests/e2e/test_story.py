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


async def test_a_short_fact_of_a_life_is_told_without_a_model(tmp_path):
    """Broken: "I have cancer." counts as told, and no chapter has it."""
    async with running(tmp_path, settings=telling(tmp_path)) as service:
        await keep_talk(service, [("2026-02-12T10:00:00Z", "I have cancer.")])
        status = await told(service, 1)
    story = (tmp_path / "minds/ada/STORY.md").read_text()

    assert status["story"]["chapters"] == 1
    assert "Ann told me: “I have cancer.”" in story


async def test_a_turn_of_small_talk_is_told_by_no_chapter(tmp_path):
    """Broken: each turn of a batch belongs to the chapter whose time it falls in, whatever is quoted there."""
    talk = [("2026-01-09T18:32:00Z", "ok, haha, good night"), ("2026-01-09T18:33:00Z", "It was so nice!")]
    async with running(tmp_path, settings=telling(tmp_path)) as service:
        await keep_talk(service, (*TALK[:2], *talk, TALK[2]))
        await told(service, 5)
        turns = (await service.http.get("/v1/minds/ada/turns")).json()["items"]

    found = {turn["sequence"]: [one["heading"][:17] for one in turn["chapters"]] for turn in turns}
    house, dog = ["### [2026-01-09 1"], ["### [2026-02-14 1"]
    assert found == {1: house, 2: house, 3: [], 4: [], 5: dog}


async def test_small_talk_that_no_model_could_tell_does_not_count_as_quoted(tmp_path):
    """Broken: a run says how long its batch was."""
    with ScriptedProvider(respond=lambda _: {}) as model:
        narrative = {"model": "openai/scripted", "api_base": model.url, "api_key": "k"}
        story = {"threshold_tokens": 0, "idle_seconds": 0}
        settings = settings_of(tmp_path, models={"narrative": narrative}, story=story)
        async with running(tmp_path, settings=settings) as service:
            await keep_talk(service, [*TALK[2:], ("2026-02-14T10:01:00Z", "ok, haha, good night")])
            runs = []
            for number in range(5):
                if number > 2:
                    await keep_talk(service, [(f"2026-02-15T10:0{number}:00Z", "ok, good night then")])
                asked = {"trigger": "manual", "wait": True}
                runs.append((await service.http.post("/v1/minds/ada/consolidation", json=asked)).json()["last_run"])

    assert [(run["told"], run["quoted"]) for run in runs] == [(0, 0), (0, 0), (2, 1), (1, 0), (1, 0)]


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


async def revised_while_edited(home, known, added):
    """What a run and the next one made of chapter 1 *known* anew and of *added*, while a person edited chapter 1."""
    path = home / "minds/ada/STORY.md"
    first = chapter("Ann and hers adopted a dog, and I learned his name: Pascal.")
    revised = {"number": 1, "title": "Pascal", "text": f"{first['append'][0]['text']} {known}"}
    appended = {"at": "2026-03-01 09:00", "title": "In March", "text": added}
    later = {"at": "2026-03-01 09:00", "title": "What was left", "text": known}
    answers = [first, {"append": [appended], "revise": [revised]}, {"append": [later], "revise": []}]

    def answer(_):
        if len(answers) == 2:
            path.write_text(path.read_text().replace("adopted a dog", "adopted a small brown dog"))
        return answers.pop(0)

    def by_hand(settings):
        return settings.model_copy(update={"story": settings.story.model_copy(update={"threshold_tokens": 0})})

    with ScriptedProvider(respond=answer) as model:
        narrative = {"model": "openai/scripted", "api_base": model.url, "api_key": "k"}
        async with running(home, settings=by_hand(telling(home, models={"narrative": narrative}))) as service:

            async def run():
                asked = {"trigger": "manual", "wait": True}
                return (await service.http.post("/v1/minds/ada/consolidation", json=asked)).json()

            await keep_talk(service, TALK[2:])
            await run()
            await keep_talk(service, [("2026-03-01T09:00:00Z", "Pascal swims in the lake every morning.")])
            await keep_talk(service, [("2026-03-01T09:01:00Z", "My brother Otto moved to Oslo.")])
            ran = await run()
            between = path.read_text()
            if ran["pending_turns"]:
                await run()
    return ran, between, path.read_text()


async def test_a_person_who_edits_a_chapter_that_is_told_anew_keeps_it_and_the_new_chapter_is_written(tmp_path):
    """Broken: the whole batch fails, and what the model was paid for is lost."""
    swims, moved = "Pascal swims in the lake every morning, Ann told me.", "Her brother Otto moved to Oslo."
    ran, story, _ = await revised_while_edited(tmp_path, swims, f"{swims} {moved}")

    assert (ran["last_run"]["error"], ran["last_run"]["told"], ran["pending_turns"]) == (None, 2, 0)
    assert "adopted a small brown dog" in story and "### [2026-03-01 09:00] In March" in story
    assert story.count("Pascal swims in the lake") == story.count("Otto") == 1


async def test_what_only_the_dropped_revision_told_is_told_by_the_next_run(tmp_path):
    """Broken: the turns of a revision that gave way to an edit count as told."""
    ran, between, story = await revised_while_edited(
        tmp_path, "Pascal swims in the lake every morning, Ann told me.", "Ann told me that her brother Otto moved."
    )

    assert (ran["last_run"]["error"], ran["pending_turns"]) == (None, 1)
    assert "lake" not in between and "Otto" in between
    assert story.count("Pascal swims in the lake") == 1 and "adopted a small brown dog" in story
