"""
A transport of httpx2 that calls the service in this process.

An answer's body is read while the service makes it. The ASGITransport that httpx2 brings reads it whole first, and an
archive may be larger than memory.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import httpx2

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from starlette.types import ASGIApp, Message, Scope

_MOST_UNREAD = 4  # parts of a body that the service may be ahead


class InProcessTransport(httpx2.AsyncBaseTransport):
    """Calls an ASGI application, with the state that its lifespan lent."""

    def __init__(self, app: ASGIApp, *, state: Mapping[str, Any]) -> None:
        self._app = app
        self._state = state

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return when the answer has begun. Raises httpx2.RemoteProtocolError where there is none."""
        answer = _Answer(self._app, request, {**_scope(request), "state": dict(self._state)})
        try:
            start = await answer.part("http.response.start")
        except BaseException:
            await answer.aclose()
            raise
        return httpx2.Response(start["status"], headers=start["headers"], stream=answer)


class _Answer(httpx2.AsyncByteStream):
    """An answer that the application is making."""

    def __init__(self, app: ASGIApp, request: httpx2.Request, scope: Scope) -> None:
        assert isinstance(request.stream, httpx2.AsyncByteStream)  # noqa: S101 - an asynchronous client's
        self._request_body = aiter(request.stream)
        self._is_request_sent = False
        self._is_closed = asyncio.Event()
        self._parts: asyncio.Queue[Message] = asyncio.Queue(_MOST_UNREAD)
        self._task = asyncio.create_task(self._make(app, scope))

    async def part(self, kind: str) -> Message:
        """The next part. Raises httpx2.RemoteProtocolError where it is not of this *kind*."""
        message = await self._parts.get()
        if message["type"] != kind:
            raise httpx2.RemoteProtocolError("the service ended before its answer did")
        return message

    async def __aiter__(self) -> AsyncIterator[bytes]:
        has_more = True
        while has_more:
            message = await self.part("http.response.body")
            has_more = message.get("more_body", False)
            yield message.get("body", b"")

    async def aclose(self) -> None:
        self._is_closed.set()
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _make(self, app: ASGIApp, scope: Scope) -> None:
        try:
            await app(scope, self._receive, self._parts.put)
        except Exception:  # noqa: BLE001 - the application logs what it could not answer
            await self._parts.put({"type": "failed"})

    async def _receive(self) -> Message:
        if self._is_request_sent:
            await self._is_closed.wait()
            return {"type": "http.disconnect"}
        part = await anext(self._request_body, None)
        self._is_request_sent = part is None
        return {"type": "http.request", "body": part or b"", "more_body": part is not None}


def _scope(request: httpx2.Request) -> Scope:
    path, _, query = request.url.raw_path.partition(b"?")
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": path,
        "query_string": query,
        "server": (request.url.host, request.url.port),
        "client": ("127.0.0.1", 0),
        "root_path": "",
    }
