"""The OpenAI Agents SDK remembers: the real package, a real service, a scripted model."""

from types import SimpleNamespace

import pytest

from mind_memory_client import MemoryClient, RetryPolicy
from tests.client.conftest import ASKS, MOTHER, stored_turns
from tests.support.cli_process import until_digested
from tests.support.scripted_bot import KNOWS, KNOWS_NOT, MARK, blocks, bot, calls_tool, shown
from tests.twins.provider import Fails

pytestmark = pytest.mark.anyio


def weather(city: str) -> str:
    """The weather in a city."""
    return f"22 degrees in {city}"


@pytest.fixture(scope="module")
def kit():
    """The heavy imports, made for the first test and not for every worker that collects it."""
    from agents import Agent, OpenAIChatCompletionsModel, Runner, SQLiteSession, function_tool
    from openai import AsyncOpenAI, InternalServerError

    from mind_memory_client.adapters.openai_agents import SessionMemory

    return SimpleNamespace(
        Agent=Agent,
        AsyncOpenAI=AsyncOpenAI,
        InternalServerError=InternalServerError,
        OpenAIChatCompletionsModel=OpenAIChatCompletionsModel,
        Runner=Runner,
        SQLiteSession=SQLiteSession,
        SessionMemory=SessionMemory,
        function_tool=function_tool,
    )


@pytest.fixture
async def run(kit):
    """Run a scripted agent; its client is closed afterwards."""
    clients = []

    async def go(provider, words, recall, *, streams=False, **more):
        clients.append(kit.AsyncOpenAI(base_url=provider.url, api_key="k", max_retries=0))
        model = kit.OpenAIChatCompletionsModel(model="scripted", openai_client=clients[-1])
        agent = kit.Agent(name="bot", instructions="Be brief.", model=model, tools=[kit.function_tool(weather)])
        asked = {"hooks": recall, "run_config": recall.run_config(tracing_disabled=True), **more}
        if not streams:
            return (await kit.Runner.run(agent, words, **asked)).final_output
        result = kit.Runner.run_streamed(agent, words, **asked)
        return [one.data.delta async for one in result.stream_events()
                if one.type == "raw_response_event" and one.data.type == "response.output_text.delta"]  # fmt: skip

    yield go
    for client in clients:
        await client.close()


def recall_of(kit, memory, mind, session="later", **more):
    return kit.SessionMemory(memory, mind=mind, session=session, deadline_ms=0, **more)


async def test_a_bot_knows_in_a_later_session_what_was_said_in_an_earlier_one(kit, run, memory, mind, home, url):
    with bot() as provider:
        await run(provider, MOTHER, recall_of(kit, memory, mind, "earlier"))
        until_digested(url, mind)
        assert await run(provider, ASKS, recall_of(kit, memory, mind)) == KNOWS

    system, block, user = shown(provider)
    assert system[1].startswith("Be brief.\n\n[MY MEMORY]")
    assert block[1].startswith(f"---\n{MARK}")
    assert user == ("user", ASKS)
    assert stored_turns(home, mind)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


async def test_in_a_loop_of_tools_each_call_sees_the_same_and_the_turn_is_stored_once(
    kit, run, memory, told_mind, home
):
    with bot(calls_tool(city="Lyon")) as provider:
        assert await run(provider, ASKS, recall_of(kit, memory, told_mind, placement="user")) == KNOWS

    assert blocks(provider) == [1, 1]
    assert shown(provider, 1)[:2] == shown(provider, 0)
    assert stored_turns(home, told_mind)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


async def test_a_stream_comes_piece_by_piece_and_is_stored(kit, run, memory, told_mind, home):
    with bot() as provider:
        pieces = await run(provider, ASKS, recall_of(kit, memory, told_mind), streams=True)

    assert "".join(pieces) == KNOWS
    assert len(pieces) > 1
    assert stored_turns(home, told_mind)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


async def test_the_sdks_own_session_holds_nothing_of_memory_and_a_failed_run_is_stored_once(
    kit, run, memory, told_mind, home
):
    session, recall = kit.SQLiteSession("later"), recall_of(kit, memory, told_mind)
    with bot(Fails(500)) as provider:
        with pytest.raises(kit.InternalServerError):
            await run(provider, ASKS, recall, session=session)
        await run(provider, "Are you there?", recall, session=session)
        await run(provider, "Good.", recall, session=session)
        items = await session.get_items()
    session.close()

    assert MARK not in str(items)
    words = [line for _, turn in stored_turns(home, told_mind)[1:] for line in turn if line[0] == "user"]
    assert words == [("user", ASKS), ("user", "Are you there?"), ("user", "Good.")]


async def test_what_a_failed_run_left_unanswered_is_stored_at_the_end(kit, run, memory, told_mind, home):
    recall = recall_of(kit, memory, told_mind)
    with bot(Fails(500)) as provider, pytest.raises(kit.InternalServerError):
        await run(provider, ASKS, recall)

    await recall.aclose()

    assert stored_turns(home, told_mind)[1:] == [("later", [("user", ASKS)])]


async def test_without_a_memory_the_agent_answers_and_the_turn_waits_in_the_queue(kit, run, memory, mind, home):
    with bot() as provider, MemoryClient("http://127.0.0.1:9", retry=RetryPolicy(max_attempts=1)) as away:
        recall = recall_of(kit, away, mind)
        assert await run(provider, ASKS, recall) == KNOWS_NOT

    for unsaved in recall.unsaved.take():
        memory.resend(unsaved)
    assert stored_turns(home, mind) == [("later", [("user", ASKS), ("assistant", KNOWS_NOT)])]
