"""The official SDK's server over our tools and stories, bound to who asks; it keeps nothing between two requests."""

from __future__ import annotations

import functools
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import structlog
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import ValidationError

from prompts.library import render
from service.mcp_server import stories
from service.mcp_server.asking import Away, Refused
from service.mcp_server.faults import of_arguments, of_service
from service.mcp_server.schemas import schema_of
from service.mcp_server.tools import TOOLS

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from service.mcp_server.asking import Connection
    from service.mcp_server.tools import MemoryTool

log = structlog.get_logger()

_BY_NAME = {tool.name: tool for tool in TOOLS}
_FAILED = "Memory failed in a way nobody foresaw; it is logged. Go on without it."
_FOREIGN = "What answered is no memory service of this version. Tell the user: its address may be wrong, or it is old."

type _Context = ServerRequestContext[Any, Any]


def build_server(connection: Connection) -> Server[Any]:
    """A server that reaches memory through *connection*. Building one is cheap: over HTTP, each request has its own."""

    async def list_tools(_: _Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=list(listed_tools()))

    async def call_tool(_: _Context, params: CallToolRequestParams) -> CallToolResult:
        tool = _BY_NAME.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"there is no tool {params.name!r}; there are {', '.join(_BY_NAME)}")
        return await _called(tool, params.arguments or {}, connection)

    async def list_resources(_: _Context, __: PaginatedRequestParams | None) -> ListResourcesResult:
        return await stories.listed(connection)

    async def list_templates(_: _Context, __: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        return stories.templates()

    async def read_resource(_: _Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        return await stories.read(str(params.uri), connection)

    return Server(
        "mind-memory",
        version=_version(),
        title="Mind Memory",
        instructions=_instructions(connection.mind_id),
        get_tool_input_schema=lambda name: _schema(name) if name in _BY_NAME else None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


@functools.cache
def listed_tools() -> tuple[Tool, ...]:
    """Every tool as hosts see it. Reads files the first time."""
    return tuple(_described(tool) for tool in TOOLS)


async def _called(tool: MemoryTool, given: dict[str, Any], connection: Connection) -> CallToolResult:
    """A result, or an error that the model can read: the protocol's own errors are for programs."""
    try:
        asked = tool.takes.model_validate(given)
    except ValidationError as error:
        return _error(of_arguments(error, tool=tool.name))
    try:
        found = await tool.call(asked, connection)
    except (Refused, Away) as fault:
        return _error(of_service(fault))
    except ValidationError:
        return _error(_FOREIGN)
    except Exception:
        log.exception("mcp.tool_failed", tool=tool.name)
        return _error(_FAILED)
    return CallToolResult(
        content=[TextContent(type="text", text=tool.tell(found))],
        structured_content=found.model_dump(mode="json", exclude_none=True),
    )


def _error(words: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=words)], is_error=True)


@functools.cache
def _version() -> str:
    return version("mind-memory")


@functools.lru_cache(maxsize=64)
def _instructions(mind_id: str) -> str:
    return render("mcp_instructions", mind=mind_id).strip()


@functools.cache
def _schema(name: str) -> dict[str, Any]:
    return schema_of(_BY_NAME[name].takes)


def _described(tool: MemoryTool) -> Tool:
    return Tool(
        name=tool.name,
        title=tool.title,
        description=render(f"tool_{tool.name}").strip(),
        input_schema=_schema(tool.name),
        output_schema=schema_of(tool.gives),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads,
            destructive_hint=False,
            idempotent_hint=tool.repeats,
            open_world_hint=False,
        ),
    )
