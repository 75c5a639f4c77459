"""
The upstream over litellm: a chat goes to a provider as it came, and the answer comes back as it was given.

A provider with OpenAI's API is sent the client's body unchanged, and its answer is read before litellm changes it:
litellm checks and rewrites messages, joins the ends of several choices into one, and drops fields that it does not
know. For every other provider litellm translates.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio
import structlog

from consolidation.kernel.errors import ModelNotFound, UpstreamRefused
from service.adapters.litellm.calls import priced
from service.adapters.litellm.loader import AS_GIVEN, open_litellm
from service.adapters.litellm.ollama import chat_name, is_ollama
from service.adapters.litellm.upstream_errors import CutStream, EmptyStream, is_about_roles, passed_on, refused
from service.ports.upstream import StreamedAnswer, WholeAnswer

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping
    from types import ModuleType

    from service.adapters.litellm.fallback_chain import Deployment
    from service.observability.redaction import Redactor
    from service.ports.upstream import Json

log = structlog.get_logger()

# What no other model makes right; but a prompt that is too long for one may fit another.
_ASKED_WRONG = frozenset({400, 413, 415, 422})
_TOO_LONG = "context_length_exceeded"
_STAND_IN = ({"role": "user", "content": ""},)  # for litellm to check; the client's own take its place in the body
# OpenAI's own parameters, which litellm translates. What else a client sends never becomes an argument of litellm's:
# by some of those (api_base, api_key, mock_response) a stranger could send our key to a server of his.
_TRANSLATED = frozenset(
    """
    audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens modalities n
    parallel_tool_calls prediction presence_penalty reasoning_effort response_format seed service_tier stop store
    stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options
    """.split()
)
_OURS = frozenset({"model", "messages", "stream"})
_DONE = "[DONE]"  # the last event of a stream


@dataclass(frozen=True, slots=True)
class ModelRegistry:
    """The names that a client may ask for, each with its deployments in the order in which they are asked."""

    offers: Mapping[str, tuple[Deployment, ...]]

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the order in which they are listed."""
        return tuple(self.offers)

    def find(self, name: str) -> tuple[Deployment, ...]:
        """Return the deployments of *name*, which may leave out the provider. Raises ModelNotFound."""
        if name in self.offers:
            return self.offers[name]
        for listed, found in self.offers.items():
            if name and listed.partition("/")[2] == name:
                return found
        known = ", ".join(self.offers)
        raise ModelNotFound(f"the model {name[:100]!r} may not be asked for; these may: {known}")


