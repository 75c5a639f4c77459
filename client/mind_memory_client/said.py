"""What was said, of messages as chat models take them: images, tool calls and our own blocks left out. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from mind_memory_client.injected import without_injected

Messages = str | Iterable[Mapping[str, Any]]  # a string is one message of the user's

_ROLES = {"developer": "system", "function": "tool", "human": "user", "ai": "assistant", "model": "assistant"}
_KNOWN = frozenset({"user", "assistant", "system", "tool", "thought"})
_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
_MOST_MESSAGES = 2000
_MOST_BYTES = 900_000  # the service takes a mebibyte
_LONGEST, _LONGEST_NAME = 400_000, 200


def as_messages(messages: Messages) -> list[Any]:
    """*messages* as a list; a string becomes a message of the user's."""
    return [{"role": "user", "content": messages}] if isinstance(messages, str) else list(messages)


def said(message: Mapping[str, Any]) -> dict[str, Any] | None:
    """Who said what, and when; None where nothing was said in words."""
    text = without_injected(text_of(message.get("content")))
    if not text.strip():
        return None
    role = str(message.get("role", "user"))
    role = _ROLES.get(role, role)
    found: dict[str, Any] = {"role": role if role in _KNOWN else "user", "content": text}
    for name in ("name", "id"):
        if isinstance(value := message.get(name), str) and value:
            found[name] = value[:_LONGEST_NAME]
    if (at := message.get("timestamp")) is not None:
        found["timestamp"] = at if isinstance(at, str) else at.isoformat()
    return found


def text_of(content: object) -> str:
    """The words in a message's content: a string, parts of which some are text, or an answer object of an SDK."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return text_of(content.get("content"))
    if isinstance(content, (list, tuple)):
        return "\n".join(text for part in content if (text := _part(part)))
    for name in ("output_text", "content", "text"):  # an OpenAI Response, a chat message, a part
        if isinstance(found := getattr(content, name, None), (str, list, tuple)):
            return text_of(found)
    choices = getattr(content, "choices", None)  # an OpenAI ChatCompletion
    return text_of(getattr(choices[0], "message", None)) if choices else ""


def window(messages: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The newest of what was said that the service takes at once."""
    kept: list[dict[str, Any]] = []
    room = _MOST_BYTES
    for one in reversed([found for message in messages if (found := said(message)) is not None][-_MOST_MESSAGES:]):
        short = {**one, "content": one["content"][-_LONGEST:]}
        room -= len(json.dumps(short)) + 1
        if room < 0 and kept:
            break
        kept.append(short)
    return kept[::-1]


def unanswered(messages: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What the user said since the last answer; calls of tools, and what tools say, are on the way to one."""
    found: list[dict[str, Any]] = []
    for message in reversed(list(messages)):
        one = said(message)
        if one is None:
            continue
        if one["role"] == "assistant" and not message.get("tool_calls"):
            break
        if one["role"] == "user":
            found.append(one)
    return found[::-1]


def until_user(messages: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """*messages* up to the last of the user's: what follows, in a loop of tools, is on the way to an answer."""
    whole = list(messages)
    return whole[: max((at + 1 for at, one in enumerate(whole) if one.get("role") == "user"), default=0)]


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping):
        return str(part.get("text") or "") if part.get("type", "text") in _TEXT_PARTS else ""
    found = getattr(part, "text", None)
    return found if isinstance(found, str) else ""
