"""A chat's messages as memory reads them: words alone, what is no text by a mark, calls of tools in words. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consolidation.kernel.turns import Message, Speaker

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
_MARKS = {
    "image_url": "[image]",
    "image": "[image]",
    "input_image": "[image]",
    "input_audio": "[audio]",
    "file": "[file]",
    "input_file": "[file]",
}
_LONGEST, _LONGEST_NAME, _LONGEST_CALL = 400_000, 200, 2_000  # as a posted turn's; a call may carry a whole file


def text_of(content: object) -> str:
    """The words of a message's content."""
    if isinstance(content, str):
        return content
    return "\n".join(filter(None, map(_part, content))) if isinstance(content, list) else ""


def read(messages: Sequence[Json], *, start: int = 0) -> tuple[Message, ...]:
    """A chat's messages that have words, from *start* on; a tool's answer is named after the tool."""
    tools = {str(call.get("id")): _name(call) for one in messages for call in _calls(one)}
    found = (_message(one, tools=tools) for one in messages[start:])
    return tuple(message for message in found if message is not None)


def begins_anew(messages: Sequence[Json]) -> int:
    """Where what is new in a chat begins: after the last answer that something was said to since."""
    end = len(messages)
    while end and messages[end - 1]["role"] == "assistant":
        end -= 1  # the beginning of the answer, for the model to go on with
    return next((at + 1 for at in reversed(range(end)) if messages[at]["role"] == "assistant"), 0)


def new_in(messages: Sequence[Json]) -> tuple[Message, ...]:
    """What people and tools have said since the last answer."""
    said = read(messages, start=begins_anew(messages))
    return tuple(one for one in said if one.role in {Speaker.USER, Speaker.TOOL})


def called(calls: Iterable[Json]) -> str:
    """Calls of tools, in words."""
    return "\n".join(f"[calls {_name(call)}({_arguments(call)})]" for call in calls)


def storable(text: str) -> str:
    """*text* as it can be kept: no NUL, no half of a surrogate pair, no end of it that nobody would read."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # halves that came in two chunks
    return whole.replace("\0", "")[:_LONGEST]


def _message(raw: Json, *, tools: Mapping[str, str]) -> Message | None:
    said = (text_of(raw.get("content")), called(_calls(raw)))
    text = storable("\n".join(part for part in said if part))
    speaker = _SPEAKERS.get(raw["role"])
    if speaker is None or not text:
        return None
    name = raw.get("name") or tools.get(str(raw.get("tool_call_id")))
    return Message(speaker, text, name=storable(name)[:_LONGEST_NAME] if isinstance(name, str) and name else None)


def _part(part: object) -> str:
    if not isinstance(part, dict):
        return ""
    text = part.get("text", part.get("refusal"))
    if isinstance(text, str):
        return text
    kind = str(part.get("type", ""))
    return _MARKS.get(kind, f"[{kind[:40]}]" if kind else "")


def _calls(raw: Json) -> list[Json]:
    found = raw.get("tool_calls")
    calls: list[Json] = [call for call in found if isinstance(call, dict)] if isinstance(found, list) else []
    alone = raw.get("function_call")
    return [*calls, {"function": alone}] if isinstance(alone, dict) else calls


def _function(call: Json) -> Json:
    inner = call.get("function") or call.get("custom")
    return inner if isinstance(inner, dict) else {}


def _name(call: Json) -> str:
    return str(_function(call).get("name") or "a tool")


def _arguments(call: Json) -> str:
    function = _function(call)
    said = function.get("arguments") or function.get("input") or ""
    return str(said)[:_LONGEST_CALL]
