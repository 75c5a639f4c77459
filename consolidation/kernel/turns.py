"""
Turns and messages: the values that everything else is made of.

A turn is the messages of one exchange, posted together. It is stored exactly as accepted. What can be derived from it,
its instant and its text, is derived here, so that every projection derives the same.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from consolidation.kernel.speaker_names import shown_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


class Speaker(StrEnum):
    """Who said it."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"
    THOUGHT = "thought"


# What nobody said: a tool, a page, an operator showed it. It is never told as a person's words.
READ = frozenset({Speaker.TOOL, Speaker.SYSTEM})
FIRST_YEAR, LAST_YEAR = 1990, 2199  # of messages; a time outside was never set, or is damaged
_DOTS = frozenset({".", ".."})


class TurnKind(StrEnum):
    """
    What a turn is for; only ``turn``, ``import``, ``memory`` and ``action`` are ever remembered.

    A ``memory`` is a sentence that somebody had us keep: a thought of the bot's outside any exchange. An ``action`` is
    one step of an autonomous agent (see ``consolidation/dreams/actions.py``). An ``erased`` turn holds no words: its
    id and its session's are digests, and ``metadata`` is a tombstone's.
    """

    TURN = "turn"
    HEARTBEAT = "heartbeat"
    PROBE = "probe"
    IMPORT = "import"
    MEMORY = "memory"
    ACTION = "action"
    ERASED = "erased"
    OFF_THE_RECORD = "off_the_record"


REMEMBERED = frozenset({TurnKind.TURN, TurnKind.IMPORT, TurnKind.MEMORY, TurnKind.ACTION})
NOISE = frozenset({TurnKind.HEARTBEAT, TurnKind.PROBE})

IMPORTANCE = "mind_memory.importance"  # in the metadata of a memory
ACTION = "mind_memory.action"  # in the metadata of an action: the action as it was posted


@dataclass(frozen=True, slots=True)
class Message:
    """One message; ``timestamp`` is aware and in UTC, or None where the caller gave none."""

    role: Speaker
    content: str
    timestamp: datetime | None = None
    name: str | None = None
    id: str | None = None

    @property
    def known_as(self) -> str:
        """The speaker's name on one line; "" where there is none, or where it would pass for another speaker."""
        return shown_name(self.name, role=self.role.value)

    @property
    def who(self) -> str:
        """The speaker's name, else the role. A tool's name stands behind its role: it is nobody's."""
        if self.role in READ:
            return f"{self.role.value} {self.known_as}".rstrip()
        return self.known_as or self.role.value

    @property
    def line(self) -> str:
        """The message as text for a reader: its speaker, and the words, of which no line looks like a speaker's."""
        return f"{self.who}: " + "\n  ".join(self.content.splitlines())


@dataclass(frozen=True, slots=True)
class Turn:
    """The messages of one exchange, as a caller posted them."""

    turn_id: str
    session_id: str
    messages: tuple[Message, ...]
    kind: TurnKind = TurnKind.TURN
    metadata: Mapping[str, object] = field(default_factory=dict)

    @property
    def persons(self) -> frozenset[str]:
        """The names of the persons who speak in it; "" is one without a name."""
        return frozenset(one.known_as for one in self.messages if one.role is Speaker.USER)

    @property
    def digest(self) -> str:
        """
        A fingerprint of the content: equal for a retry, different for anything else.

        The words of a tool call are made of its metadata, in which the order of keys does not count.
        """
        action = self.metadata.get(ACTION) if self.kind is TurnKind.ACTION else None
        is_call = isinstance(action, dict) and action.get("kind") == "tool_call"
        said = [
            [m.role, "" if is_call else m.content, m.timestamp and m.timestamp.isoformat(), m.name, m.id]
            for m in self.messages
        ]
        whole = json.dumps([self.session_id, self.kind, said, self.metadata], sort_keys=True, ensure_ascii=False)
        return hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn in the transcript: its position, the instant it was accepted (UTC), its size in tokens."""

    sequence: int
    accepted_at: datetime
    turn: Turn
    tokens: int = 0

    @property
    def occurred_at(self) -> datetime:
        """When it was said: the newest message's own time, else when it reached us."""
        spoken = [m.timestamp for m in self.turn.messages if m.timestamp is not None]
        return max(spoken, default=self.accepted_at)

    @property
    def is_remembered(self) -> bool:
        """Whether it belongs in the graph and the story."""
        return self.turn.kind in REMEMBERED

    @property
    def is_tool_call(self) -> bool:
        """Whether it is a tool call of an autonomous agent: what tires it."""
        found = self.turn.metadata.get(ACTION) if self.turn.kind is TurnKind.ACTION else None
        return isinstance(found, dict) and found.get("kind") == "tool_call"

    @property
    def importance(self) -> float | None:
        """How much a saved memory matters, from 0 to 1; None for everything that was not saved as one."""
        found = self.turn.metadata.get(IMPORTANCE) if self.turn.kind is TurnKind.MEMORY else None
        return float(found) if isinstance(found, int | float) else None

    @property
    def text(self) -> str:
        """Every message as text for a reader, thoughts and tool output too. Who said what is read from ``turn``."""
        return "\n".join(message.line for message in self.turn.messages)


def has_dot_step(id_: str) -> bool:
    """
    Whether an id of a session or turn has a step "." or "..", which HTTP clients take out of an address.

    httpx makes of ``…/minds/ada/sessions/..`` the address of the mind, and a DELETE would erase all of it.
    """
    return not _DOTS.isdisjoint(id_.split("/"))
