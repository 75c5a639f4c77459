"""The official SDK's server over our tools and resources, for one caller. It stores nothing between two requests."""

from __future__ import annotations

import functools
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

from consolidation.kernel.release import installed_version
from prompts.library import render
from service.mcp_server import resources
from service.mcp_server.api_client import AnotherMind, ApiRefused, ApiUnreachable
from service.mcp_server.errors import WRONG_VERSION, explain_invalid_arguments, explain_refusal
from service.mcp_server.schemas import schema_of
from service.mcp_server.tools import TOOLS

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from service.mcp_server.api_client import ApiConnection
    from service.mcp_server.tools import MemoryTool

log = structlog.get_logger()

_BY_NAME = {tool.name: tool for tool in TOOLS}
_FAILED = "Memory failed unexpectedly; the error is logged. Go on without it."

type _Context = ServerRequestContext[Any, Any]


def build_server(connection: ApiConnection) -> Server[Any]:
    """A server that reaches memory through *connection*. Building one is cheap: over HTTP, each request has its own."""

    async def list_tools(_: _Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=list(list_all_tools(is_alone=connection.is_alone)))

    async def call_tool(_: _Context, params: CallToolRequestParams) -> CallToolResult:
        tool = _BY_NAME.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"there is no tool {params.name!r}; there are {', '.join(_BY_NAME)}")
        return await _call(tool, params.arguments or {}, connection)

    async def list_resources(_: _Context, __: PaginatedRequestParams | None) -> ListResourcesResult:
        return await resources.list_resources(connection)

    async def list_templates(_: _Context, __: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        return resources.list_templates(connection)

    async def read_resource(_: _Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        return await resources.read(str(params.uri), connection)

    return Server(
        "mind-memory",
        version=_version(),
        title="Mind Memory",
        instructions=_instructions(connection.mind_id, is_alone=connection.is_alone),
        get_tool_input_schema=lambda name: _schema(name, is_alone=connection.is_alone) if name in _BY_NAME else None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


@functools.cache
def list_all_tools(*, is_alone: bool) -> tuple[Tool, ...]:
    """Every tool as hosts of one mind, or of any, see it. Reads files the first time."""
    return tuple(_describe(tool, is_alone=is_alone) for tool in TOOLS)


async def _call(tool: MemoryTool, raw_arguments: dict[str, Any], connection: ApiConnection) -> CallToolResult:
    """The result, or an error that the model can read. The protocol's own errors are for programs."""
    try:
        given = {name: value for name, value in raw_arguments.items() if value is not None}  # null: left out
        arguments = tool.arguments_model.model_validate(given)
    except ValidationError as error:
        return _error(explain_invalid_arguments(error, tool=tool.name))
    try:
        found = await tool.call(arguments, connection)
    except AnotherMind as refused:
        return _error(str(refused))
    except (ApiRefused, ApiUnreachable) as fault:
        return _error(explain_refusal(fault))
    except ValidationError:
        return _error(WRONG_VERSION)
    except Exception:
        log.exception("mcp.tool_failed", tool=tool.name)
        return _error(_FAILED)
    return CallToolResult(
        content=[TextContent(type="text", text=tool.render_text(found))],
        structured_content=found.model_dump(mode="json", exclude_none=True),
    )


def _error(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


@functools.cache
def _version() -> str:
    return installed_version()


@functools.lru_cache(maxsize=64)
def _instructions(mind_id: str, *, is_alone: bool) -> str:
    can = {"is_known": True, "can_remember": True, "can_search": True}
    return render("mcp_instructions", overrides=None, mind=mind_id, is_alone=is_alone, rules=(), **can).strip()


@functools.cache
def _schema(name: str, *, is_alone: bool) -> dict[str, Any]:
    schema = schema_of(_BY_NAME[name].arguments_model)
    if is_alone:
        del schema["properties"]["mind"]
    return schema


def _describe(tool: MemoryTool, *, is_alone: bool) -> Tool:
    return Tool(
        name=tool.name,
        title=tool.title,
        description=render(f"tool_{tool.name}").strip(),
        input_schema=_schema(tool.name, is_alone=is_alone),
        output_schema=schema_of(tool.result_model),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.is_read_only,
            destructive_hint=False,
            idempotent_hint=tool.is_idempotent,
            open_world_hint=False,
        ),
    )
