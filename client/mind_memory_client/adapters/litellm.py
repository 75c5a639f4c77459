"""
Memory for a LiteLLM proxy, as a callback.

    # memory_callback.py, beside config.yaml, which says: litellm_settings: {callbacks: memory_callback.memory}
    memory = MemoryLogger(AsyncMemoryClient(), mind="ada")

A request names its mind and its session by the headers X-Mind-Id and X-Session-Id, or by ``mind_id`` and
``session_id`` in its metadata. Otherwise *mind* and *session* here hold. Where callers must not choose, let *mind* be a
function of the caller's key. ``X-Memory-Bypass: 1`` leaves memory out of a request.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import anyio
from litellm.integrations.custom_logger import CustomLogger

from mind_memory_client.messages import Placement, place_memory, plain_message, up_to_last_user
from mind_memory_client.turn import Turn, begin_turn

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

    from mind_memory_client.async_client import AsyncMemoryClient
    from mind_memory_client.errors import UnsavedTurn
    from mind_memory_client.models import Resonance

    NameOrFunction = str | Callable[[Any, Mapping[str, Any]], str]  # of the caller's key and the request

_CHATS = frozenset({"completion", "acompletion"})
_MOST_OPEN = 10_000


class MemoryLogger(CustomLogger):
    """
    Memory around each chat completion that passes the proxy.

    *turn_options* are those of ``memory.turn``, such as ``deadline_ms`` or ``timezone``. Turns that can not be stored
    go to *on_unsaved*, or wait in ``unsaved``.
    """

    def __init__(
        self,
        memory: AsyncMemoryClient,
        *,
        mind: NameOrFunction,
        session: NameOrFunction | None = None,
        placement: Placement = "user",
        on_unsaved: Callable[[UnsavedTurn], object] | None = None,
        **turn_options: Any,  # noqa: ANN401 - those of memory.turn
    ) -> None:
        super().__init__()
        self.unsaved = memory.unsaved
        self._memory, self._mind, self._session, self._placement = memory, mind, session, placement
        self._turn_options = {**turn_options, "on_unsaved": on_unsaved}
        self._open: OrderedDict[str, tuple[str, Turn]] = OrderedDict()  # by the call whose answer they wait for
        self._surfaced: OrderedDict[str, Resonance] = OrderedDict()  # by the question, for loops of tools

    async def async_pre_call_hook(
        self,
        user_api_key_dict: Any,  # noqa: ANN401 - litellm's
        cache: Any,  # noqa: ANN401, ARG002 - litellm's
        data: dict[str, Any],
        call_type: str,
    ) -> dict[str, Any] | None:
        """Ask what surfaces, and show it to the model."""
        messages = data.get("messages")
        if call_type not in _CHATS or not isinstance(messages, list) or _header(data, "x-memory-bypass") == "1":
            return None
        mind = _name_of("mind_id", self._mind, user_api_key_dict, data) or ""
        session = _name_of("session_id", self._session, user_api_key_dict, data) or _session_of(messages)
        given = up_to_last_user(messages)
        turn = begin_turn(mind, session, given, **self._turn_options)
        question = _digest(mind, session, str(len(given)), *turn.user_words)
        await self._recall(turn, question)
        self._open[data.setdefault("litellm_call_id", turn.turn_id)] = question, turn
        _limit(self._open)
        data["messages"] = place_memory(messages, stable=turn.stable, block=turn.block, placement=self._placement)
        return data

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> None:  # noqa: ANN401, ARG002 - litellm's
        """Store the turn, unless the answer calls a tool: then the answer to the user is still to come."""
        choices = getattr(response, "choices", None)
        message = getattr(choices[0], "message", None) if choices else None
        if message is not None and not getattr(message, "tool_calls", None):
            await self._save(data, getattr(message, "content", None))

    async def async_post_call_streaming_iterator_hook(
        self,
        user_api_key_dict: Any,  # noqa: ANN401, ARG002 - litellm's
        response: Any,  # noqa: ANN401 - litellm's
        request_data: dict[str, Any],
    ) -> AsyncGenerator[Any, None]:
        """Pass each chunk on at once. Store the turn after the last one, or when the caller has left."""
        pieces: list[str] = []
        is_call = is_whole = False
        try:
            async for chunk in response:
                for choice in getattr(chunk, "choices", None) or ()[:1]:
                    delta = getattr(choice, "delta", None)
                    pieces.append(getattr(delta, "content", None) or "")
                    is_call = is_call or bool(getattr(delta, "tool_calls", None))
                yield chunk
            is_whole = True
        finally:
            if not is_call:
                with anyio.CancelScope(shield=True):
                    await self._save(request_data, "".join(pieces), is_whole=is_whole)

    async def async_post_call_failure_hook(
        self,
        request_data: dict[str, Any],
        original_exception: Exception,  # noqa: ARG002 - litellm's
        user_api_key_dict: Any,  # noqa: ANN401, ARG002 - litellm's
        traceback_str: str | None = None,  # noqa: ARG002 - litellm's
    ) -> None:
        """No model answered, so store what the user said."""
        await self._save(request_data, None)

    async def _recall(self, turn: Turn, question: str) -> None:
        """Ask what surfaces. The later calls of a loop of tools see what surfaced at its first one."""
        known = self._surfaced.get(question)
        if known is not None:
            turn.recalled(known)
            return
        await self._memory.recall(turn)
        self._surfaced[question] = turn.resonance
        _limit(self._surfaced)

    async def _save(self, data: Mapping[str, Any], answer: str | None, *, is_whole: bool = True) -> None:
        question, turn = self._open.pop(str(data.get("litellm_call_id")), ("", None))
        if turn is not None:
            self._surfaced.pop(question, None)
            if not is_whole:
                turn.broke_off()
            turn.answer(answer)
            await self._memory.save(turn, raises=False)


def _name_of(name: str, ours: NameOrFunction | None, key: Any, data: Mapping[str, Any]) -> str | None:  # noqa: ANN401 - litellm's
    """The name of a mind or a session. Where ours comes from a function, the caller can not choose."""
    if callable(ours):
        return ours(key, data)
    asked = _header(data, f"x-{name.replace('_', '-')}") or (data.get("metadata") or {}).get(name)
    return str(asked) if asked else ours


def _header(data: Mapping[str, Any], name: str) -> str | None:
    headers = (data.get("proxy_server_request") or {}).get("headers") or {}
    return next((str(value) for one, value in headers.items() if str(one).lower() == name), None)


def _session_of(messages: Sequence[Mapping[str, Any]]) -> str:
    """A name for a conversation that has none, from how it began, so that each of its requests gets the same."""
    begun = [one for message in messages if (one := plain_message(message)) is not None]
    first = next((at for at, one in enumerate(begun) if one["role"] == "user"), 0)
    return _digest(*(one["content"] for one in begun[: first + 1]))


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()


def _limit(found: OrderedDict[str, Any]) -> None:
    while len(found) > _MOST_OPEN:
        found.popitem(last=False)
