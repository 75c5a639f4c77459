"""Every model call can be followed: what it cost although it was refused, why, how far it is, and how it ended."""

import asyncio
import json

import pytest
from structlog.testing import capture_logs

from service.adapters.litellm.loader import open_litellm
from tests.e2e.test_bad_narrators import GOOD, consolidate, roles
from tests.e2e.test_story import TALK, chapter, keep_talk
from tests.support.scripted_models import Brain, free, hosted, prompts, provider_of
from tests.support.service import running, settings_of
from tests.support.waiting import OFTEN, until_async
from tests.twins.provider import Fails, Hangs, Says, ScriptedProvider

pytestmark = pytest.mark.anyio

INVENTED = chapter("I met Ann and Roderick Spode, and their dog Pascal.")


ON_REQUEST = {"threshold_tokens": 0, "retry_seconds": 600}


async def status_of(service):
    return (await service.http.get("/v1/status")).json()


async def test_a_story_that_was_refused_is_paid_for_and_says_why(tmp_path):
    """Broken: ``answered`` adds no usage, or ``report_refusal`` logs nothing."""
    with provider_of(Brain(story_first=INVENTED)) as model, capture_logs() as logged:
        async with running(tmp_path, settings=settings_of(tmp_path, models=roles(model), story=ON_REQUEST)) as service:
            await keep_talk(service, TALK[2:])
            await service.digested("ada")
            before = (await service.status("ada"))["usage"]
            run = (await consolidate(service, trigger="manual"))["last_run"]
            after = (await service.status("ada"))["usage"]
            figures = await service.figures()

    assert run["error"].startswith("StoryRefused")
    assert (run["usage"]["calls"], run["usage"]["completion_tokens"] > 20) == (2, True)
    assert {name: after[name] - before[name] for name in after} == run["usage"]
    tokens = sum(value for name, value in figures.items() if name[0] == "mind_memory_model_tokens_total")
    assert tokens == after["prompt_tokens"] + after["completion_tokens"]
    refusals = [line for line in logged if line["event"] == "story.refused"]
    assert [(line["log_level"], line["refusals"]) for line in refusals] == [("warning", at) for at in (1, 2)]
    assert "Roderick" in refusals[0]["reason"]
    said = INVENTED["append"][0]["text"]
    assert said in run["refused"][0] and not any(said in str(line) for line in logged), "a log holds no sentence"
    assert [reason for reason in run["refused"] if "Roderick" in reason] == run["refused"] != []


async def test_a_model_whose_answer_has_no_shape_is_paid_for_too(tmp_path):
    """Broken: ``answered`` is not called where the model failed."""
    with ScriptedProvider(respond=lambda _: "A dog came.") as model:
        async with running(tmp_path, settings=settings_of(tmp_path, models=roles(model), story=ON_REQUEST)) as service:
            await keep_talk(service, TALK[2:])
            run = (await consolidate(service, trigger="manual"))["last_run"]

    assert run["error"].startswith("InvalidModelOutput")
    assert run["usage"]["calls"] == 2
    assert run["usage"]["completion_tokens"] == 6


async def test_an_extraction_that_can_not_be_read_is_paid_for(tmp_path):
    """Broken: ``TurnReader`` does not count the usage of a fault."""
    with provider_of(Brain(extraction="no JSON")) as model:
        async with running(tmp_path, settings=hosted(tmp_path, model, "extraction")) as service:
            await service.keep("ada", "My mother lives in Lyon.")
            await service.until("ada", lambda found: found["graph"]["parked"])
            usage = (await service.status("ada"))["usage"]

    assert usage["calls"] == len(model.chats) >= 2 * 5
    assert prompts(model, "extraction")


async def test_while_a_story_is_written_the_status_says_how_much_has_come(tmp_path):
    """Broken: the narrator does not listen."""
    with ScriptedProvider(Says(json.dumps(GOOD), drip=0.4)) as model:
        async with running(
            tmp_path, settings=settings_of(tmp_path, models=roles(model, "narrative"), story=ON_REQUEST)
        ) as service:
            await keep_talk(service, TALK[2:])
            await service.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": False})
            seen = []

            while not (run := (await consolidate(service, "GET"))["last_run"]) or not run["ended_at"]:
                seen.append((await status_of(service))["minds"][0]["story"]["received"])
                await asyncio.sleep(OFTEN)
            after = (await status_of(service))["minds"][0]["story"]["received"]

    growing = [count for count in dict.fromkeys(seen) if count]
    assert (run["error"], run["received"], after) == (None, 0, 0)
    assert len(growing) > 2
    assert growing == sorted(growing)
    assert growing[-1] <= len(json.dumps(GOOD))


