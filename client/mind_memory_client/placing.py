"""Memory among a caller's own messages, which keep their images, tool calls and ids. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from mind_memory_client.injected import without_injected

Placement = Literal["tail", "user", "system"]

_SYSTEM = frozenset({"system", "developer"})


def placed(messages: Iterable[Mapping[str, Any]], *, stable: str, block: str, placement: Placement) -> list[Any]:
    """
    *messages* with both parts put in, and what an earlier turn put in taken out.

    The stable part ends the first system message, so that a provider's prompt cache holds until the story changes.
    The block is of this turn alone. ``tail``: a system message before the user's last; ``user``: it opens the user's
    last, for models that take one system message only; ``system``: it ends the first system message.
    """
    clean = [one for message in messages if (one := _without(message)) is not None]
    head = "\n\n".join(part for part in (stable, block if placement == "system" else "") if part)
    if head:
        clean = _in_first_system(clean, head)
    if not block or placement == "system":
        return clean
    at = max((at for at, one in enumerate(clean) if one.get("role") == "user"), default=len(clean))
    if placement == "user" and at < len(clean):
        return [*clean[:at], {**clean[at], "content": opened(clean[at].get("content"), block)}, *clean[at + 1 :]]
    return [*clean[:at], {"role": "system", "content": block}, *clean[at:]]


def opened(content: object, block: str, *, part: str = "text") -> Any:  # noqa: ANN401 - what a message holds
    """*content* with *block* in front: a text, or parts of which ours has the type *part*."""
    if isinstance(content, (list, tuple)):
        return [{"type": part, "text": block}, *content]
    return f"{block}\n\n{content}" if content else block


def _without(message: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The message without what an earlier turn put in; None when it held nothing else."""
    content = message.get("content")
    if isinstance(content, (list, tuple)):
        parts = [one for part in content if (one := _clean_part(part)) is not None]
        return message if parts == list(content) else ({**message, "content": parts} if parts else None)
    if not isinstance(content, str) or (clean := without_injected(content)) == content:
        return message
    return {**message, "content": clean} if clean.strip() else None


def _clean_part(part: object) -> object:
    if not isinstance(part, Mapping) or not isinstance(text := part.get("text"), str):
        return part
    if (clean := without_injected(text)) == text:
        return part
    return {**part, "text": clean} if clean.strip() else None


def _in_first_system(messages: list[Mapping[str, Any]], text: str) -> list[Mapping[str, Any]]:
    if not messages or messages[0].get("role") not in _SYSTEM:
        return [{"role": "system", "content": text}, *messages]
    content = messages[0].get("content")
    if isinstance(content, (list, tuple)):
        ended: object = [*content, {"type": "text", "text": text}]
    else:
        ended = f"{content}\n\n{text}" if content else text
    return [{**messages[0], "content": ended}, *messages[1:]]
