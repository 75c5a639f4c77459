"""What a narrator reads and who is asked after it; and that nobody can say a word that stops a story."""

import pytest

from tests.e2e.test_bad_narrators import GOOD, MINE, SOUL, consolidate, patient, prepare, roles
from tests.e2e.test_story import TALK, chapter, keep_talk
from tests.support.service import running
from tests.twins.provider import ScriptedProvider

pytestmark = pytest.mark.anyio


async def test_the_second_answer_asked_for_with_the_reason_is_used(tmp_path):
    prepare(tmp_path)
    answers = [chapter("I met Ann and Roderick Spode."), GOOD]
    with ScriptedProvider(respond=lambda body: answers.pop(0) if is_story(body) else {}) as model:
        async with running(tmp_path, settings=patient(tmp_path, roles(model))) as service:
            await keep_talk(service, TALK[2:])
            run = await consolidate(service, trigger="manual")
    first, second = [one.words for one in model.chats if is_story(one.body)]

    assert run["last_run"]["error"] is None and run["last_run"]["usage"]["calls"] == 2
    assert "could not be used" not in first and "Roderick Spode' does not occur" in second


async def test_a_story_is_told_in_the_language_of_the_person_and_not_in_that_of_a_wordy_bot(tmp_path):
    """Broken: the language is that of all that was said. The English chapter of a weak model is kept."""
    told = (
        "Meine Schwester zieht im Mai nach Lyon.",
        "That sounds like an exciting change! Lyon is a wonderful city with great food, and I am sure she loves it there.",
    )
    german = chapter("Ich hörte heute, dass die Schwester im Mai nach Lyon zieht, und habe mich mit allen gefreut.")
    english = chapter("I heard today that a sister moves to Lyon in May, and I was glad for all of them together.")
    answers = [english, german]
    with ScriptedProvider(respond=lambda body: answers.pop(0) if is_story(body) else {}) as model:
        async with running(tmp_path, settings=patient(tmp_path, roles(model, "narrative"))) as service:
            await service.keep("ada", *told)
            for one in answers:
                one["append"][0]["at"] = f"{service.memory.clock.now():%Y-%m-%d %H:%M}"
            run = await consolidate(service, trigger="manual")
            story = (await service.http.get("/v1/minds/ada/story", headers={"Accept": "text/markdown"})).text

    assert run["last_run"]["error"] is None and "Ich hörte heute" in story and "I heard today" not in story
    assert "`de`" in model.chats[0].words


@pytest.mark.parametrize("said", ["Mine is on August 19.", "We got married in Porto.", "Me casé en Oporto en mayo."])
async def test_what_a_person_says_of_themselves_is_never_told_as_the_bots_own(tmp_path, said):
    """Broken: "mine" and "we" of another stand in the story as the bot's."""
    prepare(tmp_path)
    bare, quoted = chapter(f"Ann wants a dog. {said}"), chapter(f"Ann wants a dog. Ann told me: “{said}”")
    answers = [bare, quoted]
    with ScriptedProvider(respond=lambda body: answers.pop(0) if is_story(body) else {}) as model:
        async with running(tmp_path, settings=patient(tmp_path, roles(model, "narrative"))) as service:
            await keep_talk(service, [("2026-02-14T10:00:00Z", "I want a dog."), ("2026-02-14T10:01:00Z", said)])
            run = (await consolidate(service, trigger="manual"))["last_run"]
            story = (await service.http.get("/v1/minds/ada/story", headers={"Accept": "text/markdown"})).text

    assert (run["error"], len(run["refused"])) == (None, 1) and "another said of themselves" in run["refused"][0]
    assert f"Ann told me: “{said}”" in story and f"dog. {said}" not in story


