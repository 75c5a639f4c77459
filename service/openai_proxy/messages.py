"""A chat's messages as memory reads them: words; a mark for what is not text; tool calls in words; no reasoning."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from consolidation.kernel.turns import Message, Speaker
from consolidation.text.content import call_in_words, text_of
from consolidation.text.noise import is_blank
from consolidation.text.sentences import sentences_of
from consolidation.text.surrogates import without_lone_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from consolidation.secrets.privacy_filter import PrivacyFilter

    type Json = Mapping[str, Any]

_SPEAKERS = {
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
    "user": Speaker.USER,
    "assistant": Speaker.ASSISTANT,
    "tool": Speaker.TOOL,
    "function": Speaker.TOOL,
}
# What a model thought before it answered, as servers and front ends put it at the beginning of the answer. One that was
# broken off has no end.
_REASONING = re.compile(
    r"""\s*(?:<(think|thinking|reasoning)>.*?(?:</\1>|\Z)"""
    r"""|<details\s[^>]{0,200}?type=["']?reasoning["']?[^>]{0,400}>.*?(?:</details>|\Z))\s*""",
    re.DOTALL | re.IGNORECASE,
)
PROMPTING = frozenset({Speaker.USER, Speaker.TOOL})  # whom a model answers
INSTRUCTIONS = frozenset({"system", "developer"})  # the roles of messages that tell a model how to answer
_LONGEST_SENTENCE = 600  # characters
_LONGEST, _LONGEST_NAME, _LONGEST_CALL = 400_000, 200, 2_000  # as in a posted turn; a tool call may carry a whole file


@dataclass(frozen=True, slots=True)
class NewPart:
    """
    What people and tools said up to an answer that is not there, or to the chat's end.

    It is off the record where a person said so in its exchange, which may have begun before the last answer. ``start``
    is its position in the chat. ``is_prompted``: somebody is answered, who may have said no word.
    """

    messages: tuple[Message, ...]
    is_off_the_record: bool = False
    start: int = 0
    is_prompted: bool = True


def read(messages: Sequence[Json], *, start: int = 0, end: int | None = None) -> tuple[Message, ...]:
    """The messages from *start* to *end* that have words. A tool's answer gets the tool's name."""
    return _read(messages[start:end], tools=_tools(messages))


def new_from(messages: Sequence[Json]) -> int:
    """
    The position where a chat's new messages begin: after the last answer that was followed by something.

    An answer that stayed empty, since a person stopped it or a provider broke off, answers nothing.
    """
    end = _end(messages)
    return next((at + 1 for at in reversed(range(end)) if _is_answer(messages[at])), 0)


def exchange_from(messages: Sequence[Json]) -> int:
    """The position where the exchange of a chat's new messages begins: tools may have answered in it, several times."""
    spoken = [
        at for at in range(new_from(messages) + 1) if messages[at]["role"] != "assistant" or _is_answer(messages[at])
    ]
    asked = {at for at in spoken if messages[at]["role"] == "user"}
    return max((at for before, at in pairwise(spoken) if at in asked and before not in asked), default=0)


def new_parts(messages: Sequence[Json], *, privacy: PrivacyFilter) -> tuple[NewPart, ...]:
    """
    What people and tools have said since the last answer, in parts: each may have been sent before the next one.

    The answer to it stayed empty, or the client left it out, since a person spoke before they could hear it.
    """
    tools, start = _tools(messages), new_from(messages)
    starts = (start, *_cuts(messages, start=start))
    new = [messages[one:two] for one, two in pairwise((*starts, len(messages)))]
    said = [_read(part, tools=tools) for part in (messages[exchange_from(messages) : start], *new)]
    off = privacy.off_the_record([one for part in said for one in part])
    ends = list(accumulate(map(len, said)))
    return tuple(
        NewPart(
            messages=tuple(one for one in read_part if one.role in PROMPTING),
            is_off_the_record=not off.isdisjoint(range(first, last)),
            start=begins,
            is_prompted=any(one["role"] not in INSTRUCTIONS | {"assistant"} for one in part),
        )
        for begins, part, read_part, (first, last) in zip(starts, new, said[1:], pairwise(ends), strict=True)
    )


def is_opened_by_bot(messages: Sequence[Json]) -> bool:
    """Whether a chat has nothing but instructions, and maybe the beginning of an answer: the bot opens it."""
    return all(one["role"] in INSTRUCTIONS for one in messages[: _end(messages)])


def _cuts(messages: Sequence[Json], *, start: int) -> list[int]:
    """The positions from *start* of the answers that stayed empty, and of a person's next message."""
    roles = {at: messages[at]["role"] for at in range(start, _end(messages))}
    said = [at for at, role in roles.items() if _SPEAKERS.get(role) is not Speaker.SYSTEM]
    again = {at for before, at in pairwise(said) if roles[before] == roles[at] == "user"}
    return [at for at, role in roles.items() if role == "assistant" or at in again]


def begun_answer(messages: Sequence[Json]) -> str:
    """The beginning of an answer, with which a chat ends: a model is to continue it. "" where there is none."""
    begun = "".join(one.content for one in read(messages, start=_end(messages)))
    return "" if is_blank(begun) else begun


def added_answer(begun: str, answer: str) -> str:
    """What an *answer* adds to the one that was *begun*, and that some providers repeat."""
    return answer.removeprefix(begun)


def added_sentences(begun: str, answer: str) -> str:
    """The same, from the beginning of the sentence that was not at its end yet."""
    added, tail = added_answer(begun, answer), begun[-_LONGEST_SENTENCE:]
    last = next(reversed(sentences_of(tail)), "")
    opened = tail[tail.rfind(last) :] + added
    first = next(iter(sentences_of(opened[: 2 * _LONGEST_SENTENCE])), "")
    return (added if first == last else opened).strip()


def without_reasoning(text: str) -> str:
    """An answer without the reasoning that it begins with."""
    at = 0
    while (found := _REASONING.match(text, at)) is not None:
        at = found.end()
    return text[at:]


def calls_in_words(calls: Iterable[Json]) -> str:
    """Tool calls, in words."""
    return "\n".join(call_in_words(_name(call), _arguments(call)) for call in calls)


def storable(text: str) -> str:
    """*text* as it can be stored: without NUL and halves of surrogate pairs, and cut to a length that is read."""
    whole = without_lone_surrogates(text)  # the two halves came in two chunks
    return whole.replace("\0", "")[:_LONGEST]


def _read(messages: Iterable[Json], *, tools: Mapping[str, str]) -> tuple[Message, ...]:
    found = (_message(one, tools=tools) for one in messages)
    return tuple(message for message in found if message is not None)


def _tools(messages: Iterable[Json]) -> dict[str, str]:
    """The name of the tool of each call, by the call's id."""
    return {str(call.get("id")): _name(call) for one in messages for call in _calls(one)}


def _message(raw: Json, *, tools: Mapping[str, str]) -> Message | None:
    content = text_of(raw.get("content"))
    found = (
        without_reasoning(content) if raw["role"] == "assistant" else content,
        calls_in_words(_calls(raw)),
    )
    text = storable("\n".join(part for part in found if part))
    speaker = _SPEAKERS.get(raw["role"])
    if speaker is None or not text:
        return None
    name = raw.get("name") or tools.get(str(raw.get("tool_call_id")))
    return Message(speaker, text, name=storable(name)[:_LONGEST_NAME] if isinstance(name, str) and name else None)


def _end(messages: Sequence[Json]) -> int:
    """Where a chat ends, but for a prefilled answer, which the model is to continue."""
    end = len(messages)
    while end and messages[end - 1]["role"] == "assistant":
        end -= 1
    return end


def _is_answer(raw: Json) -> bool:
    if raw["role"] != "assistant":
        return False
    has_words = not is_blank(without_reasoning(text_of(raw.get("content"))))
    return has_words or bool(raw.get("refusal") or raw.get("audio") or _calls(raw))


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
