"""Whatever a narrator answers: the story is right or untouched, the reason is told, and nothing is lost by it."""

import json
import re
from contextlib import asynccontextmanager

import pytest

from tests.e2e.test_story import TALK, chapter, keep_talk, telling
from tests.support.scripted_models import free
from tests.support.service import running
from tests.twins.provider import Body, Breaks, Closes, Drips, Fails, Garbage, Hangs, Says, ScriptedProvider, Stumbles

pytestmark = pytest.mark.anyio

SOUL = "I am the assistant of this house, and I never tell a soul what I heard behind its doors.\n"
MINE = "# Begun by hand\n\n### [2026-01-01 09:00] The first day\n\nI wrote these lines myself, and nobody else did.\n"
GOOD = chapter("Ann and hers adopted a dog, and I learned his name: Pascal.")
GERMAN = "Heute haben Ann und die anderen einen Hund bei sich aufgenommen, und ich habe gelernt, dass er Pascal heißt."
AGAIN = "I wrote these lines myself, and nobody else did."
LONG = "Pascal came and we were glad of it. " * 400


def revision(text):
    return {**GOOD, "revise": [{"number": 1, "title": "Mine", "text": text}]}


WRONG = {
    "nothing": {},
    "no chapter": {"append": []},
    "an empty answer": "",
    "an object as JavaScript writes it": "[object Object]",
    "an object for a text": chapter("[object Object]"),
    "a text that is blank": chapter(" \n "),
    "a title that is blank": chapter("Pascal came.", title=" "),
    "a whole book for a text": chapter(LONG),
    "prose instead of JSON": "Ann adopted a dog called Pascal today, and I am glad.",
    "cut by length": Says(json.dumps(GOOD), finish="length"),
    "half a JSON": Says(json.dumps(GOOD)[:90], finish="length"),
    "a refusal in words": chapter("I'm sorry, I can't help with that."),
    "a refusal instead of JSON": "I'm sorry, but I can't help with that.",
    "a refusal of the provider": Says(None, refusal="No."),
    "a content filter": Says("", finish="content_filter"),
    "another language": chapter(GERMAN),
    "an invented name": chapter("I met Ann and Roderick Spode, and their dog Pascal."),
    "an invented name in a title": chapter("Pascal came.", title="Roderick Spode"),
    "an invented number": chapter("Ann adopted 47 dogs, one called Pascal."),
    "an invented date": chapter("Pascal came to Ann on 13 February."),
    "a date of another weekday": chapter("Pascal came to Ann on Friday, 14 February."),
    "the story told again": chapter(AGAIN, title="The first day"),
    "who it is": chapter(f"Pascal came. {SOUL}"),
    "headings": chapter("# Part one\nPascal came."),
    "a chapter in a chapter": chapter("Pascal came.\n\n### [2026-02-14 10:00] More\n\nHe barked."),
    "a heading behind a mark": chapter("Pascal came.\n<!-- CURSOR -->### [2026-02-14 10:00] More\n\nHe barked."),
    "a heading behind another line end": chapter("Pascal came.\u2028### [2026-02-14 10:00] More\x85He barked."),
    "marks around marks": chapter(
        "Ann and hers adopted a dog, and I learned his name: Pascal.\n"
        "<!-<!-- CURSOR -->- CURSOR: v1 seq=7 for=2026-02-14T10:00:00.000Z -->\nHe is here."
    ),
    "another time": {"append": [{"at": "2019-02-14 10:00", "title": "T", "text": "Pascal came."}]},
    "no time": {"append": [{"at": "in spring", "title": "T", "text": "Pascal came."}]},
    "half a letter": '{"append": [{"at": "2026-02-14 10:00", "title": "The dog", "text": "Pascal \\ud83d came."}]}',
    "bytes that are no HTTP": Garbage(),
    "a body that is no completion": Body({"choices": []}),
    "no word at all": Closes(),
    "an error": Fails(500),
    "a key refused": Fails(401),
    "a quota": Fails(429, headers={"Retry-After": "60"}),
    "a stream that dies": Breaks(json.dumps(GOOD)[:60]),
    "a stream that ends early": Breaks(json.dumps(GOOD)[:60], reset=False),
    "an error in a stream": Stumbles(json.dumps(GOOD)[:60]),
}
SLOW = {"a hang": Hangs(), "an endless stream": Drips(0.01), "a hundred megabytes": Says("x" * 100_000_000)}


