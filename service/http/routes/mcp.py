"""MCP over streamable HTTP: memory as tools for any host that is given an address."""

from typing import TYPE_CHECKING, Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Header, Query, Request, Response

from consolidation.kernel.errors import InvalidRequest
from consolidation.workspace import mind_id_of
from service.http.dependencies import MIND_SCHEMA, CallerDep, MemoryDep, text_of_header
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.routes.turns import VISIBLE
from service.http.schemas.mcp import MCP_ASKED, MCP_TOLD

if TYPE_CHECKING:
    from service.mcp_server.http_transport import McpResponse

_WHOSE = (
    "The only mind of this connection: its tools can name no other. If left out, a tool call may name any mind that "
    "the key may see; one that names none is for the key's only mind, else the default mind."
)
_JSON = "application/json"
_MESSAGE: dict[str, Any] = {
    "type": "object",
    "required": ["jsonrpc", "method"],
    "properties": {
        "jsonrpc": {"const": "2.0"},
        "id": {"description": "A string or an integer. A message without an id is a notification."},
        "method": {"type": "string"},
        "params": {"type": ["object", "null"]},
    },
}
_RESPONSES: dict[int | str, dict[str, Any]] = {
    202: {"description": "The notification was received"},
    400: {
        "description": "Not a message of the protocol",
        "content": {_JSON: {"schema": {"type": "object"}}, **answers(MCP_TOLD, 400)[400]["content"]},
    },
    404: {"description": "Unknown method", "content": {_JSON: {"schema": {"type": "object"}}}},
}

router = APIRouter(tags=["mcp"], route_class=KnownQuery)


@router.post(
    "/mcp",
    summary="MCP: memory as tools",
    response_model=dict[str, Any],
    responses=answers(MCP_TOLD, 413, 422) | _RESPONSES,
    openapi_extra={"requestBody": {"required": True, "content": {_JSON: {"schema": _MESSAGE, "example": MCP_ASKED}}}},
)
async def speak(
    request: Request,
    memory: MemoryDep,
    caller: CallerDep,
    mind: Annotated[str | None, Query(description=_WHOSE, json_schema_extra=MIND_SCHEMA)] = None,
    x_mind_id: Annotated[
        str | None, Header(description="As `mind`, and overrides it.", json_schema_extra=MIND_SCHEMA)
    ] = None,
    x_session_id: Annotated[
        str | None,
        Header(
            max_length=200,
            pattern=f"^{VISIBLE}$",
            description="The session of calls that name none; `mcp`, shared by all, if left out.",
        ),
    ] = None,
) -> Response:
    """Answer one JSON-RPC message of the Model Context Protocol, in any of its revisions, without sessions."""
    if not request.headers.get("content-type", "").lower().startswith(_JSON):
        raise InvalidRequest("send one JSON-RPC message, as Content-Type: application/json", pointer="#")
    named = _named_mind(x_mind_id, mind)
    make_response = await anyio.to_thread.run_sync(_response_class)
    return make_response(
        mind_id=named or caller.default_mind,
        is_alone=named is not None,
        session_id=x_session_id or "mcp",
        fresh_id=memory.clock.fresh_id,
        most_bytes=memory.settings.max_body_bytes,
    )


def _response_class() -> "type[McpResponse]":
    """Import the SDK at its first use; to be called in a worker thread."""
    from service.mcp_server import http_transport

    http_transport.prepare()
    return http_transport.McpResponse


def _named_mind(header: str | None, query: str | None) -> str | None:
    in_address = mind_id_of(query, pointer="query/mind") if query is not None else None
    return mind_id_of(text_of_header(header), pointer="header/X-Mind-Id") if header is not None else in_address
