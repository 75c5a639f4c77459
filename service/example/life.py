"""
The example life: what Ann, a made-up person, and her bot Ada told each other in about seven months.

The file counts days back from the last session, so that the life can end on any day. It was written for this project.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cache
from itertools import batched
from pathlib import Path
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Message, Speaker, Turn

if TYPE_CHECKING:
    from datetime import date

_FOLDER = Path(__file__).parent
_ROLES = {"Ann": Speaker.USER, "Ada": Speaker.ASSISTANT}


@dataclass(frozen=True, slots=True)
class Exchange:
    """
    A turn of the life: what Ann said, and what Ada answered. It was ``days`` before the last session.

    ``facts`` are what it tells, each as a source, a relation, a target and a sentence; ``ends`` are the sentences of
    earlier facts that are not true any more from then on.
    """

    turn_id: str
    session_id: str
    days: int
    said: tuple[tuple[str, time, str], ...]
    facts: tuple[tuple[str, str, str, str], ...] = ()
    ends: tuple[str, ...] = ()

    def dated(self, last_day: date) -> Turn:
        """The turn, of a life whose last session was on *last_day*. Times are UTC."""
        day = last_day - timedelta(days=self.days)
        messages = tuple(
            Message(_ROLES[who], text, datetime.combine(day, at, UTC), name=who) for who, at, text in self.said
        )
        return Turn(self.turn_id, self.session_id, messages, metadata={"source": "example"})


@cache
def read_life() -> tuple[Exchange, ...]:
    """Every turn of the life, in order. Reads a file."""
    lines = [json.loads(line) for line in (_FOLDER / "life.jsonl").read_text(encoding="utf-8").splitlines()]
    return tuple(
        Exchange(
            turn_id=f"example-{number:03}",
            session_id=pair[0]["session"],
            days=pair[0]["days"],
            said=tuple((one["who"], time.fromisoformat(one["at"]), one["text"]) for one in pair),
            facts=tuple(tuple(fact) for fact in pair[0].get("facts", ())),
            ends=tuple(pair[0].get("ends", ())),
        )
        for number, pair in enumerate(batched(lines, 2), start=1)
    )


@cache
def read_names() -> dict[str, tuple[str, ...]]:
    """Everybody and everything that the facts of the life join, by kind. Reads a file."""
    found = json.loads((_FOLDER / "names.json").read_text(encoding="utf-8"))
    return {kind: tuple(names) for kind, names in found.items()}
