"""LangChain's agents and LangGraph's graphs remember: the real packages, a real service, a scripted model."""

import asyncio
from types import SimpleNamespace

import pytest

from mind_memory_client import MemoryClient, RetryPolicy
from tests.client.conftest import ASKS, MOTHER, stored_turns
from tests.support.cli_process import until_digested
from tests.support.scripted_bot import KNOWS, KNOWS_NOT, MARK, blocks, bot, calls_tool, holds, shown
from tests.support.waiting import until
from tests.twins.provider import Fails

pytestmark = pytest.mark.anyio

LATER = {"configurable": {"thread_id": "later"}}


@pytest.fixture(scope="module")
def kit():
    """The heavy imports, made for the first test and not for every worker that collects it."""
    from langchain.agents import create_agent
    from langchain_core.tools import create_retriever_tool
    from langchain_openai import ChatOpenAI
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import END, START, StateGraph
    from openai import InternalServerError

    from mind_memory_client.adapters.langchain import MemoryMiddleware, MemoryRetriever, MemoryState

    return SimpleNamespace(
        ChatOpenAI=ChatOpenAI,
        END=END,
        InMemorySaver=InMemorySaver,
        InternalServerError=InternalServerError,
        MemoryMiddleware=MemoryMiddleware,
        MemoryRetriever=MemoryRetriever,
        MemoryState=MemoryState,
        START=START,
        StateGraph=StateGraph,
        create_agent=create_agent,
        create_retriever_tool=create_retriever_tool,
    )


def weather(city: str) -> str:
    """The weather in a city."""
    return f"22 degrees in {city}"


def model_of(kit, provider):
    return kit.ChatOpenAI(model="scripted", base_url=provider.url, api_key="k", max_retries=0)


def agent_of(kit, provider, memory, mind, *, tool=weather, **more):
    middleware = kit.MemoryMiddleware(memory, mind=mind, deadline_ms=0, **more)
    return kit.create_agent(
        model_of(kit, provider),
        [tool],
        system_prompt="Be brief.",
        middleware=[middleware],
        checkpointer=kit.InMemorySaver(),
    ), middleware


def asking(words=ASKS):
    return {"messages": [("user", words)]}


def test_a_bot_knows_in_a_later_session_what_was_said_in_an_earlier_one(kit, memory, mind, home, url):
    with bot() as provider:
        agent, _ = agent_of(kit, provider, memory, mind)
        agent.invoke(asking(MOTHER), {"configurable": {"thread_id": "earlier"}})
        until_digested(url, mind)
        found = agent.invoke(asking(), LATER)

    assert found["messages"][-1].text == KNOWS
    assert shown(provider)[0][1].startswith("Be brief.\n\n[MY MEMORY]")
    assert shown(provider)[1][1].startswith(f"---\n{MARK}")
    assert stored_turns(home, mind) == [
        ("earlier", [("user", MOTHER), ("assistant", KNOWS)]),
        ("later", [("user", ASKS), ("assistant", KNOWS)]),
    ]
    assert holds(found) == 0
    assert "memory" not in found


def test_in_a_loop_of_tools_each_call_sees_the_same_and_the_turn_is_stored_once(kit, memory, told_mind, home):
    with bot(calls_tool(city="Lyon")) as provider:
        agent, _ = agent_of(kit, provider, memory, told_mind)
        found = agent.invoke(asking(), LATER)

    assert [one.type for one in found["messages"]] == ["human", "ai", "tool", "ai"]
    assert blocks(provider) == [1, 1]
    assert shown(provider, 1)[: len(shown(provider, 0))] == shown(provider, 0)
    assert stored_turns(home, told_mind)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


async def test_streams_and_awaited_runs_remember_too(kit, memory, told_mind, home):
    with bot() as provider:
        agent, _ = agent_of(kit, provider, memory, told_mind)
        stream = [piece.text async for piece, _ in agent.astream(asking(), LATER, stream_mode="messages")]

    assert "".join(stream) == KNOWS
    assert len(stream) > 2
    assert stored_turns(home, told_mind)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


def test_what_the_user_said_is_stored_once_when_the_model_fails_and_answers_later(kit, memory, told_mind, home):
    with bot(Fails(500)) as provider:
        agent, _ = agent_of(kit, provider, memory, told_mind)
        with pytest.raises(kit.InternalServerError):
            agent.invoke(asking(), LATER)
        agent.invoke(asking("Are you there?"), LATER)

    assert stored_turns(home, told_mind)[1:] == [
        ("later", [("user", ASKS)]),
        ("later", [("user", "Are you there?"), ("assistant", KNOWS_NOT)]),
    ]


@pytest.mark.parametrize("is_async", [False, True])
async def test_what_the_user_said_is_stored_when_a_tool_fails(kit, memory, told_mind, home, is_async):
    def weather(city: str) -> str:
        """The weather in a city."""
        raise OSError(f"no weather in {city}")

    with bot(calls_tool(city="Lyon")) as provider:
        agent, _ = agent_of(kit, provider, memory, told_mind, tool=weather)
        with pytest.raises(OSError, match="no weather in Lyon"):
            await agent.ainvoke(asking(), LATER) if is_async else agent.invoke(asking(), LATER)

    assert stored_turns(home, told_mind)[1:] == [("later", [("user", ASKS)])]


