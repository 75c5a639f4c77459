"""
What people put right goes into the story: chapters that tell it are told again without it, and a person's own stay.

Every docstring says what was broken, once, to see the test fail.
"""

import json

import pytest

from tests.support.service import running, settings_of
from tests.support.waiting import GIVE_UP, eventually
from tests.twins.provider import ScriptedProvider

pytestmark = pytest.mark.anyio

LYON, CATS = "My mother Ingrid lives in Lyon.", "My two cats Minka and Tom sleep in the wardrobe."
CHOIR = "Our choir sings Verdi in the cathedral this winter."


def said(content, at):
    return {"role": "user", "content": content, "timestamp": at}


async def told(service):
    """Two days, each of them a chapter of the story."""
    talk = ((LYON, "2026-01-09T18:30:00Z"), (CATS, "2026-01-09T18:40:00Z"), (CHOIR, "2026-01-11T08:00:00Z"))
    for number, (content, at) in enumerate(talk):
        await service.keep("ada", said(content, at), session_id=f"s{number}", turn_id=f"t{number}")
    await service.digested("ada")
    answer = await service.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True})
    assert answer.status_code == 200, answer.text
    return await story_of(service)


async def story_of(service):
    return (await service.http.get("/v1/minds/ada/story")).json()["text"]


async def until(service, is_so):
    return await eventually(lambda: story_of(service), is_so)


async def correct(service, what, text=LYON, **more):
    body = {"what": what, "target": {"kind": "fact", "text": text}} | more
    answer = await service.http.post("/v1/minds/ada/corrections", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def test_what_is_wrong_is_not_told_any_more_and_the_rest_is(tmp_path):
    """Broken: the story is not looked through; the narrator is handed the turns as they were."""
    async with running(tmp_path) as service:
        before = await told(service)
        await correct(service, "wrong")
        after = await until(service, lambda text: "Lyon" not in text and "wardrobe" in text)
        status = await service.status("ada")

    assert "Lyon" in before
    assert "cathedral" in after
    assert after.count("wardrobe") == before.count("wardrobe")
    assert status["story"]["pending_turns"] == 0


async def test_an_edit_is_told_in_its_place_and_taken_back_again(tmp_path):
    """Broken: an edit is not handed to the narrator; an undo does not look for the chapter."""
    async with running(tmp_path) as service:
        await told(service)
        made = await correct(service, "edit", to="Ingrid lives in Porto.")
        edited = await until(service, lambda text: "Porto" in text)
        sources = (await service.http.get("/v1/minds/ada/story/sources")).json()
        await service.http.delete(f"/v1/minds/ada/corrections/{made['id']}")
        after = await until(service, lambda text: "Porto" not in text and "Lyon" in text)

    assert "Lyon" not in edited
    assert "wardrobe" in after
    states = [one["state"] for chapter in sources["chapters"] for one in chapter["sentences"] if "Porto" in one["text"]]
    assert states
    assert "in_no_turn" not in states


@pytest.mark.parametrize("is_told_by_model", [False, True])
async def test_an_edit_in_the_first_person_is_of_the_person_who_has_no_name(tmp_path, is_told_by_model):
    """Broken: what nobody is named as the teller of is handed to the narrator as a thought of its own."""
    pills, more = "Ich nehme jeden Morgen 5 mg Ramipril.", "Ich nehme jeden Morgen 10 mg Ramipril."
    with ScriptedProvider(respond=lambda _: {}) as model:
        models = {"narrative": {"model": "openai/m", "api_base": model.url, "api_key": "k"}} if is_told_by_model else {}
        async with running(tmp_path, settings=settings_of(tmp_path, models=models)) as service:
            await service.keep("ada", said(pills, "2026-01-09T18:30:00Z"), turn_id="t0")
            await service.digested("ada")
            await correct(service, "edit", text=pills, to=more)
            await service.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True})
            text = await story_of(service)

    assert is_told_by_model or f"Man erzählte mir: „{more}“" in text
    assert all('role="thought"' not in one.words for one in model.chats)
    assert not is_told_by_model or any(f'role="user">\n{more}' in one.words for one in model.chats)


async def test_what_was_decided_before_it_was_told_is_never_told(tmp_path):
    """Broken: only chapters that stand are looked at."""
    async with running(tmp_path) as service:
        await service.keep("ada", said(f"{LYON} {CATS}", "2026-01-09T18:30:00Z"), turn_id="t0")
        await service.digested("ada")
        await correct(service, "mute")
        await service.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True})
        text = await story_of(service)

    assert "wardrobe" in text
    assert "Lyon" not in text


async def test_whoever_is_muted_is_not_told_of_and_comes_back_when_that_is_taken_back(tmp_path):
    """Broken: the story follows decisions about facts and turns alone; the narrator is handed sentences that name her."""
    muted = {"kind": "entity", "text": "Ingrid"}
    async with running(tmp_path) as service:
        before = await told(service)
        made = await correct(service, "mute", target=muted)
        without = await until(service, lambda text: "Ingrid" not in text and "wardrobe" in text)
        stable = (await service.resonate("ada", "Hello there")).json()["stable"]["text"]
        await service.keep("ada", said("Ingrid bought a piano. We sang all evening.", "2026-01-12T08:00:00Z"))
        await service.digested("ada")
        await service.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True})
        later = await story_of(service)
        await service.http.delete(f"/v1/minds/ada/corrections/{made['id']}")
        after = await until(service, lambda text: "Lyon" in text and "piano" in text)

    assert "Ingrid" in before
    assert "cathedral" in without
    assert "Ingrid" not in stable
    assert "piano" not in later
    assert "sang all evening" in later
    assert "wardrobe" in after


