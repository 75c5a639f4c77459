"""The command an MCP host starts, with its options; what it does is imported when called."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.faults import plainly
from service.cli.options import DEFAULT_MIND, Home, MindName, Url


def mcp(
    mind: MindName = DEFAULT_MIND,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="This conversation's name; else a new one each time.")
    ] = None,
    home: Home = None,
    url: Url = None,
) -> None:
    r"""
    Memory as MCP tools on stdin and stdout, for hosts like Claude Desktop.

    It is not for a terminal: a host starts it, when this stands in its configuration:

    \b
      {"mcpServers": {"memory": {"command": "mind-memory", "args": ["mcp", "--mind", "ada"]}}}

    A host that takes an address needs no command: `mind-memory serve` speaks MCP at /mcp.
    """
    with plainly():
        from service.cli.mcp_stdio import serve_host

        serve_host(mind=mind, session=session, home=home, url=url)
