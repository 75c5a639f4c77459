"""
Memory for LangChain agents, as a middleware, and for graphs of LangGraph, as a pair of nodes.

    agent = create_agent(model, tools, middleware=[MemoryMiddleware(memory, mind="ada")], checkpointer=InMemorySaver())
    agent.invoke({"messages": [("user", "Hello!")]}, {"configurable": {"thread_id": "chat-1"}})

The middleware asks once in each run what surfaces, and puts it in front of the user's last message in every model call
of that run. The graph's own messages stay as they are. The turn is stored when the run ends, or without an answer when
the model or a tool fails or is cancelled. A run that ended between two of them, since the reader of its stream left, is
stored when the conversation goes on, or by ``close``.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import anyio
from langchain.agents.middleware.types import (
    AgentMiddleware,
    AgentState,
    ModelRequest,
    ModelResponse,
    PrivateStateAttr,
    ToolCallRequest,
)
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.retrievers import BaseRetriever
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime
from langgraph.types import Command
from pydantic import ConfigDict
from typing_extensions import NotRequired

from mind_memory_client.client import MemoryClient
from mind_memory_client.errors import UnsavedTurn
from mind_memory_client.messages import prepend, up_to_last_user
from mind_memory_client.turn import Turn, begin_turn

NameOrFunction = str | Callable[[Runtime[Any]], str]  # a name, or a function of the runtime that returns it

_ROLES = {"human": "user", "ai": "assistant"}
_MOST_OPEN = 10_000


class MemoryState(AgentState[Any]):
    """The state of a graph with memory."""

    memory: NotRequired[Annotated[dict[str, Any] | None, PrivateStateAttr]]


class MemoryMiddleware(AgentMiddleware[MemoryState, Any, Any]):
    """
    Memory around each run of an agent.

    Without *session*, the checkpointer's thread is the session. *turn_options* are those of ``memory.turn``, such as
    ``deadline_ms`` or ``timezone``. Turns that can not be stored go to *on_unsaved*, or wait in ``unsaved``.
    """

    state_schema = MemoryState

    def __init__(
        self,
        memory: MemoryClient,
        *,
        mind: NameOrFunction,
        session: NameOrFunction | None = None,
        on_unsaved: Callable[[UnsavedTurn], object] | None = None,
        **turn_options: Any,  # noqa: ANN401 - those of memory.turn
    ) -> None:
        super().__init__()
        self.unsaved = memory.unsaved
        self._memory, self._mind, self._session = memory, mind, session
        self._turn_options = {**turn_options, "on_unsaved": on_unsaved}
        self._open: OrderedDict[str, dict[str, Any]] = OrderedDict()  # runs that have not ended, by the turn's id

    def before_agent(self, state: MemoryState, runtime: Runtime[Any]) -> dict[str, Any]:
        """Put what surfaces into the state. In a graph of your own, this is the node before the model."""
        mind = self._mind if isinstance(self._mind, str) else self._mind(runtime)
        session = _thread() if self._session is None else self._session
        given = up_to_last_user(_as_dicts(state["messages"]))
        turn = begin_turn(mind, session if isinstance(session, str) else session(runtime), given, **self._turn_options)
        self._store_left(turn.mind, turn.session)
        self._memory.recall(turn)
        found = {**turn.as_dict(), "stable": turn.stable, "block": turn.block}
        self._open[turn.turn_id] = found
        while len(self._open) > _MOST_OPEN:
            self._open.popitem(last=False)
        return {"memory": found}

    async def abefore_agent(self, state: MemoryState, runtime: Runtime[Any]) -> dict[str, Any]:
        """Do what ``before_agent`` does, in a thread."""
        return await asyncio.to_thread(self.before_agent, state, runtime)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Show the memory to the model."""
        with self._stored_when_it_fails(request.state):
            return handler(self._with_memory(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Show the memory to the model."""
        try:
            return await handler(self._with_memory(request))
        except BaseException as error:
            await self._failed(request.state, error)
            raise

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Store the turn without an answer when a tool fails."""
        with self._stored_when_it_fails(request.state):
            return handler(request)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """Store the turn without an answer when a tool fails."""
        try:
            return await handler(request)
        except BaseException as error:
            await self._failed(request.state, error)
            raise

    def after_agent(self, state: MemoryState, runtime: Runtime[Any]) -> None:  # noqa: ARG002 - LangChain's signature
        """Store the turn. In a graph of your own, this is the node after the model's last call."""
        self._save(state, answer=_answer_in(state["messages"]))

    async def aafter_agent(self, state: MemoryState, runtime: Runtime[Any]) -> None:
        """Do what ``after_agent`` does, in a thread."""
        await asyncio.to_thread(self.after_agent, state, runtime)

    def close(self) -> None:
        """Store what the user said in runs whose stream was left before their end. Call it when none is going on."""
        self._store_left()

    def messages_with_memory(self, state: MemoryState) -> list[AnyMessage]:
        """The messages of *state* with memory among them, for the model node of a graph of your own."""
        found = state.get("memory") or {}
        return _place(state["messages"], stable=found.get("stable", ""), block=found.get("block", ""))

    def _with_memory(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        head = [request.system_message] if request.system_message is not None else []
        found: Any = request.state.get("memory") or {}
        messages = _place([*head, *request.messages], stable=found.get("stable", ""), block=found.get("block", ""))
        if messages and isinstance(messages[0], SystemMessage):
            return request.override(system_message=messages[0], messages=messages[1:])
        return request.override(messages=messages)

    @contextmanager
    def _stored_when_it_fails(self, state: Any) -> Iterator[None]:  # noqa: ANN401 - any graph's state
        try:
            yield
        except GraphBubbleUp:  # the run waits for a person, or goes on in another graph
            raise
        except BaseException:
            self._save(state, answer=None)
            raise

    async def _failed(self, state: Any, error: BaseException) -> None:  # noqa: ANN401 - any graph's state
        if not isinstance(error, GraphBubbleUp):
            with anyio.CancelScope(shield=True):  # a run that is cancelled is stored, too
                await asyncio.to_thread(self._save, state, answer=None)

    def _store_left(self, *conversation: str) -> None:
        """Store what was said in runs, of one conversation or of all, that ended before ``after_agent``."""
        for turn_id, found in list(self._open.items()):
            if conversation in ((), (found["mind"], found["session"])) and turn_id in self._open:
                self._save({"memory": found}, answer=None)

    def _save(self, state: Any, *, answer: str | None) -> None:  # noqa: ANN401 - any graph's state
        found = state.get("memory")
        if found is None:
            return
        self._open.pop(found["options"]["turn_id"], None)
        turn = Turn.from_dict(found, on_unsaved=self._turn_options["on_unsaved"])
        turn.answer(answer)
        self._memory.save(turn, raises=False)


class MemoryRetriever(BaseRetriever):
    """A retriever over ``remember``; ``create_retriever_tool`` makes a tool of it."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: MemoryClient
    mind: str
    limit: int = 10

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:  # noqa: ARG002 - LangChain's signature
        found = self.memory.remember(self.mind, query, limit=self.limit).memories
        return [Document(one.text, metadata=one.model_dump(mode="json", exclude={"text"})) for one in found]


def _place(messages: Sequence[AnyMessage], *, stable: str, block: str) -> list[AnyMessage]:
    """Put *stable* at the end of the first system message and *block* in front of the user's last one."""
    found = list(messages)
    if stable:
        is_there = bool(found) and isinstance(found[0], SystemMessage)
        found[:1] = [_append(found[0], stable)] if is_there else [SystemMessage(stable), *found[:1]]
    at = max((at for at, one in enumerate(found) if isinstance(one, HumanMessage)), default=None)
    if block and at is not None:
        found[at] = found[at].model_copy(update={"content": prepend(block, found[at].content)})
    return found


def _append(message: AnyMessage, text: str) -> AnyMessage:
    content = message.content
    longer = f"{content}\n\n{text}" if isinstance(content, str) else [*content, {"type": "text", "text": text}]
    return message.model_copy(update={"content": longer})


def _answer_in(messages: Sequence[AnyMessage]) -> str | None:
    """The last words of the model since the user's last message."""
    for message in reversed(messages):
        if isinstance(message, HumanMessage):
            return None
        if isinstance(message, AIMessage) and (text := str(message.text)):
            return text
    return None


def _as_dicts(messages: Sequence[AnyMessage]) -> list[dict[str, Any]]:
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
        raise ValueError(
            'name the conversation: session=…, or {"configurable": {"thread_id": …}} when you invoke the graph'
        )
    return str(thread)
