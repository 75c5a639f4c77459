"""
Memory for the OpenAI Agents SDK: run hooks that keep the turn, and a filter that lets the model see what surfaced.

    recall = SessionMemory(memory, mind="ada", session="chat-1")
    await Runner.run(agent, "Hello!", session=SQLiteSession("chat-1"), hooks=recall, run_config=recall.run_config())

One object a conversation, one run at a time, as with the SDK's own sessions; those keep no word of ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

import anyio.to_thread
from agents import RunConfig, RunHooks
from agents.run import CallModelData, ModelInputData
from pydantic_core import to_json

from mind_memory_client.placing import opened
from mind_memory_client.said import unanswered, until_user
from mind_memory_client.turn import Turn, begin
from mind_memory_client.unsaved import Shelf, Unsaved

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agents import Agent, AgentHookContext, TResponseInputItem

    from mind_memory_client.client import MemoryClient


class SessionMemory(RunHooks[Any]):
    """Memory around the runs of one conversation."""

    def __init__(
        self,
        memory: MemoryClient,
        *,
        mind: str,
        session: str,
        placement: Literal["tail", "user"] = "tail",
        on_unsaved: Callable[[Unsaved], object] | None = None,
        **asked: Any,  # noqa: ANN401 - as of memory.turn
    ) -> None:
        """Remember in *memory*; *asked* goes to ``memory.turn``: ``deadline_ms``, ``timezone`` …"""
        self.unsaved = Shelf()
        self._memory, self._mind, self._session, self._placement = memory, mind, session, placement
        self._asked = {**asked, "on_unsaved": on_unsaved or self.unsaved}
        self._turn: Turn | None = None
        self._words: list[str] = []

    def run_config(self, **more: Any) -> RunConfig:  # noqa: ANN401 - as of RunConfig
        """A run's configuration with the filter in it."""
        return RunConfig(call_model_input_filter=self.place, **more)

    async def place(self, data: CallModelData[Any]) -> ModelInputData:
        """The model's input with memory in it: for ``RunConfig(call_model_input_filter=…)``."""
        items = cast("list[Mapping[str, Any]]", data.model_data.input)
        turn = await self._current(items)
        if turn is None:
            return data.model_data
        instructions = "\n\n".join(part for part in (data.model_data.instructions, turn.stable) if part)
        return ModelInputData(input=self._seen(items, turn.block), instructions=instructions or None)

    async def on_agent_end(self, context: AgentHookContext[Any], agent: Agent[Any], output: Any) -> None:  # noqa: ANN401, ARG002 - the SDK's signature
        """Keep the turn."""
        turn, self._turn, self._words = self._turn, None, []
        if turn is not None:
            turn.answer(output if isinstance(output, str) else to_json(output, fallback=str).decode())
            await self._keep(turn)

    async def aclose(self) -> None:
        """Keep what a run that failed left unanswered; the next run does so, too."""
        turn, self._turn, self._words = self._turn, None, []
        if turn is not None:
            await self._keep(turn)

    async def _current(self, items: Sequence[Mapping[str, Any]]) -> Turn | None:
        """The turn that *items* belong to; a new one where the user has said something new."""
        given = until_user(items)
        words = [one["content"] for one in unanswered(given)]
        if self._turn is not None and words in ([], self._words):
            return self._turn  # a loop of tools, or the same run tried again
        await self.aclose()
        if words:
            self._turn, self._words = begin(self._mind, self._session, given, **self._asked), words
            await anyio.to_thread.run_sync(self._memory.recall, self._turn)
        return self._turn

    async def _keep(self, turn: Turn) -> None:
        await anyio.to_thread.run_sync(lambda: self._memory.keep(turn, raises=False))

    def _seen(self, items: Sequence[Mapping[str, Any]], block: str) -> list[TResponseInputItem]:
        """*items* with *block* at the user's last; each item of theirs is the same object, which servers go by."""
        at = len(until_user(items)) - 1
        if not block or at < 0:
            return cast("list[TResponseInputItem]", list(items))
        if self._placement == "tail":
            found = [*items[:at], {"role": "system", "content": block}, *items[at:]]
        else:
            content = opened(items[at]["content"], block, part="input_text")
            found = [*items[:at], {**items[at], "content": content}, *items[at + 1 :]]
        return cast("list[TResponseInputItem]", found)
