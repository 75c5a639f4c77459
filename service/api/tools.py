"""MCP over streamable HTTP: memory as tools for any host that is given an address."""

from typing import TYPE_CHECKING, Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Header, Query, Request, Response

from consolidation.kernel.errors import InvalidRequest
from consolidation.workspace import DEFAULT_MIND, MIND_ID
from service.access.caller import Caller
from service.api.dependencies import CallerDep, MemoryDep
from service.api.documented import answers
from service.api.turns import VISIBLE
from service.wire.tools import MCP_ASKED, MCP_TOLD

if TYPE_CHECKING:
    from service.mcp_server.over_http import Spoken

_WHOSE = "Whose memory, where a tool's call does not say it; else the key's one mind, else the default one."
_JSON = "application/json"
_MESSAGE: dict[str, Any] = {
    "type": "object",
    "required": ["jsonrpc", "method"],
    "properties": {
        "jsonrpc": {"const": "2.0"},
        "id": {"description": "A string or a whole number; without one it is a notification."},
        "method": {"type": "string"},
        "params": {"type": ["object", "null"]},
    },
}
_TOLD: dict[int | str, dict[str, Any]] = {
    202: {"description": "A notification was taken note of"},
    400: {
        "description": "No message of the protocol, or no text",
        "content": {_JSON: {"schema": {"type": "object"}}, **answers(MCP_TOLD, 400)[400]["content"]},
    },
    404: {"description": "No such method", "content": {_JSON: {"schema": {"type": "object"}}}},
}

router = APIRouter(tags=["mcp"])


@router.post(
    "/mcp",
    summary="MCP: memory as tools",
    response_model=dict[str, Any],
    responses=answers(MCP_TOLD, 413, 422) | _TOLD,
    openapi_extra={"requestBody": {"required": True, "content": {_JSON: {"schema": _MESSAGE, "example": MCP_ASKED}}}},
)
async def speak(
    request: Request,
    memory: MemoryDep,
    caller: CallerDep,
    mind: Annotated[str | None, Query(pattern=f"^{MIND_ID}$", description=_WHOSE)] = None,
    x_mind_id: Annotated[str | None, Header(pattern=f"^{MIND_ID}$", description="The same; comes first.")] = None,
    x_session_id: Annotated[
        str | None, Header(max_length=200, pattern=f"^{VISIBLE}$", description="Which conversation; `mcp` without.")
    ] = None,
) -> Response:
    """One JSON-RPC message of the Model Context Protocol, in any of its revisions, answered without sessions."""
    if not request.headers.get("content-type", "").lower().startswith(_JSON):
        raise InvalidRequest("send one JSON-RPC message, as Content-Type: application/json", pointer="#")
    spoken = await anyio.to_thread.run_sync(_prepared)
    return spoken(
        mind_id=x_mind_id or mind or _only_mind(caller),
        session_id=x_session_id or "mcp",
        fresh_id=memory.clock.fresh_id,
        most_bytes=memory.settings.max_body_bytes,
    )


def _prepared() -> "type[Spoken]":
    """The SDK, imported when it is first needed. Blocks."""
    from service.mcp_server import over_http

    over_http.prepare()
    return over_http.Spoken


def _only_mind(caller: Caller) -> str:
    """The one mind of a key for a single mind: it need not be said."""
    return caller.minds[0] if caller.minds is not None and len(caller.minds) == 1 else DEFAULT_MIND
