"""
MCP over streamable HTTP: one request, one server, one answer as JSON.

Nothing outlives a request. No session can be lost in a restart, or be taken over with another's key.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from service.mcp_server.api_client import ApiConnection
from service.mcp_server.asgi_client import AsgiClient
from service.mcp_server.json_rpc import refusal_of, repaired
from service.mcp_server.server import build_server, list_all_tools

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import Message, Receive, Scope, Send

_ACCEPT = b"application/json, text/event-stream"


def prepare() -> None:
    """Do what takes long the first time; to be called in a worker thread."""
    for is_alone in (True, False):
        list_all_tools(is_alone=is_alone)


class McpResponse(Response):
    """The answer to one POST."""

    def __init__(
        self, *, mind_id: str, is_alone: bool, session_id: str, fresh_id: Callable[[], str], most_bytes: int
    ) -> None:
        """The defaults for a tool call that names no mind or session, and whether it may name another mind."""
        super().__init__()
        self._mind_id = mind_id
        self._is_alone = is_alone
        self._session_id = session_id
        self._fresh_id = fresh_id
        self._most_bytes = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the SDK answer. The caller was authenticated before, as for every path."""
        body = await _whole_body(receive)
        refusal = refusal_of(body)
        if refusal is not None:
            told = refusal.model_dump(mode="json", by_alias=True, exclude_none=True)
            answer = JSONResponse({"id": None, **told}, status_code=HTTPStatus.BAD_REQUEST)
            await answer(scope, receive, send)
            return
        connection = ApiConnection(AsgiClient(scope), self._mind_id, self._is_alone, self._session_id, self._fresh_id)
        manager = StreamableHTTPSessionManager(
            build_server(connection),
            json_response=True,
            stateless=True,
            max_request_body_size=self._most_bytes,
        )
        async with manager.run():
            await manager.handle_request(_accepting(scope), _given(body, receive), send)


def _accepting(scope: Scope) -> Scope:
    """*scope* with an Accept header that takes what we answer. The answer is JSON in any case."""
    others = [(name, value) for name, value in scope["headers"] if name != b"accept"]
    return {**scope, "headers": [*others, (b"accept", _ACCEPT)]}


async def _whole_body(receive: Receive) -> bytes:
    """The body of the request, as the SDK can read it; nothing of one that breaks off."""
    pieces: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientDisconnect
        pieces.append(message.get("body", b""))
        if not message.get("more_body", False):
            return repaired(b"".join(pieces))


def _given(body: bytes, receive: Receive) -> Receive:
    """*receive* of a request whose *body* was read."""
    is_given = False

    async def received() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return received