async def test_the_last_calls_stand_in_the_status_for_who_may_see_all(tmp_path):
    with ScriptedProvider(respond=lambda body: GOOD if "HTTP" not in str(body) else "Hello!") as model:
        proxy = {"models": ["openai/other"], "api_key": "k", "api_base": model.url}
        models = roles(model, "narrative")
        settings = settings_of(tmp_path, models=models, proxy=proxy, story=ON_REQUEST)
        async with running(tmp_path, settings=settings) as service:
            await keep_talk(service, TALK[2:])
            await consolidate(service, trigger="manual")
            chat = {"model": "openai/other", "stream": True, "messages": [{"role": "user", "content": "HTTP?"}]}
            await service.http.post("/v1/chat/completions", json=chat, headers={"X-Mind-Id": "ada"})

            while len(calls := (await status_of(service))["model_calls"]) < 2:
                await asyncio.sleep(OFTEN)
            spoken, told = calls

    assert (told["role"], told["model"], told["host"]) == ("narrative", "openai/scripted", "127.0.0.1")
    assert (told["streamed"], told["outcome"], told["finish"], told["reason"]) == (True, "answered", "stop", None)
    assert 0 <= told["first_words_ms"] <= told["ms"]
    assert told["prompt_tokens"] > told["completion_tokens"] > 0
    assert (spoken["role"], spoken["model"], spoken["host"]) == ("chat", "openai/other", "127.0.0.1")
    assert (spoken["streamed"], spoken["outcome"]) == (True, "answered")
    assert spoken["first_words_ms"] <= spoken["ms"]


async def test_a_model_that_can_not_be_asked_is_said_at_the_start_and_by_readyz(tmp_path, monkeypatch):
    """Broken: ``warm`` checks nothing, or tells its dependency nothing."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    models = {"narrative": {"model": "llama3.2", "fallbacks": ["ollama/x"]}, "extraction": {"model": "openai/gpt-4o"}}
    with capture_logs() as logged:
        async with running(tmp_path, settings=settings_of(tmp_path, models=models)) as service:
            await until_async(lambda: sum(line["event"] == "model.unusable" for line in logged) > 1, seconds=60)
            status, parts = await service.ready()

    said = {tuple(line["roles"]): line["reason"] for line in logged if line["event"] == "model.unusable"}
    assert said == {("narrative",): parts["model_narrative"], ("extraction",): parts["model_extraction"]}
    assert status == 503
    assert parts["model_narrative"].startswith("llama3.2 names no provider")
    assert (
        parts["model_extraction"] == "openai/gpt-4o has no key: set OPENAI_API_KEY, or api_key where the model is set"
    )


async def test_a_key_that_is_missing_is_logged_once_whatever_roles_need_it(tmp_path, monkeypatch):
    """Broken: each role logs the model, and each dependency the same again."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    models, embedder = {"transcription": {"model": "openai/whisper-1"}}, {"model": "openai/text-embedding-3-small"}
    settings = settings_of(tmp_path, model="openai/gpt-4o", models=models, embedder=embedder)
    with capture_logs() as logged:
        async with running(tmp_path, settings=settings) as service:
            await until_async(lambda: sum(line["event"] == "model.unusable" for line in logged) > 2, seconds=60)
            _, parts = await service.ready()

    lines = [line for line in logged if line["log_level"] == "warning"]
    assert sorted((line["event"], *line["roles"]) for line in lines) == [
        ("model.unusable", "chat", "subconscious", "narrative", "extraction"),
        ("model.unusable", "embedder"),
        ("model.unusable", "transcription"),
    ]
    named = {role if role == "embedder" else f"model_{role}" for line in lines for role in line["roles"]}
    assert {name for name, state in parts.items() if "has no key" in state} == named


