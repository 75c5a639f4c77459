"""Models and embedders fail in every way there is: turns are kept, calls are in time, trouble is told, all is made good."""

import asyncio
import itertools
import json

import pytest

from service.adapters.litellm.loader import close_litellm, open_litellm
from tests.support.embedded_graph import column
from tests.support.outages import AUNT, FRIENDS, in_time, keeps, told
from tests.support.scripted_models import Brain, between, free, hosted, provider_of, turns_read
from tests.support.service import QUICK, running, settings_of
from tests.support.waiting import eventually
from tests.twins.provider import Body, Closes, Drips, Fails, Hangs, Says, ScriptedProvider

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module", autouse=True)
def _litellm_is_loaded():
    """What it loads at its first calls takes longer than these tests have patience."""

    async def call():
        litellm = await open_litellm()
        with ScriptedProvider("Hello.") as provider:
            where = {"api_base": provider.url, "api_key": "k"}
            await litellm.acompletion(model="openai/m", messages=[{"role": "user", "content": "Hello?"}], **where)
            await litellm.aembedding(model="openai/m", input=["Hello."], **where)
        await close_litellm()

    asyncio.run(call())


async def is_whole(service, said):
    """All that was said is digested, each once, and nothing is parked."""
    await service.digested("ada")
    status = await service.until("ada", lambda s: not s["graph"]["parked"] and s["graph"]["waiting_for"] is None)
    contents = await column(service, "ada", "MATCH (n:Episodic) RETURN n.content")
    facts = await column(service, "ada", "MATCH ()-[e:RELATES_TO]->() RETURN e.fact")
    assert sorted(contents) == sorted(f"user: {one}" for one in said)
    assert len(facts) == len(set(facts)) > 0
    return status


PATIENT = {**QUICK, "most_attempts": 1000}  # nothing is parked, however long the test takes
MODEL = {
    "hangs": Hangs(),
    "speaks nonsense": Says("I would rather not say."),
    "is at its limit": Fails(429, headers={"Retry-After": "1"}),
    "refuses the key": Fails(401),
}


@pytest.mark.parametrize("how", MODEL)
async def test_a_model_that_fails_delays_facts_and_nothing_else(tmp_path, how):
    brain, is_up = Brain(), asyncio.Event()
    reason = "InvalidModelOutput" if how == "speaks nonsense" else "Model"
    usual = brain.rules["extraction"]
    brain.rules["extraction"] = lambda prompt: usual(prompt) if is_up.is_set() else MODEL[how]
    with provider_of(brain) as provider:
        settings = hosted(tmp_path, provider, "extraction", timeout_seconds=1, digestion=PATIENT)
        async with running(tmp_path, settings=settings) as service:
            await keeps(service, [AUNT, *FRIENDS])
            status = await service.until(
                "ada", lambda s: s["graph"]["saved"] == 4 and (s["graph"]["waiting_for"] or "").startswith(reason)
            )
            await in_time(service, deadline_ms=5000, degraded=[])
            if how != "speaks nonsense":  # an answer is an answer: that one is of no use stands in its mind's status
                ready = await eventually(
                    service.ready, lambda found: found[0] == 503 and found[1]["model_extraction"] != "ready"
                )
                assert set(ready[1].values()) > {"ready"}
                assert ready[1]["model_extraction"] != "ready"
                figures = await service.figures()
                assert figures["mind_memory_dependency_up", ("dependency", "model_extraction")] == 0
            is_up.set()
            free_of_hanging(provider)
            await is_whole(service, [AUNT, *FRIENDS])
            await eventually(service.ready, lambda found: found[0] == 200)
    assert status["graph"]["episodes"] == 4


def free_of_hanging(provider):
    """Let whoever hangs go, and go on serving."""
    free(provider)
    provider._over.clear()


@pytest.mark.parametrize("status", [429, 503])
async def test_a_provider_that_only_limits_the_rate_costs_no_turn_an_attempt(tmp_path, status):
    """Broken: every refusal is an attempt, and two of them park a turn."""
    brain, calls = Brain(), itertools.count()
    usual = brain.rules["extraction"]
    limit = Fails(status, headers={"Retry-After": "0"})
    brain.rules["extraction"] = lambda prompt: limit if next(calls) % 7 else usual(prompt)
    with provider_of(brain) as provider:
        settings = hosted(tmp_path, provider, "extraction", digestion={**QUICK, "most_attempts": 2})
        async with running(tmp_path, settings=settings) as service:
            await keeps(service, [AUNT, *FRIENDS])
            await is_whole(service, [AUNT, *FRIENDS])
            figures = await service.figures()

    assert figures.get(("mind_memory_parked_total",), 0) == 0


