"""pydantic-ai remembers: the real package, a real service, a scripted model."""

from types import SimpleNamespace

import pytest
from pydantic import BaseModel

from mind_memory_client import MemoryClient, RetryPolicy
from tests.client.conftest import ASKS, MOTHER, stored_turns
from tests.support.cli_process import until_digested
from tests.support.scripted_bot import KNOWS, KNOWS_NOT, blocks, bot, calls_tool, holds, shown
from tests.twins.provider import Fails

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def kit():
    """The heavy imports, made for the first test and not for every worker that collects it."""
    from openai import AsyncOpenAI
    from pydantic_ai import Agent, ModelHTTPError, PromptedOutput
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    from mind_memory_client.adapters.pydantic_ai import MindMemory

    return SimpleNamespace(
        Agent=Agent,
        AsyncOpenAI=AsyncOpenAI,
        MindMemory=MindMemory,
        ModelHTTPError=ModelHTTPError,
        OpenAIChatModel=OpenAIChatModel,
        OpenAIProvider=OpenAIProvider,
        PromptedOutput=PromptedOutput,
    )


@pytest.fixture
async def agent_of(kit):
    """A scripted agent; its client is closed afterwards."""
    clients = []

    def build(provider, memory, mind, session="later", **more):
        clients.append(kit.AsyncOpenAI(base_url=provider.url, api_key="k", max_retries=0))
        model = kit.OpenAIChatModel("scripted", provider=kit.OpenAIProvider(openai_client=clients[-1]))
        recall = kit.MindMemory(memory, mind=mind, session=session, deadline_ms=0)
        agent = kit.Agent(model, instructions="Be brief.", capabilities=[recall], **more)

        @agent.tool_plain
        def weather(city: str) -> str:
            """The weather in a city."""
            return f"22 degrees in {city}"

        return agent, recall

    yield build
    for client in clients:
        await client.close()


async def test_a_bot_knows_in_a_later_session_what_was_said_in_an_earlier_one(kit, agent_of, memory, mind, home, url):
    with bot() as provider:
        await agent_of(provider, memory, mind, "earlier")[0].run(MOTHER)
        until_digested(url, mind)
        result = await agent_of(provider, memory, mind)[0].run(ASKS)

    assert result.output == KNOWS
    assert "[MY MEMORY]" in shown(provider)[0][1]
    assert blocks(provider) == [0, 1]
    assert holds(result.all_messages()) == 0
    assert stored_turns(home, mind)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


async def test_in_a_loop_of_tools_each_call_sees_the_same_and_the_turn_is_stored_once(
    kit, agent_of, memory, told_mind, home
):
    with bot(calls_tool(city="Lyon")) as provider:
        assert (await agent_of(provider, memory, told_mind)[0].run(ASKS)).output == KNOWS

    assert blocks(provider) == [1, 1]
    assert shown(provider, 1)[: len(shown(provider, 0))] == shown(provider, 0)
    assert stored_turns(home, told_mind)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


async def test_a_stream_comes_piece_by_piece_and_is_stored(kit, agent_of, memory, told_mind, home):
    with bot() as provider:
        async with agent_of(provider, memory, told_mind)[0].run_stream(ASKS) as result:
            pieces = [piece async for piece in result.stream_text(delta=True, debounce_by=None)]

    assert "".join(pieces) == KNOWS
    assert len(pieces) > 1
    assert stored_turns(home, told_mind)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


async def test_a_later_run_of_a_conversation_stores_only_what_is_new(kit, agent_of, memory, told_mind, home):
    with bot() as provider:
        agent, _ = agent_of(provider, memory, told_mind)
        first = await agent.run(ASKS)
        await agent.run("Thank you.", message_history=first.all_messages())

    assert [turn[0] for _, turn in stored_turns(home, told_mind)[1:]] == [("user", ASKS), ("user", "Thank you.")]


async def test_when_the_model_fails_the_users_words_are_stored(kit, agent_of, memory, told_mind, home):
    with bot(Fails(500)) as provider, pytest.raises(kit.ModelHTTPError):
        await agent_of(provider, memory, told_mind)[0].run(ASKS)

    assert stored_turns(home, told_mind)[1:] == [("later", [("user", ASKS)])]


async def test_an_answer_that_is_not_text_is_stored_as_json(kit, agent_of, memory, told_mind, home):
    class City(BaseModel):
        name: str

    with bot({"name": "Lyon"}) as provider:
        await agent_of(provider, memory, told_mind, output_type=kit.PromptedOutput(City))[0].run(ASKS)

    assert stored_turns(home, told_mind)[-1][1][1] == ("assistant", '{"name":"Lyon"}')


async def test_a_mind_and_a_session_may_come_from_the_dependencies(kit, agent_of, memory, told_mind, home):
    with bot() as provider:
        agent, _ = agent_of(
            provider, memory, lambda ctx: ctx.deps["user"], lambda ctx: ctx.deps["chat"], deps_type=dict
        )
        await agent.run(ASKS, deps={"user": told_mind, "chat": "its own"})

    assert stored_turns(home, told_mind)[-1][0] == "its own"


async def test_without_a_memory_the_agent_answers_and_the_turn_waits_in_the_queue(kit, agent_of, memory, mind, home):
    with bot() as provider, MemoryClient("http://127.0.0.1:9", retry=RetryPolicy(max_attempts=1)) as away:
        agent, recall = agent_of(provider, away, mind)
        assert (await agent.run(ASKS)).output == KNOWS_NOT

    for unsaved in recall.unsaved.take():
        memory.resend(unsaved)
    assert stored_turns(home, mind) == [("later", [("user", ASKS), ("assistant", KNOWS_NOT)])]
