"""MCP over stdin and stdout: only the protocol on stdout, until stdin closes."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from mcp.server.stdio import stdio_server

from service.mcp_server.server import build_server

if TYPE_CHECKING:
    from service.mcp_server.api_client import ApiConnection


async def speak(connection: ApiConnection) -> None:
    """Answer until the host disconnects. Meanwhile everything else that is printed goes to stderr."""
    server = build_server(connection)
    with suppress(BrokenPipeError):  # the host is gone; a group that holds nothing but this error is suppressed too
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
