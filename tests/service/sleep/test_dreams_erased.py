"""An erased turn leaves all that dreams made of it: earlier versions, what later dreams repeat, and in a moved mind."""

import asyncio
import io
import json
import zipfile

import pytest

from tests.support.agents import act, acted, dreams, slept
from tests.support.scripted_models import Brain, hosted, provider_of
from tests.support.service import running
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio

TOLD = "Zelda has leukaemia and is in rehab. Bob is not to know."
PLAIN = {
    "observations": [{"level": "GRN", "at": "09:31", "text": "The shell answers as it should", "supersedes": []}],
    "reflection": "I worked on the steps and each of them went well, so I get on.",
    "priority": "Go on with the next step.",
    "rules": {"add": [], "remove": []},
    "briefing": "The steps go on.",
}
MOVED = PLAIN | {
    "reflection": "Zelda told me of her leukaemia, and I worked on the steps, which went well.",
    "priority": "Visit Zelda.",
    "rules": {"add": ["Never mention leukaemia to Bob."], "remove": []},
    "briefing": "Zelda told me of her leukaemia.\nThe steps go on.",
}
DEEP = {
    "superseded": [],
    "levels": [],
    "priorities": ["Help Zelda with leukaemia."],
    "diary": "I worked on the steps.\nZelda has leukaemia, and I am going to visit her as soon as I can.",
}
CALM = DEEP | {"priorities": ["Go on with the next step."], "diary": "I worked on the steps, and each went well. " * 2}


async def dreamt(service, first, *told):
    """Live a day, and dream of it."""
    if told:
        await act(service, *told)
    await acted(service, 6, first=first)
    await slept(service)


def holding(folder, word):
    return sorted(file.name for file in folder.rglob("*") if file.is_file() and word in file.read_bytes())


async def test_erased_words_are_in_no_version_of_what_dreams_wrote_and_changed_since(tmp_path):
    answers = iter((MOVED, PLAIN | {"rules": {"add": [], "remove": ["Never mention leukaemia to Bob."]}}))
    tidied = iter((DEEP, CALM))
    told = {"id": "m1", "kind": "message", "text": TOLD}
    brain = Brain(dream=lambda _: next(answers, PLAIN), deep_sleep=lambda _: next(tidied, CALM))
    with provider_of(brain) as provider:
        sleep = {"dream_interval_seconds": 0, "deep_every": 1}
        async with running(tmp_path, settings=hosted(tmp_path, provider, "narrative", "chat", sleep=sleep)) as service:
            await dreamt(service, 1, told)
            await dreamt(service, 20)
            before = holding(tmp_path / "minds/ada", b"leukaemia")
            receipt = (await service.http.delete("/v1/minds/ada/turns/m1")).json()
            left = holding(tmp_path / "minds/ada", b"leukaemia")

    assert len([name for name in before if name.endswith("Z.md")]) == 4  # of all that a person may edit
    assert left == []
    assert receipt["verified"], receipt
    assert receipt["edited_by_person"] == []


async def test_erased_words_leave_what_dreams_wrote_before_the_mind_was_moved(tmp_path):
    told = {"id": "m1", "kind": "message", "text": TOLD}
    said = {"dream": MOVED}
    brain = Brain(dream=lambda _: said["dream"], deep_sleep=DEEP)
    with provider_of(brain) as provider:
        sleep = {"dream_interval_seconds": 0, "deep_every": 1}
        async with running(tmp_path, settings=hosted(tmp_path, provider, "narrative", "chat", sleep=sleep)) as service:
            await dreamt(service, 1, told)
            archive = (await service.http.get("/v1/minds/ada/export")).content
            await service.http.post("/v1/minds/moved/import", content=archive)
            before = holding(tmp_path / "minds/moved", b"leukaemia")
            said["dream"] = PLAIN
            receipt = (await service.http.delete("/v1/minds/moved/turns/m1")).json()
            left = holding(tmp_path / "minds/moved", b"leukaemia")

    assert {"briefing.md", "diary.md", "priorities.md", "rules.md"} <= set(before)
    assert left == []
    assert receipt["edited_by_person"] == []


