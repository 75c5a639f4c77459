"""
Session files of agents (OpenClaw and pi, Claude Code): one event per line, with messages among them.

Text is read. Thinking, tool calls, images and bookkeeping are skipped, since nobody said them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from service.importing.fields import list_of, mapping_of, text_of
from service.importing.own_jsonl import read_own

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.importing.ids import IdAssigner
    from service.importing.records import Record
    from service.importing.results import ImportItem

_EVENT_KEYS = frozenset({"message", "parentId", "parentUuid", "sessionId", "cwd", "leafUuid", "snapshot"})
_HIDDEN_MARKS = ("isMeta", "isSidechain", "isCompactSummary")
_ROLES = {"toolResult": "tool", "tool_result": "tool", "developer": "system"}


def is_agents(value: dict[str, object]) -> bool:
    """Whether the object is an event of an agent's session."""
    return isinstance(value.get("type"), str) and bool(_EVENT_KEYS & value.keys())


def read_agents(records: Iterable[Record], *, ids: IdAssigner, only: str | None) -> Iterator[ImportItem]:
    """The turns of the messages among the events."""
    messages = (replace(record, value=own) for record in records if (own := _as_own_message(mapping_of(record.value))))
    return read_own(messages, ids=ids, only=only)


def _as_own_message(event: dict[str, object]) -> dict[str, object]:
    """The event's message in our own form; empty if there is none or it has no text."""
    message = mapping_of(event.get("message"))
    text, is_result = _text(message.get("content"))
    role = text_of(message.get("role"))
    if not text or not role or any(event.get(mark) is True for mark in _HIDDEN_MARKS):
        return {}
    return {
        "role": "tool" if is_result else _ROLES.get(role, role),
        "content": text,
        "timestamp": event.get("timestamp") or message.get("timestamp"),
        "id": event.get("id") or event.get("uuid"),
        "session_id": event.get("sessionId"),
    }


def _text(content: object) -> tuple[str, bool]:
    """The text of a message's content, and whether it is a tool's answer."""
    if isinstance(content, str):
        return text_of(content), False
    parts = [mapping_of(part) for part in list_of(content)]
    texts = [text_of(part.get("text")) for part in parts if part.get("type") == "text"]
    results = [_text(part.get("content"))[0] for part in parts if part.get("type") == "tool_result"]
    found = "\n".join(filter(None, texts)) or "\n".join(filter(None, results))
    return found, not any(texts) and any(results)
