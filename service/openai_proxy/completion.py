"""One chat from request to answer: recall, the model's answer, and storing the turn; whole or as a stream of events."""

from __future__ import annotations

import json
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import anyio
import anyio.to_thread
from starlette.responses import Response, StreamingResponse

from consolidation.kernel.errors import UpstreamRefused
from service.http.problems import kind_of
from service.openai_proxy.errors import error_body
from service.openai_proxy.recall import recall
from service.openai_proxy.reply_accumulator import ReplyAccumulator
from service.openai_proxy.store_turn import CLIENT_LEFT, UPSTREAM_BROKE, Exchange, start_storing, until_stored
from service.ports.upstream import StreamedAnswer, WholeAnswer

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from starlette.types import Receive, Scope, Send

    from consolidation.kernel.errors import MemoryFault
    from service.openai_proxy.context import ProxyContext
    from service.openai_proxy.recall import ChatRecall
    from service.openai_proxy.request import Chat
    from service.runtime.background import Background

_READABLE = (
    "!#$%&'()*+,/:;=?@[]~ "  # characters a session's id keeps unescaped in a header; the rest is percent-encoded
)
_NOT_STORED = "X-Memory-Not-Stored"  # a header, or a comment of a stream: the name of the problem
_DONE = b"data: [DONE]\n\n"


async def complete_chat(chat: Chat, *, context: ProxyContext) -> Response:
    """Answer *chat*. Raises ModelNotFound, UpstreamRefused."""
    started = context.clock.monotonic()
    recalled = await recall(chat, context=context)
    answer = await context.upstream.ask(recalled.body, plainer=recalled.plainer)
    headers = {**answer.headers, **_identity_headers(chat, recalled)}
    delivery = _Delivery(chat, answer, recalled, context=context, started=started)
    if isinstance(answer, StreamedAnswer):
        return _EventStream(delivery, headers=headers, background=context.background)
    delivery.reply.add(answer.body)
    refusal = await delivery.end(cut=None)
    if refusal is not None:
        headers[_NOT_STORED] = kind_of(refusal).slug
    return Response(json.dumps(answer.body), media_type="application/json", headers=headers)


def _identity_headers(chat: Chat, recalled: ChatRecall) -> dict[str, str]:
    identity = {"X-Mind-Id": chat.mind_id, "X-Session-Id": quote(chat.session_id, safe=_READABLE)}
    return {**identity, **recalled.headers}


class _Delivery:
    """
    An answer on its way to the client: accumulated while it is sent, and stored before its last byte.

    What is cut off is stored, too, once.
    """

    def __init__(
        self,
        chat: Chat,
        answer: WholeAnswer | StreamedAnswer,
        recalled: ChatRecall,
        *,
        context: ProxyContext,
        started: float,
    ) -> None:
        self.reply = ReplyAccumulator()
        self._chat = chat
        self._answer = answer
        self._trace_id = recalled.trace_id
        self._context = context
        self._started = started
        self._first_seconds: float | None = None
        self._has_ended = False

    async def events(self) -> AsyncGenerator[bytes, None]:
        """Each chunk as it comes, then the end of the stream or the error that broke it off."""
        assert isinstance(self._answer, StreamedAnswer)  # noqa: S101 - the other kind is one piece
        try:
            if self._answer.first is not None:
                yield self._event(self._answer.first)
            async for chunk in self._answer.rest:
                yield self._event(chunk)
        except UpstreamRefused as fault:
            await self.end(cut=UPSTREAM_BROKE)
            yield _event(error_body(fault))
            return
        refusal = await self.end(cut=None)
        if refusal is not None:  # a comment, which every client skips: the answer is whole, and must not look failed
            yield f": {_NOT_STORED}: {kind_of(refusal).slug}\n\n".encode()
        yield _DONE

    def _event(self, chunk: Mapping[str, Any]) -> bytes:
        if self._first_seconds is None:
            self._first_seconds = self._context.clock.monotonic() - self._started
        self.reply.add(chunk)
        return _event(chunk)

    async def close(self) -> None:
        """Stop the upstream if it still answers, and store what was said."""
        assert isinstance(self._answer, StreamedAnswer)  # noqa: S101 - as above
        with anyio.CancelScope(shield=True):
            async with aclosing(self._answer.rest):
                pass
            await self.end(cut=CLIENT_LEFT)

    async def end(self, *, cut: str | None) -> MemoryFault | None:
        """
        Store what was said, at the first call. If nothing came before it was *cut*, nothing is stored.

        The result is why it was refused, where that is known by now.

        An answer that gave its reason to finish is whole: some clients disconnect without waiting for the last event.
        """
        cut = None if self.reply.finish else cut
        if self._has_ended or (cut is not None and not self.reply.said):
            return None
        self._has_ended = True
        exchange = Exchange(
            chat=self._chat,
            reply=self.reply,
            model=self._answer.model or None,
            trace_id=self._trace_id,
            seconds=self._context.clock.monotonic() - self._started,
            host=self._answer.host,
            first_seconds=self._first_seconds,
            cut=cut,
        )
        return await until_stored(start_storing(exchange, context=self._context))


class _EventStream(StreamingResponse):
    """An answer as server-sent events. It is ended and stored however the sending ends."""

    def __init__(self, delivery: _Delivery, *, headers: Mapping[str, str], background: Background) -> None:
        no_buffering = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
        super().__init__(delivery.events(), media_type="text/event-stream", headers={**no_buffering, **headers})
        self._delivery = delivery
        self._background = background

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._background.awaiting_jobs():
            try:
                await super().__call__(scope, receive, send)
            finally:
                await self._delivery.close()


def _event(value: Mapping[str, Any]) -> bytes:
    return b"data: " + json.dumps(value, separators=(",", ":")).encode() + b"\n\n"
