"""A story and how far it is, at one moment; and what is known of its telling since the service began."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from consolidation.story.chapters import Book
    from consolidation.story.run import Run


@dataclass(frozen=True, slots=True)
class StoryState:
    """A story and how far it is: the last sequence told, what waits, which chapters are in our words."""

    text: str
    book: Book
    ours: frozenset[str]
    sequence: int
    last_processed: datetime | None
    pending_turns: int
    pending_tokens: int


@dataclass(slots=True)
class Spell:
    """What is known of one mind's story since the service began; ``owed`` are tokens below its cursor."""

    told: int
    heard_at: float
    owed: int = 0
    run: Run | None = None
    tasks: int = 0
    failures: int = 0
    failed_at: float = 0.0
    is_settled: bool = False
