"""Messages as chat models take them: the words in them, memory among them, and our own blocks taken out of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol


class SdkMessage(Protocol):
    """A message of OpenAI's SDK, such as ``completion.choices[0].message``."""

    def model_dump(self, *, exclude_none: bool = ...) -> dict[str, Any]:
        """Its fields."""


Messages = str | Iterable[Mapping[str, Any] | SdkMessage]  # a string is one message of the user
Placement = Literal["tail", "user", "system"]

BLOCK = "[SUBCONSCIOUS RESONANCE]"

_ROLES = {"developer": "system", "function": "tool", "human": "user", "ai": "assistant", "model": "assistant"}
_KNOWN_ROLES = frozenset({"user", "assistant", "system", "tool", "thought"})
_SYSTEM_ROLES = frozenset({"system", "developer"})
_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
# Events whose ``delta`` is what the bot says; in others it is reasoning, the arguments of a tool or a sound.
_TEXT_DELTAS = frozenset({
    "text-delta", "response.text.delta", "response.output_text.delta", "response.refusal.delta",
    "response.audio.transcript.delta", "response.audio_transcript.delta", "response.output_audio_transcript.delta",
})  # fmt: skip
_MOST_MESSAGES = 2000
_MOST_BYTES = 900_000  # the service takes a mebibyte
_MOST_BYTES_WITH_AUDIO = 8_000_000  # and eight of what was spoken
_LONGEST_CONTENT, _LONGEST_NAME = 400_000, 200


# What was said


def as_list(messages: Messages) -> list[Any]:
    """*messages* as a list; a string becomes a message of the user."""
    return [{"role": "user", "content": messages}] if isinstance(messages, str) else list(messages)


def fields_of(message: object) -> Mapping[str, Any]:
    """The fields of a message: a dict, or an object of OpenAI's SDK. Raises TypeError for anything else."""
    if isinstance(message, Mapping):
        return message
    dump = getattr(message, "model_dump", None)
    found = dump(exclude_none=True) if callable(dump) else None
    # LangChain's messages have roles of their own, as types; items of the Responses API, such as calls, have no role.
    if isinstance(found, dict) and ("role" in found or ("type" in found and not hasattr(message, "additional_kwargs"))):
        return found
    kind = type(message).__name__
    raise TypeError(
        f'a message is a dict such as {{"role": "user", "content": "…"}}, or one of OpenAI\'s SDK, not {kind}'
    )


def plain_messages(messages: Messages, *, with_audio: bool = False) -> list[dict[str, Any]]:
    """*messages* as the service takes them, without those that hold no words."""
    found = (plain_message(message, with_audio=with_audio) for message in as_list(messages))
    return [message for message in found if message is not None]


def plain_message(message: Mapping[str, Any] | SdkMessage, *, with_audio: bool = False) -> dict[str, Any] | None:
    """
    A message as the service takes it: role, words, name, id and time.

    Pictures, tool calls and our own blocks are left out, and what was spoken, unless *with_audio*. None where nothing
    is left.
    """
    fields = fields_of(message)
    content = fields.get("content")
    text = sendable(without_memory(text_of(fields.get("parts") if content is None else content)))
    audio = _audio_of(fields.get("content")) if with_audio else []
    if not text.strip() and not audio:
        return None
    role = str(fields.get("role", "user"))
    role = _ROLES.get(role, role)
    written = [{"type": "text", "text": text}] if text.strip() else []
    content = [*written, *audio] if audio else text
    found: dict[str, Any] = {"role": role if role in _KNOWN_ROLES else "user", "content": content}
    for name in ("name", "id"):
        if isinstance(value := fields.get(name), str) and value:
            found[name] = sendable(value[:_LONGEST_NAME])
    if (at := fields.get("timestamp")) is not None:
        found["timestamp"] = at if isinstance(at, str) else at.isoformat()
    return found


