"""
With a model that takes time both of its phases act: seeds are thought of between turns, narration counts as it comes.

Every docstring says what was broken, once, to see the test fail.
"""

import asyncio
import json
import threading

import pytest

from tests.support.scripted_models import Brain, hosted, numbers, prompts, provider_of
from tests.support.service import running
from tests.support.waiting import GIVE_UP, until_async
from tests.twins.provider import Says

pytestmark = pytest.mark.anyio

CARLA, TOOLS = "Carla restores old sailing boats in a shed.", "Good tools matter for that."
WONDER = {"entities": ["Carla"], "queries": [], "wonders": []}


def thought(provider):
    """What the model was asked about a message that had not come yet."""
    return [prompt for prompt in prompts(provider, "seeds") if "has not come yet" in prompt]


def asked_now(provider):
    """What the model was asked about a message."""
    return [prompt for prompt in prompts(provider, "seeds") if "has not come yet" not in prompt]


async def trace_of(service, found):
    return (await service.http.get(f"/v1/minds/ada/traces/{found['trace_id']}")).json()


async def told(service):
    """A mind that knows Carla, and a session that has asked once what surfaces."""
    await service.keep("ada", CARLA, session_id="s0")
    await service.digested("ada")
    await service.resonate("ada", "Hello there, how are you?", session_id="s2")


async def test_once_a_turn_was_kept_the_next_call_asks_no_model_for_seeds(tmp_path):
    """Broken: ``begin`` returns at once; ``sow`` asks although something was prepared."""
    with provider_of(Brain(seeds=WONDER)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "subconscious")) as service:
            await told(service)
            before = len(asked_now(provider))
            await service.keep("ada", "My friend came by today.", "How nice!", session_id="s2")
            await until_async(lambda: thought(provider))
            await service.memory.background.drain("ada", seconds=GIVE_UP)
            found = (await service.resonate("ada", "What does she do?", session_id="s2")).json()
            phases = (await trace_of(service, found))["phases"]
    assert len(asked_now(provider)) == before
    assert '<said role="user">\nMy friend came by today.\n</said>' in thought(provider)[0]
    assert '<said role="assistant">\nHow nice!\n</said>' in thought(provider)[0]
    assert phases["seeds"]["model"] == WONDER
    assert "Carla: What does she do?" in phases["seeds"]["late"]
    assert "sailing boats" in found["flashbacks"][0]["raw"]
    assert found["degraded"] == []


async def test_a_message_that_leans_on_nothing_is_not_searched_for_with_the_names_of_the_talk_before_it(tmp_path):
    """Broken: ``_leaning`` returns the message always."""
    with provider_of(Brain(seeds=WONDER)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "subconscious")) as service:
            await told(service)
            await service.keep("ada", "My friend came by today.", "How nice!", session_id="s2")
            await until_async(lambda: thought(provider))
            await service.memory.background.drain("ada", seconds=GIVE_UP)
            found = (await service.resonate("ada", "What is the capital of Norway?", session_id="s2")).json()
            phases = (await trace_of(service, found))["phases"]
    assert phases["seeds"]["late"] == ["Carla"]


@pytest.mark.parametrize(
    ("session_id", "more"),
    [
        ("s1", {}),  # never asked what surfaces
        ("s2", {"kind": "heartbeat"}),
        ("s2", {"kind": "import"}),
        ("s2", {"off_the_record": True}),
    ],
    ids=["a session that does not ask", "a heartbeat", "an import", "off the record"],
)
async def test_nothing_is_thought_where_nobody_would_use_it(tmp_path, session_id, more):
    """Broken: ``begin`` looks at no habit; at no kind."""
    with provider_of(Brain()) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "subconscious")) as service:
            await told(service)
            kept = await service.keep("ada", "Lunch was late.", session_id=session_id, **more)
            await service.memory.background.drain("ada", seconds=GIVE_UP)
    assert kept.status_code == 202
    assert thought(provider) == []


async def test_a_session_that_went_off_the_record_is_not_thought_about(tmp_path):
    """Broken: ``expect_more`` keeps the habit."""
    with provider_of(Brain()) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "subconscious")) as service:
            await told(service)
            await service.resonate("ada", "This is between us.", session_id="s2", off_the_record=True)
            await service.keep("ada", "Lunch was late.", session_id="s2")
            await service.memory.background.drain("ada", seconds=GIVE_UP)
    assert thought(provider) == []


async def test_what_is_paid_between_turns_is_in_the_minds_usage_and_in_the_trace_of_the_call_it_serves(tmp_path):
    """Broken: ``ask`` adds no usage; ``sow`` spends none."""
    with provider_of(Brain(seeds=WONDER)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "subconscious")) as service:
            await told(service)
            calls = (await service.status("ada"))["usage"]["calls"]
            await service.keep("ada", "My friend came by today.", session_id="s2")
            await until_async(lambda: thought(provider))
            await service.memory.background.drain("ada", seconds=GIVE_UP)
            between = (await service.status("ada"))["usage"]["calls"]
            found = (await service.resonate("ada", "What does she do?", session_id="s2")).json()
            after = (await service.status("ada"))["usage"]["calls"]
    assert (between - calls, after - between) == (1, 1)  # the thought; the narration
    assert found["usage"]["calls"] == 2


