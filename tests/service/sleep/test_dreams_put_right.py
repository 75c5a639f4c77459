"""
What people put right holds in what an agent dreamt: waking, observations and dreams say it no more.

Every docstring says what was broken, once, to see the test fail.
"""

import json
import threading

import pytest

from tests.support.agents import act, acted, dreams, slept, thought
from tests.support.scripted_models import Brain, hosted, provider_of
from tests.support.service import running, settings_of
from tests.support.waiting import GIVE_UP, eventually, until_async

pytestmark = pytest.mark.anyio

ORDER = "The freight lift of hall 3 must not be used, its brake is broken."


async def dreamt(service):
    """An agent that was told an order, acted, and dreamt of both; the text of its waking."""
    await act(service, {"kind": "message", "text": ORDER, "id": "order"})
    await acted(service, 6)
    await slept(service)
    await dreams(service)
    return await waking(service)


async def waking(service):
    return (await service.http.get("/v1/minds/ada/waking")).raise_for_status().json()


async def decide(service, what, **more):
    body = {"what": what, "target": {"kind": "turn", "turn_ids": ["order"], "text": ORDER}, **more}
    answer = await service.http.post("/v1/minds/ada/corrections", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def named(service, what, name, **more):
    body = {"what": what, "target": {"kind": "entity", "text": name}, **more}
    answer = await service.http.post("/v1/minds/ada/corrections", json=body)
    assert answer.status_code == 201, answer.text


async def dreamt_again(service, is_so):
    return await eventually(lambda: waking(service), lambda found: is_so(json.dumps(found)))


async def test_an_edited_order_is_said_by_no_dream_and_by_no_observation(tmp_path):
    """Broken: waking reads observations as they stand; dreams keep the words that they came to."""
    async with running(tmp_path) as service:
        before = await dreamt(service)
        made = await decide(service, "edit", to="The freight lift of hall 3 is repaired, use it again.")
        after = await dreamt_again(service, lambda text: "must not" not in text and "repaired" in text)
        asked = (await service.resonate("ada", "May I use the freight lift of hall 3?")).json()
        await service.http.delete(f"/v1/minds/ada/corrections/{made['id']}")
        back = await dreamt_again(service, lambda text: text.count("must not") == json.dumps(before).count("must not"))

    assert "must not be used" in before["priority"]
    assert "repaired" in after["priority"]
    assert "repaired" in asked["block"]
    assert "must not" not in asked["block"]
    assert back["priority"] == before["priority"]


async def test_an_order_that_was_edited_before_the_dream_is_observed_as_the_person_says(tmp_path):
    """Broken: what a person put in the place of a message counts as the agent's own thought."""
    async with running(tmp_path) as service:
        await act(service, {"kind": "message", "text": ORDER, "id": "order"})
        await acted(service, 6)
        await decide(service, "edit", to="The freight lift of hall 3 is repaired, use it again.")
        await slept(service)
        found = await waking(service)

    assert [one["level"] for one in found["observations"] if "repaired" in one["text"]] == ["RED"]
    assert "repaired" in found["priority"]


async def test_a_dream_of_which_nothing_was_left_gets_its_words_back_when_the_decision_is_taken_back(tmp_path):
    """Broken: only a dream that has words is dreamt again."""
    async with running(tmp_path) as service:
        await act(service, thought(ORDER, id="order"))
        (await service.http.post("/v1/minds/ada/dreams", json={})).raise_for_status()
        before = await dreamt_again(service, lambda text: "must not" in text)
        made = await decide(service, "wrong")
        await dreamt_again(service, lambda text: "must not" not in text)
        mind = await service.memory.minds.find("ada")
        await until_async(lambda: not any(one.is_owed for one in mind.dreams.read().records))
        during = await waking(service)
        await service.http.delete(f"/v1/minds/ada/corrections/{made['id']}")
        back = await dreamt_again(service, lambda text: "must not" in text)

    assert "must not be used" in before["reflection"]
    assert during["reflection"] == ""
    assert back["reflection"] == before["reflection"]


async def test_whoever_is_muted_is_in_no_priority(tmp_path):
    """Broken: dreams are dreamt again for decisions about turns alone."""
    async with running(tmp_path) as service:
        await act(service, {"kind": "message", "text": "Zelda wants the freight lift of hall 3 closed on Monday."})
        await acted(service, 6)
        await slept(service)
        before = await waking(service)
        await service.digested("ada")
        await named(service, "mute", "Zelda")
        await dreamt_again(service, lambda text: "Zelda" not in text)

    assert "Zelda" in before["priority"]


async def test_whoever_is_merged_with_a_muted_name_is_in_no_priority(tmp_path):
    """Broken: a name is muted for dreams by a mute of just this name alone."""
    async with running(tmp_path) as service:
        await act(service, {"kind": "message", "text": "Otto paints the gate of hall 1."})
        await act(service, {"kind": "message", "text": "Zelda wants the freight lift of hall 3 closed on Monday."})
        await acted(service, 6)
        await service.digested("ada")
        await named(service, "mute", "Otto")
        await slept(service)
        before = await waking(service)
        await named(service, "merge", "Zelda", to="Otto")
        await dreamt_again(service, lambda text: "Zelda" not in text)

    assert "Zelda" in before["priority"]


async def test_a_decision_that_a_kill_left_behind_holds_in_dreams_at_the_next_start(tmp_path):
    """Broken: nothing on disk says up to which decision dreams follow."""
    async with running(tmp_path) as service:
        before = await dreamt(service)
    line = {
        "id": "c1", "at": "2026-01-12T09:00:00Z", "by": "owner", "what": "wrong",
        "target": {"kind": "turn", "text": ORDER, "turn_ids": ["order"]},
    }  # fmt: skip
    (tmp_path / "minds/ada/corrections.jsonl").write_text(json.dumps(line) + "\n")
    async with running(tmp_path) as service:
        after = await dreamt_again(service, lambda text: "must not" not in text)
        await service.memory.background.drain("ada", seconds=GIVE_UP)

    assert "must not be used" in before["priority"]
    assert after["observations"]
    assert (
        json.loads((tmp_path / "minds/ada/sleep.json").read_text())["put_right"] == "c1"
    )  # the next start has nothing to do


async def test_a_decision_that_could_not_be_written_into_dreams_holds_once_it_can(tmp_path):
    """Broken: a fault ends it, and nobody tries again."""
    settings = settings_of(tmp_path, sleep={"retry_seconds": 0.1})
    async with running(tmp_path, settings=settings) as service:
        await dreamt(service)
        in_the_way = tmp_path / "minds/ada/.dreams.jsonl.new"
        in_the_way.mkdir()
        await decide(service, "wrong")
        await service.memory.background.drain("ada", seconds=GIVE_UP)
        during = await waking(service)
        in_the_way.rmdir()
        await dreamt_again(service, lambda text: "must not" not in text)

    assert "must not be used" in during["priority"]


async def test_a_dream_that_is_taken_back_while_it_is_dreamt_again_stays_so(tmp_path):
    """Broken: the record is written back as it was before the model was asked."""
    asked, goes_on = threading.Event(), threading.Event()
    dream = {
        "observations": [{"level": "GRN", "at": "09:31", "text": "The shell answers as it should", "supersedes": []}],
        "reflection": "I worked on the steps and each of them went well, so I get on.",
        "priority": "Go on with the next step.",
        "rules": {"add": [], "remove": []},
        "briefing": None,
    }

    def dreams_slowly(prompt):
        if "must not be used" not in prompt:  # the order is wrong: it is dreamt again
            asked.set()
            goes_on.wait(GIVE_UP)
        return dream

    with provider_of(Brain(dream=dreams_slowly)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "narrative", "chat")) as service:
            await dreamt(service)
            await decide(service, "wrong")
            await until_async(asked.is_set)
            (await service.http.post("/v1/minds/ada/dreams/1/undo")).raise_for_status()
            goes_on.set()
            await service.memory.background.drain("ada", seconds=GIVE_UP)
            (found,) = await dreams(service)

    assert found["undone_at"] is not None


