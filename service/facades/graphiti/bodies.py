"""What callers of Graphiti's server send."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from service.http.schemas.fields import Body, Instant, Text, TurnId

_MOST_GROUPS = 20
_MOST_FACTS = 100


def _with_offset(value: object) -> object:
    """A time without an offset is in UTC there."""
    if not isinstance(value, str):
        return value
    try:
        instant = datetime.fromisoformat(value)
    except ValueError:
        return value
    return instant.replace(tzinfo=UTC).isoformat() if instant.tzinfo is None else value


TimeOfGraphiti = Annotated[Instant, BeforeValidator(_with_offset)]
MostFacts = Annotated[int, Field(ge=1, le=_MOST_FACTS)]


class MessageOfGraphiti(Body):
    """A message, which is an episode of its own there and a turn here."""

    content: Text
    uuid: TurnId | None = None
    name: Annotated[Text, Field(max_length=1_000)] = ""
    role_type: Literal["user", "assistant", "system"]
    role: Annotated[Text, Field(max_length=1_000)] | None = None
    timestamp: TimeOfGraphiti | None = None
    source_description: Annotated[Text, Field(max_length=4_000)] = ""


class MessagesIn(Body):
    """Messages of a group."""

    group_id: str
    messages: Annotated[list[MessageOfGraphiti], Field(min_length=1, max_length=256)]


class EntityIn(Body):
    """An entity with what is to be known of it."""

    uuid: TurnId
    group_id: str
    name: Annotated[Text, Field(min_length=1, max_length=400)]
    summary: Annotated[Text, Field(max_length=3_500)] = ""


class SearchIn(Body):
    """A query. Without ``group_ids`` every group of the caller is searched."""

    group_ids: Annotated[list[str], Field(max_length=_MOST_GROUPS)] | None = None
    query: Annotated[Text, Field(min_length=1)]
    max_facts: MostFacts = 10


class MemoryAsked(Body):
    """The messages that facts are wanted for. ``center_node_uuid`` is read by nobody, as in Graphiti's server."""

    group_id: str
    max_facts: MostFacts = 10
    center_node_uuid: str | None = None
    messages: Annotated[list[MessageOfGraphiti], Field(min_length=1, max_length=2_000)]