def sendable(text: str) -> str:
    """*text* with the halves of an emoji joined, and "�" for a half alone, which UTF-8 can not hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def answer_of(answer: object) -> dict[str, Any]:
    """
    The answer of a model as a message: of a text, a message or parts of one, or an answer of OpenAI's, Anthropic's,
    Ollama's or LiteLLM's SDK, or its JSON. Raises TypeError for anything else.
    """
    if answer is None or isinstance(answer, str):
        return {"content": answer}
    if isinstance(answer, (list, tuple)) and all(map(_is_part, answer)):
        return {"content": "\n".join(text for one in answer if (text := _text_of_item(one)))}
    message = _message_in(answer)
    if not _is_message(message):
        kind = type(answer).__name__
        raise TypeError(f"an answer is a text, a message or an answer of an SDK, not {kind}: pass its text")
    return dict(message) if isinstance(message, Mapping) else {"content": text_of(message)}


def _message_in(answer: object) -> object:
    choices = _field(answer, "choices")
    if not isinstance(choices, (list, tuple)):
        return answer if _is_message(answer) else _field(answer, "message")  # Ollama has a message alone
    if not choices:
        return {"content": None}
    message = _field(choices[0], "message")
    return {"content": _field(choices[0], "text")} if message is None and _is_part(choices[0]) else message


def _is_message(value: object) -> bool:
    if isinstance(value, Mapping):
        return bool({"content", "tool_calls", "function_call"} & value.keys())
    found = [getattr(value, name, 0) for name in ("output_text", "content", "text")]
    return any(one is None or isinstance(one, (str, list, tuple)) for one in found)


def _is_part(value: object) -> bool:
    return isinstance(value, str) or _field(value, "type") is not None or isinstance(_field(value, "text"), str)


def _text_of_item(item: object) -> str:
    """The words of a part, or of an item of the Responses API, of which a message has parts of its own."""
    return text_of(_field(item, "content")) if _field(item, "type") == "message" else _text_of_part(item)


def piece_of(chunk: object) -> str:
    """
    The words of a piece of an answer that streams: a text, or a chunk of OpenAI's, Anthropic's, Ollama's or LiteLLM's
    SDK.

    Raises TypeError for anything else.
    """
    if chunk is None or isinstance(chunk, str):
        return chunk or ""
    choices = _field(chunk, "choices")
    if isinstance(choices, (list, tuple)):
        delta = _field(choices[0], "delta") if choices else None
        return text_of(_field(delta, "content"))
    kind, message = _field(chunk, "type"), _field(chunk, "message")
    if kind is None and message is None:
        raise TypeError(f"a piece of an answer is a text or a chunk of an SDK, not of the type {type(chunk).__name__}")
    if kind is None:
        return text_of(_field(message, "content"))
    delta = _field(chunk, "delta")  # of events that stream a text; the others have no words
    found = (delta if kind in _TEXT_DELTAS else "") if isinstance(delta, str) else _field(delta, "text")
    return found if isinstance(found, str) else ""


def _field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def text_of(content: object) -> str:
    """The words of a message's content: a string, a list of parts, or an answer object of an SDK."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return text_of(content.get("content"))
    if isinstance(content, (list, tuple)):
        return "\n".join(text for part in content if (text := _text_of_part(part)))
    for name in ("output_text", "content", "text"):  # an OpenAI Response, a chat message, a part
        if isinstance(found := getattr(content, name, None), (str, list, tuple)):
            return text_of(found)
    choices = getattr(content, "choices", None)  # an OpenAI ChatCompletion
    return text_of(getattr(choices[0], "message", None)) if choices else ""


def newest_that_fit(messages: Messages, *, with_audio: bool = False) -> list[dict[str, Any]]:
    """The newest messages, as many as the service takes in one request; a message too long keeps its end."""
    found: list[dict[str, Any]] = []
    room = _MOST_BYTES_WITH_AUDIO if with_audio else _MOST_BYTES
    for one in reversed(plain_messages(messages, with_audio=with_audio)[-_MOST_MESSAGES:]):
        short = {**one, "content": one["content"][-_LONGEST_CONTENT:]}
        room -= len(json.dumps(short)) + 1
        if room < 0 and found:
            break
        found.append(short)
    return found[::-1]


def _audio_of(content: object) -> list[dict[str, Any]]:
    """The parts that were spoken, as OpenAI's API has them."""
    parts = content if isinstance(content, (list, tuple)) else ()
    return [dict(part) for part in parts if isinstance(part, Mapping) and part.get("type") == "input_audio"]


def unanswered(messages: Iterable[Any]) -> list[dict[str, Any]]:
    """What the user said since the last answer; calls of tools and their results come before an answer."""
    found: list[dict[str, Any]] = []
    is_call = False  # whether an item after this one, of the same answer, calls a tool
    for message in map(fields_of, reversed(list(messages))):
        is_call = is_call or message.get("type") == "function_call"
        one = plain_message(message)
        if one is None:
            continue
        if one["role"] == "assistant" and not message.get("tool_calls") and not is_call:
            break
        is_call = False
        if one["role"] == "user":
            found.append(one)
    return found[::-1]


def last_answer(messages: Iterable[Any]) -> str | None:
    """What the bot said last; None where it said nothing yet."""
    found = (plain_message(one) for one in reversed(list(messages)))
    return next((str(one["content"]) for one in found if one is not None and one["role"] == "assistant"), None)


def up_to_last_user(messages: Iterable[Any]) -> list[Any]:
    """*messages* up to the last one of the user; in a loop of tools, more follow."""
    whole = list(messages)
    return whole[: max((at + 1 for at, one in enumerate(whole) if _is_users(one)), default=0)]


def _is_users(message: object) -> bool:
    return bool(fields_of(message).get("role") == "user")


def _text_of_part(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping):
        return str(part.get("text") or "") if part.get("type", "text") in _TEXT_PARTS else ""
    found = getattr(part, "text", None)
    return found if isinstance(found, str) else ""


# Memory among messages


