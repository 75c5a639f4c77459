"""Where the story's sentences come from, over HTTP: states and spans, a person's edit, an erasure, a garbled file."""

import json

import pytest

from tests.e2e.test_story import TALK, chapter, keep_talk
from tests.support.service import running, settings_of
from tests.twins.provider import ScriptedProvider

pytestmark = pytest.mark.anyio

PATH = "/v1/minds/ada/story"


async def story_of(service):
    return (await service.http.get(PATH)).json()


async def sources_of(service, **query):
    answer = await service.http.get(f"{PATH}/sources", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def tell(service, **more):
    await keep_talk(service, **more)
    run = (await service.http.post("/v1/minds/ada/consolidation", json={})).json()
    assert run["last_run"]["error"] is None
    return run


async def fidelity_of(service):
    await service.memory.background.drain("ada", seconds=60)
    return (await story_of(service))["fidelity"]


def sentences_of(found):
    return [sentence for chapter in found["chapters"] for sentence in chapter["sentences"]]


async def test_what_is_quoted_comes_from_the_turns_that_said_it(tmp_path):
    async with running(tmp_path) as service:
        await tell(service)
        found, story = await sources_of(service), await story_of(service)
        fidelity = await fidelity_of(service)

    spans = [(one["start"], one["end"], one["text"]) for one in sentences_of(found)]
    assert all(story["text"][start:end] == text for start, end, text in spans)
    assert [one["state"] for one in sentences_of(found)] == ["quoted", "quoted"]
    assert [[turn["sequence"] for turn in one["turns"]] for one in sentences_of(found)] == [[1, 2], [3]]
    assert sentences_of(found)[1]["turns"][0]["occurred_at"] == "2026-02-14T10:00:00Z"
    assert found["etag"] == story["etag"] and found["next"] is None
    assert fidelity == {"share": 1.0, "sentences": 2, "carried": 0, "quoted": 2, "partly": 0, "in_no_turn": 0}


async def test_pages_go_chapter_by_chapter(tmp_path):
    async with running(tmp_path) as service:
        await tell(service)
        first = await sources_of(service, limit=1)
        second = await sources_of(service, limit=1, after=first["next"])
        behind = await sources_of(service, after=7)
        wrong = await service.http.get(f"{PATH}/sources", params={"limit": 0})

    assert [one["index"] for page in (first, second) for one in page["chapters"]] == [0, 1]
    assert first["next"] == 1 and second["next"] is None and behind["chapters"] == []
    assert wrong.status_code == 422 and wrong.json()["errors"][0]["pointer"] == "query/limit"


async def test_a_narrators_invention_is_in_no_turn_and_its_paraphrase_is_not(tmp_path):
    told = chapter(
        "On 14 February Ann adopted a dog and called him Pascal. "
        "We rented wooden boats, rowed across cold harbours, and fishermen grilled mackerel until sunset."
    )
    with ScriptedProvider(respond=lambda _: told) as model:
        narrative = {"model": "openai/scripted", "api_base": model.url, "api_key": "k"}
        async with running(tmp_path, settings=settings_of(tmp_path, models={"narrative": narrative})) as service:
            await tell(service)
            found = sentences_of(await sources_of(service))

    assert [one["state"] for one in found] == ["carried", "in_no_turn"]
    assert found[0]["turns"][0]["sequence"] == 3 and "mackerel" in found[1]["missing"]


async def test_a_persons_chapter_is_a_persons_and_does_not_count(tmp_path):
    async with running(tmp_path) as service:
        await tell(service)
        story = await story_of(service)
        text = story["text"].replace("turned seventy", "turned 70 in Nice")
        put = await service.http.put(PATH, json={"text": text}, headers={"If-Match": story["etag"]})
        found = await sources_of(service)
        fidelity = await fidelity_of(service)

    assert put.status_code == 200
    assert [one["state"] for one in sentences_of(found)] == ["a_persons", "quoted"]
    assert not sentences_of(found)[0]["turns"] and fidelity["sentences"] == 1


async def test_an_erased_turn_is_in_no_answer_and_in_no_file_any_more(tmp_path):
    file = tmp_path / "minds/ada/derived/story-sources.json"
    async with running(tmp_path) as service:
        await tell(service)
        await sources_of(service)
        digest = (await sources_of(service))["chapters"][0]["digest"]
        before = file.read_text()
        turn_id = sentences_of(await sources_of(service))[0]["turns"][0]["turn_id"]
        erased = await service.http.delete(f"/v1/minds/ada/turns/{turn_id}")
        left = file.read_text() if file.exists() else ""  # a run that followed may have begun it anew
        await service.http.post("/v1/minds/ada/consolidation", json={})
        found = await sources_of(service)

    assert erased.status_code == 200 and digest in before and digest not in left
    assert turn_id not in json.dumps(found) and "Ines" not in json.dumps(found)


async def test_a_garbled_file_is_made_again_and_what_left_the_story_leaves_it(tmp_path):
    file = tmp_path / "minds/ada/derived/story-sources.json"
    async with running(tmp_path) as service:
        await tell(service)
        first = await sources_of(service)
        file.write_text("{")
        again = await sources_of(service)
        story = await story_of(service)
        cut = story["text"][story["text"].index("### [2026-02-14") :]
        await service.http.put(PATH, json={"text": cut}, headers={"If-Match": story["etag"]})
        file.unlink()
        await sources_of(service)

    assert first["chapters"] == again["chapters"]
    assert len(json.loads(file.read_text())["chapters"]) == 1


async def test_it_is_never_exported(tmp_path):
    async with running(tmp_path) as service:
        await tell(service)
        await sources_of(service)
        archive = (await service.http.get("/v1/minds/ada/export")).content

    assert b"STORY.md" in archive and b"story-sources" not in archive


@pytest.mark.parametrize(
    "said",
    [
        "Meine Mutter Ines wohnt in Lyon und ist letzte Woche siebzig geworden.",
        "Ma mère Inès habite à Lyon et a eu soixante-dix ans la semaine dernière.",
        "Mi madre Inés vive en Lyon y cumplió setenta años la semana pasada.",
        "我的母亲住在里昂，她上周刚满七十岁，我们一起庆祝了她的生日。",
        "私の母はリヨンに住んでいて、先週七十歳になりました。",
    ],
)
async def test_quotations_are_found_in_every_language(tmp_path, said):
    async with running(tmp_path) as service:
        await tell(service, talk=((TALK[0][0], said),))
        found = sentences_of(await sources_of(service))

    assert [one["state"] for one in found] == ["quoted"] and said.rstrip("。.") in found[0]["text"]
