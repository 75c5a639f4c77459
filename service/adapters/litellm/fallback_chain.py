"""
The deployments of a role in their order: each is asked in the best way that it supports; the first answer counts.

Why the order is ours and not the Router's ``fallbacks``: the Router raises the first error and swallows the
others, sleeps ``Retry-After`` before it falls back, and sends one ``response_format`` to all, so that a model
which refuses a schema would lose its turn instead of being asked again without.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio.to_thread
import structlog

from consolidation.kernel.errors import ModelCircuitOpen, ModelUnavailable
from consolidation.kernel.ports import Role, Usage
from consolidation.text.tokens import count_tokens
from prompts.library import render
from service.adapters.litellm.calls import LETTERS_PER_TOKEN, DeploymentReply, counted, listen, open_router
from service.adapters.litellm.configuration import ModelUnusable, has_provider, problem_of
from service.adapters.litellm.loader import open_litellm
from service.adapters.litellm.model_errors import (
    PromptTooLong,
    is_unbearable,
    refused_parameter,
    resting,
    together,
    translated,
)
from service.adapters.litellm.ollama import chat_name, is_ollama, least_effort
from service.adapters.litellm.structured_answer import schema_of
from service.observability.model_usage import ModelCall

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from types import ModuleType

    from pydantic import BaseModel

    from consolidation.kernel.errors import ModelFault
    from consolidation.kernel.ports import Clock
    from service.observability.model_usage import UsageLedger

    type Messages = tuple[Mapping[str, str], ...]

# A lone model with calls in the background is never paused: one request that it can not answer must not stop others.
WAITED_FOR = frozenset({Role.CHAT, Role.SUBCONSCIOUS})
SHARE = 2 / 3  # of the time left, for a deployment with others behind it
LEAST_ANSWER = 1024  # tokens; where a prompt leaves less of a window, it is not asked
TOKENS_ELSEWHERE = 1.25  # of other models' tokenizers, for one that we count: most languages cost them more
GRACE = 1.05  # litellm's own time-out comes first, so that the Router counts it and pauses the deployment


log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Deployment:
    """
    A model somewhere: litellm's name for it, and where and as whom to ask.

    ``context_tokens`` is its window, for a prompt and its answer together; None where it is not ours to mind.
    """

    model: str
    api_base: str | None = None
    api_key: str | None = None
    context_tokens: int | None = None

    @property
    def host(self) -> str:
        """Where it is asked, without path, user or key."""
        return urlsplit(self.api_base).hostname or "unknown" if self.api_base else "its provider's own"


@dataclass(frozen=True, slots=True)
class RoleSettings:
    """
    What serves a role: the model, then its fallbacks in order. ``timeout_seconds`` are for a whole answer,
    ``silence_seconds`` for each pause in one that is streamed.

    *hidden* must not be quoted from any provider's words.
    """

    deployments: tuple[Deployment, ...]
    timeout_seconds: float
    silence_seconds: float
    max_tokens: int
    temperature: float
    reasoning_effort: str | None = None
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestMode:
    """A way to ask; each of a list demands less of the provider than the one before."""

    options: Mapping[str, object]
    told: str = ""

    @property
    def is_streamed(self) -> bool:
        """Whether the answer comes in pieces."""
        return bool(self.options.get("stream"))

    def applied(self, messages: Messages) -> Messages:
        """Return the messages, with what must be said in words because no option says it."""
        return followed_by(messages, self.told) if self.told else messages


def followed_by(messages: Messages, words: str) -> Messages:
    """*messages*, and then a user's *words*: in the last one where that is a user's, since some servers take no two."""
    last = messages[-1]
    if last["role"] != "user":
        return (*messages, {"role": "user", "content": words})
    return (*messages[:-1], {**last, "content": f"{last['content']}\n\n{words}"})


# A server that does not know stream_options still answers; the tokens are then counted here.
STREAMS: tuple[dict[str, object], ...] = ({"stream": True, "stream_options": {"include_usage": True}}, {"stream": True})
PROSE = tuple(RequestMode(stream) for stream in STREAMS)


@dataclass(frozen=True, slots=True)
class ChainReply:
    """An answer, and the position of the deployment that gave it."""

    said: DeploymentReply
    position: int


@dataclass(slots=True)
class Question:
    """
    What is asked of a chain, until when on the loop's clock, and what asking has cost so far.

    Without a *shape* the answer is prose. ``heard`` is called with the text that has come of it.
    """

    until: float
    shape: type[BaseModel] | None = None
    heard: Callable[[str], None] | None = None
    usage: Usage = field(default_factory=Usage)

    @property
    def is_streamed(self) -> bool:
        """Whether the answer is to come in pieces: prose always does."""
        return self.shape is None or self.heard is not None


class FallbackChain:
    """Asks a role's deployments, in order, until one answers."""

    def __init__(self, role: Role, settings: RoleSettings, *, clock: Clock, ledger: UsageLedger) -> None:
        self._role, self._settings, self._clock, self._ledger = role, settings, clock, ledger
        self._ids = tuple(f"{role}-{clock.fresh_id()}-{i}" for i in range(len(settings.deployments)))
        self._known: dict[tuple[int, bool, bool], int] = {}
        self._refused: tuple[set[str], ...] = tuple(
            set() for _ in self._ids
        )  # parameters that a deployment does not take
        self._causes: dict[int, ModelUnavailable] = {}  # what failed last, of deployments that have not answered since
        self._opening = asyncio.Lock()
        self._litellm: Any = None
        self._router: Any = None

    async def say(self, messages: Messages, question: Question, *, start: int = 0) -> ChainReply:
        """Ask the deployments from *start* on. Raises ModelFault. *question* learns what all attempts cost."""
        await self.open()
        failures: list[Exception] = []
        for position in range(start, len(self._ids)):
            at, begun, said = self._clock.now(), self._clock.monotonic(), None
            self._log_asked(position, question)
            try:
                async with asyncio.timeout(self._seconds(position, until=question.until) * GRACE):
                    said = await self._ask(position, messages, question)
            except Exception as error:  # noqa: BLE001 - litellm raises whatever its providers' parsers raise
                failures.append(error)
            finally:
                call = self._ended(position, said, failures[position - start :], at=at, begun=begun, question=question)
                question.usage += call.usage
                self._ledger.record(call)
                self._log_ended(position, call)
            if said is not None:
                self._causes.pop(position, None)
                return ChainReply(said, position)
        raise self._fault(failures, start=start) from failures[-1]

    async def open(self) -> None:
        """Import litellm and build the Router, once."""
        async with self._opening:
            if self._router is None:
                self._litellm = await open_litellm()
                self._router = await anyio.to_thread.run_sync(self._build, self._litellm)

    def problems(self) -> tuple[str | None, ...]:
        """What is wrong with the configuration of each deployment, in order; call it after ``open``, in a thread."""
        return tuple(problem_of(self._litellm, one) for one in self._settings.deployments)

    def close(self) -> None:
        """Take the Router out of litellm's global lists."""
        if self._router is not None:
            self._router.discard()

    def _build(self, litellm: ModuleType) -> Any:  # noqa: ANN401 - litellm has no types
        total = self._settings.timeout_seconds
        # The same at each call: litellm opens a new client, and a new connection, for every other time-out.
        seconds = (*(total * SHARE for _ in self._ids[1:]), total)
        listed = (
            (i, d, s)
            for i, d, s in zip(self._ids, self._settings.deployments, seconds, strict=True)
            if has_provider(litellm, d.model)  # the Router takes no other
        )
        return open_router(
            litellm,
            {
                i: {"model": chat_name(d.model), "api_base": d.api_base, "api_key": d.api_key, "timeout": s}
                for i, d, s in listed
            },
            timeout=total,
            may_rest=len(self._ids) > 1 or self._role in WAITED_FOR,
        )

    async def _ask(self, position: int, messages: Messages, question: Question) -> DeploymentReply:
        model = self._settings.deployments[position].model
        if not has_provider(self._litellm, model):
            raise ModelUnusable(str(problem_of(self._litellm, self._settings.deployments[position])))
        ways = self._ways(position, question)
        known = (position, question.shape is None, question.is_streamed)
        number = self._known.get(known, 0)
        while True:
            way = ways[number]
            most_tokens = await self._room(position, way.applied(messages))
            left_out = frozenset(self._refused[position])  # meanwhile another question may learn the same
            try:
                response = await self._call(position, way.applied(messages), way.options, most_tokens=most_tokens)
            except Exception as error:
                refused = refused_parameter(error)
                if refused is not None and refused not in left_out:
                    self._refused[position].add(refused)
                    continue
                if not is_unbearable(error) or number + 1 == len(ways):
                    raise
                number += 1
                continue
            # What fails from here on, options did not spoil.
            said = await listen(
                response,
                most_letters=most_tokens * LETTERS_PER_TOKEN,
                monotonic=self._clock.monotonic,
                silence_seconds=self._settings.silence_seconds,
                heard=question.heard,
            )
            whole = next((at for at in range(number, len(ways)) if not ways[at].is_streamed), None)
            if whole is not None and said.is_tool_call and not said.text.strip():
                number = whole  # some providers put a shaped answer into a tool call, whose pieces hold no text
                continue
            self._known[known] = number
            return await counted(said, litellm=self._litellm, model=model, messages=messages)

    async def _call(self, position: int, messages: Messages, options: Mapping[str, object], *, most_tokens: int) -> Any:  # noqa: ANN401 - litellm has no types
        retries = {} if position + 1 == len(self._ids) else {"num_retries": 0}  # with a fallback, go there at once
        return await self._router.acompletion(
            model=self._ids[position],
            messages=[dict(message) for message in messages],
            drop_params=True,  # what a provider does not know of is left out
            **options,
            **self._own_options(position, most_tokens=most_tokens),
            **retries,
        )

    async def _room(self, position: int, messages: Messages) -> int:
        """How many tokens an answer may take behind *messages*. Raises PromptTooLong."""
        window = self._settings.deployments[position].context_tokens
        if window is None:
            return self._settings.max_tokens
        text = "\n".join(message["content"] for message in messages)
        # In a thread: a prompt may hold a day's talk.
        counted = await anyio.to_thread.run_sync(count_tokens, text, abandon_on_cancel=True)
        asked = round(counted * TOKENS_ELSEWHERE)
        if window - asked < min(LEAST_ANSWER, self._settings.max_tokens):
            raise PromptTooLong(asked, window)
        return min(self._settings.max_tokens, window - asked)

    def _own_options(self, position: int, *, most_tokens: int) -> dict[str, object]:
        """The options of one deployment: how much it may say, its window, and how long it may think."""
        deployment, effort = self._settings.deployments[position], self._settings.reasoning_effort
        refused = self._refused[position]
        found: dict[str, object] = {"max_completion_tokens" if "max_tokens" in refused else "max_tokens": most_tokens}
        if "temperature" not in refused:
            found["temperature"] = self._settings.temperature
        if is_ollama(deployment.model):
            if deployment.context_tokens is not None:
                found["num_ctx"] = deployment.context_tokens
            if effort is None and self._role is not Role.CHAT:
                # Its thoughts come out of the same window, and a turn can not wait for them.
                effort = least_effort(deployment.model)
        elif effort is not None and deployment.api_base is not None:
            found["allowed_openai_params"] = ["reasoning_effort"]  # litellm does not know what an own server takes
        if effort is not None:
            found["reasoning_effort"] = effort
        return found

    def _seconds(self, position: int, *, until: float) -> float:
        left = max(until - asyncio.get_running_loop().time(), 0.001)
        return left if position + 1 == len(self._ids) else left * SHARE

    def _ways(self, position: int, question: Question) -> tuple[RequestMode, ...]:
        shape = question.shape
        if shape is None:
            return PROSE
        deployment, schema = self._settings.deployments[position], schema_of(shape)
        told = render("answer_shape", schema=json.dumps(schema, ensure_ascii=False))
        wanted = {"type": "json_schema", "json_schema": {"name": shape.__name__, "schema": schema}}
        # Not "strict": that refuses optional fields and defaults. An own address says nothing of itself: try.
        # Ollama takes one, which litellm denies, after it has asked Ollama and waited.
        knows = (
            deployment.api_base is not None
            or is_ollama(deployment.model)
            or self._litellm.supports_response_schema(model=deployment.model)
        )
        weaker = (RequestMode({"response_format": {"type": "json_object"}}, told), RequestMode({}, told))
        whole = (RequestMode({"response_format": wanted}), *weaker) if knows else weaker
        if not question.is_streamed:
            return whole
        return (*(RequestMode({**way.options, **stream}, way.told) for stream in STREAMS for way in whole), *whole)

    def _ended(
        self,
        position: int,
        said: DeploymentReply | None,
        failed: list[Exception],
        *,
        at: datetime,
        begun: float,
        question: Question,
    ) -> ModelCall:
        """The call to a deployment as it ended: with an answer, a failure, or because nobody waits any longer."""
        deployment = self._settings.deployments[position]
        was_asked = not (failed and isinstance(failed[0], PromptTooLong))
        usage = Usage(calls=int(was_asked), seconds=self._clock.monotonic() - begun)
        if said is not None:
            usage = Usage(1, said.prompt_tokens, said.completion_tokens, said.cost_usd, usage.seconds)
        first_at = said.first_at if said is not None else None
        return ModelCall(
            role=self._role,
            model=deployment.model,
            host=deployment.host,
            at=at,
            usage=usage,
            outcome="answered" if said is not None else "failed" if failed else "given_up",
            is_streamed=question.is_streamed,
            first_words_seconds=first_at - begun if first_at is not None else None,
            finish=said.finish if said is not None else None,
            reason=str(self._translated(position, failed[0])) if failed else None,
        )

    def _log_asked(self, position: int, question: Question) -> None:
        deployment = self._settings.deployments[position]
        log.debug(
            "model.asked",
            role=self._role.value,
            model=deployment.model,
            host=deployment.host,
            streamed=question.is_streamed,
            allowed_ms=round(self._seconds(position, until=question.until) * 1000),
        )

    def _log_ended(self, position: int, call: ModelCall) -> None:
        """At DEBUG how the call ended; at WARNING that another model is asked in its place, and why."""
        deployments = self._settings.deployments
        called = {"role": call.role.value, "model": call.model, "ms": round(call.usage.seconds * 1000)}
        if call.outcome == "answered":
            first = call.first_words_seconds
            log.debug(
                "model.answered",
                **called,
                first_words_ms=None if first is None else round(first * 1000),
                prompt_tokens=call.usage.prompt_tokens,
                completion_tokens=call.usage.completion_tokens,
                cost_usd=call.usage.cost_usd,
                finish=call.finish,
            )
            return
        if call.outcome == "given_up":
            log.debug("model.given_up", **called)
            return
        log.debug("model.failed", **called, reason=call.reason)
        if position + 1 < len(deployments):
            log.warning("model.failed_over", **called, to=deployments[position + 1].model, reason=call.reason)

    @property
    def _keys(self) -> list[str]:
        """What must not be quoted from a provider's words."""
        return [*self._settings.hidden, *(one.api_key for one in self._settings.deployments if one.api_key)]

    def _fault(self, failures: list[Exception], *, start: int) -> ModelFault:
        return together(tuple(self._translated(position, error) for position, error in enumerate(failures, start)))

    def _translated(self, position: int, error: Exception) -> ModelFault:
        """*error* as a fault of ours. One that the deployment rests says what made it rest, too."""
        fault = translated(error, model=self._settings.deployments[position].model, keys=self._keys)
        if isinstance(fault, ModelCircuitOpen):
            return resting(fault, cause=self._causes.get(position))
        if isinstance(fault, ModelUnavailable):  # a question that is too long, or refused, makes nothing rest
            self._causes[position] = fault
        return fault