async def test_the_chat_model_is_asked_where_the_narrator_does_not_help(tmp_path):
    story = prepare(tmp_path)
    with (
        ScriptedProvider(respond=lambda _: chapter("I met Roderick Spode.")) as bad,
        ScriptedProvider(respond=lambda body: GOOD if is_story(body) else {}) as good,
    ):
        models = {**roles(bad, "narrative"), **roles(good, "chat")}
        async with running(tmp_path, settings=patient(tmp_path, models)) as service:
            await keep_talk(service, TALK[2:])
            run = await consolidate(service, trigger="manual")

    assert run["last_run"]["error"] is None and story.read_text().count("learned his name: Pascal") == 1
    assert len(bad.chats) == 2 and sum(is_story(one.body) for one in good.chats) == 1


async def test_the_narrator_reads_a_minds_own_prompt_its_soul_and_its_story_with_what_may_be_revised(tmp_path):
    story = prepare(tmp_path)
    own = story.with_name("prompts") / "story_next.md"
    own.parent.mkdir()
    own.write_text(
        "My own narrator, {{ agent }}: {{ soul }}|{% for one in chapters %}{{ one.number }} {{ one.text }}{% endfor %}|"
        "{% for turn in batch %}{{ turn.when }}{% for one in turn.said %} {{ one.known_as }}: {{ one.content }}{% endfor %}{% endfor %}|{{ language }}|{{ reason }}"
    )
    with ScriptedProvider(respond=lambda _: GOOD) as model:
        async with running(tmp_path, settings=patient(tmp_path, roles(model, "narrative"))) as service:
            await keep_talk(service, TALK[2:])
            await consolidate(service, trigger="manual")
            own.unlink()
            await keep_talk(service, TALK[:1])
            await consolidate(service, trigger="manual")
    first, second = model.chats[0].words, model.chats[1].words

    assert first.startswith("My own narrator, the assistant: I am the assistant of this house")
    assert f"0 {MINE.partition('hand')[2].strip()}" in first and f"2026-02-14 10:00 Ann: {TALK[2][1]}" in first
    assert SOUL.strip() in second and "(1) ### [2026-02-14 10:00] The dog" in second and TALK[0][1] in second
    assert "(1) ### [2026-01-01 09:00]" not in second and "The first day" in second


async def test_no_narrator_reads_the_mark_that_an_editor_puts_before_a_file_and_it_stays_there(tmp_path):
    """Broken: the story's opening, the persona and a mind's own prompt are read with a sign that nobody sees."""
    story = prepare(tmp_path)
    own = story.with_name("prompts") / "story_next.md"
    own.parent.mkdir()
    own.write_text("\ufeffMy own narrator: {{ soul }}|{{ opening }}|")
    marked = [story, story.with_name("SOUL.md")]
    for file in marked:
        file.write_text(f"\ufeff{file.read_text()}")
    with ScriptedProvider(respond=lambda _: GOOD) as model:
        async with running(tmp_path, settings=patient(tmp_path, roles(model, "narrative"))) as service:
            await keep_talk(service, TALK[2:])
            run = await consolidate(service, trigger="manual")

    assert run["last_run"]["told"] == 1
    assert model.chats[0].words.startswith("My own narrator: I am the assistant of this house")
    assert "\ufeff" not in model.chats[0].words
    assert all(file.read_text().startswith("\ufeff") for file in marked)


async def test_a_prompt_of_a_persons_that_can_not_be_filled_gives_way_to_ours(tmp_path):
    story = prepare(tmp_path)
    own = story.with_name("prompts") / "story_next.md"
    own.parent.mkdir()
    own.write_text("{{ nobody_gives_this }}")
    with ScriptedProvider(respond=lambda _: GOOD) as model:
        async with running(tmp_path, settings=patient(tmp_path, roles(model, "narrative"))) as service:
            await keep_talk(service, TALK[2:])
            run = await consolidate(service, trigger="manual")

    assert "and you go on with your own life story" in model.chats[0].words
    assert (
        run["last_run"]["error"] is None
        and run["last_run"]["told"] == 1
        and story.read_text().count("learned his name: Pascal") == 1
    )


def is_story(body):
    return "own life story" in body["messages"][0]["content"]


