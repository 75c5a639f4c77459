"""What reading an export yields: turns, skipped items, or an error if it can not be read at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from consolidation.kernel.errors import ImportUnreadable

if TYPE_CHECKING:
    from datetime import datetime

    from consolidation.kernel.turns import Turn

KNOWN_FORMATS = (
    "JSONL of our own (transcript lines, bodies of POST …/turns, or one message a line)",
    "ChatGPT's conversations.json, or the .zip it came in",
    "Claude.ai's conversations.json, or the .zip it came in",
    "ChatGPT's memories (memory.json, or a text with one a line, called memories.txt)",
    "Gemini's My Activity of Google Takeout (JSON, or the .zip it came in)",
    "WhatsApp's exported chats (.txt, or the .zip it came in)",
    "episodes, facts and entities of Graphiti, or threads of Zep (JSON)",
    "memories of mem0 (what get_all answers) or OpenMemory (the .zip of its backup)",
    "session files of OpenClaw, pi or Claude Code (.jsonl)",
)


@dataclass(frozen=True, slots=True)
class FoundTurn:
    """
    A turn of the export, and the place it was read from.

    ``earlier`` are ids under which it, or its first messages, may be stored from an earlier export. Where the export
    names no conversation, ``alike`` is how the sessions begin in which its messages may be stored. ``file`` is where
    it was read, as far as no two turns there can be stored as one. ``near`` is when its session was at this place, as
    far as it is known; ids are not made from it, and messages are not recognised by it.
    """

    turn: Turn
    where: str
    earlier: tuple[str, ...] = ()
    alike: str = ""
    file: str = ""
    near: datetime | None = None

    def dated(self, now: datetime) -> Turn:
        """The turn as it is stored: where no message of it has a time, each has ``near``, unless it is after *now*."""
        if self.near is None or self.near > now or any(message.timestamp for message in self.turn.messages):
            return self.turn
        return replace(self.turn, messages=tuple(replace(one, timestamp=self.near) for one in self.turn.messages))


@dataclass(frozen=True, slots=True)
class Skipped:
    """
    An item of the export that gives no turn, or a message no time, and why. It never stops the import.

    ``value`` is what stands there, where the reason alone does not say it. ``is_damage``: it could not be read, so that
    nobody knows what is lost.
    """

    where: str
    reason: str
    value: str = ""
    is_damage: bool = False

    @property
    def place(self) -> str:
        """Where it is, and what stands there."""
        return f"{self.where}, {self.value!r}" if self.value else self.where


ImportItem = FoundTurn | Skipped


def unreadable(where: str, *, found: str) -> ImportUnreadable:
    """The error for a path that can not be read, or holds none of KNOWN_FORMATS."""
    return ImportUnreadable(where, found=found, known_formats=KNOWN_FORMATS)
