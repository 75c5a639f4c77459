"""
The language model over litellm, for one role: a question, one repair when the answer has another shape, one deadline.

The deadline covers the import of litellm, every deployment, every retry and a stream's last byte; and the queue, where
somebody waits for the answer.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import (
    InvalidModelOutput,
    ModelCircuitOpen,
    ModelFault,
    ModelRefused,
    ModelTimedOut,
    ModelTruncated,
    ModelUnavailable,
    PromptFault,
)
from consolidation.kernel.ports import Reply
from consolidation.text.injected_blocks import as_data
from prompts.library import PromptError, render
from service.adapters.litellm.fallback_chain import (
    WAITED_FOR,
    Deployment,
    FallbackChain,
    Question,
    RoleSettings,
    followed_by,
)
from service.adapters.litellm.structured_answer import read_answer, read_part, without_thoughts
from service.runtime.time_limit import uncounted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

    from pydantic import BaseModel

    from consolidation.kernel.ports import Ask, Clock, Role
    from service.adapters.litellm.fallback_chain import ChainReply, Messages
    from service.observability.dependency_health import Dependency
    from service.observability.model_usage import UsageLedger

__all__ = ["Deployment", "LitellmModel", "RoleSettings"]

CUT = frozenset({"length", "max_tokens"})
MOST_REPEATED = 4_000
_CONFIGURATION = "configuration"
AWAY = 3  # failures in a row, after which a provider counts as unavailable


class LitellmModel:
    """Answers for one role; call ``aclose`` after the last question."""

    def __init__(
        self,
        role: Role,
        settings: RoleSettings,
        *,
        clock: Clock,
        limit: AbstractAsyncContextManager[object, bool | None],
        ledger: UsageLedger,
        dependency: Dependency | None = None,
    ) -> None:
        self._role, self._settings, self._limit, self._dependency = role, settings, limit, dependency
        self._failures = 0
        self._ledger = ledger
        self._chain = FallbackChain(role, settings, clock=clock, ledger=ledger)

    @property
    def is_hosted(self) -> bool:
        """Always true."""
        return True

    async def warm(self) -> None:
        """
        Import litellm, so that the first question need not pay for it out of its deadline; and check the configuration.

        That the first model can not be asked, by its name or for want of a key, is the role's trouble. Who starts the
        service logs it, once for all roles.
        """
        problem, *_ = await self.problems()
        if problem is not None and self._dependency is not None:
            self._dependency.failed(problem, part=_CONFIGURATION, stays=True, is_logged=True)

    async def problems(self) -> tuple[str | None, ...]:
        """What is wrong with the name or the key of each deployment, in order, and what to do; no provider is asked."""
        await self._chain.open()
        return await anyio.to_thread.run_sync(self._chain.problems, abandon_on_cancel=True)

    async def aclose(self) -> None:
        """Let go of litellm."""
        self._chain.close()

    async def answer[A: BaseModel](self, ask: Ask[A], /) -> Reply[A]:
        """Answer in the shape that is asked for; where the first answer has another one, ask again and say why."""
        # In a thread: the first one imports jinja2, and each reads files.
        prompt = await anyio.to_thread.run_sync(_rendered, ask)
        asked: Messages = ({"role": "user", "content": prompt},)
        async with self._within_deadline(shape=ask.shape, heard=_listener(ask)) as question:
            spoken = await self._chain.say(asked, question)
            try:
                return self._reply(await self._read(spoken, shape=ask.shape), spoken, question)
            except InvalidModelOutput as fault:
                again = _repair(asked, spoken.said.text, reason=str(fault))
            second = await self._chain.say(again, question, start=spoken.position)
            return self._reply(await self._read(second, shape=ask.shape), second, question)

    async def converse(self, messages: Messages, /) -> Reply[str]:
        """Answer a chat in free text, whole or not at all."""
        async with self._within_deadline() as question:
            spoken = await self._chain.say(messages, question)
        text = without_thoughts(self._whole(spoken))
        if not text:
            raise InvalidModelOutput(f"{self._model(spoken)}: the answer is empty")
        return self._reply(text, spoken, question)

    @asynccontextmanager
    async def _within_deadline(
        self, *, shape: type[BaseModel] | None = None, heard: Callable[[str], None] | None = None
    ) -> AsyncIterator[Question]:
        is_waited_for = self._role in WAITED_FOR
        async with AsyncExitStack() as place:
            if not is_waited_for:
                with uncounted():
                    await place.enter_async_context(self._limit)
            until = asyncio.get_running_loop().time() + self._settings.timeout_seconds
            async with (
                self._told_of(Question(until, shape, heard)) as question,
                asyncio.timeout_at(until),
                self._limit if is_waited_for else nullcontext(),
            ):
                yield question

    @asynccontextmanager
    async def _told_of(self, question: Question) -> AsyncIterator[Question]:
        """Tell the dependency how a question ends. Raises ModelFault with what it cost."""
        try:
            yield question
        except TimeoutError as error:
            allowed = self._settings.timeout_seconds
            fault = ModelTimedOut(f"no whole answer for {self._role} within {allowed:g} s")
            fault.usage = question.usage
            self._tell(fault)
            raise fault from error
        except ModelFault as fault:
            fault.usage = question.usage
            self._tell(fault)
            raise
        self._tell(None)

    def _tell(self, fault: ModelFault | None) -> None:
        """Tell the dependency whether the provider answers; a useless answer is one, and one failure proves nothing."""
        self._failures = self._failures + 1 if isinstance(fault, ModelUnavailable) else 0
        if fault is not None:
            self._ledger.record_fault(self._role, type(fault).__name__)
        if self._dependency is None:
            return
        if not self._failures:
            self._dependency.worked()
        elif isinstance(fault, ModelUnavailable) and fault.needs_mending:
            self._dependency.failed(str(fault), stays=True)  # it will not go by itself
        elif self._failures >= AWAY or isinstance(fault, ModelCircuitOpen) or self._dependency.trouble is not None:
            self._dependency.failed(str(fault))  # in the place of what was wrong before, if anything was

    async def _read[A: BaseModel](self, spoken: ChainReply, *, shape: type[A]) -> A:
        text = self._whole(spoken)
        # Mending a long answer takes seconds of CPU.
        return await anyio.to_thread.run_sync(lambda: read_answer(text, shape=shape), abandon_on_cancel=True)

    def _whole(self, spoken: ChainReply) -> str:
        said, model = spoken.said, self._model(spoken)
        if said.refusal or said.finish == "content_filter":
            raise ModelRefused(f"{model} refused to answer")
        if said.finish is None:
            raise ModelUnavailable(f"{model} broke off in the middle of its answer")
        if said.finish in CUT:
            length = min(said.completion_tokens, self._settings.max_tokens)
            fault = ModelTruncated(f"{model} was cut at {length} tokens")
            fault.is_of_window = length < self._settings.max_tokens
            raise fault
        return said.text

    def _reply[T](self, content: T, spoken: ChainReply, question: Question) -> Reply[T]:
        return Reply(content, question.usage, self._model(spoken))

    def _model(self, spoken: ChainReply) -> str:
        return self._settings.deployments[spoken.position].model


def _listener[A: BaseModel](ask: Ask[A]) -> Callable[[str], None] | None:
    """What hears an answer while it comes, and tells those who asked for it; None where nobody did."""
    if ask.heard is None and ask.on_part is None:
        return None
    last = -1

    def hear(text: str) -> None:
        nonlocal last
        if ask.heard is not None:
            ask.heard(len(text))
        end = text.rfind("}")
        if ask.on_part is not None and end != last and (part := read_part(text, shape=ask.shape)) is not None:
            ask.on_part(part)
        last = end

    return hear


def _rendered[A: BaseModel](ask: Ask[A]) -> str:
    """The prompt. What was said stands in it as data: it changes no speaker and calls no tool."""
    try:
        return as_data(render(ask.prompt, overrides=ask.overrides, **ask.words))
    except PromptError as error:
        raise PromptFault(str(error)) from error


def _repair(asked: Messages, text: str, *, reason: str) -> Messages:
    # An empty assistant message is refused by some providers.
    said: Messages = ({"role": "assistant", "content": text[:MOST_REPEATED]},) if text.strip() else ()
    return followed_by((*asked, *said), render("repair", reason=reason))