async def test_turns_of_many_people_that_wait_for_one_slow_model_are_read_however_long_that_takes(tmp_path):
    """Broken: a turn's time limit runs while others are read, and a turn that was never asked for is parked for good."""
    brain = Brain()
    usual = brain.rules["extraction"]
    brain.rules["extraction"] = lambda prompt: Says(json.dumps(usual(prompt)), delay=0.5)
    minds = [f"person{number}" for number in range(8)]
    with provider_of(brain) as provider:
        digestion = {**QUICK, "most_attempts": 1, "turn_seconds": 3}
        settings = hosted(tmp_path, provider, "extraction", at_once=1, digestion=digestion)
        async with running(tmp_path, settings=settings) as service:
            for mind in minds:
                await service.keep(mind, AUNT)
            for mind in minds:
                assert (await service.digested(mind))["graph"]["parked"] == []
            figures = await service.figures()

    assert figures.get(("mind_memory_parked_total",), 0) == 0


LONG = f"{FRIENDS[0]} {'We talked about the harbour and bread. ' * 60}"


def slow_for_long_turns(brain, *, most):
    """*brain*, which hangs when it is shown a long turn of more than *most* letters; the lengths that it was shown."""
    usual, shown = brain.rules["extraction"], []

    def read(prompt):
        turn = between(prompt, "turn")
        if "harbour" not in turn:
            return usual(prompt)
        shown.append(len(turn))
        return Hangs() if len(turn) > most else usual(prompt)

    brain.rules["extraction"] = read
    return shown


@pytest.mark.parametrize(("most", "error"), [(len(LONG) - 500, None), (0, "tried again: ModelTimedOut")])
async def test_of_a_turn_that_a_model_is_too_slow_for_less_is_shown_once_behind_all_new_turns(tmp_path, most, error):
    """Broken: ``_extract_again`` shows it whole; ``is_own`` is false, and it is tried before each new turn."""
    brain = Brain()
    shown = slow_for_long_turns(brain, most=most)
    with provider_of(brain) as provider:
        digestion = {**QUICK, "most_attempts": 1}
        settings = hosted(tmp_path, provider, "extraction", timeout_seconds=5, digestion=digestion)
        async with running(tmp_path, settings=settings) as service:
            await keeps(service, [LONG, AUNT, *FRIENDS])
            await service.digested("ada")
            status = await service.until("ada", lambda found: not is_waiting(found))
            await service.keep("ada", "Ada called Carla.")
            await service.digested("ada")
            facts = await column(service, "ada", "MATCH ()-[e:RELATES_TO]->() RETURN e.fact")
            read = ["harbour" in one for one in turns_read(provider)]
            free_of_hanging(provider)

    assert read == [True, False, False, False, False, True, True, False]
    assert shown[0] == shown[1] > shown[2]
    assert [one["error"].startswith(error) for one in status["graph"]["parked"]] == ([True] if error else [])
    assert len(facts) >= 4


def is_waiting(status):
    """Whether a turn is parked that is going to be tried again."""
    return any(one["error"].startswith("ModelTimedOut") for one in status["graph"]["parked"])


@pytest.mark.parametrize("status", [404, 500])
async def test_the_one_turn_of_an_outage_is_read_when_it_ends_though_nobody_says_anything_more(tmp_path, status):
    brain, state = Brain(), {"is_up": False}
    usual = brain.rules["extraction"]
    brain.rules["extraction"] = lambda prompt: usual(prompt) if state["is_up"] else Fails(status)
    with provider_of(brain) as provider:
        settings = hosted(tmp_path, provider, "extraction", digestion={**QUICK, "most_attempts": 2})
        async with running(tmp_path, settings=settings) as service:
            await keeps(service, [AUNT])
            await service.until("ada", lambda s: s["graph"]["parked"])
            state["is_up"] = True
            await is_whole(service, [AUNT])
            await eventually(service.ready, lambda found: found[0] == 200)


SUBCONSCIOUS = {"drips": Drips(), "speaks nonsense": Says("I would rather not say.")}


@pytest.mark.parametrize("how", SUBCONSCIOUS)
async def test_a_subconscious_that_fails_costs_its_rungs_and_no_time(tmp_path, how):
    brain, state = Brain(), {"is_up": True}
    for name in ("seeds", "narration"):
        usual = brain.rules[name]
        brain.rules[name] = lambda prompt, usual=usual: (
            SUBCONSCIOUS[how] if not state["is_up"] else usual(prompt) if callable(usual) else usual
        )
    with provider_of(brain) as provider:
        settings = hosted(tmp_path, provider, "subconscious", timeout_seconds=2)
        async with running(tmp_path, settings=settings) as service:
            await keeps(service, [AUNT])
            await service.digested("ada")
            await service.resonate("ada", "Good morning to you all!", session_id="warm")
            state["is_up"] = False
            await in_time(service, deadline_ms=1500, degraded=["seeds_skipped", "narration_skipped"])
            figures = await service.figures()
            free_of_hanging(provider)
    assert figures["mind_memory_resonance_degraded_total", ("rung", "narration_skipped")] >= 1
    assert figures["mind_memory_resonance_total", ("outcome", "surfaced")] >= 1


