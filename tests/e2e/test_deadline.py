"""The turn is never held up: whatever hangs, the answer comes in time, names its rung, and still recalls by words."""

import asyncio
import itertools
import json
import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

import anyio.to_thread
import pytest

from service.retrieval.moment import ResonanceRequest
from tests.support.embedded_graph import frozen_graph
from tests.support.fragments import message_of
from tests.support.punctuality import timed_async
from tests.support.scripted_models import Brain, free, hosted, provider_of, telling
from tests.support.service import running, settings_of
from tests.support.service_process import env_of, serving
from tests.support.waiting import GIVE_UP, until_async
from tests.twins.provider import Hangs, Says

pytestmark = [pytest.mark.anyio, pytest.mark.timing]

AUNT, ASKS_FOR_AUNT = "My aunt Carla lives in Lyon.", "Where does my aunt Carla live?"


async def in_time(service, message, *, deadline_ms, mind_id="ada", session_id="s2", degraded=None, **more):
    """
    What is answered in time and *degraded* as given.

    The deadline is *deadline_ms*, or a few times what an undisturbed call took in this run where that is more. Within
    less, a busy machine goes without more than what hangs. A few calls, each in a session of its own: a machine that is
    busy at the wrong moment makes one of them late, a service that waits for what hangs makes each of them late.
    """
    answers = []
    deadline_ms = possible(service, deadline_ms)
    for number in range(6):
        asked = {"deadline_ms": deadline_ms, "session_id": f"{session_id}{'!' * number}", **more}
        answer, took, is_punctual = await timed_async(
            lambda asked=asked: service.resonate(mind_id, message, **asked), within=deadline_ms / 1000
        )
        assert answer.status_code == 200
        found = answer.json()
        if is_punctual and degraded in (None, found["degraded"]):
            return found
        answers.append((round(took, 2), found["degraded"], found["timings_ms"]))
    raise AssertionError(f"never {degraded} within {deadline_ms} ms: {answers}")


async def warmed(service, *, mind_id="ada"):
    """Keep a memory, load what is loaded once, and see how long a call takes that nothing disturbs."""
    await service.keep(mind_id, AUNT, session_id="s0")
    await service.digested(mind_id)
    await service.resonate(mind_id, "Good morning to you all!", session_id="warm")
    times = []
    for number in range(3):
        began = time.monotonic()
        await service.resonate(mind_id, f"Where does my friend number {number} live?", session_id=f"warm {number}")
        times.append(time.monotonic() - began)
    service.undisturbed_seconds = max(times)


def possible(service, deadline_ms):
    """The deadline, or a longer one that this machine can meet with everything that a recall does."""
    return max(deadline_ms, round(4000 * service.undisturbed_seconds))


def sleepy(*which):
    """A brain that answers until ``is_up`` is taken from it; then these prompts hang."""
    state = {"is_up": True}

    def rule(prompt_name, answer):
        return lambda prompt: Hangs() if prompt_name in which and not state["is_up"] else answer(prompt)

    usual = Brain().rules
    brain = Brain(seeds=rule("seeds", lambda _: usual["seeds"]), narration=rule("narration", usual["narration"]))
    brain.state = state
    return brain


def patient(home, provider):
    """Calls that hang are not given up while a test lasts, and keep no other waiting: each time asked is the first."""
    return hosted(home, provider, "subconscious", timeout_seconds=60, at_once=50)


@pytest.mark.parametrize(
    ("hanging", "degraded"),
    [
        (("seeds",), ["seeds_skipped"]),
        (("narration",), ["narration_skipped"]),
        (("seeds", "narration"), ["seeds_skipped", "narration_skipped"]),
    ],
)
@pytest.mark.parametrize("deadline_ms", [300, 800])
async def test_a_provider_that_hangs_costs_its_rungs_and_no_time(tmp_path, hanging, degraded, deadline_ms):
    brain = sleepy(*hanging)
    with provider_of(brain) as provider:
        async with running(tmp_path, settings=patient(tmp_path, provider)) as service:
            await warmed(service)
            brain.state["is_up"] = False
            found = await in_time(service, ASKS_FOR_AUNT, deadline_ms=deadline_ms, degraded=degraded)
            free(provider)
    assert "Lyon" in found["flashbacks"][0]["raw"]
    assert "Lyon" in found["block"]


@pytest.mark.parametrize("deadline_ms", [300, 800])
async def test_a_graph_that_hangs_costs_its_rung_and_no_time(tmp_path, deadline_ms):
    async with running(tmp_path) as service:
        await warmed(service)
        with frozen_graph():
            found = await in_time(service, ASKS_FOR_AUNT, deadline_ms=deadline_ms, degraded=["graph_unavailable"])
        await in_time(service, ASKS_FOR_AUNT, deadline_ms=5000, session_id="s3", degraded=[])
    assert "Lyon" in found["flashbacks"][0]["raw"]


