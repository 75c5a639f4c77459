"""Ollama as a person's machine has it: a scripted one, spoken to by the real litellm, that cuts what does not fit."""

import asyncio
import time
from dataclasses import replace

import pytest

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import ModelTimedOut, ModelTruncated, ModelUnavailable
from consolidation.kernel.ports import Ask, Role
from prompts.responses import Shape
from service.adapters.litellm.embedder import LitellmEmbedder
from service.adapters.litellm.ollama import WINDOW_TOKENS
from service.cli.output.configuration import network_of
from service.composition.models import choose, open_models
from service.composition.upstream import open_upstream
from service.observability.model_usage import UsageLedger
from service.settings.loading import read_settings
from service.settings.settings import Settings
from tests.support.ollama import Broken, ollama
from tests.support.paths import ROOT
from tests.twins.provider import ScriptedProvider

pytestmark = pytest.mark.anyio
EXAMPLE = ROOT / ".env.example"
WANTED = ("MIND_MEMORY_MODEL=ollama", "MIND_MEMORY_EMBEDDER__")
HELLO = ({"role": "user", "content": "Are you there?"},)
WORD = " bicycle"  # a token


class Thing(Shape):
    name: str


@pytest.fixture
def machine(monkeypatch):
    with ollama(lambda body: {"name": "bicycle"} if "format" in body else "here") as found:
        monkeypatch.setenv("OLLAMA_API_BASE", found.url)
        yield found


@pytest.fixture
def asked_for(tmp_path):
    (tmp_path / "seeds.md").write_text("{{ message }}")

    def ask(text):
        return Ask("seeds", Thing, {"message": text}, tmp_path)

    return ask


def after(seconds):
    """An answer that takes so long."""

    def respond(_):
        time.sleep(seconds)
        return {"name": "bicycle"}

    return respond


async def answered(settings, role, ask):
    async with open_models(settings, clock=SystemClock(), ledger=UsageLedger()) as models:
        return (await models[role].answer(ask)).content


async def test_the_example_reaches_the_models_that_are_fetched(machine, monkeypatch):
    lines = [line.removeprefix("# ") for line in EXAMPLE.read_text().splitlines() if line.startswith("# ")]
    for line in lines:
        if line.startswith(WANTED):
            monkeypatch.setenv(*line.split("=", 1))
    settings = read_settings()
    chosen = settings.embedder
    embedder = LitellmEmbedder(
        chosen.model, api_base=None, api_key=None, timeout_seconds=60, dimension=chosen.dimension
    )

    vectors = await embedder.embed(("Where does my mother live?",))
    async with open_models(settings, clock=SystemClock(), ledger=UsageLedger()) as models:
        reply = await models[Role.CHAT].converse(HELLO)

    assert vectors.shape == (1, 1024)
    assert reply.content == "here"
    assert {("/api/embed", "bge-m3"), ("/api/chat", "llama3.2")} <= {
        (path, body.get("model")) for path, body in machine.asked
    }
    assert network_of(settings) == "none: nothing leaves this machine"


@pytest.mark.parametrize("model", ["ollama/qwen3", "ollama_chat/qwen3"])
async def test_every_question_asks_for_one_window_so_that_the_model_is_loaded_once(machine, asked_for, model):
    settings = Settings(model=model)

    async with open_models(settings, clock=SystemClock(), ledger=UsageLedger()) as models:
        for role in Role:
            await models[role].answer(asked_for("What is a bicycle?"))
        await models[Role.CHAT].converse(HELLO)
    await open_upstream(settings, clock=SystemClock()).ask({"model": "qwen3", "messages": list(HELLO)})

    chats = [body for path, body in machine.asked if path == "/api/chat"]
    assert len(chats) == len(Role) + 2
    assert {body["options"]["num_ctx"] for body in chats} == {WINDOW_TOKENS}


async def test_the_shape_of_an_answer_is_asked_for_by_ollamas_own_means(machine, asked_for):
    assert await answered(Settings(model="ollama_chat/qwen3"), Role.SUBCONSCIOUS, asked_for("?")) == Thing(
        name="bicycle"
    )

    [body] = [body for path, body in machine.asked if path == "/api/chat"]
    assert "name" in body["format"]["properties"]


async def test_it_thinks_before_chats_alone_unless_a_setting_says_otherwise(machine, asked_for):
    for models in ({}, {"subconscious": {"reasoning_effort": "low"}}):
        async with open_models(
            Settings(model="ollama_chat/qwen3", models=models), clock=SystemClock(), ledger=UsageLedger()
        ) as opened:
            await opened[Role.SUBCONSCIOUS].answer(asked_for("?"))
            await opened[Role.CHAT].converse(HELLO)

    assert [body.get("think") for path, body in machine.asked if path == "/api/chat"] == [False, None, True, None]


async def test_an_answer_takes_what_a_prompt_leaves_of_the_window(machine, asked_for):
    await answered(Settings(model="ollama_chat/llama3.2"), Role.EXTRACTION, asked_for(WORD * 10_000))

    [body] = [body for path, body in machine.asked if path == "/api/chat"]
    assert body["options"]["num_predict"] == WINDOW_TOKENS - 12_500
    assert machine.cut == []