async def test_a_later_dream_no_longer_repeats_a_short_name_that_only_an_erased_turn_had(tmp_path):
    repeated = PLAIN | {"priority": "Visit Zelda."}
    told = {"id": "m1", "kind": "message", "text": "My sister Zelda is in rehab."}
    brain = Brain(dream=lambda prompt: repeated if "Zelda" in prompt else PLAIN)
    with provider_of(brain) as provider:
        sleep = {"dream_interval_seconds": 0}
        async with running(tmp_path, settings=hosted(tmp_path, provider, "narrative", "chat", sleep=sleep)) as service:
            await dreamt(service, 1, told)
            await dreamt(service, 20)
            before = [one["priority"] for one in await dreams(service)]
            await service.http.delete("/v1/minds/ada/turns/m1")
            after = await eventually(lambda: dreams(service), lambda found: all(one["reflection"] for one in found))
            woken = (await service.http.get("/v1/minds/ada/waking")).json()

    assert before == ["Visit Zelda.", "Visit Zelda."]
    assert [one["priority"] for one in after] == [PLAIN["priority"]] * 2
    assert "Zelda" not in json.dumps(woken)


async def test_an_erased_turn_leaves_the_dream_that_saw_it_and_the_dream_is_dreamt_again(tmp_path):
    folder = tmp_path / "minds" / "ada"
    async with running(tmp_path) as service:
        secret = {"id": "m1", "kind": "message", "text": "Please hide the Vortquible from my brother before Sunday."}
        await act(service, secret, {"id": "m2", "kind": "message", "text": "Please water the plants on Tuesday."})
        await acted(service, 6)
        await slept(service)
        before = (folder / "observations.md").read_text()

        receipt = await service.http.delete("/v1/minds/ada/turns/m1")
        for _ in range(100):
            [dream] = await dreams(service)
            if dream["reflection"]:
                break
            await asyncio.sleep(0.1)

    left = [file for file in folder.rglob("*") if file.is_file() and b"Vortquible" in file.read_bytes()]
    assert "Vortquible" in before
    assert receipt.status_code == 200, receipt.text
    assert left == []
    assert "water the plants" in (folder / "observations.md").read_text()
    assert dream["dream"] == 1 and dream["priority"]


async def test_an_observation_whose_level_a_person_changed_is_theirs_and_stays(tmp_path):
    file = tmp_path / "minds/ada/observations.md"
    async with running(tmp_path) as service:
        await act(service, {"id": "m1", "kind": "message", "text": "Please hide the Vortquible before Sunday."})
        await acted(service, 6)
        await slept(service)
        file.write_text(file.read_text().replace("RED", "YLW"))
        receipt = (await service.http.delete("/v1/minds/ada/turns/m1")).json()

    assert "Vortquible" in file.read_text()
    assert receipt["edited_by_person"] == ["observations.md"]


async def test_the_id_of_an_erased_session_is_in_no_file_that_sleep_writes_and_not_in_an_archive(tmp_path):
    session = "whatsapp-bertholdine-4917712345678"
    async with running(tmp_path) as service:
        await acted(service, 6, session=session)
        await slept(service, session_id=session)
        before = holding(tmp_path / "minds/ada", b"bertholdine")
        await acted(service, 6, first=20, session="cycle-2")
        await service.http.delete(f"/v1/minds/ada/sessions/{session}")
        left = holding(tmp_path / "minds/ada", b"bertholdine")
        archive = zipfile.ZipFile(io.BytesIO((await service.http.get("/v1/minds/ada/export")).content))
        exported = [name for name in archive.namelist() if b"bertholdine" in archive.read(name)]

    assert "dreams.jsonl" in before
    assert (left, exported) == ([], [])
