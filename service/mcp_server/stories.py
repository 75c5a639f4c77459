"""The stories as MCP resources, `story://ada`, which a host can add to a conversation without asking a model."""

from __future__ import annotations

import re
from urllib.parse import unquote

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

from consolidation.kernel.errors import InvalidMindId
from consolidation.workspace import mind_id_of
from service.mcp_server.api_client import AnotherMind, ApiConnection, ApiRefused, ApiUnreachable
from service.mcp_server.arguments import ToReadStory
from service.mcp_server.calls import read_story
from service.mcp_server.errors import explain_refusal

_URI = re.compile(r"story://(?P<mind>[^/]+)/?")
_MARKDOWN = "text/markdown"
_DESCRIPTION = "The bot's own life in dated chapters, written from its conversations. People may edit it."


async def list_stories(connection: ApiConnection) -> ListResourcesResult:
    """The stories of all minds that the caller may see, or that of the connection's one mind."""
    try:
        answer = await connection.api.ask("GET", "/v1/minds")
    except (ApiRefused, ApiUnreachable) as fault:
        raise MCPError(INTERNAL_ERROR, explain_refusal(fault)) from fault
    minds = [str(one["mind_id"]) for one in answer.get("minds", ())]
    if connection.is_alone:
        minds = [mind for mind in minds if mind == connection.mind_id]
    return ListResourcesResult(
        resources=[
            Resource(
                uri=f"story://{mind}",
                name=f"story-{mind}",
                title=f"The story of {mind}",
                description=_DESCRIPTION,
                mime_type=_MARKDOWN,
            )
            for mind in minds
        ]
    )


def list_templates(connection: ApiConnection) -> ListResourceTemplatesResult:
    """How to request a story that is not in the list, if there can be one."""
    if connection.is_alone:
        return ListResourceTemplatesResult(resource_templates=[])
    template = ResourceTemplate(
        uri_template="story://{mind}",
        name="story",
        title="A mind's story",
        description=_DESCRIPTION,
        mime_type=_MARKDOWN,
    )
    return ListResourceTemplatesResult(resource_templates=[template])


async def read(uri: str, connection: ApiConnection) -> ReadResourceResult:
    """A story as Markdown; empty if there is none yet. Raises MCPError."""
    matched = _URI.fullmatch(uri)
    if matched is None:
        raise MCPError(INVALID_PARAMS, f"there is no resource {uri!r}; stories are called like story://ada")
    try:
        story = await read_story(ToReadStory(mind=mind_id_of(unquote(matched["mind"]))), connection)
    except (AnotherMind, InvalidMindId) as refused:
        raise MCPError(INVALID_PARAMS, f"there is no resource {uri!r}: {refused}") from refused
    except (ApiRefused, ApiUnreachable) as fault:
        raise MCPError(INTERNAL_ERROR, explain_refusal(fault)) from fault
    if story.note is not None:
        raise MCPError(INVALID_PARAMS, story.note)
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=_MARKDOWN, text=story.text)])