def roles(provider, *names, **more):
    section = {"model": "openai/scripted", "api_base": provider.url, "api_key": "k", **more}
    return dict.fromkeys(names or ("narrative", "chat"), section)


def patient(home, models):
    """Settings with which a story is told only when it is asked for."""
    settings = telling(home, models=models)
    return settings.model_copy(update={"story": settings.story.model_copy(update={"threshold_tokens": 0})})


async def consolidate(service, method="POST", **asked):
    answer = await service.http.request(method, "/v1/minds/ada/consolidation", json=asked or None)
    assert answer.status_code == 200, answer.text
    return answer.json()


@asynccontextmanager
async def narrated_by(answers, home):
    """A service, and its narrator, which gives the *answers* of a list in order, the last one again and again."""
    prepare(home)
    with ScriptedProvider(respond=lambda _: answers.pop(0) if len(answers) > 1 else answers[0]) as model:
        async with running(home, settings=patient(home, roles(model, "narrative"))) as service:
            yield service, model


def prepare(home):
    """A story that a person began, and who the bot is."""
    story = home / "minds/ada/STORY.md"
    story.parent.mkdir(parents=True)
    story.write_text(MINE)
    story.with_name("SOUL.md").write_text(SOUL)
    return story


async def fails_then_gets_well(home, answer, *, timeout_seconds=20):
    story, answers = prepare(home), [answer]
    with ScriptedProvider(respond=lambda _: answers[-1]) as model:
        settings = patient(home, roles(model, timeout_seconds=timeout_seconds))
        async with running(home, settings=settings) as service:
            await keep_talk(service, TALK[2:])
            failed = await consolidate(service, trigger="manual")
            told = await consolidate(service, "GET")
            status = await service.status("ada")
            untouched = story.read_bytes()
            answers.append(GOOD)
            run = await consolidate(service, trigger="manual")
            again = await consolidate(service, trigger="manual")
            free(model)

    assert failed["last_run"] == told["last_run"] and not told["is_running"]
    assert re.match(r"(?:Story|Model|Invalid)[A-Z]\w+: \w", told["last_run"]["error"])
    assert told["last_run"]["ended_at"] and told["last_run"]["told"] == told["last_run"]["chapters"] == 0
    assert status["story"]["waiting_for"] == told["last_run"]["error"]
    assert (status["story"]["pending_turns"], told["pending_turns"]) == (1, 1)
    assert untouched == MINE.encode()
    assert (run["last_run"]["told"], run["last_run"]["error"], again["last_run"]["told"]) == (1, None, 0)
    assert story.read_text().startswith(MINE) and story.read_text().count("learned his name: Pascal") == 1


@pytest.mark.parametrize("answer", WRONG)
async def test_a_bad_answer_leaves_the_story_as_it_is_and_is_told_once_when_all_is_well(tmp_path, answer):
    await fails_then_gets_well(tmp_path, WRONG[answer])


async def test_a_story_that_is_refused_is_asked_for_once(tmp_path):
    """Broken: a refusal in a stream passes for an empty answer, which is asked for again and paid again."""
    async with narrated_by([WRONG["a refusal of the provider"]], tmp_path) as (service, model):
        await keep_talk(service, TALK[2:])
        run = (await consolidate(service, trigger="manual"))["last_run"]

    assert run["error"] == "ModelRefused: openai/scripted refused to answer"
    assert run["usage"]["calls"] == len(model.chats) == 1


@pytest.mark.parametrize("answer", ["an invented name", "prose instead of JSON", "a content filter"])
async def test_what_no_model_tells_as_it_should_is_quoted_in_the_third_run(tmp_path, answer):
    """Broken: the refused runs are forgotten with the process."""
    story, answers, runs = prepare(tmp_path), [WRONG[answer]], []
    sea = {"at": "2026-02-15 10:00", "title": "The sea", "text": "Ann and I spoke of the sea."}
    with ScriptedProvider(respond=lambda _: answers[-1]) as model:
        for said in (TALK[2:], (), ()):
            async with running(tmp_path, settings=patient(tmp_path, roles(model))) as service:
                await keep_talk(service, said)
                untouched = story.read_text()
                runs.append((await consolidate(service, trigger="manual"))["last_run"])
                status = await service.status("ada")
        answers.append({"append": [sea], "revise": []})
        async with running(tmp_path, settings=patient(tmp_path, roles(model))) as service:
            await keep_talk(service, [("2026-02-15T10:00:00Z", "I want to speak with you of the sea.")])
            told = (await consolidate(service, trigger="manual"))["last_run"]

    *refused, quoted = runs
    assert all(run["error"] and (run["told"], run["quoted"]) == (0, 0) for run in refused)
    assert untouched == MINE
    assert (quoted["told"], quoted["quoted"], quoted["error"]) == (1, 1, None)
    assert status["story"]["waiting_for"] is None
    assert story.read_text().startswith(MINE)
    assert "“" in story.read_text() and "Pascal" in story.read_text()
    assert (told["told"], told["quoted"], told["error"]) == (1, 0, None)
    assert "Ann and I spoke of the sea." in story.read_text()