def place_memory(messages: Iterable[Any], *, stable: str, block: str, placement: Placement) -> list[Any]:
    """
    *messages* with memory in them, and without the memory of an earlier turn.

    *stable* ends the first system message, so that a provider's prompt cache holds until the story changes. *block*
    belongs to this turn alone. With ``tail`` it is a system message before the user's last one; with ``user`` it opens
    the user's last message, for models that take one system message only; with ``system`` it ends the first system
    message. Every message that needs no change is the same object, with its pictures, tool calls and ids.
    """
    clean = [one for message in messages if (one := _without_memory(message)) is not None]
    head = "\n\n".join(part for part in (stable, block if placement == "system" else "") if part)
    if head:
        clean = _in_first_system(clean, head)
    if not block or placement == "system":
        return clean
    at = max((at for at, one in enumerate(clean) if _is_users(one)), default=len(clean))
    if placement == "user" and at < len(clean):
        found = fields_of(clean[at])
        return [*clean[:at], {**found, "content": prepend(block, found.get("content"))}, *clean[at + 1 :]]
    return [*clean[:at], {"role": "system", "content": block}, *clean[at:]]


def prepend(block: str, content: object, *, part_type: str = "text") -> Any:  # noqa: ANN401 - what a message holds
    """*block* in front of *content*, which is a text, or a list of parts where *block* becomes one of *part_type*."""
    if isinstance(content, (list, tuple)):
        return [{"type": part_type, "text": block}, *content]
    return f"{block}\n\n{content}" if content else block


def _in_first_system(messages: list[Any], text: str) -> list[Any]:
    first = fields_of(messages[0]) if messages else {}
    if first.get("role") not in _SYSTEM_ROLES:
        return [{"role": "system", "content": text}, *messages]
    content = first.get("content")
    if isinstance(content, (list, tuple)):
        longer: object = [*content, {"type": "text", "text": text}]
    else:
        longer = f"{content}\n\n{text}" if content else text
    return [{**first, "content": longer}, *messages[1:]]


# Memory taken out again: a memory of a memory must not multiply


_EDGE = r"[ \t]{0,8}(?:>[ \t]{0,8}){0,3}"  # lines may be quoted


def _between(first: str, last: str) -> re.Pattern[str]:
    return re.compile(
        rf"^{_EDGE}{re.escape(first)}[ \t]*$"
        rf"(?:\n(?!{_EDGE}(?:{re.escape(first)}[ \t]*$|{re.escape(last)}(?:[ \t]|$))).*)*"
        rf"\n{_EDGE}{re.escape(last)}(?:[ \t]+|$)",
        re.MULTILINE,
    )


# These are the patterns of the service, which a test compares. Only what can be ours is taken out.
_INJECTED = (
    (
        BLOCK,
        re.compile(
            rf"^{_EDGE}(?:---[ \t]*\n(?:{_EDGE}\n)?{_EDGE})?[*_`]{{0,3}}\[SUBCONSCIOUS RESONANCE\][*_`]{{0,3}}[ \t]*$"
            rf"(?:(?:\n{_EDGE}\n{_EDGE}- .*)+\n{_EDGE}\n{_EDGE}---[ \t]*$"
            rf"|(?:\n{_EDGE}- .*)*(?:\n{_EDGE}---[ \t]*$)?)",
            re.MULTILINE,
        ),
    ),
    ("[MY STORY]", _between("[MY STORY]", "[END OF MY STORY]")),
    ("[MY MEMORY]", _between("[MY MEMORY]", "[END OF MY MEMORY]")),
    ("[SESSION CONTEXT]", _between("[SESSION CONTEXT]", "[END OF SESSION CONTEXT]")),
    ("[MY WAKING]", _between("[MY WAKING]", "[END OF MY WAKING]")),
)


def without_memory(text: str) -> str:
    """*text* without our blocks; a text that holds none is returned unchanged, to the last space."""
    plain = text.replace("\r\n", "\n") if "\r" in text else text
    clean = plain
    for mark, pattern in _INJECTED:
        if mark in clean:
            clean = pattern.sub("", clean)
    return text if clean == plain else clean.strip("\n")


def _without_memory(message: Any) -> Any:  # noqa: ANN401 - a mapping, or an object of an SDK
    """The message without our blocks; None when it held nothing else."""
    fields = fields_of(message)
    content = fields.get("content")
    if isinstance(content, (list, tuple)):
        parts = [one for part in content if (one := _clean_part(part)) is not None]
        return message if parts == list(content) else ({**fields, "content": parts} if parts else None)
    if not isinstance(content, str) or (clean := without_memory(content)) == content:
        return message
    return {**fields, "content": clean} if clean.strip() else None


def _clean_part(part: object) -> object:
    if not isinstance(part, Mapping) or not isinstance(text := part.get("text"), str):
        return part
    if (clean := without_memory(text)) == text:
        return part
    return {**part, "text": clean} if clean.strip() else None