async def test_provider_and_graph_that_both_hang_leave_the_words(tmp_path):
    brain = sleepy("seeds", "narration")
    with provider_of(brain) as provider:
        async with running(tmp_path, settings=patient(tmp_path, provider)) as service:
            await warmed(service)
            brain.state["is_up"] = False
            with frozen_graph():
                rungs = ["graph_unavailable", "seeds_skipped", "narration_skipped"]
                found = await in_time(service, ASKS_FOR_AUNT, deadline_ms=500, degraded=rungs)
            free(provider)
    assert "Lyon" in found["flashbacks"][0]["raw"]


async def test_settings_that_a_stalled_disk_does_not_give_cost_the_memory_and_no_time(tmp_path):
    """Broken: they are waited for before the deadline counts; what was said is kept though it may be never kept."""
    async with running(tmp_path) as service:
        await warmed(service)
        settings = service.memory.minds.get("ada").settings
        async with asyncio.timeout(GIVE_UP):
            with settings._mutex:  # as whoever reads the file has it
                late = await in_time(service, ASKS_FOR_AUNT, deadline_ms=400, degraded=["deadline"])
        trace = (await service.http.get(f"/v1/minds/ada/traces/{late['trace_id']}")).json()
        found = await in_time(service, ASKS_FOR_AUNT, deadline_ms=5000, session_id="s3", degraded=[])
    assert (late["surfaced"], late["silence"]) == (False, "the deadline came first")
    assert (trace["message"], trace["off_the_record"]) == ("", True)
    assert "Lyon" in found["flashbacks"][0]["raw"]


async def test_a_trace_that_a_stalled_disk_does_not_take_holds_no_answer_up_and_is_written_later(tmp_path):
    """Broken: the trace is waited for; what the call showed is an echo only once its trace is on the disk."""
    async with running(tmp_path) as service:
        await warmed(service)
        traces = service.memory.minds.get("ada").trace_log
        async with asyncio.timeout(GIVE_UP):
            with traces._writing:  # as whoever writes the file has it
                found = await in_time(service, ASKS_FOR_AUNT, deadline_ms=400, degraded=[])
                [newest] = traces.recent(limit=1)
                shown = traces.echoes(newest.session_id, turns=1).fragments
        [written] = tmp_path.glob("minds/ada/subconscious-*.jsonl")
        await until_async(lambda: found["trace_id"] in written.read_text())
    assert "Lyon" in found["flashbacks"][0]["raw"]
    assert (newest.trace_id, shown) == (found["trace_id"], {one["id"] for one in found["flashbacks"]})


async def test_an_embedder_that_hangs_costs_its_rung_and_no_time(tmp_path):
    with provider_of(Brain()) as provider:
        embedder = {"model": "openai/vectors", "api_base": provider.url, "api_key": "k"}
        async with running(tmp_path, settings=settings_of(tmp_path, embedder=embedder)) as service:
            await warmed(service)
            provider._vectors.extend([Hangs()] * 8)
            found = await in_time(
                service, ASKS_FOR_AUNT, deadline_ms=400, relevance=0, degraded=["embedder_unavailable"]
            )
    assert "Lyon" in found["flashbacks"][0]["raw"]


async def test_turns_are_accepted_and_found_by_their_words_while_the_graph_hangs(tmp_path):
    accepted_at_once = []
    async with running(tmp_path) as service:
        await warmed(service)
        with frozen_graph():
            for said, asked in (("Aunt Dora lives in Nice.", "Dora"), ("Uncle Elmar sails boats.", "Elmar")):
                kept, _, is_punctual = await timed_async(
                    lambda said=said: service.keep("ada", said, session_id="s0"), within=0.5
                )
                assert kept.status_code == 202
                accepted_at_once.append(is_punctual)
                async with asyncio.timeout(GIVE_UP):
                    while said not in str(
                        await in_time(service, asked, deadline_ms=300, session_id=asked, relevance=0)
                    ):
                        pass
        status = await service.digested("ada")
    assert any(accepted_at_once)
    assert (status["graph"]["episodes"], status["graph"]["waiting_for"]) == (3, None)


