"""What exports hold, counted before anything is posted: turns, sessions, days, what is skipped or unreadable."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from service.cli.terminal import err
from service.importing.formats import read_conversations
from service.importing.found import FoundTurn, ImportUnreadable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

_REASONS_KEPT = 5


@dataclass(slots=True)
class Survey:
    """The counts, growing while files are read; ``reasons`` are the first few of all that is ``skipped``."""

    turns: int = 0
    sessions: set[str] = field(default_factory=set)
    first: datetime | None = None
    last: datetime | None = None
    skipped: int = 0
    reasons: list[str] = field(default_factory=list)
    readable: list[Path] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def survey(paths: Sequence[Path], *, only: str | None) -> Survey:
    """Read every path once; one that can not be read is noted, the others go on."""
    found = Survey()
    with err().status("looking through the files") if err().is_terminal else nullcontext():
        for path in paths:
            try:
                _look(path, found, only=only)
            except ImportUnreadable as fault:
                found.unreadable.append(str(fault))
            else:
                found.readable.append(path)
    return found


def _look(path: Path, found: Survey, *, only: str | None) -> None:
    for one in read_conversations(path, only=only):
        if isinstance(one, FoundTurn):
            found.turns += 1
            found.sessions.add(one.turn.session_id)
            for message in one.turn.messages:
                if message.timestamp is not None:
                    found.first = min(found.first or message.timestamp, message.timestamp)
                    found.last = max(found.last or message.timestamp, message.timestamp)
        else:
            found.skipped += 1
            if len(found.reasons) < _REASONS_KEPT:
                found.reasons.append(f"{one.where}: {one.reason}")
