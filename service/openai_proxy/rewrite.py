"""Puts memory into a chat, and takes out what an earlier answer of ours put in. Everything else stays unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from consolidation.text.injected_blocks import without_injected
from consolidation.text.noise import is_blank
from service.openai_proxy.messages import INSTRUCTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    type ChatPlacement = Literal["tail", "user", "system"]
    type Json = Mapping[str, Any]


def without_memory(messages: Sequence[Json]) -> list[Json]:
    """*messages* without our blocks. A system message that held nothing else is removed."""
    clean = [(_without(message), message) for message in messages]
    return [found for found, message in clean if found is message or not _is_hollow(found)]


def with_memory(messages: Sequence[Json], *, stable: str, volatile: str, placement: ChatPlacement) -> list[Json]:
    """
    *messages* with both parts.

    ``tail``: the stable part at the end of the first system message, the volatile part in a system message before the
    last user message, so that the provider's cache of everything before it still applies. ``system``: both in the first
    system message. ``user``: the volatile part opens the last user message, and so does the stable part where the chat
    has no system message: no message is added, as the templates of many models allow none.
    """
    result = list(messages)
    if placement == "user":
        return _without_more_messages(result, stable=stable, volatile=volatile)
    head = stable if placement == "tail" else "\n\n".join(part for part in (stable, volatile) if part)
    if head:
        result = _into_instructions(result, head)
    if placement == "tail" and volatile:
        place = max((at for at, one in enumerate(result) if one["role"] == "user"), default=len(result))
        result.insert(place, {"role": "system", "content": volatile})
    return result


def _without_more_messages(messages: list[Json], *, stable: str, volatile: str) -> list[Json]:
    has_instructions = bool(messages) and messages[0]["role"] in INSTRUCTIONS
    if has_instructions and stable:
        messages = _into_instructions(messages, stable)
    text = "\n\n".join(part for part in ("" if has_instructions else stable, volatile) if part)
    at = max((at for at, one in enumerate(messages) if one["role"] == "user"), default=None)
    if not text or at is None:
        return messages
    content = messages[at].get("content")
    if isinstance(content, list):
        longer: object = [{"type": "text", "text": text}, *content]
    else:
        longer = f"{text}\n\n{content}" if content else text
    return [*messages[:at], {**messages[at], "content": longer}, *messages[at + 1 :]]


def _without(message: Json) -> Json:
    content = message.get("content")
    if isinstance(content, str):
        clean = without_injected(content)
        return message if clean == content else {**message, "content": clean}
    if isinstance(content, list):
        parts = [_part_without(part) for part in content]
        return message if parts == content else {**message, "content": [part for part in parts if part is not None]}
    return message


def _part_without(part: object) -> object | None:
    """A content part without our blocks; None if it held nothing else."""
    if not isinstance(part, dict) or not isinstance(part.get("text"), str):
        return part
    clean = without_injected(part["text"])
    if clean == part["text"]:
        return part
    return None if is_blank(clean) else {**part, "text": clean}


def _is_hollow(message: Json) -> bool:
    content = message.get("content")
    is_empty = is_blank(content) if isinstance(content, str) else not content
    return is_empty and message["role"] in INSTRUCTIONS


def _into_instructions(messages: list[Json], text: str) -> list[Json]:
    if not messages or messages[0]["role"] not in INSTRUCTIONS:
        return [{"role": "system", "content": text}, *messages]
    first, *rest = messages
    content = first.get("content")
    if isinstance(content, list):
        return [{**first, "content": [*content, {"type": "text", "text": text}]}, *rest]
    return [{**first, "content": f"{content}\n\n{text}" if content else text}, *rest]
