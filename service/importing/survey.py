"""What a file of conversations holds: its format, how much, from when, who speaks. Nothing is stored."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from consolidation.kernel.errors import InvalidRequest
from service.importing.formats import format_name, read_conversations
from service.importing.parts import parts_of
from service.importing.results import FoundTurn

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, tzinfo
    from pathlib import Path

    from consolidation.kernel.turns import Turn

_MOST_SPEAKERS = 20
_MOST_REASONS = 20
_LONGEST_OPENING, _LONGEST_REASON = 200, 300
_OTHERS = "other reasons"


@dataclass(frozen=True, slots=True)
class SkippedItems:
    """How many items gave no turn, or no time, for one reason."""

    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class Survey:
    """
    What a file holds. ``first_at`` and ``last_at`` are None where no message has a time.

    ``speakers`` are names, or roles of those without a name. ``opening`` is how the first turn begins.
    """

    format: str
    sessions: int
    turns: int
    messages: int
    first_at: datetime | None
    last_at: datetime | None
    speakers: tuple[str, ...]
    skipped: tuple[SkippedItems, ...]
    opening: str


@dataclass(slots=True)
class _Counts:
    sessions: set[str] = field(default_factory=set)
    turns: int = 0
    messages: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None
    speakers: dict[str, None] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    opening: str = ""

    def add(self, turn: Turn) -> None:
        self.sessions.add(turn.session_id)
        self.turns += 1
        self.messages += len(turn.messages)
        for message in turn.messages:
            if len(self.speakers) < _MOST_SPEAKERS:
                self.speakers[message.name or message.role.value] = None
            self.opening = self.opening or " ".join(message.content.split())[:_LONGEST_OPENING]
            if message.timestamp is not None:
                self.first_at = min(self.first_at or message.timestamp, message.timestamp)
                self.last_at = max(self.last_at or message.timestamp, message.timestamp)

    def skip(self, reason: str) -> None:
        reason = reason[:_LONGEST_REASON]
        self.skipped[reason if reason in self.skipped or len(self.skipped) < _MOST_REASONS else _OTHERS] += 1


def survey(path: Path, *, zone: tzinfo | None = None, check: Callable[[Turn], None]) -> Survey:
    """
    Read a file or a zip once, times without a zone in *zone*. Blocking. Raises ImportUnreadable.

    *check* raises InvalidRequest for a turn that can not be stored: it counts as skipped, with the reason.
    """
    counts = _Counts()
    found = format_name(path)
    for item in read_conversations(path, zone=zone):
        if not isinstance(item, FoundTurn):
            counts.skip(item.reason)
            continue
        for turn in parts_of(item.turn):
            try:
                check(turn)
            except InvalidRequest as fault:
                counts.skip(f"a turn that can not be stored: {fault}")
            else:
                counts.add(turn)
    return Survey(
        format=found,
        sessions=len(counts.sessions),
        turns=counts.turns,
        messages=counts.messages,
        first_at=counts.first_at,
        last_at=counts.last_at,
        speakers=tuple(counts.speakers),
        skipped=tuple(SkippedItems(reason, count) for reason, count in counts.skipped.most_common()),
        opening=counts.opening,
    )