async def test_seeds_that_come_late_serve_the_next_turn(tmp_path):
    wonder = {"hypothesis": "an allergy", "query": "allergic to peanuts"}
    seeds = '{"entities": [], "queries": [], "wonders": [%s]}' % str(wonder).replace("'", '"')

    def late(deadline):
        return Says(seeds, delay=1.5 * deadline)

    brain = Brain()
    with provider_of(brain) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "subconscious")) as service:
            await service.keep("ada", "Bruno is terribly allergic to peanuts.", session_id="s0")
            await warmed(service)
            usual = brain.rules["seeds"]
            asked = {"deadline_ms": possible(service, 400), "session_id": "s2"}
            brain.rules["seeds"] = late(asked["deadline_ms"] / 1000)
            first = (await service.resonate("ada", "Let us paint the garden shed on Sunday!", **asked)).json()
            brain.rules["seeds"] = usual
            async with asyncio.timeout(10):
                came_late = []
                while not came_late:  # the next turn, as soon as they are there
                    second = (await service.resonate("ada", "Which one shall we take, the red or the blue?")).json()
                    trace = (await service.http.get(f"/v1/minds/ada/traces/{second['trace_id']}")).json()
                    came_late = trace["phases"]["seeds"]["late"]
    assert {"seeds_skipped", "deadline"} & set(first["degraded"])
    assert "peanuts" not in first["block"]
    assert came_late == ["allergic to peanuts"]
    assert "peanuts" in second["block"]


async def test_a_telling_that_comes_late_serves_the_next_turn(tmp_path):
    line = "I remember that your aunt Carla lives in Lyon."
    brain = Brain()
    with provider_of(brain) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "subconscious")) as service:
            await warmed(service)

            deadline = possible(service, 800) / 1000

            def late(prompt):
                return Says(json.dumps(telling(Lyon=line)(prompt)), delay=1.5 * deadline)

            brain.rules["narration"] = late
            skipped = ["narration_skipped"]
            first = await in_time(service, ASKS_FOR_AUNT, deadline_ms=800, degraded=skipped)
            async with asyncio.timeout(20):
                for number in itertools.count(3):  # a session that was not shown it yet, until the words are there
                    session = f"s{number}"
                    second = await in_time(
                        service, ASKS_FOR_AUNT, deadline_ms=800, session_id=session, degraded=skipped
                    )
                    if second["flashbacks"][0]["text"] == line:
                        break
    assert first["flashbacks"][0]["text"] == f"they told me: {AUNT}"


async def test_two_minds_do_not_slow_each_other(tmp_path):
    def read(_):
        return Hangs()

    def look(prompt):
        return Hangs() if "ZEBULON" in prompt else usual

    usual = Brain().rules["seeds"]
    with provider_of(Brain(extraction=read, seeds=look)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider)) as service:
            for mind_id in ("ada", "bo"):
                await service.keep(mind_id, AUNT, session_id="s0")
                await service.until(mind_id, lambda status: status["graph"]["saved"] == 1)
            await service.resonate("bo", "Good morning to you all!", session_id="warm")
            slow = asyncio.create_task(service.resonate("ada", "ZEBULON?", deadline_ms=12_000))
            found = await in_time(service, ASKS_FOR_AUNT, mind_id="bo", deadline_ms=2000, degraded=[])
            is_slow_still_under_way = not slow.done()
            free(provider)
            await slow
    assert is_slow_still_under_way
    assert "Lyon" in found["flashbacks"][0]["raw"]


async def test_the_first_call_after_a_start_is_in_time_though_nothing_is_loaded_yet(tmp_path):
    async with running(tmp_path) as service:
        await warmed(service)
    times = []
    for number in range(4):  # starts, since each has one first call
        with ExitStack() as stack:
            provider = stack.enter_context(provider_of(Brain(seeds=Hangs(), narration=Hangs())))
            began = time.monotonic()
            served = stack.enter_context(serving(tmp_path, **env_of(provider, role="SUBCONSCIOUS")))
            start = time.monotonic() - began
            asked = {"session_id": f"s{number}", "messages": [{"role": "user", "content": ASKS_FOR_AUNT}]}
            post = partial(served.http.post, "/v1/minds/ada/resonance", json={**asked, "deadline_ms": 1500})
            answer, took, _ = await timed_async(partial(anyio.to_thread.run_sync, post), within=1.5)
        assert answer.status_code == 200
        times.append((took, start))
        if took < 1.5 + start / 4:  # the imports of the start go on, and so does what makes this machine slow
            return
    raise AssertionError(times)


async def test_what_was_waited_for_before_the_phases_counts_as_part_of_the_deadline(tmp_path):
    """Broken: the deadline begins with the phases."""
    async with running(tmp_path / "home") as service:
        await service.keep("ada", AUNT, session_id="s0")
        await service.digested("ada")
        memory = service.memory
        now, monotonic = memory.clock.now(), memory.clock.monotonic
        request = ResonanceRequest(
            session_id="s2",
            messages=(message_of(ASKS_FOR_AUNT),),
            now=now,
            timezone=now.tzinfo,
            deadline_seconds=600,
            max_fragments=5,
            max_tokens=1200,
            relevance=0.5,
            placement="tail",
        )
        in_time = await memory.pipeline.resonate(memory.minds.get("ada"), replace(request, session_id="s3"))
        late = await memory.pipeline.resonate(memory.minds.get("ada"), replace(request, began=monotonic() - 601))

    assert "Lyon" in in_time.block
    assert (late.block, late.degraded[:1]) == ("", ("deadline",))
