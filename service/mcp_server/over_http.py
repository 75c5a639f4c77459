"""
MCP's streamable HTTP: one request, one server, one answer as JSON.

Nothing outlives a request: no session to be lost in a restart, or to be taken over with another's key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import Response

from service.mcp_server.asking import Connection
from service.mcp_server.own_routes import OwnRoutes
from service.mcp_server.server import build_server, listed_tools

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import Receive, Scope, Send

_ACCEPT = b"application/json, text/event-stream"


def prepare() -> None:
    """Do what takes long the first time. Blocks."""
    listed_tools()


class Spoken(Response):
    """The answer to one POST."""

    def __init__(self, *, mind_id: str, session_id: str, fresh_id: Callable[[], str], most_bytes: int) -> None:
        """Take these for granted where a tool's call does not say them."""
        super().__init__()
        self._mind_id = mind_id
        self._session_id = session_id
        self._fresh_id = fresh_id
        self._most_bytes = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the SDK answer. Who asks by which name was looked at before, for this path as for all others."""
        connection = Connection(OwnRoutes(scope), self._mind_id, self._session_id, self._fresh_id)
        manager = StreamableHTTPSessionManager(
            build_server(connection),
            json_response=True,
            stateless=True,
            max_request_body_size=self._most_bytes,
        )
        async with manager.run():
            await manager.handle_request(_accepting(scope), receive, send)


def _accepting(scope: Scope) -> Scope:
    """*scope* of a client that takes what we answer: JSON in any case, so there is nothing to refuse."""
    others = [(name, value) for name, value in scope["headers"] if name != b"accept"]
    return {**scope, "headers": [*others, (b"accept", _ACCEPT)]}