async def test_a_prompt_that_leaves_no_room_for_an_answer_is_not_asked(machine, asked_for):
    with pytest.raises(ModelTruncated, match=r"about 17500 tokens.*window of 16384.*CONTEXT_TOKENS"):
        await answered(Settings(model="ollama_chat/llama3.2"), Role.EXTRACTION, asked_for(WORD * 14_000))

    assert not any(path == "/api/chat" for path, _ in machine.asked)


@pytest.mark.parametrize(("chosen", "sent"), [(32_768, 32_768), (0, None)])
async def test_another_window_or_that_of_the_server_can_be_chosen(machine, asked_for, chosen, sent):
    settings = Settings(model="ollama_chat/llama3.2", models={"context_tokens": chosen})

    await answered(settings, Role.EXTRACTION, asked_for(WORD * 14_000))

    [body] = [body for path, body in machine.asked if path == "/api/chat"]
    assert body["options"].get("num_ctx") == sent


async def test_a_window_holds_for_servers_of_ones_own_and_for_no_provider(asked_for):
    with ScriptedProvider({"name": "bicycle"}) as own:
        settings = Settings(model="openai/local", api_base=own.url, api_key="k", models={"context_tokens": 8192})

        with pytest.raises(ModelTruncated, match="8192"):
            await answered(settings, Role.EXTRACTION, asked_for(WORD * 7_000))
        await answered(settings, Role.EXTRACTION, asked_for(WORD * 4_000))

        [body] = [one.body for one in own.chats]
    assert (body["max_tokens"], "num_ctx" in body) == (8192 - 5000, False)
    [provider] = choose(Settings(model="openai/gpt-4o", models={"context_tokens": 8192}))[Role.CHAT]
    assert provider.context_tokens is None
    with ScriptedProvider({"name": "bicycle"}) as unlimited:
        settings = Settings(model="openai/local", api_base=unlimited.url, api_key="k")
        await answered(settings, Role.EXTRACTION, asked_for(WORD * 60_000))


async def test_a_family_that_can_not_be_told_not_to_think_is_told_to_think_little(machine, asked_for):
    await answered(Settings(model="ollama_chat/gpt-oss:20b"), Role.EXTRACTION, asked_for("?"))

    assert [body["think"] for path, body in machine.asked if path == "/api/chat"] == ["low"]


async def test_an_error_in_a_stream_is_no_reason_to_ask_again_in_other_ways(machine, asked_for):
    machine.respond = lambda _: Broken("an error was encountered while running the model: unexpected EOF")
    ask = replace(asked_for("?"), heard=lambda _: None)

    with pytest.raises(ModelUnavailable, match="unexpected response from Ollama"):
        await answered(Settings(model="ollama_chat/llama3.2"), Role.NARRATIVE, ask)

    assert len([path for path, _ in machine.asked if path == "/api/chat"]) == 1


async def test_before_a_turn_it_is_given_up_soon_since_the_bots_own_answer_waits_behind_it(machine, asked_for):
    machine.respond = after(8)

    with pytest.raises(ModelTimedOut, match="within 5 s"):
        await answered(Settings(model="ollama_chat/llama3.2"), Role.SUBCONSCIOUS, asked_for("?"))


@pytest.mark.parametrize(("models", "most"), [({}, 1), ({"at_once": 3}, 3)])
async def test_turns_do_not_wait_behind_several_questions_that_nobody_waits_for(machine, asked_for, models, most):
    machine.respond = after(0.3)
    settings = Settings(model="ollama_chat/llama3.2", models=models)

    async with open_models(settings, clock=SystemClock(), ledger=UsageLedger()) as opened:
        await opened[Role.EXTRACTION].warm()
        await asyncio.gather(*(opened[Role.EXTRACTION].answer(asked_for("?")) for _ in range(6)))

    assert machine.most == most


async def test_how_long_a_model_thinks_reaches_a_server_that_litellm_does_not_know(asked_for):
    with ScriptedProvider({"name": "bicycle"}, {"name": "bicycle"}) as own:
        for models in ({}, {"subconscious": {"reasoning_effort": "minimal"}}):
            settings = Settings(model="openai/local", api_base=own.url, api_key="k", models=models)
            await answered(settings, Role.SUBCONSCIOUS, asked_for("?"))

    assert [one.body.get("reasoning_effort") for one in own.chats] == [None, "minimal"]


async def test_it_is_not_asked_what_it_can_and_what_it_costs_while_an_answer_is_waited_for(machine, asked_for):
    async with open_models(Settings(model="ollama_chat/llama3.2"), clock=SystemClock(), ledger=UsageLedger()) as models:
        await models[Role.SUBCONSCIOUS].warm()
        machine.asked.clear()
        async with asyncio.timeout(30):
            await models[Role.SUBCONSCIOUS].answer(asked_for("?"))

    assert [path for path, _ in machine.asked] == ["/api/chat"]
