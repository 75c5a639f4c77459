"""LangChain's agents and LangGraph's graphs remember: the real packages, a real service, a scripted model."""

import pytest
from langchain.agents import create_agent
from langchain_core.tools import create_retriever_tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from openai import InternalServerError
from twins.provider import Fails

from mind_memory_client import MemoryClient, Patience
from mind_memory_client.adapters.langchain import MemoryMiddleware, MemoryRetriever, MemoryState
from tests.client.adapters.bots import KNOWS, KNOWS_NOT, MARK, blocks, bot, calls_tool, shown
from tests.client.conftest import ASKS, MOTHER, kept

pytestmark = pytest.mark.anyio

LATER = {"configurable": {"thread_id": "later"}}


def weather(city: str) -> str:
    """The weather in a city."""
    return f"22 degrees in {city}"


def model_of(provider):
    return ChatOpenAI(model="scripted", base_url=provider.url, api_key="k", max_retries=0)


def agent_of(provider, memory, mind, **more):
    middleware = MemoryMiddleware(memory, mind=mind, deadline_ms=0, **more)
    return create_agent(
        model_of(provider), [weather], system_prompt="Be brief.", middleware=[middleware], checkpointer=InMemorySaver()
    ), middleware


def asking(words=ASKS):
    return {"messages": [("user", words)]}


def test_a_bot_is_told_in_a_later_session_what_was_said_in_an_earlier_one(memory, mind, home, url):
    from tests.service.cli.cli_process import until_digested

    with bot() as provider:
        agent, _ = agent_of(provider, memory, mind)
        agent.invoke(asking(MOTHER), {"configurable": {"thread_id": "earlier"}})
        until_digested(url, mind)
        found = agent.invoke(asking(), LATER)

    assert found["messages"][-1].text == KNOWS
    assert shown(provider)[0][1].startswith("Be brief.\n\n[MY MEMORY]")
    assert shown(provider)[1][1].startswith(f"---\n{MARK}")
    assert kept(home, mind) == [
        ("earlier", [("user", MOTHER), ("assistant", KNOWS)]),
        ("later", [("user", ASKS), ("assistant", KNOWS)]),
    ]
    assert MARK not in str(found)
    assert "memory" not in found


def test_in_a_loop_of_tools_each_call_sees_the_same_and_the_turn_is_kept_once(memory, told, home):
    with bot(calls_tool(city="Lyon")) as provider:
        agent, _ = agent_of(provider, memory, told)
        found = agent.invoke(asking(), LATER)

    assert [one.type for one in found["messages"]] == ["human", "ai", "tool", "ai"]
    assert blocks(provider) == [1, 1]
    assert shown(provider, 1)[: len(shown(provider, 0))] == shown(provider, 0)
    assert kept(home, told)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


async def test_streams_and_awaited_runs_remember_too(memory, told, home):
    with bot() as provider:
        agent, _ = agent_of(provider, memory, told)
        stream = [piece.text async for piece, _ in agent.astream(asking(), LATER, stream_mode="messages")]

    assert "".join(stream) == KNOWS
    assert len(stream) > 2
    assert kept(home, told)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


def test_what_the_user_said_is_kept_once_when_the_model_fails_and_answers_later(memory, told, home):
    with bot(Fails(500)) as provider:
        agent, _ = agent_of(provider, memory, told)
        with pytest.raises(InternalServerError):
            agent.invoke(asking(), LATER)
        agent.invoke(asking("Are you there?"), LATER)

    assert kept(home, told)[1:] == [
        ("later", [("user", ASKS)]),
        ("later", [("user", "Are you there?"), ("assistant", KNOWS_NOT)]),
    ]


def test_without_a_memory_the_agent_answers_and_the_turn_waits_on_the_shelf(memory, mind, home):
    with bot() as provider, MemoryClient("http://127.0.0.1:9", patience=Patience(attempts=1)) as away:
        agent, middleware = agent_of(provider, away, mind)
        assert agent.invoke(asking(), LATER)["messages"][-1].text == KNOWS_NOT

    for unsaved in middleware.unsaved.take():
        memory.send(unsaved.call)
    assert kept(home, mind) == [("later", [("user", ASKS), ("assistant", KNOWS_NOT)])]


def test_a_mind_and_a_session_may_come_from_the_runs_context(memory, told, home):
    with bot() as provider:
        middleware = MemoryMiddleware(
            memory, mind=lambda run: run.context["user"], session=lambda run: run.context["chat"], deadline_ms=0
        )
        agent = create_agent(model_of(provider), middleware=[middleware], context_schema=dict)
        agent.invoke(asking(), context={"user": told, "chat": "its own"})

    assert kept(home, told)[-1][0] == "its own"


def test_a_run_that_names_no_conversation_is_refused(memory, mind):
    with bot() as provider:
        agent = create_agent(model_of(provider), middleware=[MemoryMiddleware(memory, mind=mind)])
        with pytest.raises(ValueError, match="thread_id"):
            agent.invoke(asking())


def test_a_graph_of_ones_own_has_a_node_before_the_model_and_one_after(memory, told, home):
    with bot() as provider:
        middleware, model = MemoryMiddleware(memory, mind=told, deadline_ms=0), model_of(provider)
        graph = StateGraph(MemoryState)
        graph.add_node("recall", middleware.before_agent)
        graph.add_node("model", lambda state: {"messages": [model.invoke(middleware.seen(state))]})
        graph.add_node("keep", middleware.after_agent)
        for one, other in ((START, "recall"), ("recall", "model"), ("model", "keep"), ("keep", END)):
            graph.add_edge(one, other)
        found = graph.compile(checkpointer=InMemorySaver()).invoke(asking(), LATER)

    assert found["messages"][-1].text == KNOWS
    assert kept(home, told)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


def test_recall_on_purpose_is_a_retriever_and_a_tool(memory, told):
    retriever = MemoryRetriever(memory=memory, mind=told, limit=3)

    found = retriever.invoke(ASKS)
    tool = create_retriever_tool(retriever, "remember", "What was said before.")

    assert MOTHER in found[0].page_content
    assert found[0].metadata["sources"][0]["session_id"] == "earlier"
    assert MOTHER in tool.invoke({"query": ASKS})
