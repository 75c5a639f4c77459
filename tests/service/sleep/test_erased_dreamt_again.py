"""What dreams came to of an erased turn goes from all their files, and is dreamt again of the turns that stay."""

import pytest

from tests.support.agents import act, acted, call, dreams, slept
from tests.support.scripted_models import Brain, hosted, provider_of
from tests.support.service import running
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio

BAN = {"id": "m2", "kind": "message", "text": "Never deploy on a Friday!"}
MEETING = {"id": "m1", "kind": "message", "text": "We deploy with make release. The meeting is on a Friday."}
FAILED = {"level": "YLW", "at": "00:00", "text": "The tests of module zanzibar fail", "supersedes": []}
TOLD = {
    "observations": [{"level": "RED", "at": "00:00", "text": "Nothing may be deployed on a Friday"}, FAILED],
    "reflection": "I ran the tests of zanzibar and they failed. I tread water.",
    "priority": "Mend the tests.",
    "rules": {"add": ["Do not deploy on a Friday.", "Run the tests of zanzibar first."], "remove": []},
    "briefing": "The team forbids to deploy on a Friday.\nThe tests of zanzibar fail.",
}
LEFT = TOLD | {
    "observations": [FAILED],
    "rules": {"add": ["Run the tests of zanzibar first."], "remove": []},
    "briefing": "The tests of zanzibar fail.",
}
DEEP = {
    "superseded": [],
    "levels": [],
    "priorities": ["Do not deploy on a Friday.", "Mend the tests of zanzibar."],
    "diary": "I was told not to deploy on a Friday. I ran the tests of zanzibar and they failed, all of them.",
}
DEEP_LEFT = DEEP | {
    "priorities": ["Mend the tests of zanzibar."],
    "diary": "I ran the tests of zanzibar, and they failed, all of them.",
}
FILES = ("observations", "rules", "briefing", "priorities", "diary")


def written(home, *names):
    return {name: (home / f"minds/ada/{name}.md").read_text() for name in names or FILES}


async def settled(service):
    """Wait until nothing is owed."""
    sleeper = service.memory.sleep.sleeper
    mind = await service.memory.minds.find("ada")

    async def owed():
        await sleeper.until_dreamt(mind)
        return await sleeper.is_owed(mind)

    await eventually(owed, lambda is_owed: not is_owed)


def brain_of(said):
    return Brain(dream=lambda _: said["dream"], deep_sleep=lambda _: said["deep"])


def sleeping(home, provider):
    sleep = {"dream_interval_seconds": 0, "deep_every": 1}
    return running(home, settings=hosted(home, provider, "narrative", "chat", sleep=sleep))


async def dreamt(service):
    """Have the agent dream of a meeting, of a ban, and of tests that fail."""
    await act(service, MEETING, BAN)
    await act(service, *(call(n, output="zanzibar tests fail") for n in range(6)))
    await slept(service)


async def test_what_a_dream_said_in_other_words_goes_with_the_turn_and_the_rest_is_said_again(tmp_path):
    said = {"dream": TOLD, "deep": DEEP}
    with provider_of(brain_of(said)) as provider:
        async with sleeping(tmp_path, provider) as service:
            await dreamt(service)
            mine = tmp_path / "minds/ada/diary.md"
            mine.write_text(f"{mine.read_text()}\nMy own word.\n")
            before = written(tmp_path)
            said |= {"dream": LEFT, "deep": DEEP_LEFT}
            receipt = (await service.http.delete("/v1/minds/ada/turns/m2")).json()
            await settled(service)
            after = written(tmp_path)
            woken = (await service.http.get("/v1/minds/ada/waking")).json()["text"]

    assert all("Friday" in text for text in before.values()), before
    assert receipt["edited_by_person"] == []
    assert [name for name, text in after.items() if "deploy on" in text or "deployed" in text] == []
    assert [name for name, text in after.items() if "zanzibar" in text] == list(FILES)
    assert "deploy on a Friday" not in woken
    assert "Run the tests of zanzibar first." in woken
    heading, entry, own = (part.strip() for part in after["diary"].split("\n\n"))
    assert (heading[:3], entry, own) == ("## ", DEEP_LEFT["diary"], "My own word.")
    assert after["priorities"] == "# Priorities\n\n- Mend the tests of zanzibar.\n"