QUOTED = {
    "a heading with a colon": ("Here it is:\n# Plan: I moved to Lyon with my mother Ines last week.", ""),
    "who the bot is": (f"You said to me: {SOUL}", SOUL),
    "a line that begins with a colon": ("x\n : I was there and they were with me and it was all so very much", ""),
    "half a mark": ("I moved to Lyon. <!-- CURSOR: v1 seq=9\n for=x -->", ""),
}


@pytest.mark.parametrize("said", QUOTED)
async def test_nothing_that_is_said_stops_a_story_that_only_quotes(tmp_path, said):
    prepare(tmp_path).with_name("SOUL.md").write_text(QUOTED[said][1])
    async with running(tmp_path) as service:
        await service.keep("ada", QUOTED[said][0])
        await keep_talk(service, TALK[2:])
        run = await consolidate(service, trigger="manual")

    assert (run["last_run"]["error"], run["pending_turns"]) == (None, 0)


DAYS = (
    ("2026-02-14T10:00:00Z", "Meine Schwester Lena zieht im Mai mit ihrem Hund nach Lyon, und wir helfen ihr dabei."),
    ("2026-02-15T10:00:00Z", "Mi madre se llama Rocío y vive en Sevilla, tiene 78 años y un jardín muy grande."),
    ("2026-02-16T10:00:00Z", "Gestern haben wir die alte Küche verkauft und eine neue bei Brandt in Köln bestellt."),
)


def german(*texts):
    days = zip(DAYS, texts, strict=True)
    chapters = ({"at": at[:16].replace("T", " "), "title": f"Tag {at[8:10]}", "text": text} for (at, _), text in days)
    return {"append": list(chapters), "revise": []}


async def runs_of(home, answer, *, times):
    prepare(home)
    with ScriptedProvider(respond=lambda body: answer if is_story(body) else {}) as model:
        async with running(home, settings=patient(home, roles(model, "narrative"))) as service:
            await keep_talk(service, DAYS)
            runs = [(await consolidate(service, trigger="manual"))["last_run"] for _ in range(times)]
            listed = (await service.http.get("/v1/minds/ada/story")).json()["chapters"]
            story = (await service.http.get("/v1/minds/ada/story", headers={"Accept": "text/markdown"})).text
    return runs, story, listed


async def test_a_quotation_in_another_language_is_not_held_against_a_chapter(tmp_path):
    """Broken: the words between quotation marks count for the language; the chapter is refused, and its whole batch."""
    answer = german(*(f"Der Mensch sagte: „{said}“" for _, said in DAYS))
    [run], story, _ = await runs_of(tmp_path, answer, times=1)

    assert (run["error"], run["told"], run["quoted"], run["refused"]) == (None, 3, 0, [])
    assert f"„{DAYS[1][1]}“" in story


async def test_only_what_the_model_could_not_tell_is_quoted_in_the_language_of_the_story(tmp_path):
    """Broken: one chapter at fault has the whole batch quoted, and the lead of a quotation in the language refused."""
    answer = german(
        "Ich hörte, dass Lena im Mai mit ihrem Hund nach Lyon zieht.",
        "I heard that there is a mother who lives in Sevilla, and she has a garden and is 78 years old by now.",
        "Ich erfuhr, dass in Köln bei Brandt eine neue Küche bestellt ist.",
    )
    runs, story, chapters = await runs_of(tmp_path, answer, times=4)

    assert [(one["told"], one["quoted"], one["error"] is None) for one in runs] == [
        (0, 0, False), (0, 0, False), (3, 1, True), (0, 0, True),
    ]  # fmt: skip
    assert len(chapters) == 4  # with the person's own
    assert "Ich hörte, dass Lena" in story and "Ich erfuhr, dass in Köln" in story and "I heard that" not in story
    assert f"Ann erzählte mir: „{DAYS[1][1]}“" in story and story.count("erzählte mir") == 1
    assert [story.index(one) for one in ("Lena", "Rocío", "Brandt")] == sorted(
        story.index(one) for one in ("Lena", "Rocío", "Brandt")
    )
