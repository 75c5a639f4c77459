"""A mind moves: out of one home as an archive, into another, and gives the same answers there."""

import asyncio
import io
import json
import zipfile

import pytest
from embedded import column, rows
from running import running, settings_of

pytestmark = pytest.mark.anyio

TALK = (
    ("My mother Carla lives in Lyon.", "How often do you see her?"),
    ("My cello is called Bruno, and Madame Perrin teaches me.", "Since when?"),
    ("Ich habe die Bäckerei Müller in Köln übernommen.", "Glückwunsch!"),
    ("我妈妈住在里昂。", "她好吗？"),
    ("The bakery in Rue Mercier closes on Mondays.", "Noted."),
    ("Carla met Bruno in Paris in May.", "How was it?"),
)
ASKED = ("Where does my mother live?", "What is my cello called?", "Wann schließt die Bäckerei?", "妈妈住在哪里？")


async def tell(service, mind_id="ada", talk=TALK):
    for at, said in enumerate(talk):
        answer = await service.keep(mind_id, *said, session_id=f"s{at // 2} ö", turn_id=f"t{at}")
        assert answer.status_code == 202, answer.text
    return await found(service, mind_id)


async def found(service, mind_id="ada"):
    """Wait until everything is digested, full text too."""
    return await service.until(
        mind_id,
        lambda s: (
            s["graph"]["saved"] >= s["last_sequence"]
            and s["graph"]["lag"] == 0
            and s["text"]["sequence"] >= s["last_sequence"]
            and s["text"]["facts"] >= s["graph"]["sequence"]
        ),
    )


async def answers(service, mind_id="ada", *, asker="first"):
    """What the mind answers to every door that reads it, without what tells the moment of asking."""
    said = []
    for at, question in enumerate(ASKED):
        told = (await service.resonate(mind_id, question, session_id=f"{asker} {at}", relevance=0)).json()
        remembered = await service.http.get(f"/v1/minds/{mind_id}/remember", params={"query": question})
        said += [
            [(one["id"], one["text"], one["score"]) for one in found if one["score"] > 0.001]  # ties at nothing
            for found in (told["flashbacks"], remembered.json()["memories"])
        ]
        assert len(told["flashbacks"]) > 1
    story = await service.http.get(f"/v1/minds/{mind_id}/story")
    history = (await service.http.get(f"/v1/minds/{mind_id}/story/history")).json()
    near = [[(*one[:2], pytest.approx(one[2], abs=1e-3)) for one in some] for some in said]
    return near, story.json()["text"], story.headers["ETag"], history


async def exported(service, mind_id="ada"):
    answer = await service.http.get(f"/v1/minds/{mind_id}/export")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/zip"
    return answer.content


async def imported(service, archive, mind_id="ada", **asked):
    headers = {"Content-Type": "application/zip"}
    return await service.http.post(f"/v1/minds/{mind_id}/import", content=archive, headers=headers, params=asked)


def members(archive):
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert opened.testzip() is None
        return {name: opened.read(name) for name in opened.namelist()}


@pytest.mark.parametrize("new", ["ada", "ada-2_b"])
async def test_a_mind_answers_the_same_in_another_home_and_under_another_id(tmp_path, new):
    async with running(tmp_path / "one") as service:
        before = await tell(service)
        await service.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True})
        told = await answers(service)
        archive = await exported(service)
    settings = settings_of(tmp_path / "two", graph_prefix="other_")
    async with running(tmp_path / "two", settings=settings) as service:
        answer = await imported(service, archive, new)
        assert answer.status_code == 201, answer.text
        after = await found(service, new)
        assert await answers(service, new, asker="second") == told
        again = await imported(service, archive, new)

    assert again.status_code == 409
    assert after["graph"] == before["graph"]
    assert answer.json()["facts"] == before["graph"]["facts"]