async def test_narration_begins_before_the_models_seeds_have_come(tmp_path):
    """Broken: ``joined`` is awaited before ``begin``."""
    narration_asked = threading.Event()

    def seeds(_):
        narration_asked.wait(GIVE_UP)  # the seeds come only once the narration was asked for
        return WONDER

    def narration(prompt):
        narration_asked.set()
        return Brain().rules["narration"](prompt)

    with provider_of(Brain(seeds=seeds, narration=narration)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "subconscious")) as service:
            await service.keep("ada", CARLA, session_id="s0")
            await service.digested("ada")
            asked = service.resonate("ada", "What does Carla restore?", session_id="s2")
            found = (await asyncio.wait_for(asked, GIVE_UP / 2)).json()
            phases = (await trace_of(service, found))["phases"]
    assert narration_asked.is_set()
    assert found["degraded"] == []
    assert phases["seeds"]["model"] == WONDER


async def test_what_came_of_a_narration_before_the_deadline_counts(tmp_path):
    """Broken: ``heard`` keeps nothing; ``finish`` looks at no part."""

    def dripping(prompt):
        lines = [{"number": at, "text": f"I remember: {said}"} for at, said in numbers(prompt).items()]
        lines[-1]["text"] *= 100  # the choice and the first line come at once, the last one in many seconds
        return Says(json.dumps({"surfaces": [line["number"] for line in lines], "lines": lines}), drip=0.1)

    boats = "Carla sold the old sailing boat to a neighbour."
    with provider_of(Brain(narration=dripping)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "subconscious")) as service:
            await service.keep("ada", CARLA, session_id="s0")
            await service.keep("ada", boats, session_id="s1")
            await service.digested("ada")
            await service.resonate("ada", "Hello there, how are you?", session_id="warm")  # litellm is loaded now
            found = (
                await service.resonate(
                    "ada",
                    "What do you know of Carla and sailing boats?",
                    session_id="s2",
                    deadline_ms=3000,
                    relevance=0,
                )
            ).json()
    texts = [one["text"].startswith("I remember") for one in found["flashbacks"]]
    assert found["degraded"] == ["narration_partial"]
    assert sorted(texts) == [False, True]


async def test_a_model_that_is_sure_to_come_late_is_not_asked_and_plain_memories_come_at_once(tmp_path):
    """Broken: ``fits`` is always true; a call is told apart only by its rung."""

    def slow(rule):
        return lambda prompt: Says(json.dumps(rule(prompt) if callable(rule) else rule), delay=1.0)

    usual = Brain().rules
    with provider_of(Brain(seeds=slow(usual["seeds"]), narration=slow(usual["narration"]))) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "subconscious", at_once=20)) as service:
            await service.keep("ada", CARLA, session_id="s0")
            await service.digested("ada")
            for number in range(3):
                await service.resonate("ada", "What does Carla restore?", session_id=f"a{number}")
            asked = len(provider.chats)
            found = (await service.resonate("ada", "What does Carla restore?", session_id="b", deadline_ms=700)).json()
    assert len(provider.chats) == asked
    assert found["degraded"] == ["seeds_skipped", "narration_skipped"]
    assert "sailing boats" in found["flashbacks"][0]["raw"]


async def test_a_thought_that_is_sure_to_come_late_is_not_waited_for_and_serves_the_next_call(tmp_path):
    """Broken: ``sow`` waits for each thought that is under way."""
    is_answered = threading.Event()

    def slow(prompt):
        if "has not come yet" not in prompt:
            return Says(json.dumps(Brain().rules["seeds"]), delay=1.0)
        is_answered.wait(GIVE_UP)
        return WONDER

    with provider_of(Brain(seeds=slow)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "subconscious", at_once=20)) as service:
            await told(service)
            for number in range(3):
                await service.resonate("ada", "What does Carla restore?", session_id=f"a{number}")
            await service.keep("ada", "My friend came by today.", "How nice!", session_id="s2")
            await until_async(lambda: thought(provider))
            asked = len(asked_now(provider))
            now = (await service.resonate("ada", "What does Carla do?", session_id="s2", deadline_ms=1000)).json()
            is_answered.set()
            await service.memory.background.drain("ada", seconds=GIVE_UP)
            then = (await service.resonate("ada", "What does she do?", session_id="s2")).json()
            seeds = [(await trace_of(service, found))["phases"]["seeds"] for found in (now, then)]

    assert seeds[0]["model"] == "not asked: the model answers too slowly for this deadline"
    assert "seeds_skipped" in now["degraded"]
    assert len(asked_now(provider)) == asked
    assert "Carla" in seeds[1]["late"]


@pytest.mark.parametrize(("roles", "expected"), [(("subconscious",), 2.5), (("extraction",), 1.5)])
async def test_a_call_without_a_deadline_has_more_time_where_a_model_is_asked(tmp_path, roles, expected):
    """Broken: one of the two figures is always used."""
    with provider_of(Brain()) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, *roles)) as service:
            assert service.memory.deadline_seconds == expected
        async with running(
            tmp_path, settings=hosted(tmp_path, provider, *roles, resonance={"deadline_ms": 800})
        ) as service:
            assert service.memory.deadline_seconds == 0.8