class LitellmUpstream:
    """Asks the deployments of a registry; ``timeout_seconds`` is the longest that a provider may stay silent."""

    def __init__(self, menu: ModelRegistry, *, timeout_seconds: float, hiding: Redactor) -> None:
        """Nothing is imported before the first question, or ``warm``; *hiding* is applied to providers' words."""
        self._menu = menu
        self._timeout = timeout_seconds
        self._hiding = hiding
        self._plain: set[tuple[str, str]] = set()  # deployments, by model and host, that refuse one more system message

    @property
    def names(self) -> tuple[str, ...]:
        """The models that may be asked for."""
        return self._menu.names

    async def warm(self) -> None:
        """Import litellm, so that no chat waits for it."""
        await open_litellm()

    def window(self, model: str, /) -> int | None:
        """Return the least window of the deployments of *model*; None where none is set, or the model is unknown."""
        with suppress(ModelNotFound):
            windows = (one.context_tokens for one in self._menu.find(model))
            return min((one for one in windows if one is not None), default=None)
        return None

    async def ask(self, body: Json, /, *, plainer: Json | None = None) -> WholeAnswer | StreamedAnswer:
        """
        Answer a chat by the first deployment that does. Raises ModelNotFound, UpstreamRefused.

        A deployment that refused *body* for the roles of its messages, and answered *plainer*, gets only those from
        then on: templates of chats that allow one system message, at the beginning, or none, are many.
        """
        deployments = self._menu.find(str(body["model"]))
        litellm = await open_litellm()
        refusals: list[UpstreamRefused] = []
        for deployment in deployments:
            try:
                return await self._asked_as_it_may_be(litellm, deployment, body, plainer)
            except UpstreamRefused as refusal:
                refusals.append(refusal)
                if refusal.status in _ASKED_WRONG and (refusal.error or {}).get("code") != _TOO_LONG:
                    break
        raise refusals[0]  # of the model that was asked for

    async def cost(self, model: str, /, *, asked: int, answered: int) -> float:
        """Return what so many tokens cost in US dollars; 0 where litellm has no price."""
        return priced(await open_litellm(), model=model, asked=asked, answered=answered)

    async def _asked_as_it_may_be(
        self, litellm: ModuleType, deployment: Deployment, body: Json, plainer: Json | None
    ) -> WholeAnswer | StreamedAnswer:
        if plainer is None:
            return await self._asked(litellm, deployment, body)
        name = (deployment.model, deployment.host)
        if name in self._plain:
            return await self._asked(litellm, deployment, plainer)
        try:
            return await self._asked(litellm, deployment, body)
        except UpstreamRefused as refusal:
            if not is_about_roles(refusal):
                raise
            try:
                answer = await self._asked(litellm, deployment, plainer)
            except UpstreamRefused:
                raise refusal from None
        self._plain.add(name)
        log.info("upstream.plainer", model=deployment.model)
        return answer

    async def _asked(self, litellm: ModuleType, deployment: Deployment, body: Json) -> WholeAnswer | StreamedAnswer:
        heard: dict[str, Any] = {}
        try:
            async with asyncio.timeout(self._timeout):
                response = await litellm.acompletion(
                    model=chat_name(deployment.model),
                    api_base=deployment.api_base,
                    api_key=deployment.api_key,
                    timeout=self._timeout,  # the same at each call: litellm keeps a client for every other one
                    max_retries=0,
                    num_retries=0,
                    stream=bool(body.get("stream")),
                    logger_fn=heard.update,
                    **_options(litellm, deployment, body),
                )
                headers = _headers(response)
                if not body.get("stream"):
                    return WholeAnswer(_body(response, heard=heard), deployment.model, headers, deployment.host)
                chunks = self._patient(_chunks(response, counts=_wants_usage(body)), model=deployment.model)
                first = await anext(chunks, None)
                if first is None:
                    raise EmptyStream  # noqa: TRY301 - translated as what litellm raises
                return StreamedAnswer(first, chunks, deployment.model, headers, deployment.host)
        except UpstreamRefused:
            raise
        except Exception as error:
            told = _told(heard)  # what litellm can not read is an answer, and is paid for
            if told is not None and told["choices"] and not body.get("stream"):
                return WholeAnswer(told, deployment.model, {}, deployment.host)
            raise refused(error, model=deployment.model, hiding=self._hiding) from error

    async def _patient(self, chunks: AsyncGenerator[Json, None], *, model: str) -> AsyncGenerator[Json, None]:
        """Each of *chunks*, if it comes in time."""
        try:
            while True:
                async with asyncio.timeout(self._timeout):
                    chunk = await anext(chunks, None)
                if chunk is None:
                    return
                yield chunk
        except Exception as error:
            raise refused(error, model=model, hiding=self._hiding) from error
        finally:
            await chunks.aclose()


def _options(litellm: ModuleType, deployment: Deployment, body: Json) -> dict[str, Any]:
    """What is sent: everything as it came to who understands it, else OpenAI's parameters for litellm to translate."""
    given = {name: value for name, value in body.items() if name not in _OURS}
    if _speaks_openai(litellm, deployment):
        # Where params may be dropped, litellm answers a 422 by asking again without some, and the second by nothing.
        return {"messages": [*_STAND_IN], "drop_params": False, "extra_body": {**given, "messages": body["messages"]}}
    extra = {name: value for name, value in given.items() if name not in _TRANSLATED}
    translated = {name: value for name, value in given.items() if name in _TRANSLATED}
    if is_ollama(deployment.model) and deployment.context_tokens is not None:
        translated["num_ctx"] = deployment.context_tokens  # as for our own questions: another one loads it anew
    return {"messages": body["messages"], "drop_params": True, **translated, **({"extra_body": extra} if extra else {})}


