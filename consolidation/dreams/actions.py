"""
One step of an autonomous agent, and the turn that it is stored as.

The turn's words are what memory shows: of what a tool printed, the beginning. The whole of it is in the turn's
metadata, so that the transcript has it and a literal search finds it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from consolidation.dreams.wonder_trigger import ActionKind  # noqa: TC001 - read by whoever validates it
from consolidation.kernel.turns import ACTION, Message, Speaker, Turn, TurnKind
from consolidation.text.content import call_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from consolidation.kernel.turns import StoredTurn

SHOWN_OUTPUT = 600  # characters of what a tool printed that memory shows
_SHOWN_INPUT, _LONGEST_LINE = 300, 1_000  # characters
_CUT = " […]"
_COLOUR = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_RULE = re.compile(r"^\s*([=\-_*#~+])\1{2,}|([=\-_*#~+])\2{2,}\s*$")  # "===== FAILURES ====="
_WORD = re.compile(r"\w")
_ROLES = {
    "thought": Speaker.THOUGHT,
    "tool_call": Speaker.TOOL,
    "error": Speaker.TOOL,
    "message": Speaker.USER,
}


@dataclass(frozen=True, slots=True)
class Action:
    """
    What an agent did: a thought, a tool call with its result, a message that reached it, or an error.

    ``input`` is JSON of what the tool was given, or None. ``text`` are the words of everything but a tool call.
    """

    kind: ActionKind
    tool: str = ""
    input: Any = None
    is_ok: bool = True
    output: str = ""
    text: str = ""
    timestamp: datetime | None = None
    id: str | None = None

    @property
    def has_failed(self) -> bool:
        """Whether it is an error, or a tool call that failed."""
        return self.kind == "error" or not self.is_ok

    @property
    def arguments(self) -> str:
        """What the tool was given, on one line."""
        if self.input is None:
            return ""
        given = self.input if isinstance(self.input, str) else json.dumps(self.input, ensure_ascii=False)
        return " ".join(given.split())

    @property
    def values(self) -> tuple[str, ...]:
        """What the tool was given, without the names of its arguments."""
        return tuple(_values(self.input))

    @property
    def outcome(self) -> tuple[str, ...]:
        """
        The first and the last line with words of what a tool printed, or of an error's text; one where it has one.

        A traceback says at its end what was wrong, a run of tests how it went. Colours and rules are left out.
        """
        whole = self.output or self.text
        lines = whole.splitlines()
        ends = (next(filter(_WORD.search, map(_plain, some)), "") for some in (lines, reversed(lines)))
        return tuple(dict.fromkeys(filter(None, ends))) or tuple(filter(None, (_plain(whole),)))


def action_turn(action: Action, *, session_id: str, turn_id: str) -> Turn:
    """The turn that *action* is stored as."""
    message = Message(
        _ROLES[action.kind], _words(action), action.timestamp, name=action.tool or None if _is_call(action) else None
    )
    stored: dict[str, Any] = {"kind": action.kind}
    if _is_call(action):
        stored |= {"tool": action.tool, "ok": action.is_ok, "input": action.input, "output": action.output}
    return Turn(turn_id, session_id, (message,), TurnKind.ACTION, {ACTION: stored})


def action_of(stored: StoredTurn) -> Action | None:
    """The action that *stored* holds; None for any other turn."""
    found = stored.turn.metadata.get(ACTION) if stored.turn.kind is TurnKind.ACTION else None
    if not isinstance(found, dict):
        return None
    kind: ActionKind = found["kind"]
    message = stored.turn.messages[0]
    if kind != "tool_call":
        return Action(kind, is_ok=kind != "error", text=message.content, timestamp=message.timestamp)
    return Action(
        kind,
        tool=str(found.get("tool", "")),
        input=found.get("input"),
        is_ok=bool(found.get("ok", True)),
        output=str(found.get("output", "")),
        timestamp=message.timestamp,
    )


def in_window(stored: StoredTurn) -> tuple[Message, ...]:
    """The messages by which a context window has *stored*: of a tool call, the call and what the tool printed."""
    action = action_of(stored)
    if action is None or not _is_call(action):
        return stored.turn.messages
    message = stored.turn.messages[0]
    call = replace(message, role=Speaker.ASSISTANT, content=call_in_words(action.tool, action.arguments), name=None)
    return call, replace(message, content=action.output)


def _values(given: object) -> Iterator[str]:
    match given:
        case None:
            return
        case dict():
            for one in given.values():
                yield from _values(one)
        case list():
            for one in given:
                yield from _values(one)
        case str():
            yield given
        case _:
            yield json.dumps(given)


def _plain(line: str) -> str:
    return _RULE.sub("", _COLOUR.sub("", line[:_LONGEST_LINE])).strip()


def _is_call(action: Action) -> bool:
    return action.kind == "tool_call"


def _words(action: Action) -> str:
    if not _is_call(action):
        return action.text
    called = f"{action.tool}({_cut(action.arguments, _SHOWN_INPUT)})"
    printed = _cut(action.output.strip(), SHOWN_OUTPUT)
    return f"{called} → {'ok' if action.is_ok else 'failed'}" + (f"\n{printed}" if printed else "")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rstrip() + _CUT
