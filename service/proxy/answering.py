"""One chat from request to answer: what surfaces, who answers, what is kept; in one piece or as events."""

from __future__ import annotations

import json
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import anyio
import anyio.to_thread
from starlette.responses import Response, StreamingResponse

from service.proxy.echoing import echoed, in_chunks
from service.proxy.hearing import Heard
from service.proxy.keeping import Exchange, keep
from service.proxy.refusing import worded
from service.proxy.surfacing import surface
from service.upstream import Streamed, UpstreamRefused, Whole

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from starlette.types import Receive, Scope, Send

    from service.container import Memory
    from service.proxy.asking import Chat
    from service.proxy.surfacing import Surfacing

_LEFT, _BROKE = "client_left", "upstream_broke"
_READABLE = "!#$%&'()*+,/:;=?@[]~ "  # of a session's name in a header; what is no ASCII goes in percents
_DONE = b"data: [DONE]\n\n"


async def answered(chat: Chat, *, memory: Memory) -> Response:
    """The answer to *chat*. Raises ModelNotFound, UpstreamRefused."""
    began = memory.clock.monotonic()
    surfacing = await surface(chat, memory=memory)
    answer = await _answer(chat, surfacing, memory=memory)
    headers = {**answer.headers, **_told(chat, surfacing)}
    telling = _Telling(chat, answer, surfacing, memory=memory, began=began)
    if isinstance(answer, Streamed):
        return _Events(telling, headers=headers)
    telling.heard.hear(answer.body)
    telling.end(cut=None)
    return Response(json.dumps(answer.body), media_type="application/json", headers=headers)


async def _answer(chat: Chat, surfacing: Surfacing, *, memory: Memory) -> Whole | Streamed:
    if memory.upstream.names:
        return await memory.upstream.ask(surfacing.body)
    now, answer_id = memory.clock.now(), memory.clock.fresh_id()
    body = await anyio.to_thread.run_sync(lambda: echoed(chat, block=surfacing.block, answer_id=answer_id, now=now))
    return Streamed(None, in_chunks(body, counts=chat.counts), "") if chat.is_streamed else Whole(body, "")


def _told(chat: Chat, surfacing: Surfacing) -> dict[str, str]:
    place = {"X-Mind-Id": chat.mind_id, "X-Session-Id": quote(chat.session_id, safe=_READABLE)}
    return {**place, **surfacing.headers}


class _Telling:
    """An answer on its way: heard as it is told, kept once it has ended, however that was."""

    def __init__(
        self, chat: Chat, answer: Whole | Streamed, surfacing: Surfacing, *, memory: Memory, began: float
    ) -> None:
        self.heard = Heard()
        self._chat = chat
        self._answer = answer
        self._trace_id = surfacing.trace_id
        self._memory = memory
        self._began = began
        self._cut = _LEFT  # until it is told to its end

    async def events(self) -> AsyncGenerator[bytes, None]:
        """Each chunk as it comes, then the end, or what broke it off."""
        assert isinstance(self._answer, Streamed)  # noqa: S101 - the other kind is one piece
        try:
            if self._answer.first is not None:
                yield self._event(self._answer.first)
            async for chunk in self._answer.rest:
                yield self._event(chunk)
        except UpstreamRefused as fault:
            self._cut = _BROKE
            yield _event(worded(fault))
            return
        self._cut = _BROKE
        yield _DONE

    def _event(self, chunk: Mapping[str, Any]) -> bytes:
        self.heard.hear(chunk)
        return _event(chunk)

    async def close(self) -> None:
        """Tell the upstream to stop where it has not, and keep what was said."""
        assert isinstance(self._answer, Streamed)  # noqa: S101 - as above
        with anyio.CancelScope(shield=True):
            async with aclosing(self._answer.rest):
                pass
        self.end(cut=None if self.heard.finish else self._cut)  # some clients leave without waiting for the last event

    def end(self, *, cut: str | None) -> None:
        """Begin to keep what was heard; where nothing came before the client went away, there is nothing."""
        if cut is not None and not self.heard.text:
            return
        keep(
            Exchange(
                chat=self._chat,
                heard=self.heard,
                model=self._answer.model or None,
                trace_id=self._trace_id,
                seconds=self._memory.clock.monotonic() - self._began,
                cut=cut,
            ),
            memory=self._memory,
        )


class _Events(StreamingResponse):
    """An answer as server-sent events: ended and kept however the sending ends."""

    def __init__(self, telling: _Telling, *, headers: Mapping[str, str]) -> None:
        quiet = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
        super().__init__(telling.events(), media_type="text/event-stream", headers={**quiet, **headers})
        self._telling = telling

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._telling.close()


def _event(value: Mapping[str, Any]) -> bytes:
    return b"data: " + json.dumps(value, separators=(",", ":")).encode() + b"\n\n"