async def test_a_run_that_waits_for_a_person_is_one_turn(kit, memory, mind, home):
    """Broken: an interrupt is taken for a failure, and the words are stored before their answer."""
    from langgraph.types import Command, interrupt

    def weather(city: str) -> str:
        """The weather in a city."""
        return interrupt(city)

    with bot(calls_tool(city="Lyon")) as provider:
        agent, _ = agent_of(kit, provider, memory, mind, tool=weather)
        agent.invoke(asking(), LATER)
        assert not (home / "minds" / mind).exists()
        agent.invoke(Command(resume="sunny"), LATER)

    assert stored_turns(home, mind) == [("later", [("user", ASKS), ("assistant", KNOWS_NOT)])]


async def test_what_the_user_said_is_stored_when_the_run_is_cancelled(kit, memory, told_mind, home):
    class Hangs(kit.ChatOpenAI):
        async def _agenerate(self, *_, **__):
            asked.set()
            await asyncio.Event().wait()

        async def _astream(self, *_, **__):
            await self._agenerate()
            yield

    asked = asyncio.Event()
    middleware = kit.MemoryMiddleware(memory, mind=told_mind, session="later")
    agent = kit.create_agent(Hangs(model="scripted", api_key="k"), middleware=[middleware])
    run = asyncio.create_task(agent.ainvoke(asking()))
    await asked.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run

    await asyncio.to_thread(until, lambda: len(stored_turns(home, told_mind)) > 1)
    assert stored_turns(home, told_mind)[1:] == [("later", [("user", ASKS)])]


@pytest.mark.parametrize("goes_on", [True, False])
def test_what_the_user_said_is_stored_when_the_reader_of_a_stream_leaves(kit, memory, told_mind, home, goes_on):
    with bot() as provider:
        agent, middleware = agent_of(kit, provider, memory, told_mind)
        for _ in agent.stream(asking(), LATER, stream_mode="messages"):
            break
        if goes_on:
            agent.invoke(asking("Hello."), {"configurable": {"thread_id": "another"}})
            assert len(stored_turns(home, told_mind)) == 2
            agent.invoke(asking("Are you there?"), LATER)
        else:
            middleware.close()
            middleware.close()

    found = [messages for session, messages in stored_turns(home, told_mind) if session == "later"]
    assert found[0] == [("user", ASKS)]
    assert found[1:] == ([[("user", "Are you there?"), ("assistant", KNOWS_NOT)]] if goes_on else [])


def test_without_a_memory_the_agent_answers_and_the_turn_waits_in_the_queue(kit, memory, mind, home):
    with bot() as provider, MemoryClient("http://127.0.0.1:9", retry=RetryPolicy(max_attempts=1)) as away:
        agent, middleware = agent_of(kit, provider, away, mind)
        assert agent.invoke(asking(), LATER)["messages"][-1].text == KNOWS_NOT

    for unsaved in middleware.unsaved.take():
        memory.resend(unsaved)
    assert stored_turns(home, mind) == [("later", [("user", ASKS), ("assistant", KNOWS_NOT)])]


def test_a_mind_and_a_session_may_come_from_the_runs_context(kit, memory, told_mind, home):
    with bot() as provider:
        middleware = kit.MemoryMiddleware(
            memory, mind=lambda run: run.context["user"], session=lambda run: run.context["chat"], deadline_ms=0
        )
        agent = kit.create_agent(model_of(kit, provider), middleware=[middleware], context_schema=dict)
        agent.invoke(asking(), context={"user": told_mind, "chat": "its own"})

    assert stored_turns(home, told_mind)[-1][0] == "its own"


def test_a_run_that_names_no_conversation_is_refused(kit, memory, mind):
    with bot() as provider:
        agent = kit.create_agent(model_of(kit, provider), middleware=[kit.MemoryMiddleware(memory, mind=mind)])
        with pytest.raises(ValueError, match="thread_id"):
            agent.invoke(asking())


def test_a_graph_has_a_node_before_the_model_and_one_after(kit, memory, told_mind, home):
    with bot() as provider:
        middleware, model = kit.MemoryMiddleware(memory, mind=told_mind, deadline_ms=0), model_of(kit, provider)
        graph = kit.StateGraph(kit.MemoryState)
        graph.add_node("recall", middleware.before_agent)
        graph.add_node("model", lambda state: {"messages": [model.invoke(middleware.messages_with_memory(state))]})
        graph.add_node("keep", middleware.after_agent)
        for one, other in ((kit.START, "recall"), ("recall", "model"), ("model", "keep"), ("keep", kit.END)):
            graph.add_edge(one, other)
        found = graph.compile(checkpointer=kit.InMemorySaver()).invoke(asking(), LATER)

    assert found["messages"][-1].text == KNOWS
    assert stored_turns(home, told_mind)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


def test_recall_on_purpose_is_a_retriever_and_a_tool(kit, memory, told_mind):
    retriever = kit.MemoryRetriever(memory=memory, mind=told_mind, limit=3)

    found = retriever.invoke(ASKS)
    tool = kit.create_retriever_tool(retriever, "remember", "What was said before.")

    assert MOTHER in found[0].page_content
    assert found[0].metadata["sources"][0]["session_id"] == "earlier"
    assert MOTHER in tool.invoke({"query": ASKS})