def _speaks_openai(litellm: ModuleType, deployment: Deployment) -> bool:
    """Whether the chat goes to OpenAI's chat API, or to a server that has the same."""
    name, provider, *_ = litellm.get_llm_provider(deployment.model, api_base=deployment.api_base)
    if provider != "openai" or name.startswith("responses/"):
        return False
    try:
        mode = litellm.get_model_info(name, custom_llm_provider=provider).get("mode")
    except Exception:  # noqa: BLE001 - a model that litellm does not know raises a bare Exception
        return True
    return bool(mode != "responses")  # else litellm asks another API, and has to translate


def _body(response: Any, *, heard: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - litellm has no types
    """The answer as the provider gave it, where litellm tells that; else as litellm made it."""
    told = _told(heard)
    if told is not None:
        return told
    made: dict[str, Any] = response.model_dump(mode="json", exclude_none=True)
    return made


def _told(heard: Mapping[str, Any]) -> dict[str, Any] | None:
    """The answer as the provider gave it, if litellm tells that."""
    with suppress(TypeError, ValueError):
        original = heard.get("original_response") if heard.get("log_event_type") == "post_api_call" else None
        told = heard[AS_GIVEN] if AS_GIVEN in heard else json.loads(str(original))
        if isinstance(told, dict) and _has_words(told.get("choices")):
            return told
    return None


def _has_words(choices: object) -> bool:
    """Whether each choice of an answer has a message: what has none answers nothing."""
    return isinstance(choices, list) and all(
        isinstance(one, dict) and isinstance(one.get("message"), dict) for one in choices
    )


async def _chunks(response: Any, *, counts: bool) -> AsyncGenerator[dict[str, Any], None]:  # noqa: ANN401 - as above
    """
    An answer's chunks; without the tokens where the client did not ask for them, though litellm did.

    Raises CutStream where the provider stops in good order, but in the middle of its answer.
    """
    stream = response.completion_stream
    is_plain = type(stream).__module__.partition(".")[0] == "openai"
    ending = _Ending(stream) if is_plain else None
    try:
        async for chunk in stream if is_plain else response:
            told = chunk.to_dict(warnings=False) if is_plain else chunk.model_dump(mode="json", exclude_none=True)
            if ending is not None:
                ending.see(told)
            if counts or told.get("choices") or not told.get("usage"):
                yield told
        if ending is not None and ending.is_missing:
            raise CutStream
    finally:
        with anyio.CancelScope(shield=True):
            await response.aclose()


class _Ending:
    """
    Whether a provider ended its answer: with ``[DONE]``, or with a reason to finish for each choice that it began.

    OpenAI's library reads ``[DONE]`` and does not tell of it, so its decoder is listened to.
    """

    def __init__(self, stream: Any) -> None:  # noqa: ANN401 - as above
        self._decoder = stream._decoder  # noqa: SLF001 - nothing public tells it
        stream._decoder = self  # noqa: SLF001 - as above
        self._is_done = False
        self._open: dict[object, bool] = {}  # each choice that was begun, and whether more of it is to come

    @property
    def is_missing(self) -> bool:
        """Whether the answer was begun and not ended."""
        return not self._is_done and any(self._open.values())

    def see(self, chunk: Json) -> None:
        """Take note of a chunk's choices, whatever shape it has."""
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict):
                at = str(choice.get("index"))
                self._open[at] = self._open.get(at, True) and not choice.get("finish_reason")

    async def aiter_bytes(self, pieces: AsyncIterator[bytes]) -> AsyncGenerator[Any, None]:
        """Each event of *pieces*, for OpenAI's library."""
        async for event in self._decoder.aiter_bytes(pieces):
            self._is_done = self._is_done or event.data.startswith(_DONE)
            yield event


def _wants_usage(body: Json) -> bool:
    options = body.get("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True


def _headers(response: Any) -> dict[str, str]:  # noqa: ANN401 - as above
    return passed_on(getattr(response, "_response_headers", None) or {})
