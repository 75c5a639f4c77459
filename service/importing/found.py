"""What reading an export finds: a turn, something skipped, or a file that can not be read at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.errors import InvalidRequest

if TYPE_CHECKING:
    from consolidation.kernel.turns import Turn

KNOWN_FORMATS = (
    "JSONL of our own (transcript lines, bodies of POST …/turns, or one message a line)",
    "ChatGPT's conversations.json, or the .zip it came in",
    "session files of OpenClaw, pi or Claude Code (.jsonl)",
    "LoCoMo's JSON",
)


@dataclass(frozen=True, slots=True)
class FoundTurn:
    """A turn of the export, and the place it was read from."""

    turn: Turn
    where: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something of the export that gives no turn, and why; never a reason to stop."""

    where: str
    reason: str


Found = FoundTurn | Skipped


class ImportUnreadable(InvalidRequest):
    """The path can not be read, or holds none of the formats we know; ``found`` says what was there instead."""

    def __init__(self, where: str, *, found: str) -> None:
        known = "; ".join(KNOWN_FORMATS)
        super().__init__(f"{where} can not be imported: {found}. Known formats: {known}.", pointer="path")
        self.where = where
        self.found = found