async def test_a_model_that_rests_is_shown_with_what_has_to_be_mended(tmp_path):
    with provider_of(Brain(seeds=Fails(401), narration=Fails(401))) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "subconscious")) as service:
            await keeps(service, [AUNT])

            async def trouble():
                await service.resonate("ada", "Good morning to you all!", session_id=f"day-{len(provider.asked)}")
                return (await service.ready())[1]["model_subconscious"]

            shown = await eventually(trouble, lambda found: "rests for" in found)
    assert "refused the key" in shown


def rows_of(row):
    """An answer of one row a text, whatever the row is."""
    return lambda texts: Body({"object": "list", "model": "m", "data": [
        {"object": "embedding", "index": at, "embedding": row} for at, _ in enumerate(texts)
    ], "usage": {"prompt_tokens": 1, "total_tokens": 1}})  # fmt: skip


EMBEDDER = {
    "hangs": lambda _: Hangs(),
    "closes": lambda _: Closes(),
    "is at its limit": lambda _: Fails(429, headers={"Retry-After": "1"}),
    "refuses the key": lambda _: Fails(401),
    "has another dimension": rows_of([1.0] * 7),
    "says NaN": rows_of([float("nan")] * 32),
    "says zeros": rows_of([0.0] * 32),
    "miscounts": lambda texts: rows_of([1.0] * 32)([*texts, "one more"]),
}


@pytest.mark.parametrize("how", EMBEDDER)
async def test_an_embedder_that_fails_delays_vectors_and_nothing_else(tmp_path, how):
    state = {"is_up": True}
    with told() as heard, provider_of(Brain()) as provider:
        usual = provider.next_vectors
        provider.next_vectors = lambda asked: (
            usual(asked) if state["is_up"] else EMBEDDER[how](texts_of(asked.body["input"]))
        )
        embedder = {"model": "openai/vectors", "api_base": provider.url, "api_key": "k"}
        embedder |= {"timeout_seconds": 1, "rest_seconds": 0.2}
        async with running(tmp_path, settings=settings_of(tmp_path, embedder=embedder, digestion=QUICK)) as service:
            await keeps(service, [AUNT])
            await service.digested("ada")
            await service.resonate("ada", "Good morning to you all!", session_id="warm", relevance=0)
            state["is_up"] = False
            await keeps(service, FRIENDS)
            await in_time(service, deadline_ms=1500, degraded=["embedder_unavailable"])
            status = await service.until("ada", lambda s: s["graph"]["waiting_for"])
            ready = await eventually(service.ready, lambda found: found[0] == 503 and found[1]["embedder"] != "ready")
            figures = await eventually(
                service.figures, lambda found: found["mind_memory_dependency_up", ("dependency", "embedder")] == 0
            )
            # The service leaves it alone by now: nobody waits for it.
            await in_time(
                service,
                deadline_ms=60_000,
                quicker_than=embedder["timeout_seconds"],
                degraded=["embedder_unavailable"],
            )
            state["is_up"] = True
            free_of_hanging(provider)
            await is_whole(service, [AUNT, *FRIENDS])
            await eventually(service.ready, lambda found: found[0] == 200)
            await in_time(service, deadline_ms=5000, degraded=[])
    assert ready[1]["graph"] == "ready" != ready[1]["embedder"]
    assert status["graph"]["waiting_for"].startswith("Embedder")
    assert figures["mind_memory_breaker", ("dependency", "embedder"), ("state", "closed")] == 0
    assert heard == [("embedder", "failed"), ("embedder", "recovered")]


def texts_of(given):
    return [given] if isinstance(given, str) else given


async def test_a_text_that_no_embedder_takes_closes_nobodys_way(tmp_path):
    def vectors(asked):
        texts = texts_of(asked.body["input"])
        return Fails(400, "too long") if any("Zebulon" in text for text in texts) else usual(asked)

    with told() as heard, provider_of(Brain()) as provider:
        usual, provider.next_vectors = provider.next_vectors, vectors
        embedder = {"model": "openai/vectors", "api_base": provider.url, "api_key": "k", "rest_seconds": 0.2}
        async with running(tmp_path, settings=settings_of(tmp_path, embedder=embedder)) as service:
            await keeps(service, [AUNT])
            await service.digested("ada")
            for _ in range(3):
                found = (await service.resonate("ada", "Who is Zebulon?", relevance=0)).json()
                assert found["degraded"] == ["embedder_unavailable"]
            await in_time(service, deadline_ms=5000, degraded=[])
    assert heard == []
