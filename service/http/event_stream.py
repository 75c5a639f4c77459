"""Server-sent events: the events of a mind, sent one after the other until its listener is over."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import anyio
from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.types import Receive, Scope, Send

    from service.mind.events import Listener, MindEvent

MEDIA_TYPE = "text/event-stream"
_HEARTBEAT_SECONDS = 15.0
_SEND_SECONDS = 10.0  # for what is sent at once; who does not read it by then is let go
_LONGEST_SECONDS = 900.0  # then the client comes again, with its key, which may be revoked meanwhile
_HEADERS = [(b"content-type", MEDIA_TYPE.encode()), (b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no")]
_RETRY = "retry: 2000\n"
_HEARTBEAT = b":\n\n"


class EventStream(Response):
    """
    What *listener* hears, as it hears it; with *follows* false, what waits for it now.

    *left* is called when it ends, however it ends. A client that does not read is let go.
    """

    media_type = MEDIA_TYPE

    def __init__(
        self,
        listener: Listener,
        *,
        follows: bool,
        left: Callable[[], None],
        monotonic: Callable[[], float],
        heartbeat_seconds: float = _HEARTBEAT_SECONDS,
    ) -> None:
        super().__init__()
        self.raw_headers = [*_HEADERS]
        self._listener = listener
        self._follows = follows
        self._left = left
        self._monotonic = monotonic
        self._heartbeat_seconds = heartbeat_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until there are no more, or nobody reads them."""
        del scope
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_until_gone, receive, group.cancel_scope)
                await self._send_all(send)
                group.cancel_scope.cancel()
        finally:
            self._left()

    async def _send_all(self, send: Send) -> None:
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            async for part in self._parts():
                with anyio.fail_after(_SEND_SECONDS):
                    await send({"type": "http.response.body", "body": part, "more_body": True})
            with anyio.fail_after(_SEND_SECONDS):
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except (TimeoutError, OSError):
            return  # nobody reads

    async def _parts(self) -> AsyncIterator[bytes]:
        ends = self._monotonic() + _LONGEST_SECONDS
        begins_at = self._listener.begins_at
        yield f"{_RETRY}{f'id: {begins_at}\n' if begins_at is not None else ''}\n".encode()
        if not self._follows:
            yield encoded(self._listener.waiting())
            return
        while self._monotonic() < ends:
            events = await self._listener.next(seconds=self._heartbeat_seconds)
            if events is None:
                return
            yield encoded(events) or _HEARTBEAT


def encoded(events: tuple[MindEvent, ...]) -> bytes:
    """Events as they are sent."""
    return b"".join(
        f"id: {one.id}\nevent: {one.kind}\ndata: {json.dumps({'at': one.at.isoformat(), **one.about})}\n\n".encode()
        for one in events
    )


async def _until_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
