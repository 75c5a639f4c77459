"""
Memory for LangChain agents, as a middleware, and for graphs of LangGraph, as a pair of nodes.

    agent = create_agent(model, tools, middleware=[MemoryMiddleware(memory, mind="ada")], checkpointer=InMemorySaver())
    agent.invoke({"messages": [("user", "Hello!")]}, {"configurable": {"thread_id": "chat-1"}})

What surfaced is asked once a run and put in front of the user's last message in each model call of it; the graph's
own messages stay as they are. The turn is kept when the run ends, or, without an answer, when its model fails.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any

from langchain.agents.middleware.types import (
    AgentMiddleware,
    AgentState,
    ModelRequest,
    ModelResponse,
    PrivateStateAttr,
)
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.retrievers import BaseRetriever
from langgraph.config import get_config
from langgraph.runtime import Runtime
from pydantic import ConfigDict
from typing_extensions import NotRequired

from mind_memory_client.client import MemoryClient
from mind_memory_client.placing import opened
from mind_memory_client.said import until_user
from mind_memory_client.turn import Turn, begin
from mind_memory_client.unsaved import Shelf, Unsaved

Chosen = str | Callable[[Runtime[Any]], str]  # a name, or what finds it in the runtime's context

_ROLES = {"human": "user", "ai": "assistant"}


class MemoryState(AgentState[Any]):
    """The state of a graph that remembers."""

    memory: NotRequired[Annotated[dict[str, Any] | None, PrivateStateAttr]]


class MemoryMiddleware(AgentMiddleware[MemoryState, Any, Any]):
    """Memory around a run. Without *session*, a conversation is the thread of the checkpointer."""

    state_schema = MemoryState

    def __init__(
        self,
        memory: MemoryClient,
        *,
        mind: Chosen,
        session: Chosen | None = None,
        on_unsaved: Callable[[Unsaved], object] | None = None,
        **asked: Any,  # noqa: ANN401 - as of memory.turn
    ) -> None:
        """Remember in *memory*; *asked* goes to ``memory.turn``: ``deadline_ms``, ``timezone`` …"""
        super().__init__()
        self.unsaved = Shelf()
        self._memory, self._mind, self._session = memory, mind, session
        self._asked = {**asked, "on_unsaved": on_unsaved or self.unsaved}

    def before_agent(self, state: MemoryState, runtime: Runtime[Any]) -> dict[str, Any]:
        """What surfaces, into the state. As a node of a graph: the one before the model."""
        mind = self._mind if isinstance(self._mind, str) else self._mind(runtime)
        session = _thread() if self._session is None else self._session
        given = until_user(_said(state["messages"]))
        turn = begin(mind, session if isinstance(session, str) else session(runtime), given, **self._asked)
        self._memory.recall(turn)
        return {"memory": {**turn.as_dict(), "stable": turn.stable, "block": turn.block}}

    async def abefore_agent(self, state: MemoryState, runtime: Runtime[Any]) -> dict[str, Any]:
        """The same, awaited."""
        return await asyncio.to_thread(self.before_agent, state, runtime)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Let the model see the memory."""
        try:
            return handler(self._seeing(request))
        except Exception:
            self._keep(request.state, answer=None)
            raise

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Let the model see the memory."""
        try:
            return await handler(self._seeing(request))
        except Exception:
            await asyncio.to_thread(self._keep, request.state, answer=None)
            raise

    def after_agent(self, state: MemoryState, runtime: Runtime[Any]) -> None:  # noqa: ARG002 - LangChain's signature
        """Keep the turn. As a node of a graph: the one after the model's last call."""
        self._keep(state, answer=_last_words(state["messages"]))

    async def aafter_agent(self, state: MemoryState, runtime: Runtime[Any]) -> None:
        """The same, awaited."""
        await asyncio.to_thread(self.after_agent, state, runtime)

    def seen(self, state: MemoryState) -> list[AnyMessage]:
        """The messages of *state* as the model should see them: for the model node of a graph of your own."""
        found = state.get("memory") or {}
        return _placed(state["messages"], stable=found.get("stable", ""), block=found.get("block", ""))

    def _seeing(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        head = [request.system_message] if request.system_message is not None else []
        found: Any = request.state.get("memory") or {}
        messages = _placed([*head, *request.messages], stable=found.get("stable", ""), block=found.get("block", ""))
        if messages and isinstance(messages[0], SystemMessage):
            return request.override(system_message=messages[0], messages=messages[1:])
        return request.override(messages=messages)

    def _keep(self, state: Any, *, answer: str | None) -> None:  # noqa: ANN401 - any graph's state
        found = state.get("memory")
        if found is None:
            return
        turn = Turn.of(found, on_unsaved=self._asked["on_unsaved"])
        turn.answer(answer)
        self._memory.keep(turn, raises=False)


class MemoryRetriever(BaseRetriever):
    """Recall on purpose: what ``remember`` finds, as documents; ``create_retriever_tool`` makes a tool of it."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: MemoryClient
    mind: str
    limit: int = 10

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:  # noqa: ARG002 - LangChain's signature
        found = self.memory.remember(self.mind, query, limit=self.limit).memories
        return [Document(one.text, metadata=one.model_dump(mode="json", exclude={"text"})) for one in found]


def _placed(messages: Sequence[AnyMessage], *, stable: str, block: str) -> list[AnyMessage]:
    """*stable* at the end of the first system message, *block* in front of the user's last; others are as they were."""
    found = list(messages)
    if stable:
        is_there = bool(found) and isinstance(found[0], SystemMessage)
        found[:1] = [_ended(found[0], stable)] if is_there else [SystemMessage(stable), *found[:1]]
    at = max((at for at, one in enumerate(found) if isinstance(one, HumanMessage)), default=None)
    if block and at is not None:
        found[at] = found[at].model_copy(update={"content": opened(found[at].content, block)})
    return found


def _ended(message: AnyMessage, text: str) -> AnyMessage:
    content = message.content
    ended = f"{content}\n\n{text}" if isinstance(content, str) else [*content, {"type": "text", "text": text}]
    return message.model_copy(update={"content": ended})


def _last_words(messages: Sequence[AnyMessage]) -> str | None:
    """What the model said after the user's last message, at last."""
    for message in reversed(messages):
        if isinstance(message, HumanMessage):
            return None
        if isinstance(message, AIMessage) and (text := str(message.text)):
            return text
    return None


def _said(messages: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    return [
        {
            "role": _ROLES.get(one.type, one.type),
            "content": one.content,
            "name": one.name,
            "tool_calls": getattr(one, "tool_calls", None),
        }
        for one in messages
    ]


def _thread() -> str:
    thread = get_config().get("configurable", {}).get("thread_id")
    if thread is None:
        raise ValueError('say which conversation it is: session=…, or {"configurable": {"thread_id": …}}')
    return str(thread)
