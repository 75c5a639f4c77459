"""Memory put into a chat, and taken out of what a client kept of an earlier one; all else stays as it came. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consolidation.kernel.injected import without_injected
from consolidation.kernel.noise import is_blank

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.resonance.moment import Placement

    type Json = Mapping[str, Any]

_INSTRUCTIONS = frozenset({"system", "developer"})


def without_memory(messages: Sequence[Json]) -> list[Json]:
    """*messages* without what an earlier turn put in; a message of instructions that held nothing else is gone."""
    clean = [(_without(message), message) for message in messages]
    return [found for found, message in clean if found is message or not _is_hollow(found)]


def with_memory(messages: Sequence[Json], *, stable: str, volatile: str, placement: Placement) -> list[Json]:
    """
    *messages* with both parts.

    ``tail``: stable at the end of the first instructions, volatile in a system message before the last user message,
    so that a provider's cache of all that stands before it holds. ``system``: both in the first instructions.
    """
    told = list(messages)
    head = stable if placement == "tail" else "\n\n".join(part for part in (stable, volatile) if part)
    if head:
        told = _in_instructions(told, head)
    if placement == "tail" and volatile:
        place = max((at for at, one in enumerate(told) if one["role"] == "user"), default=len(told))
        told.insert(place, {"role": "system", "content": volatile})
    return told


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
    """A part of a content; None when it held nothing else."""
    if not isinstance(part, dict) or not isinstance(part.get("text"), str):
        return part
    clean = without_injected(part["text"])
    if clean == part["text"]:
        return part
    return None if is_blank(clean) else {**part, "text": clean}


def _is_hollow(message: Json) -> bool:
    content = message.get("content")
    is_empty = is_blank(content) if isinstance(content, str) else not content
    return is_empty and message["role"] in _INSTRUCTIONS


def _in_instructions(messages: list[Json], text: str) -> list[Json]:
    if not messages or messages[0]["role"] not in _INSTRUCTIONS:
        return [{"role": "system", "content": text}, *messages]
    first, *rest = messages
    content = first.get("content")
    if isinstance(content, list):
        return [{**first, "content": [*content, {"type": "text", "text": text}]}, *rest]
    return [{**first, "content": f"{content}\n\n{text}" if content else text}, *rest]
