"""The service in this process as httpx reaches it: answers come as they are made, never whole in memory first."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_WAITING = 4  # parts of an answer that nobody has read yet


class InProcess(httpx.AsyncBaseTransport):
    """Calls an ASGI application."""

    def __init__(self, app: Any) -> None:  # noqa: ANN401 - ASGI is untyped
        """Bind to *app*."""
        self._app = app

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return when the answer has begun; its body is an exchange under way."""
        exchange = _Exchange(self._app, request)
        status, headers = await exchange.begun()
        return httpx.Response(status, headers=headers, stream=exchange)


class _Exchange(httpx.AsyncByteStream):
    def __init__(self, app: Any, request: httpx.Request) -> None:  # noqa: ANN401
        self._parts: asyncio.Queue[dict[str, Any]] = asyncio.Queue(_WAITING)
        self._is_left = asyncio.Event()
        self._body = aiter(_stream_of(request))
        self._task = asyncio.create_task(self._answer(app, request))

    async def begun(self) -> tuple[int, list[tuple[bytes, bytes]]]:
        """Status and headers. Raises httpx.RemoteProtocolError where the application answers nothing."""
        try:
            message = await self._parts.get()
        except BaseException:
            await self.aclose()
            raise
        if message["type"] != "http.response.start":
            await self.aclose()
            raise httpx.RemoteProtocolError("the service ended without an answer")
        return message["status"], list(message["headers"])

    async def __aiter__(self) -> AsyncIterator[bytes]:
        has_more = True
        while has_more:
            message = await self._parts.get()
            if message["type"] != "http.response.body":
                raise httpx.RemoteProtocolError("the service ended amid an answer")
            has_more = message.get("more_body", False)
            yield message.get("body", b"")

    async def aclose(self) -> None:
        self._is_left.set()
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _answer(self, app: Any, request: httpx.Request) -> None:  # noqa: ANN401
        try:
            await app(_scope(request), self._receive, self._parts.put)
        except Exception:  # noqa: BLE001 - what the application could not answer is logged there
            await self._parts.put({"type": "failed"})

    async def _receive(self) -> dict[str, Any]:
        try:
            return {"type": "http.request", "body": await anext(self._body), "more_body": True}
        except StopAsyncIteration:
            pass
        if self._body is not _OVER:
            self._body = _OVER
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._is_left.wait()
        return {"type": "http.disconnect"}


class _Over:
    def __aiter__(self) -> _Over:
        return self

    async def __anext__(self) -> bytes:
        raise StopAsyncIteration


_OVER = _Over()


def _stream_of(request: httpx.Request) -> httpx.AsyncByteStream:
    assert isinstance(request.stream, httpx.AsyncByteStream)  # noqa: S101 - an asynchronous client's
    return request.stream


def _scope(request: httpx.Request) -> dict[str, Any]:
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
