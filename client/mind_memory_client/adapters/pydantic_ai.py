"""
Memory for pydantic-ai, as a capability.

    agent = Agent(model, capabilities=[MindMemory(memory, mind="ada", session="chat-1")])
    await agent.run("Hello!")

Mind and session may come from the dependencies: ``MindMemory(memory, mind=lambda ctx: ctx.deps.user, session=…)``. The
capability asks once in each run what surfaces, and puts it in front of the user's last words in every request of that
run. The run's own messages stay as they are.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, UserPromptPart
from pydantic_ai.tools import RunContext
from pydantic_core import to_json

from mind_memory_client.turn import Turn, begin_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_ai.capabilities.abstract import WrapModelRequestHandler, WrapRunHandler
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.run import AgentRunResult

    from mind_memory_client.client import MemoryClient
    from mind_memory_client.errors import UnsavedTurn

NameOrFunction = str | Callable[[RunContext[Any]], str]


class MindMemory(AbstractCapability[Any]):
    """
    Memory around each run of an agent.

    *turn_options* are those of ``memory.turn``, such as ``deadline_ms`` or ``timezone``. Turns that can not be stored
    go to *on_unsaved*, or wait in ``unsaved``.
    """

    def __init__(
        self,
        memory: MemoryClient,
        *,
        mind: NameOrFunction,
        session: NameOrFunction,
        on_unsaved: Callable[[UnsavedTurn], object] | None = None,
        **turn_options: Any,  # noqa: ANN401 - those of memory.turn
    ) -> None:
        self.id = self.description = None
        self.defer_loading = False
        self.unsaved = memory.unsaved
        self._memory, self._mind, self._session = memory, mind, session
        self._turn_options = {**turn_options, "on_unsaved": on_unsaved}
        self._turn: Turn | None = None
        self._known = 0  # messages of earlier runs

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return None: a capability with a client can not be written to a file."""
        return None

    async def for_run(self, ctx: RunContext[Any]) -> MindMemory:
        """Make a capability for this run alone, which knows what surfaced."""
        mine = copy.copy(self)
        mind, session = (one if isinstance(one, str) else one(ctx) for one in (self._mind, self._session))
        given = [*_as_dicts(ctx.messages), {"role": "user", "content": _words_of(ctx.prompt)}]
        mine._turn = begin_turn(mind, session, given, **self._turn_options)  # noqa: SLF001 - a copy of our own
        mine._known = len(ctx.messages)  # noqa: SLF001 - the same
        await anyio.to_thread.run_sync(self._memory.recall, mine._turn)  # noqa: SLF001 - the same
        return mine

    def get_instructions(self) -> str | None:
        """Return the story and how to use a memory; the same text until the story changes."""
        return (self._turn.stable or None) if self._turn is not None else None

    async def wrap_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, handler: WrapModelRequestHandler
    ) -> ModelResponse:
        """Show what surfaced to the model alone."""
        del ctx
        if self._turn is None or not self._turn.block:
            return await handler(request_context)
        shown = copy.copy(request_context)
        shown.messages = _place(request_context.messages, self._turn.block)
        return await handler(shown)

    async def wrap_run(self, ctx: RunContext[Any], *, handler: WrapRunHandler) -> AgentRunResult[Any]:
        """Store the turn when the run has ended, or what was said so far when it fails."""
        try:
            result = await handler()
        except BaseException:
            if self._turn is not None:
                self._turn.broke_off()
            with anyio.CancelScope(shield=True):
                await self._save(_answer_in(ctx.messages[self._known :]))
            raise
        output = result.output
        await self._save(output if isinstance(output, str) else to_json(output, fallback=str).decode())
        return result

    async def _save(self, answer: str | None) -> None:
        turn = self._turn
        if turn is not None:
            turn.answer(answer)
            await anyio.to_thread.run_sync(lambda: self._memory.save(turn, raises=False))


def _place(messages: Sequence[ModelMessage], block: str) -> list[ModelMessage]:
    """Put *block* in front of the user's last words."""
    found = list(messages)
    for at in range(len(found) - 1, -1, -1):
        one = found[at]
        if isinstance(one, ModelRequest) and any(isinstance(part, UserPromptPart) for part in one.parts):
            first = next(place for place, part in enumerate(one.parts) if isinstance(part, UserPromptPart))
            parts = [*one.parts[:first], UserPromptPart(block), *one.parts[first:]]
            found[at] = replace(one, parts=parts)
            break
    return found


def _as_dicts(messages: Sequence[ModelMessage]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for one in messages:
        if isinstance(one, ModelResponse):
            found.append({"role": "assistant", "content": one.text or "", "tool_calls": one.tool_calls})
        else:
            prompts = [part for part in one.parts if isinstance(part, UserPromptPart)]
            found += [{"role": "user", "content": _words_of(part.content)} for part in prompts]
    return found


def _words_of(prompt: object) -> str:
    """The words of a prompt, without its pictures."""
    if prompt is None or isinstance(prompt, str):
        return prompt or ""
    parts = (one if isinstance(one, str) else getattr(one, "content", None) for one in list(prompt))  # type: ignore[call-overload] # a sequence, then
    return "\n".join(one for one in parts if isinstance(one, str))


def _answer_in(messages: Sequence[ModelMessage]) -> str | None:
    """What the model said since the user's last words, as far as it came."""
    last = messages[-1] if messages else None
    return last.text if isinstance(last, ModelResponse) else None