async def test_a_thought_that_was_put_right_is_not_what_the_agent_intended(tmp_path):
    """Broken: the last words of a dream stay, and are not made again."""
    async with running(tmp_path) as service:
        await act(service, thought("I look at the gate of hall 1 next."))
        await acted(service, 6)
        await act(service, thought("I will send Zelda's file to the press.", id="order"))
        await slept(service)
        before = (await waking(service))["last_session"]["intent"]
        made = await decide(service, "wrong")
        after = await eventually(
            lambda: waking(service), lambda found: found["last_session"]["intent"] not in {before, ""}
        )
        await service.http.delete(f"/v1/minds/ada/corrections/{made['id']}")
        await eventually(lambda: waking(service), lambda found: found["last_session"]["intent"] == before)

    assert before == "I will send Zelda's file to the press."
    assert after["last_session"]["intent"] == "I look at the gate of hall 1 next."
    assert "Zelda" not in after["text"]


async def test_a_message_that_was_put_right_is_unread_as_the_person_says(tmp_path):
    """Broken: messages behind the last dream are handed out as they were posted."""
    async with running(tmp_path) as service:
        await dreamt(service)
        for number in (1, 2):
            await act(service, {"kind": "message", "text": f"Paint the gate of hall {number} red.", "id": f"m{number}"})
        for what, turn_id, more in (("wrong", "m1", {}), ("edit", "m2", {"to": "Paint the gate of hall 2 blue."})):
            target = {"kind": "turn", "turn_ids": [turn_id], "text": f"Paint the gate of hall {turn_id[1]} red."}
            body = {"what": what, "target": target, **more}
            (await service.http.post("/v1/minds/ada/corrections", json=body)).raise_for_status()
        found = await waking(service)

    assert [one["text"] for one in found["unread_messages"]] == ["Paint the gate of hall 2 blue."]
    assert "red" not in found["text"].split()


async def test_a_wrong_order_goes_out_of_the_next_deep_sleeps_priorities(tmp_path):
    """Broken: a deep sleep is handed the observations as they stand."""
    async with running(tmp_path) as service:
        await dreamt(service)
        await decide(service, "wrong")
        await dreamt_again(service, lambda text: "must not" not in text)
        body = {"deep": True, "wait": True}
        (await service.http.post("/v1/minds/ada/dreams", json=body)).raise_for_status()
        after = await waking(service)

    assert "must not" not in json.dumps(after)
