"""A chat's messages as memory reads them: words; a mark for what is not text; tool calls in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consolidation.kernel.turns import Message, Speaker
from consolidation.text.content import call_in_words, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    type Json = Mapping[str, Any]

_SPEAKERS = {
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
    "user": Speaker.USER,
    "assistant": Speaker.ASSISTANT,
    "tool": Speaker.TOOL,
    "function": Speaker.TOOL,
}
_LONGEST, _LONGEST_NAME, _LONGEST_CALL = 400_000, 200, 2_000  # as in a posted turn; a tool call may carry a whole file


def read(messages: Sequence[Json], *, start: int = 0) -> tuple[Message, ...]:
    """The messages from *start* on that have words. A tool's answer gets the tool's name."""
    tools = {str(call.get("id")): _name(call) for one in messages for call in _calls(one)}
    found = (_message(one, tools=tools) for one in messages[start:])
    return tuple(message for message in found if message is not None)


def new_from(messages: Sequence[Json]) -> int:
    """The position where a chat's new messages begin: after the last answer that was followed by something."""
    end = len(messages)
    while end and messages[end - 1]["role"] == "assistant":
        end -= 1  # a prefilled answer, for the model to continue
    return next((at + 1 for at in reversed(range(end)) if messages[at]["role"] == "assistant"), 0)


def new_in(messages: Sequence[Json]) -> tuple[Message, ...]:
    """What people and tools have said since the last answer."""
    found = read(messages, start=new_from(messages))
    return tuple(one for one in found if one.role in {Speaker.USER, Speaker.TOOL})


def calls_in_words(calls: Iterable[Json]) -> str:
    """Tool calls, in words."""
    return "\n".join(call_in_words(_name(call), _arguments(call)) for call in calls)


def storable(text: str) -> str:
    """*text* as it can be stored: without NUL and halves of surrogate pairs, and cut to a length that is read."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # the two halves came in two chunks
    return whole.replace("\0", "")[:_LONGEST]


def _message(raw: Json, *, tools: Mapping[str, str]) -> Message | None:
    found = (text_of(raw.get("content")), calls_in_words(_calls(raw)))
    text = storable("\n".join(part for part in found if part))
    speaker = _SPEAKERS.get(raw["role"])
    if speaker is None or not text:
        return None
    name = raw.get("name") or tools.get(str(raw.get("tool_call_id")))
    return Message(speaker, text, name=storable(name)[:_LONGEST_NAME] if isinstance(name, str) and name else None)


def _calls(raw: Json) -> list[Json]:
    found = raw.get("tool_calls")
    calls: list[Json] = [call for call in found if isinstance(call, dict)] if isinstance(found, list) else []
    old_style = raw.get("function_call")
    return [*calls, {"function": old_style}] if isinstance(old_style, dict) else calls


def _function(call: Json) -> Json:
    inner = call.get("function") or call.get("custom")
    return inner if isinstance(inner, dict) else {}


def _name(call: Json) -> str:
    return str(_function(call).get("name") or "a tool")


def _arguments(call: Json) -> str:
    function = _function(call)
    found = function.get("arguments") or function.get("input") or ""
    return str(found)[:_LONGEST_CALL]
