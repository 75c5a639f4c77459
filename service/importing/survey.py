"""What a file of conversations holds: its format, how much, from when, who speaks. Nothing is stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from consolidation.kernel.errors import InvalidRequest
from service.importing.formats import format_name, read_conversations
from service.importing.parts import ID_TAKEN, TakenIds, parts_of
from service.importing.results import FoundTurn, Skipped
from service.importing.times import UNDATED, has_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime, tzinfo
    from pathlib import Path

    from consolidation.kernel.turns import Turn

_MOST_SPEAKERS = 20
_MOST_REASONS, _MOST_PLACES = 20, 5
_LONGEST_OPENING, _LONGEST_REASON, _LONGEST_PLACE = 200, 300, 300
_NOT_STORABLE = "a turn that can not be stored"
_OTHERS = "other reasons"


@dataclass(frozen=True, slots=True)
class SkippedItems:
    """How many items gave no turn, or no time, for one reason, and the places of the first ones."""

    reason: str
    count: int
    places: tuple[str, ...]


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
class _Places:
    count: int = 0
    first: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Counts:
    """``folder`` is where the file lies; places are named without it."""

    folder: str
    sessions: set[str] = field(default_factory=set)
    turns: int = 0
    messages: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None
    speakers: dict[str, None] = field(default_factory=dict)
    skipped: dict[str, _Places] = field(default_factory=dict)
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

    def skip(self, item: Skipped) -> None:
        reason = item.reason[:_LONGEST_REASON]
        reason = reason if reason in self.skipped or len(self.skipped) < _MOST_REASONS else _OTHERS
        places = self.skipped.setdefault(reason, _Places())
        places.count += 1
        if len(places.first) < _MOST_PLACES:
            places.first.append(item.place.removeprefix(self.folder)[:_LONGEST_PLACE])

    def skipped_items(self) -> Iterator[SkippedItems]:
        """Those of the most frequent reasons first."""
        for reason, places in sorted(self.skipped.items(), key=lambda one: -one[1].count):
            yield SkippedItems(reason, places.count, tuple(places.first))


def survey(path: Path, *, zone: tzinfo | None = None, check: Callable[[Turn], None], now: datetime) -> Survey:
    """
    Read a file or a zip once, times without a zone in *zone*. Blocking. Raises ImportUnreadable.

    *check* raises InvalidRequest for a turn that can not be stored: it counts as skipped, with the reason.
    """
    counts = _Counts(folder=f"{path.parent}/")
    ids = TakenIds()
    found = format_name(path)
    for item in read_conversations(path, zone=zone):
        if not isinstance(item, FoundTurn):
            counts.skip(item)
        elif ids.conflict_with(item):
            counts.skip(Skipped(item.where, f"{_NOT_STORABLE}: {ID_TAKEN}", item.turn.turn_id))
        else:
            for turn in parts_of(item.dated(now)):
                try:
                    check(turn)
                except InvalidRequest as fault:
                    counts.skip(Skipped(item.where, f"{_NOT_STORABLE}: {fault}"))
                else:
                    counts.add(turn)
                    if not has_time(turn):
                        counts.skip(Skipped(item.where, UNDATED))
    return Survey(
        format=found,
        sessions=len(counts.sessions),
        turns=counts.turns,
        messages=counts.messages,
        first_at=counts.first_at,
        last_at=counts.last_at,
        speakers=tuple(counts.speakers),
        skipped=tuple(counts.skipped_items()),
        opening=counts.opening,
    )