@pytest.mark.parametrize(("code", "words"), [(401, "refused the key"), (404, "is not found at this address")])
async def test_a_key_that_is_refused_and_a_model_that_does_not_exist_are_said_after_one_call(tmp_path, code, words):
    """Broken: ``needs_mending`` is read by nobody: readiness would wait for three failures, and forget them."""
    with ScriptedProvider(Fails(code, "no"), GOOD) as model:
        settings = settings_of(tmp_path, models=roles(model, "narrative"), story=ON_REQUEST)
        async with running(tmp_path, settings=settings) as service:
            await keep_talk(service, TALK[2:])
            await consolidate(service, trigger="manual")
            _, wrong = await service.ready()
            await service.keep("ada", "ok", session_id="s3")
            await consolidate(service, trigger="manual")
            _, right = await service.ready()

    assert wrong["model_narrative"].startswith(f"openai/scripted {words}")
    assert right["model_narrative"] == "ready"


async def test_a_provider_that_fails_otherwise_by_now_is_not_said_to_refuse_the_key(tmp_path):
    """Broken: readiness told of the key until the third other failure, and "key provided" was masked as a secret."""
    refusal = Fails(401, "Incorrect API key provided: sk-abcdefgh12345678. You can find yours at your provider.")
    with ScriptedProvider(refusal, *[Fails(500, "boom")] * 9) as model:
        settings = settings_of(tmp_path, models=roles(model, "narrative"), story=ON_REQUEST)
        async with running(tmp_path, settings=settings) as service:
            await keep_talk(service, TALK[2:])
            await consolidate(service, trigger="manual")
            _, refused = await service.ready()
            await consolidate(service, trigger="manual")
            _, failed = await service.ready()

    assert refused["model_narrative"].startswith(
        "openai/scripted refused the key: Incorrect API key provided: *** You can find"
    )
    assert failed["model_narrative"].startswith("openai/scripted failed: boom")


async def test_a_call_that_nobody_waits_for_is_given_up(tmp_path):
    await open_litellm()  # else the time may be over before the call begins
    with ScriptedProvider(respond=lambda _: Hangs()) as model:
        settings = settings_of(tmp_path, models=roles(model, "narrative", timeout_seconds=1), story=ON_REQUEST)
        async with running(tmp_path, settings=settings) as service:
            await keep_talk(service, TALK[2:])
            await asyncio.wait_for(consolidate(service, trigger="manual"), 20)
            (call,) = (await status_of(service))["model_calls"]

    assert (call["outcome"], call["first_words_ms"]) in {("given_up", None), ("failed", None)}
    assert call["prompt_tokens"] == 0


async def test_calls_of_one_mind_that_hang_take_the_model_from_no_other(tmp_path):
    """Broken: ``_admit`` breaks nothing off."""
    brain, hangs = Brain(), asyncio.Event()
    brain.rules["seeds"] = lambda _: Hangs() if hangs.is_set() else {"entities": [], "queries": [], "wonders": []}
    with provider_of(brain) as provider:
        settings = hosted(tmp_path, provider, "subconscious", at_once=2, timeout_seconds=300)
        async with running(tmp_path, settings=settings) as service:
            for mind_id in ("ada", "ben"):
                await service.keep(mind_id, "My aunt Carla lives in Lyon.", session_id="s0")
                await service.digested(mind_id)
            await service.resonate("ada", "Where does my aunt Carla live?", session_id="a", deadline_ms=0)
            hangs.set()
            for number in range(2):
                asked = {"session_id": f"a{number}", "deadline_ms": 1000}
                await service.resonate("ada", "Where does my aunt Carla live?", **asked)
                await until_async(lambda asked=number + 2: len(prompts(provider, "seeds")) == asked)
            hangs.clear()
            asked = {"session_id": "b", "deadline_ms": 20_000}
            found = (await service.resonate("ben", "Where does my aunt Carla live?", **asked)).json()
            free(provider)

    assert found["degraded"] == []


async def test_a_story_goes_to_its_fallback_at_the_same_address_with_the_same_key(tmp_path, monkeypatch):
    """Broken: a fallback has neither, so nobody is asked, or OpenAI, where its key is in the environment."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with ScriptedProvider(respond=lambda body: Fails(404, "no") if body["model"] == "scripted" else GOOD) as model:
        models = roles(model, "narrative", fallbacks=["openai/second"])
        async with running(tmp_path, settings=settings_of(tmp_path, models=models, story=ON_REQUEST)) as service:
            await keep_talk(service, TALK[2:])
            run = (await consolidate(service, trigger="manual"))["last_run"]

    assert (run["error"], run["told"] > 0) == (None, True)
    assert [asked.body["model"] for asked in model.chats] == ["scripted", "second"]
    assert {k.lower(): v for k, v in model.chats[-1].headers.items()}["authorization"] == "Bearer k"
