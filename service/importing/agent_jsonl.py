"""
Session files of agents (OpenClaw and pi, Claude Code): one event per line, with messages among them.

Text is read. Thinking, tool calls, images and bookkeeping are skipped, since nobody said them. What Claude Code notes
as a user's message although a program wrote it, such as the output of a command, is a tool's.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from service.importing.fields import list_of, mapping_of, text_of
from service.importing.own_jsonl import OPENS, read_own

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.importing.ids import IdAssigner
    from service.importing.records import Record
    from service.importing.results import ImportItem
    from service.importing.times import Times

_EVENT_KEYS = frozenset({"message", "parentId", "parentUuid", "sessionId", "cwd", "leafUuid", "snapshot"})
_HIDDEN_MARKS = ("isMeta", "isSidechain", "isCompactSummary")
# Of Claude Code: outputs stand alone in a message; what is not typed stands beside what is.
_OUTPUT = re.compile(r"\s*<(?:local-command-std(?:out|err)|bash-(?:input|stdout|stderr)|task-notification)>")
_NOT_TYPED = ("system-reminder", "local-command-caveat", "ide_opened_file", "ide_selection", "user-prompt-submit-hook")
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]\n]{0,40}\]")
_COMMAND = re.compile(r"<command-name>([^<]{1,200})</command-name>")
_ROLES = {"toolResult": "tool", "tool_result": "tool", "developer": "system"}


def is_agents(value: dict[str, object]) -> bool:
    """Whether the object is an event of an agent's session."""
    return isinstance(value.get("type"), str) and bool(_EVENT_KEYS & value.keys())


def read_agents(records: Iterable[Record], *, ids: IdAssigner, times: Times, only: str | None) -> Iterator[ImportItem]:
    """The turns of the messages among the events."""
    messages = (replace(record, value=own) for record in records if (own := _as_own_message(mapping_of(record.value))))
    return read_own(messages, ids=ids, times=times, only=only)


def _as_own_message(event: dict[str, object]) -> dict[str, object]:
    """The event's message in our own form; empty if there is none or it has no text."""
    message = mapping_of(event.get("message"))
    text, is_result = _text(message.get("content"))
    role = text_of(message.get("role"))
    is_output = role == "user" and not is_result and _OUTPUT.match(text) is not None
    if role == "user" and not is_result:
        typed = _typed(text)  # what nobody typed is the machine's, and opens its exchange all the same
        text, is_output = (typed, is_output) if typed else (text, True)
    if not text or not role or any(event.get(mark) is True for mark in _HIDDEN_MARKS):
        return {}
    return {
        "role": "tool" if is_result or is_output else _ROLES.get(role, role),
        OPENS: is_output,
        "content": text,
        "timestamp": event.get("timestamp") or message.get("timestamp"),
        "id": event.get("id") or event.get("uuid"),
        "session_id": event.get("sessionId"),
    }


def _typed(text: str) -> str:
    """What the person typed of a user's message, with the name and the words of a command; empty for nothing."""
    command = _COMMAND.search(text) if text.lstrip().startswith("<command-") else None
    if command is not None:
        words = text.partition("<command-args>")[2].rpartition("</command-args>")[0]
        return f"{command[1].strip()} {words.strip()}".strip()
    for tag in _NOT_TYPED:
        text = _without(text, tag)
    return "" if _INTERRUPTED.fullmatch(text.strip()) else text_of(text)


def _without(text: str, tag: str) -> str:
    """*text* without what stands between this tag and its end."""
    opening, closing = f"<{tag}>", f"</{tag}>"
    kept, at = [], 0
    while (start := text.find(opening, at)) >= 0 and (end := text.find(closing, start)) >= 0:
        kept.append(text[at:start])
        at = end + len(closing)
    return "".join((*kept, text[at:])).strip() if kept else text


def _text(content: object) -> tuple[str, bool]:
    """The text of a message's content, and whether it is a tool's answer."""
    if isinstance(content, str):
        return text_of(content), False
    parts = [mapping_of(part) for part in list_of(content)]
    texts = [text_of(part.get("text")) for part in parts if part.get("type") == "text"]
    results = [_text(part.get("content"))[0] for part in parts if part.get("type") == "tool_result"]
    found = "\n".join(filter(None, texts)) or "\n".join(filter(None, results))
    return found, not any(texts) and any(results)
