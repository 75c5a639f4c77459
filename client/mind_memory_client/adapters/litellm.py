"""
Memory for a LiteLLM proxy, as a callback.

    # memory_callback.py, beside config.yaml, which says: litellm_settings: {callbacks: memory_callback.memory}
    memory = MemoryLogger(AsyncMemoryClient(), mind="ada")

Whose memory it is, and which conversation, say the headers X-Mind-Id and X-Session-Id, or ``mind_id`` and
``session_id`` in the request's metadata; else *mind* and *session* here. Where callers must not choose, *mind* is a
function of the caller's key. ``X-Memory-Bypass: 1`` leaves memory out.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import anyio
from litellm.integrations.custom_logger import CustomLogger

from mind_memory_client.placing import Placement, placed
from mind_memory_client.said import said, until_user
from mind_memory_client.turn import Turn, begin
from mind_memory_client.unsaved import Shelf, Unsaved

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

    from mind_memory_client.answers import Resonance
    from mind_memory_client.client import AsyncMemoryClient

    Chosen = str | Callable[[Any, Mapping[str, Any]], str]  # of the caller's key and the request

_CHATS = frozenset({"completion", "acompletion"})
_MOST_OPEN = 10_000


class MemoryLogger(CustomLogger):
    """Memory around each chat completion that passes the proxy."""

    def __init__(
        self,
        memory: AsyncMemoryClient,
        *,
        mind: Chosen,
        session: Chosen | None = None,
        placement: Placement = "user",
        on_unsaved: Callable[[Unsaved], object] | None = None,
        **asked: Any,  # noqa: ANN401 - as of memory.turn
    ) -> None:
        """Remember in *memory*; *asked* goes to ``memory.turn``: ``deadline_ms``, ``timezone`` …"""
        super().__init__()
        self.unsaved = Shelf()
        self._memory, self._mind, self._session, self._placement = memory, mind, session, placement
        self._asked = {**asked, "on_unsaved": on_unsaved or self.unsaved}
        self._open: OrderedDict[str, tuple[str, Turn]] = OrderedDict()  # by the call that they wait for
        self._surfaced: OrderedDict[str, Resonance] = OrderedDict()  # by what was asked, for loops of tools

    async def async_pre_call_hook(
        self,
        user_api_key_dict: Any,  # noqa: ANN401 - litellm's
        cache: Any,  # noqa: ANN401, ARG002 - litellm's
        data: dict[str, Any],
        call_type: str,
    ) -> dict[str, Any] | None:
        """Let the model see what surfaced."""
        messages = data.get("messages")
        if call_type not in _CHATS or not isinstance(messages, list) or _header(data, "x-memory-bypass") == "1":
            return None
        mind = _chosen("mind_id", self._mind, user_api_key_dict, data) or ""
        session = _chosen("session_id", self._session, user_api_key_dict, data) or _derived(messages)
        given = until_user(messages)
        turn = begin(mind, session, given, **self._asked)
        asked = _digest(mind, session, str(len(given)), *(one["content"] for one in turn.as_dict()["said"]))
        await self._recall(turn, asked)
        self._open[data.setdefault("litellm_call_id", turn.turn_id)] = asked, turn
        _limit(self._open)
        data["messages"] = placed(messages, stable=turn.stable, block=turn.block, placement=self._placement)
        return data

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> None:  # noqa: ANN401, ARG002 - litellm's
        """Keep the turn; calls of tools are on the way to an answer."""
        choices = getattr(response, "choices", None)
        message = getattr(choices[0], "message", None) if choices else None
        if message is not None and not getattr(message, "tool_calls", None):
            await self._keep(data, getattr(message, "content", None))

    async def async_post_call_streaming_iterator_hook(
        self,
        user_api_key_dict: Any,  # noqa: ANN401, ARG002 - litellm's
        response: Any,  # noqa: ANN401 - litellm's
        request_data: dict[str, Any],
    ) -> AsyncGenerator[Any, None]:
        """Pass each chunk on at once; keep the turn after the last, or when the caller has left."""
        pieces: list[str] = []
        is_call = False
        try:
            async for chunk in response:
                for choice in getattr(chunk, "choices", None) or ()[:1]:
                    delta = getattr(choice, "delta", None)
                    pieces.append(getattr(delta, "content", None) or "")
                    is_call = is_call or bool(getattr(delta, "tool_calls", None))
                yield chunk
        finally:
            if not is_call:
                with anyio.CancelScope(shield=True):
                    await self._keep(request_data, "".join(pieces))

    async def async_post_call_failure_hook(
        self,
        request_data: dict[str, Any],
        original_exception: Exception,  # noqa: ARG002 - litellm's
        user_api_key_dict: Any,  # noqa: ANN401, ARG002 - litellm's
        traceback_str: str | None = None,  # noqa: ARG002 - litellm's
    ) -> None:
        """No model answered: keep what the user said."""
        await self._keep(request_data, None)

    async def _recall(self, turn: Turn, asked: str) -> None:
        """What surfaces; in a loop of tools, what surfaced at its first call."""
        known = self._surfaced.get(asked)
        if known is not None:
            turn.recalled(known)
            return
        await self._memory.recall(turn)
        self._surfaced[asked] = turn.resonance
        _limit(self._surfaced)

    async def _keep(self, data: Mapping[str, Any], answer: str | None) -> None:
        asked, turn = self._open.pop(str(data.get("litellm_call_id")), ("", None))
        if turn is not None:
            self._surfaced.pop(asked, None)
            turn.answer(answer)
            await self._memory.keep(turn, raises=False)


def _chosen(name: str, ours: Chosen | None, key: Any, data: Mapping[str, Any]) -> str | None:  # noqa: ANN401 - litellm's
    """A mind or a session: where ours is found by the key, the caller has no say in it."""
    if callable(ours):
        return ours(key, data)
    said_so = _header(data, f"x-{name.replace('_', '-')}") or (data.get("metadata") or {}).get(name)
    return str(said_so) if said_so else ours


def _header(data: Mapping[str, Any], name: str) -> str | None:
    headers = (data.get("proxy_server_request") or {}).get("headers") or {}
    return next((str(value) for one, value in headers.items() if str(one).lower() == name), None)


def _derived(messages: Sequence[Mapping[str, Any]]) -> str:
    """The same for all of a conversation: of how it began."""
    begun = [one for message in messages if (one := said(message)) is not None]
    first = next((at for at, one in enumerate(begun) if one["role"] == "user"), 0)
    return _digest(*(one["content"] for one in begun[: first + 1]))


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()


def _limit(found: OrderedDict[str, Any]) -> None:
    while len(found) > _MOST_OPEN:
        found.popitem(last=False)