async def test_what_a_person_deleted_stays_away_when_a_dream_is_made_again(tmp_path):
    said = {"dream": TOLD, "deep": DEEP}
    with provider_of(brain_of(said)) as provider:
        async with sleeping(tmp_path, provider) as service:
            await dreamt(service)
            await settled(service)
            for name in ("rules", "briefing", "priorities"):
                file = tmp_path / f"minds/ada/{name}.md"
                lines = file.read_text().splitlines(keepends=True)
                file.write_text("Mine.\n" + "".join(line for line in lines if "zanzibar" not in line))
            said |= {"dream": LEFT, "deep": DEEP_LEFT}
            await service.http.delete("/v1/minds/ada/turns/m2")
            await settled(service)
            after = written(tmp_path, "rules", "briefing", "priorities")

    assert not any("zanzibar" in text or "Friday" in text for text in after.values()), after
    assert all("Mine." in text for text in after.values()), after


async def test_a_line_that_a_staying_turn_says_too_is_there_again(tmp_path):
    words = "Never deploy on a Friday afternoon please."
    async with running(tmp_path) as service:
        await act(service, {"id": "m1", "kind": "message", "text": words})
        await act(service, {"id": "m2", "kind": "message", "text": words}, session="cycle-2")
        await acted(service, 6)
        await slept(service)
        before = written(tmp_path, "observations")["observations"]
        await service.http.delete("/v1/minds/ada/turns/m1")
        await settled(service)
        after = written(tmp_path, "observations")["observations"]
        [dream] = await dreams(service)
        listed = (await service.http.get("/v1/minds/ada/observations?level=RED")).json()["observations"]

    assert before.count("RED") == after.count("RED") == 1
    assert [(one["is_ours"], len(one["sources"])) for one in listed] == [(True, 1)]
    assert dream["observations"] == 3


@pytest.mark.parametrize("times", [("09:31", "15:07"), ("09:31", "09:31")])
@pytest.mark.parametrize("erased", ["m1", "m2"])
async def test_a_line_that_another_dream_says_too_stays_as_long_as_a_turn_of_it_does(tmp_path, erased, times):
    words = "Never deploy on a Friday afternoon please."
    async with running(tmp_path) as service:
        for number, at in enumerate(times, start=1):
            told = {"id": f"m{number}", "kind": "message", "text": words, "timestamp": f"2026-02-12T{at}:00Z"}
            await act(service, told)
            await acted(service, 6, first=20 * number)
            await service.http.post("/v1/minds/ada/dreams", json={"wait": True})
        before, dreamt = written(tmp_path, "observations")["observations"], await dreams(service)
        await service.http.delete(f"/v1/minds/ada/turns/{erased}")
        await settled(service)
        listed = (await service.http.get("/v1/minds/ada/observations?level=RED")).json()["observations"]
        await service.http.delete(f"/v1/minds/ada/turns/{'m1' if erased == 'm2' else 'm2'}")
        await settled(service)
        after = written(tmp_path, "observations")["observations"]

    assert len(dreamt) == 2
    assert before.count("RED") == 1
    assert [(one["text"], one["is_ours"], len(one["sources"])) for one in listed] == [(f"user: “{words}”", True, 1)]
    assert "deploy" not in after


async def test_what_earlier_dreams_wrote_stays_whatever_words_it_shares_with_an_erased_turn(tmp_path):
    earlier = LEFT | {
        "observations": [FAILED | {"text": "The import of zanzibar is done before the report"}],
        "rules": {"add": ["Check that an import is done before the report."], "remove": []},
        "briefing": "The import of zanzibar is done.",
    }
    said = {"dream": earlier, "deep": DEEP_LEFT}
    with provider_of(brain_of(said)) as provider:
        async with sleeping(tmp_path, provider) as service:
            await act(service, *(call(n, output="zanzibar tests fail") for n in range(6)))
            await slept(service)
            before = written(tmp_path)
            told = {
                "id": "m9",
                "kind": "message",
                "text": "The keyword is Quagmirella, an import done before the report.",
            }
            await act(service, told)
            receipt = (await service.http.delete("/v1/minds/ada/turns/m9")).json()
            await settled(service)
            after = written(tmp_path)

    assert receipt["verified"], receipt
    assert after == before


async def test_lines_of_a_dream_that_was_taken_back_are_made_again_out_of_sight_and_return_with_it(tmp_path):
    said = {"dream": TOLD, "deep": DEEP}
    with provider_of(brain_of(said)) as provider:
        async with sleeping(tmp_path, provider) as service:
            await dreamt(service)
            await service.http.post("/v1/minds/ada/dreams/1/undo")
            said |= {"dream": LEFT, "deep": DEEP_LEFT}
            await service.http.delete("/v1/minds/ada/turns/m2")
            await settled(service)
            hidden = written(tmp_path, "observations", "rules")
            await service.http.delete("/v1/minds/ada/dreams/1/undo")
            await settled(service)
            after = written(tmp_path, "observations", "rules")

    assert not any("zanzibar" in text for text in hidden.values()), hidden
    assert all("zanzibar" in text for text in after.values()), after
    assert not any("deploy on" in text for text in after.values()), after
