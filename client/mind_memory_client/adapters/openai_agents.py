"""
Memory for the OpenAI Agents SDK: a filter that shows the model what surfaced, and run hooks that store the turn.

    recall = SessionMemory(memory, mind="ada", session="chat-1")
    await Runner.run(agent, "Hello!", session=SQLiteSession("chat-1"), hooks=recall, run_config=recall.run_config())

Use one object for each conversation, and one run at a time, as with the SDK's own sessions. Those sessions hold
nothing of what surfaced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

import anyio.to_thread
from agents import RunConfig, RunHooks
from agents.run import CallModelData, ModelInputData
from pydantic_core import to_json

from mind_memory_client.messages import prepend, unanswered, up_to_last_user
from mind_memory_client.turn import Turn, begin_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agents import Agent, AgentHookContext, TResponseInputItem

    from mind_memory_client.client import MemoryClient
    from mind_memory_client.errors import UnsavedTurn


class SessionMemory(RunHooks[Any]):
    """
    Memory around the runs of one conversation.

    *turn_options* are those of ``memory.turn``, such as ``deadline_ms`` or ``timezone``. Turns that can not be stored
    go to *on_unsaved*, or wait in ``unsaved``.
    """

    def __init__(
        self,
        memory: MemoryClient,
        *,
        mind: str,
        session: str,
        placement: Literal["tail", "user"] = "tail",
        on_unsaved: Callable[[UnsavedTurn], object] | None = None,
        **turn_options: Any,  # noqa: ANN401 - those of memory.turn
    ) -> None:
        self.unsaved = memory.unsaved
        self._memory, self._mind, self._session, self._placement = memory, mind, session, placement
        self._turn_options = {**turn_options, "on_unsaved": on_unsaved}
        self._turn: Turn | None = None
        self._user_words: tuple[str, ...] = ()

    def run_config(self, **more: Any) -> RunConfig:  # noqa: ANN401 - those of RunConfig
        """The configuration of a run, with the filter in it."""
        return RunConfig(call_model_input_filter=self.place, **more)

    async def place(self, data: CallModelData[Any]) -> ModelInputData:
        """Place memory in the model's input: for ``RunConfig(call_model_input_filter=…)``."""
        items = cast("list[Mapping[str, Any]]", data.model_data.input)
        turn = await self._current(items)
        if turn is None:
            return data.model_data
        instructions = "\n\n".join(part for part in (data.model_data.instructions, turn.stable) if part)
        return ModelInputData(input=self._with_block(items, turn.block), instructions=instructions or None)

    async def on_agent_end(self, context: AgentHookContext[Any], agent: Agent[Any], output: Any) -> None:  # noqa: ANN401, ARG002 - the SDK's signature
        """Store the turn."""
        turn, self._turn, self._user_words = self._turn, None, ()
        if turn is not None:
            turn.answer(output if isinstance(output, str) else to_json(output, fallback=str).decode())
            await self._save(turn)

    async def aclose(self) -> None:
        """Store what a failed run left unanswered. The next run does this too."""
        turn, self._turn, self._user_words = self._turn, None, ()
        if turn is not None:
            await self._save(turn)

    async def _current(self, items: Sequence[Mapping[str, Any]]) -> Turn | None:
        """The turn that *items* belong to: a new one when the user said something new."""
        given = up_to_last_user(items)
        words = tuple(one["content"] for one in unanswered(given))
        if self._turn is not None and words in ((), self._user_words):
            return self._turn  # a loop of tools, or a second try of the same run
        await self.aclose()
        if words:
            self._turn, self._user_words = begin_turn(self._mind, self._session, given, **self._turn_options), words
            await anyio.to_thread.run_sync(self._memory.recall, self._turn)
        return self._turn

    async def _save(self, turn: Turn) -> None:
        await anyio.to_thread.run_sync(lambda: self._memory.save(turn, raises=False))

    def _with_block(self, items: Sequence[Mapping[str, Any]], block: str) -> list[TResponseInputItem]:
        """*items* with *block* at the user's last one; the others stay the same objects, since servers compare them."""
        at = len(up_to_last_user(items)) - 1
        if not block or at < 0:
            return cast("list[TResponseInputItem]", list(items))
        if self._placement == "tail":
            found = [*items[:at], {"role": "system", "content": block}, *items[at:]]
        else:
            content = prepend(block, items[at]["content"], part_type="input_text")
            found = [*items[:at], {**items[at], "content": content}, *items[at + 1 :]]
        return cast("list[TResponseInputItem]", found)
