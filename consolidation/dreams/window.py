"""
The messages of an agent's context window, in the words of OpenAI's or of Anthropic's API, read but never changed.

A message is a mapping with a ``role``. Its content is read as parts: text, thoughts, tool calls and tool results. A
part of an unexpected shape is left out.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from consolidation.kernel.speaker_names import fault_in, shown_name
from consolidation.kernel.turns import FIRST_YEAR, LAST_YEAR, Message, Speaker
from consolidation.text.content import call_in_words, text_of
from consolidation.text.surrogates import without_lone_surrogates

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    type Json = Mapping[str, Any]

SPEAKERS = {
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
    "user": Speaker.USER,
    "assistant": Speaker.ASSISTANT,
    "tool": Speaker.TOOL,
    "function": Speaker.TOOL,
    "thought": Speaker.THOUGHT,
}
_LONGEST, _LONGEST_ID, _LONGEST_CALL = 400_000, 200, 2_000  # as in a posted turn; a call as the chat proxy stores it
_SHORTEST_ID = 9  # of a call: some providers number theirs, and begin anew each time
_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d)")

type PartKind = Literal["said", "thought", "call", "result"]


@dataclass(frozen=True, slots=True)
class Part:
    """One thing in a message; ``call_id`` ties a result to its call, and is "" where the caller gave none."""

    kind: PartKind
    text: str
    name: str = ""
    call_id: str = ""
    is_failed: bool = False


def parts_of(message: Json) -> tuple[Part, ...]:
    """What *message* holds, in its order; a result of a tool without words is a part, too."""
    role, content = message.get("role"), message.get("content")
    if role in {"tool", "function"}:
        failed = message.get("is_error") is True or message.get("status") == "error"
        return (Part("result", text_of(content), _text(message, "name"), _text(message, "tool_call_id"), failed),)
    thought = Part("thought", _text(message, "reasoning_content"))
    blocks = tuple(_blocks(content)) if isinstance(content, list) else (Part("said", text_of(content)),)
    if role == "thought":
        blocks = tuple(replace(one, kind="thought") if one.kind == "said" else one for one in blocks)
    found = (thought, *blocks, *_calls(message))
    return tuple(one for one in found if one.text.strip() or one.kind in {"call", "result"})


def characters_of(message: Json) -> int:
    """How long *message* is: its content and its calls, pictures included."""
    return sum(
        len(value) if isinstance(value, str) else len(json.dumps(value, ensure_ascii=False))
        for name in ("content", "tool_calls", "function_call")
        if (value := message.get(name)) is not None
    )


def name_of(message: Json) -> str:
    """The name of who speaks in *message*, as it may be shown; "" where there is none, or of what a tool answers."""
    if message["role"] in {"tool", "function"}:
        return ""
    return shown_name(storable(_text(message, "name")), role=SPEAKERS[message["role"]].value)


def tool_names(messages: Sequence[Json]) -> dict[str, str]:
    """The names of the tools that *messages* call, by the ids of the calls."""
    calls = (one for message in messages for one in parts_of(message) if one.kind == "call")
    return {one.call_id: one.name for one in calls if one.call_id and one.name}


def call_ids(messages: Sequence[Json]) -> frozenset[str]:
    """The ids of the calls of *messages* and of their results, without those that may come again."""
    found = (part.call_id for message in messages for part in parts_of(message))
    return frozenset(one for one in found if _is_id(one) and len(one) >= _SHORTEST_ID)


def joined(message: Json) -> Message | None:
    """*message* as the chat proxy stores one that calls tools: words and calls in one; None where it calls none."""
    parts = parts_of(message)
    calls = [one for one in parts if one.kind == "call"]
    if not calls:
        return None
    told = (_in_words(one, most=_LONGEST_CALL) for one in calls)
    text = storable("\n".join((*(one.text for one in parts if one.kind == "said"), *told)))[:_LONGEST]
    return _Origin(message).message(SPEAKERS[message["role"]], text, call_id=calls[0].call_id)


def messages_of(
    message: Json, *, tools: Mapping[str, str], is_joined: bool, stored: Container[str] = ()
) -> tuple[Message, ...]:
    """
    *message* as the transcript stores it: its thoughts, results, words and calls, each in messages of its own.

    *tools* are the names of tools by the ids of their calls. With *is_joined*, words and calls are as ``joined`` has
    them. Calls and results of the ids *stored* are left out. A text too long for a message becomes several.
    """
    origin = _Origin(message)
    parts = [one for one in parts_of(message) if one.call_id not in stored]
    speaker = SPEAKERS[message["role"]]
    found = [origin.message(Speaker.THOUGHT, one.text) for one in parts if one.kind == "thought"]
    for one in parts:
        if one.kind == "result":
            name = one.name or tools.get(one.call_id, "")
            found.append(origin.message(Speaker.TOOL, one.text, name=name, call_id=one.call_id))
    if is_joined and (whole := joined(message)) is not None:
        return (*_in_pieces(found), whole)
    if said := "\n".join(one.text for one in parts if one.kind == "said"):
        found.append(origin.message(speaker, said))
    found += (origin.message(speaker, _in_words(one), call_id=one.call_id) for one in parts if one.kind == "call")
    return _in_pieces(found)


@dataclass(frozen=True, slots=True)
class _Origin:
    """The message of a window that messages for the transcript are made of."""

    given: Json

    def message(self, speaker: Speaker, text: str, *, name: str = "", call_id: str = "") -> Message:
        """One message; its id is the window's own, else that of its call."""
        known_as = storable(name or _text(self.given, "name"))[:_LONGEST_ID]
        named = known_as if known_as and not fault_in(known_as, role=speaker.value) else None
        own = _text(self.given, "id") if speaker is SPEAKERS[self.given["role"]] else ""
        ids = (one for one in (own, call_id if len(call_id) >= _SHORTEST_ID else "") if _is_id(one))
        return Message(speaker, storable(text), _instant(self.given.get("timestamp")), named, next(ids, None))


