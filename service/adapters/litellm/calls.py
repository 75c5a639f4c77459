"""
One call to one deployment through litellm's Router, and its answer as a value of ours.

A Router group has one deployment. So what the Router adds is a pause after repeated failures, in which it obeys
``Retry-After``, and a second try after a server error.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from service.adapters.litellm.ollama import is_ollama

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from types import ModuleType

FAILURES_BEFORE_REST = 2
REST_SECONDS = 15.0
SECOND_TRIES = {
    "InternalServerErrorRetries": 1,
    "ServiceUnavailableErrorRetries": 1,
    "RateLimitErrorRetries": 0,  # the Router would sleep Retry-After, up to a minute, inside our deadline
    "TimeoutErrorRetries": 0,
    "AuthenticationErrorRetries": 0,
    "BadRequestErrorRetries": 0,
    "ContentPolicyViolationErrorRetries": 0,
    "NotFoundErrorRetries": 0,
    "DefaultRetries": 0,
}
LETTERS_PER_TOKEN = 16  # more than any tokenizer packs into one: past it the server ignores max_tokens


class ModelSilent(Exception):
    """Nothing came of a streamed answer for ``seconds``: whoever answers hangs."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"said nothing for {seconds:g} s")


class NoAnswer(Exception):
    """A completion without a choice came."""

    def __init__(self) -> None:
        super().__init__("it sent no answer")


@dataclass(frozen=True, slots=True)
class DeploymentReply:
    """
    The answer of a deployment; ``finish`` is None where the stream broke off without an end.

    ``first_at`` is when the first words of a stream came, by the clock that ``listen`` was given. ``is_tool_call``: a
    stream held pieces of a tool call.
    """

    text: str
    finish: str | None
    refusal: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0
    first_at: float | None = None
    is_tool_call: bool = False


def open_router(
    litellm: ModuleType, deployments: Mapping[str, Mapping[str, object]], *, timeout: float, may_rest: bool
) -> Any:  # noqa: ANN401 - litellm has no types
    """Build a Router with one group for each deployment, by its id; with *may_rest*, what fails is paused."""
    listed = [
        {"model_name": name, "litellm_params": dict(params), "model_info": {"id": name}}
        for name, params in deployments.items()
    ]
    return litellm.Router(
        model_list=listed,
        num_retries=0,
        retry_policy=dict(SECOND_TRIES),
        timeout=timeout,
        allowed_fails=FAILURES_BEFORE_REST,
        cooldown_time=REST_SECONDS,
        disable_cooldowns=not may_rest,
    )


async def listen(
    response: Any,  # noqa: ANN401 - litellm has no types
    *,
    most_letters: int,
    monotonic: Callable[[], float],
    silence_seconds: float,
    heard: Callable[[str], None] | None = None,
) -> DeploymentReply:
    """
    Read a whole answer, streamed or not; tokens only where the provider reports them.

    *heard* is called with the text so far. Raises ModelSilent where nothing comes for *silence_seconds*, NoAnswer.
    """
    if not hasattr(response, "__aiter__"):
        if not response.choices:
            raise NoAnswer
        choice = response.choices[0]
        text = choice.message.content
        found = DeploymentReply(text if isinstance(text, str) else "", choice.finish_reason, _refusal(choice.message))
        return _counted(found, response)
    said = DeploymentReply("", None)
    pieces: list[str] = []
    letters, first_at = 0, None
    async with contextlib.aclosing(response) as stream:
        async for chunk in _patient(stream, silence_seconds=silence_seconds):
            delta = chunk.choices[0].delta if chunk.choices else None
            piece = getattr(delta, "content", None) or ""
            said = _noted(said, delta)
            pieces.append(piece)
            letters += len(piece)
            if heard is not None:
                heard("".join(pieces))
            first_at = monotonic() if first_at is None and piece else first_at
            said = _counted(said, chunk)
            if letters > most_letters:
                return DeploymentReply("".join(pieces), "length", first_at=first_at)
        finish = _told_finish(stream)
    return replace(said, text="".join(pieces), finish=finish, first_at=first_at)


async def _patient(stream: Any, *, silence_seconds: float) -> AsyncIterator[Any]:  # noqa: ANN401 - as above
    """Each chunk, if it comes in time; a chunk of thoughts, or an empty one, ends a silence as well."""
    chunks = aiter(stream)
    while True:
        limit = asyncio.timeout(silence_seconds)
        try:
            async with limit:
                chunk = await anext(chunks)
        except StopAsyncIteration:
            return
        except TimeoutError as error:
            if limit.expired():
                raise ModelSilent(silence_seconds) from error
            raise
        yield chunk


async def counted(
    said: DeploymentReply, *, litellm: ModuleType, model: str, messages: tuple[Mapping[str, str], ...]
) -> DeploymentReply:
    """Fill in the cost, and the tokens where the provider reported none, by litellm's bundled tokenizer."""
    asked, answered = said.prompt_tokens, said.completion_tokens
    if not asked + answered:
        given = [dict(message) for message in messages]
        asked = await anyio.to_thread.run_sync(lambda: litellm.token_counter(model=model, messages=given))
        answered = await anyio.to_thread.run_sync(lambda: litellm.token_counter(model=model, text=said.text))
    # Ollama's models have no price, and litellm would ask it before it says so.
    cost = 0.0 if is_ollama(model) else priced(litellm, model=model, asked=asked, answered=answered)
    return replace(said, prompt_tokens=asked, completion_tokens=answered, cost_usd=cost)


def _noted(said: DeploymentReply, delta: Any) -> DeploymentReply:  # noqa: ANN401 - as above
    """*said*, with a refusal and with that there is a tool call, where a piece has them."""
    refusal = _refusal(delta)
    if refusal:
        said = replace(said, refusal=(said.refusal or "") + refusal)
    return replace(said, is_tool_call=True) if getattr(delta, "tool_calls", None) else said


def _refusal(message: Any) -> str | None:  # noqa: ANN401 - as above
    told = getattr(message, "provider_specific_fields", None) or {}
    refusal = getattr(message, "refusal", None) or told.get("refusal")
    return refusal if isinstance(refusal, str) else None


def _counted(said: DeploymentReply, told: Any) -> DeploymentReply:  # noqa: ANN401 - litellm has no types
    usage = getattr(told, "usage", None)
    if usage is None:
        return said
    return replace(said, prompt_tokens=usage.prompt_tokens or 0, completion_tokens=usage.completion_tokens or 0)


def _told_finish(stream: Any) -> str | None:  # noqa: ANN401 - litellm has no types
    # At the end of any stream litellm makes up a "stop"; only its .chunks are the provider's.
    told = [chunk.choices[0].finish_reason for chunk in stream.chunks if chunk.choices]
    return next((reason for reason in reversed(told) if reason), None)


def priced(litellm: ModuleType, *, model: str, asked: int, answered: int) -> float:
    """Return what so many tokens cost in US dollars; 0 where litellm has no price."""
    try:
        return float(sum(litellm.cost_per_token(model=model, prompt_tokens=asked, completion_tokens=answered)))
    except Exception:  # noqa: BLE001 - an unpriced model raises a bare Exception
        return 0.0
