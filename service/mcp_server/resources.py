"""
What hosts can add to a conversation without asking a model, as MCP resources of each mind.

`story://ada` is its story, `waking://ada` is what an agent is handed when it wakes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

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
from service.mcp_server.arguments import ToolArguments, ToReadStory
from service.mcp_server.calls import read_story, read_waking
from service.mcp_server.errors import explain_refusal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from service.mcp_server.results import StoryResult, WakingResult

_URI = re.compile(r"(?P<kind>[a-z]+)://(?P<mind>[^/]+)/?")
_MARKDOWN = "text/markdown"
_MOST_MINDS = 500  # whose resources are listed; others can be read all the same


@dataclass(frozen=True, slots=True)
class _Kind:
    """A resource that each mind has: its words for people, and how it is read."""

    title: str
    description: str
    read: Callable[[str, ApiConnection], Awaitable[StoryResult | WakingResult]]


_KINDS = {
    "story": _Kind(
        "story",
        "The bot's own life in dated chapters, written from its conversations. People may edit it.",
        lambda mind, connection: read_story(ToReadStory(mind=mind), connection),
    ),
    "waking": _Kind(
        "waking",
        "What an agent is handed when it wakes: its last reflection, priorities, rules, observations, new messages.",
        lambda mind, connection: read_waking(ToolArguments(mind=mind), connection),
    ),
}


async def list_resources(connection: ApiConnection) -> ListResourcesResult:
    """The resources of all minds that the caller may see, or those of the connection's one mind."""
    try:
        minds = await _minds(connection)
    except (ApiRefused, ApiUnreachable) as fault:
        raise MCPError(INTERNAL_ERROR, explain_refusal(fault)) from fault
    return ListResourcesResult(
        resources=[
            Resource(
                uri=f"{name}://{mind}",
                name=f"{name}-{mind}",
                title=f"The {kind.title} of {mind}",
                description=kind.description,
                mime_type=_MARKDOWN,
            )
            for name, kind in _KINDS.items()
            for mind in minds
        ]
    )


async def _minds(connection: ApiConnection) -> list[str]:
    if not connection.is_alone:
        answer = await connection.api.ask("GET", "/v1/minds", params={"limit": _MOST_MINDS})
        return [str(one["mind_id"]) for one in answer.get("minds", ())]
    try:
        await connection.api.ask("GET", f"/v1/minds/{quote(connection.mind_id, safe='')}")
    except ApiRefused as refusal:
        if not refusal.is_mind_not_found:
            raise
        return []
    return [connection.mind_id]


def list_templates(connection: ApiConnection) -> ListResourceTemplatesResult:
    """How to request a resource that is not in the list, if there can be one."""
    if connection.is_alone:
        return ListResourceTemplatesResult(resource_templates=[])
    return ListResourceTemplatesResult(
        resource_templates=[
            ResourceTemplate(
                uri_template=f"{name}://{{mind}}",
                name=name,
                title=f"A mind's {kind.title}",
                description=kind.description,
                mime_type=_MARKDOWN,
            )
            for name, kind in _KINDS.items()
        ]
    )


async def read(uri: str, connection: ApiConnection) -> ReadResourceResult:
    """A resource as Markdown; a story is empty if there is none yet. Raises MCPError."""
    matched = _URI.fullmatch(uri)
    kind = _KINDS.get(matched["kind"]) if matched is not None else None
    if matched is None or kind is None:
        raise MCPError(
            INVALID_PARAMS,
            f"no resource is called {uri!r}; resources are called like {' or '.join(f'{one}://ada' for one in _KINDS)}",
        )
    try:
        found = await kind.read(mind_id_of(unquote(matched["mind"])), connection)
    except (AnotherMind, InvalidMindId) as refused:
        raise MCPError(INVALID_PARAMS, f"there is no resource {uri!r}: {refused}") from refused
    except (ApiRefused, ApiUnreachable) as fault:
        raise MCPError(INTERNAL_ERROR, explain_refusal(fault)) from fault
    if found.note is not None:
        raise MCPError(INVALID_PARAMS, found.note)
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=_MARKDOWN, text=found.text)])