def storable(text: str) -> str:
    """*text* as it can be stored: without NUL and halves of surrogate pairs."""
    return without_lone_surrogates(text).replace("\0", "")


def _in_pieces(messages: Iterable[Message]) -> tuple[Message, ...]:
    return tuple(
        replace(one, content=one.content[start : start + _LONGEST])
        for one in messages
        for start in range(0, len(one.content), _LONGEST)
    )


def _in_words(call: Part, *, most: int | None = None) -> str:
    return call_in_words(call.name or "a tool", call.text[:most])


def _blocks(content: Sequence[object]) -> Iterator[Part]:
    """The blocks of a content, as both APIs have them."""
    for block in content:
        if not isinstance(block, dict):
            yield Part("said", block if isinstance(block, str) else "")
            continue
        match block.get("type"):
            case "thinking":
                yield Part("thought", _text(block, "thinking"))
            case "redacted_thinking":
                continue
            case "tool_use":
                yield Part("call", _arguments(block.get("input")), _text(block, "name"), _text(block, "id"))
            case "tool_result":
                failed = block.get("is_error") is True
                yield Part("result", text_of(block.get("content")), "", _text(block, "tool_use_id"), failed)
            case _:
                yield Part("said", text_of([block]))


def _calls(message: Json) -> Iterator[Part]:
    """The calls of a message, as OpenAI's API has them, also in its old style."""
    found = message.get("tool_calls")
    old_style = message.get("function_call")
    calls = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    for call in [*calls, *([{"function": old_style}] if isinstance(old_style, dict) else [])]:
        inner = call.get("function") or call.get("custom") or call
        function = inner if isinstance(inner, dict) else {}
        given = function.get("arguments") or function.get("input") or function.get("args")
        yield Part("call", _arguments(given), _text(function, "name"), _text(call, "id"))


def _arguments(given: object) -> str:
    if isinstance(given, str):
        return given
    return json.dumps(given, ensure_ascii=False) if given is not None else ""


def _text(message: Json, name: str) -> str:
    found = message.get(name)
    return found if isinstance(found, str) else ""


def _is_id(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_ID and text.isprintable()


def _instant(value: object) -> datetime | None:
    """The time that a caller gave in the form that a posted turn must have; None for any other value."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value).astimezone(UTC) if _RFC_3339.fullmatch(value) else None
    except (ValueError, OverflowError):
        return None
    return found if found is not None and FIRST_YEAR <= found.year <= LAST_YEAR else None
