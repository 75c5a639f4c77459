"""MCP over stdin and stdout: protocol alone on stdout, until stdin closes."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from mcp.server.stdio import stdio_server

from service.mcp_server.server import build_server

if TYPE_CHECKING:
    from service.mcp_server.asking import Connection


async def speak(connection: Connection) -> None:
    """Answer until the host has left. While it lasts, whatever else is printed goes to stderr."""
    server = build_server(connection)
    with suppress(BrokenPipeError):  # the host is gone; a group of nothing else is suppressed, too
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