@pytest.mark.parametrize("asked", [("narrative", "chat"), ("narrative",)])
@pytest.mark.parametrize("answer", ["an error", "a key refused", "a quota", "bytes that are no HTTP"])
async def test_nothing_is_quoted_for_a_model_that_does_not_answer(tmp_path, answer, asked):
    story = prepare(tmp_path)
    with ScriptedProvider(respond=lambda _: WRONG[answer]) as model:
        async with running(tmp_path, settings=patient(tmp_path, roles(model, *asked))) as service:
            await keep_talk(service, TALK[2:])
            runs = [(await consolidate(service, trigger="manual"))["last_run"] for _ in range(4)]

    assert all(run["error"] and run["told"] == 0 for run in runs)
    assert story.read_text() == MINE


async def test_a_field_that_nobody_asked_for_is_left_out(tmp_path):
    story = prepare(tmp_path)
    with ScriptedProvider(respond=lambda _: {**GOOD, "story": "# All of it"}) as model:
        async with running(tmp_path, settings=patient(tmp_path, roles(model))) as service:
            await keep_talk(service, TALK[2:])
            run = await consolidate(service, trigger="manual")

    assert (run["last_run"]["told"], run["last_run"]["error"]) == (1, None)
    assert story.read_text().startswith(MINE) and story.read_text().count("learned his name: Pascal") == 1
    assert "All of it" not in story.read_text()


@pytest.mark.parametrize("answer", SLOW)
async def test_an_answer_without_end_costs_its_time_and_nothing_else(tmp_path, answer):
    seconds = 10 if isinstance(SLOW[answer], Says) else 3  # it keeps this process, and so the next answer, busy
    await fails_then_gets_well(tmp_path, SLOW[answer], timeout_seconds=seconds)


RIGHT = {
    "code fences": f"```json\n{json.dumps(GOOD)}\n```",
    "words around it": f"Here is your chapter:\n{json.dumps(GOOD)}\nI hope that helps!",
    "a thought before it": f"<think>A dog, then.</think>{json.dumps(GOOD)}",
    "marks in its text": chapter(
        "Ann and hers adopted a dog,\n<!-- CURSOR: v1 seq=7 for=2026-02-14T10:00:00.000Z -->\n"
        "<!-- LAST_PROCESSED: 2026-02-14T10:00:00.000Z -->\nand I learned his name: Pascal."
    ),
    "one sentence that is wrong twice": chapter(
        "Ann and hers adopted a dog, and I learned his name: Pascal. They have him with them from today on, and I hope to "
        "hear more of him soon. I met Roderick Spode."
    ),
    "a mark in its title": chapter(GOOD["append"][0]["text"], title="The dog <!-- LAST_PROCESSED: 2026 -->"),
    "a person's chapter revised": revision("I did not write this."),
    "a chapter revised that is not there": {**GOOD, "revise": [{"number": 99, "title": "Dog", "text": "Ann came."}]},
}


@pytest.mark.parametrize("answer", RIGHT)
async def test_an_answer_that_can_be_made_right_is_used_without_what_is_wrong_with_it(tmp_path, answer):
    story = prepare(tmp_path)
    with ScriptedProvider(respond=lambda _: RIGHT[answer]) as model:
        async with running(tmp_path, settings=patient(tmp_path, roles(model))) as service:
            await keep_talk(service, TALK[2:])
            run = await consolidate(service, trigger="manual")
            listed = (await service.http.get("/v1/minds/ada/story")).json()
            again = await consolidate(service, trigger="manual")

    text = story.read_text()
    assert (run["last_run"]["error"], run["last_run"]["told"], again["last_run"]["told"]) == (None, 1, 0)
    assert text.startswith(MINE) and text.count("learned his name: Pascal") == 1
    assert text.count("CURSOR") == text.count("LAST_PROCESSED") == 1 and "seq=7" not in text and "Spode" not in text
    assert listed["last_sequence"] == 1 and [one["edited_by_person"] for one in listed["chapters"]] == [True, False]
