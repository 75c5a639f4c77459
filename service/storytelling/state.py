"""A story and how far it is, at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from consolidation.story.chapters import Book


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
