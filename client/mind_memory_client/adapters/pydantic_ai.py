"""
Memory for pydantic-ai, as a capability.

    agent = Agent(model, capabilities=[MindMemory(memory, mind="ada", session="chat-1")])
    await agent.run("Hello!")

With dependencies, each may come of them: ``MindMemory(memory, mind=lambda ctx: ctx.deps.user, session=…)``. What
surfaced is asked once a run and put in front of the user's last words in each request of it; the run's own messages
stay as they are.
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

from mind_memory_client.turn import Turn, begin
from mind_memory_client.unsaved import Shelf, Unsaved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_ai.capabilities.abstract import WrapModelRequestHandler, WrapRunHandler
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.run import AgentRunResult

    from mind_memory_client.client import MemoryClient

Chosen = str | Callable[[RunContext[Any]], str]


class MindMemory(AbstractCapability[Any]):
    """Memory around each run of an agent."""

    def __init__(
        self,
        memory: MemoryClient,
        *,
        mind: Chosen,
        session: Chosen,
        on_unsaved: Callable[[Unsaved], object] | None = None,
        **asked: Any,  # noqa: ANN401 - as of memory.turn
    ) -> None:
        """Remember in *memory*; *asked* goes to ``memory.turn``: ``deadline_ms``, ``timezone`` …"""
        self.id = self.description = None
        self.defer_loading = False
        self.unsaved = Shelf()
        self._memory, self._mind, self._session = memory, mind, session
        self._asked = {**asked, "on_unsaved": on_unsaved or self.unsaved}
        self._turn: Turn | None = None
        self._known = 0  # messages of earlier runs

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """None: a client is in it, which no file can hold."""
        return None

    async def for_run(self, ctx: RunContext[Any]) -> MindMemory:
        """A capability of this run alone, that knows what surfaced."""
        mine = copy.copy(self)
        mind, session = (one if isinstance(one, str) else one(ctx) for one in (self._mind, self._session))
        given = [*_said(ctx.messages), {"role": "user", "content": _prompt(ctx.prompt)}]
        mine._turn = begin(mind, session, given, **self._asked)  # noqa: SLF001 - a copy of our own
        mine._known = len(ctx.messages)  # noqa: SLF001 - the same
        await anyio.to_thread.run_sync(self._memory.recall, mine._turn)  # noqa: SLF001 - the same
        return mine

    def get_instructions(self) -> str | None:
        """The story and how to use a memory: the same until the story changes."""
        return (self._turn.stable or None) if self._turn is not None else None

    async def wrap_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, handler: WrapModelRequestHandler
    ) -> ModelResponse:
        """Let the model see what surfaced, and nobody else."""
        del ctx
        if self._turn is None or not self._turn.block:
            return await handler(request_context)
        seen = copy.copy(request_context)
        seen.messages = _placed(request_context.messages, self._turn.block)
        return await handler(seen)

    async def wrap_run(self, ctx: RunContext[Any], *, handler: WrapRunHandler) -> AgentRunResult[Any]:
        """Keep the turn when the run has ended; where it fails, with what was said so far."""
        try:
            result = await handler()
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._keep(_last_words(ctx.messages[self._known :]))
            raise
        output = result.output
        await self._keep(output if isinstance(output, str) else to_json(output, fallback=str).decode())
        return result

    async def _keep(self, answer: str | None) -> None:
        turn = self._turn
        if turn is not None:
            turn.answer(answer)
            await anyio.to_thread.run_sync(lambda: self._memory.keep(turn, raises=False))


def _placed(messages: Sequence[ModelMessage], block: str) -> list[ModelMessage]:
    """*block* in front of the user's last words; all others as they were."""
    found = list(messages)
    for at in range(len(found) - 1, -1, -1):
        one = found[at]
        if isinstance(one, ModelRequest) and any(isinstance(part, UserPromptPart) for part in one.parts):
            first = next(place for place, part in enumerate(one.parts) if isinstance(part, UserPromptPart))
            parts = [*one.parts[:first], UserPromptPart(block), *one.parts[first:]]
            found[at] = replace(one, parts=parts)
            break
    return found


def _said(messages: Sequence[ModelMessage]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for one in messages:
        if isinstance(one, ModelResponse):
            found.append({"role": "assistant", "content": one.text or "", "tool_calls": one.tool_calls})
        else:
            prompts = [part for part in one.parts if isinstance(part, UserPromptPart)]
            found += [{"role": "user", "content": _prompt(part.content)} for part in prompts]
    return found


def _prompt(prompt: object) -> str:
    """The words of a prompt, which may hold pictures."""
    if prompt is None or isinstance(prompt, str):
        return prompt or ""
    parts = (one if isinstance(one, str) else getattr(one, "content", None) for one in list(prompt))  # type: ignore[call-overload] # a sequence, then
    return "\n".join(one for one in parts if isinstance(one, str))


def _last_words(messages: Sequence[ModelMessage]) -> str | None:
    """What the model has said since the user spoke, as far as it came."""
    last = messages[-1] if messages else None
    return last.text if isinstance(last, ModelResponse) else None
