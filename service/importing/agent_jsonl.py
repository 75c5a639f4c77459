"""
Session files of agents (OpenClaw and pi, Claude Code): a line an event, messages among them, content in parts.

Text is kept; thinking, tool calls, images and bookkeeping are not what was said.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from service.importing.fields import list_of, mapping_of, text_of
from service.importing.own_jsonl import read_own

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.importing.found import Found
    from service.importing.naming import Naming
    from service.importing.records import Record

_OF_AN_EVENT = frozenset({"message", "parentId", "parentUuid", "sessionId", "cwd", "leafUuid", "snapshot"})
_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary")
_ROLES = {"toolResult": "tool", "tool_result": "tool", "developer": "system"}


def is_agents(value: dict[str, object]) -> bool:
    """Whether the object is an event of an agent's session."""
    return isinstance(value.get("type"), str) and bool(_OF_AN_EVENT & value.keys())


def read_agents(records: Iterable[Record], *, naming: Naming, only: str | None) -> Iterator[Found]:
    """The turns of the messages among the events."""
    said = (replace(record, value=bare) for record in records if (bare := _bare(mapping_of(record.value))))
    return read_own(said, naming=naming, only=only)


def _bare(event: dict[str, object]) -> dict[str, object]:
    """The event's message as one of ours; empty where there is none or it says nothing."""
    message = mapping_of(event.get("message"))
    text, is_result = _text(message.get("content"))
    role = text_of(message.get("role"))
    if not text or not role or any(event.get(mark) is True for mark in _NOT_SAID):
        return {}
    return {
        "role": "tool" if is_result else _ROLES.get(role, role),
        "content": text,
        "timestamp": event.get("timestamp") or message.get("timestamp"),
        "id": event.get("id") or event.get("uuid"),
        "session_id": event.get("sessionId"),
    }


def _text(content: object) -> tuple[str, bool]:
    """What a message's content says, and whether it is what a tool answered."""
    if isinstance(content, str):
        return text_of(content), False
    parts = [mapping_of(part) for part in list_of(content)]
    spoken = [text_of(part.get("text")) for part in parts if part.get("type") == "text"]
    results = [_text(part.get("content"))[0] for part in parts if part.get("type") == "tool_result"]
    found = "\n".join(filter(None, spoken)) or "\n".join(filter(None, results))
    return found, not any(spoken) and any(results)
