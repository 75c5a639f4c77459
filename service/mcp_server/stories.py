"""The stories as MCP resources, `story://ada`: what a host can put into a conversation without asking a model."""

from __future__ import annotations

import re

from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from consolidation.workspace import MIND_ID
from service.mcp_server.arguments import ToReadStory
from service.mcp_server.asking import Away, Connection, Refused
from service.mcp_server.calls import read_story
from service.mcp_server.faults import of_service

_URI = re.compile(rf"story://(?P<mind>{MIND_ID})/?")
_MARKDOWN = "text/markdown"
_WHAT = "The bot's own life in dated chapters, told from its conversations; people edit it, too."


async def listed(connection: Connection) -> ListResourcesResult:
    """The story of every mind that this caller can see."""
    try:
        answer = await connection.api.ask("GET", "/v1/minds")
    except (Refused, Away) as fault:
        raise MCPError(INTERNAL_ERROR, of_service(fault)) from fault
    minds = [str(one["mind_id"]) for one in answer.get("minds", ())]
    return ListResourcesResult(
        resources=[
            Resource(
                uri=f"story://{mind}",
                name=f"story-{mind}",
                title=f"The story of {mind}",
                description=_WHAT,
                mime_type=_MARKDOWN,
            )
            for mind in minds
        ]
    )


def templates() -> ListResourceTemplatesResult:
    """How a story is asked for that is not listed."""
    template = ResourceTemplate(
        uri_template="story://{mind}", name="story", title="A mind's story", description=_WHAT, mime_type=_MARKDOWN
    )
    return ListResourceTemplatesResult(resource_templates=[template])


async def read(uri: str, connection: Connection) -> ReadResourceResult:
    """A story as Markdown; empty where there is none yet. Raises MCPError."""
    found = _URI.fullmatch(uri)
    if found is None:
        raise MCPError(INVALID_PARAMS, f"there is no resource {uri!r}; stories are called like story://ada")
    try:
        told = await read_story(ToReadStory(mind=found["mind"]), connection)
    except (Refused, Away) as fault:
        raise MCPError(INTERNAL_ERROR, of_service(fault)) from fault
    if told.note is not None:
        raise MCPError(INVALID_PARAMS, told.note)
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=_MARKDOWN, text=told.text)])
