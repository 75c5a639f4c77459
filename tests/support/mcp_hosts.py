"""Hosts as a person has them: the SDK's own client, over HTTP to an address or over stdio to a command it starts."""

from __future__ import annotations

from contextlib import asynccontextmanager

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.support.cli_process import calling, environment, serving_commands

TOOLS = {
    "remember", "search_log", "journal_memory_search", "journal_memory_get", "read_story", "resonance", "store_turn", "save_memory",
    "report_outcome", "set_sleep", "correct_memory", "ask_memory",
    "list_facts", "list_entities",
}  # fmt: skip
LYON = [
    {"role": "user", "content": "My mother lives in Lyon.", "timestamp": "2026-01-09T18:30:00Z"},
    {"role": "assistant", "content": "How often do you see her?", "timestamp": "2026-01-09T18:30:05Z"},
]


@asynccontextmanager
async def over_http(url, *, key=None, mode="auto", query="", **headers):
    """A host that was given the address of a service."""
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{url}/mcp{query}", http_client=http), mode=mode) as host,
    ):
        yield host


@asynccontextmanager
async def over_stdio(home, *words, mode="auto", **more):
    """A host that starts `mind-memory mcp` on *home*, or with a ``--url`` beside it; what the command says on stderr is kept beside it."""
    place = () if "--url" in words else ("--home", str(home))
    with serving_commands() as path, said_file(home).open("a") as said:
        started = StdioServerParameters(
            command="/bin/sh",
            args=["-c", f'{calling(path)} "$@"', "mind-memory", "mcp", *place, *words],
            env=environment(**{"MIND_MEMORY_HOME": str(home), "MIND_MEMORY_LOG_LEVEL": "WARNING", **more}),
        )
        async with Client(stdio_client(started, errlog=said), mode=mode) as host:
            yield host


def said_file(home):
    """What commands on *home* said on stderr."""
    return home.with_name(f"{home.name}-mcp-said.txt")


def text_of(result):
    """What a model reads of a result."""
    [content] = result.content
    return content.text


async def called(host, tool, **arguments):
    """The structured content of a call that works."""
    result = await host.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    return result.structured_content


async def refused(host, tool, **arguments):
    """The words of one that does not."""
    result = await host.call_tool(tool, arguments)
    assert result.is_error, result
    assert "Traceback" not in text_of(result)
    return text_of(result)