async def test_whoever_is_merged_with_a_muted_name_is_not_told_of_either(tmp_path):
    """Broken: the story follows neither a merge nor a merge that is taken back."""
    async with running(tmp_path) as service:
        await told(service)
        await correct(service, "mute", target={"kind": "entity", "text": "Minka"})
        await until(service, lambda text: "Minka" not in text and "Ingrid" in text)
        merged = await correct(service, "merge", target={"kind": "entity", "text": "Ingrid"}, to="Minka")
        without = await until(service, lambda text: "Ingrid" not in text and "cathedral" in text)
        await service.http.delete(f"/v1/minds/ada/corrections/{merged['id']}")
        after = await until(service, lambda text: "Ingrid" in text)

    assert "Lyon" not in without
    assert "Minka" not in after


async def test_a_chapter_that_a_person_edited_stays(tmp_path):
    """Broken: every chapter that tells it goes."""
    async with running(tmp_path) as service:
        text = await told(service)
        etag = (await service.http.get("/v1/minds/ada/story")).headers["etag"]
        mine = text.replace(LYON, f"{LYON} I like that town.")
        edit = await service.http.put("/v1/minds/ada/story", json={"text": mine}, headers={"If-Match": etag})
        assert edit.status_code == 200, edit.text
        await correct(service, "wrong")
        await service.memory.background.drain("ada", seconds=GIVE_UP)
        after = await story_of(service)

    assert "I like that town." in after


async def test_a_correction_whose_story_a_kill_left_behind_is_told_at_the_next_start(tmp_path):
    """Broken: the ledger does not say up to which line the story follows."""
    async with running(tmp_path) as service:
        await told(service)
        inside = service.memory.minds.gate.enter("ada")
        inside.__enter__()  # never left: the mind does not rest, as after a kill
    line = {
        "id": "c1", "at": "2026-01-12T09:00:00Z", "by": "owner", "what": "wrong",
        "target": {"kind": "fact", "text": LYON, "turn_ids": ["t0"]},
    }  # fmt: skip
    (tmp_path / "minds/ada/corrections.jsonl").write_text(json.dumps(line) + "\n")
    async with running(tmp_path) as service:
        after = await until(service, lambda text: "Lyon" not in text and "wardrobe" in text)

    assert "cathedral" in after


async def test_a_name_that_was_muted_before_the_story_followed_mutes_goes_out_at_the_next_start(tmp_path):
    """Broken: the ledger says that the story follows the last line, and nobody looks again."""
    async with running(tmp_path) as service:
        await told(service)
        inside = service.memory.minds.gate.enter("ada")
        inside.__enter__()  # never left: the mind does not rest, as after a kill
        ledger = service.memory.minds.get("ada").workspace.published
    line = {
        "id": "c1", "at": "2026-01-12T09:00:00Z", "by": "owner", "what": "mute",
        "target": {"kind": "entity", "text": "Ingrid", "turn_ids": []},
    }  # fmt: skip
    (tmp_path / "minds/ada/corrections.jsonl").write_text(json.dumps(line) + "\n")
    known = json.loads(ledger.read_text())
    known.pop("follows_mutes")
    ledger.write_text(json.dumps({**known, "put_right": "c1"}))
    async with running(tmp_path) as service:
        after = await until(service, lambda text: "Ingrid" not in text and "wardrobe" in text)

    assert "cathedral" in after


def looking_back(request):
    """A chapter a day; the later one looks back on the earlier one while the story has that."""
    before, _, turns = request["messages"][0]["content"].rpartition("</story>")
    chapters = []
    if "painted the fence" in turns:
        mother = "They told me that their mother Ingrid lives in Lyon. " if LYON in turns else ""
        chapters.append(
            {"at": "2026-01-09 18:30", "title": "The fence", "text": f"{mother}They painted the fence green."}
        )
    if "phoned again" in turns:
        recap = " I thought of how Ingrid lives in Lyon, as they had told me." if "Lyon" in before else ""
        text = f"She phoned again and told of her garden.{recap}"
        chapters.append({"at": "2026-01-11 08:00", "title": "A call", "text": text})
    return {"append": chapters, "revise": []}


@pytest.mark.parametrize("what", ["wrong", "edit", "mute", "mute her"])
async def test_a_later_chapter_that_looks_back_is_told_again_too(tmp_path, what):
    """Broken: only chapters that narrate the very turns are looked at."""
    with ScriptedProvider(respond=looking_back) as model:
        narrative = {"model": "openai/scripted", "api_base": model.url, "api_key": "k"}
        async with running(tmp_path, settings=settings_of(tmp_path, models={"narrative": narrative})) as service:
            for number, (one, at) in enumerate(
                [(f"{LYON} We painted the fence green.", "2026-01-09T18:30:00Z"),
                 ("She phoned again and told me about her garden.", "2026-01-11T08:00:00Z")]
            ):  # fmt: skip
                await service.keep("ada", said(one, at), session_id=f"s{number}", turn_id=f"t{number}")
                await service.digested("ada")
                await service.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True})
            before = await story_of(service)
            more = {"to": "Ingrid lives in Porto."} if what == "edit" else {}
            if what == "mute her":
                await correct(service, "mute", target={"kind": "entity", "text": "Ingrid"})
            else:
                await correct(service, what, **more)
            after = await until(service, lambda text: "Lyon" not in text and "garden" in text)
            stable = (await service.resonate("ada", "Hello there")).json()["stable"]["text"]

    assert before.count("Lyon") == 2
    assert "fence" in after
    assert "Lyon" not in stable
