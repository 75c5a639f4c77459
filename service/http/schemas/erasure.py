"""The receipt of an erasure."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from service.http.schemas.fields import Answered


class ErasedCount(Answered):
    """How many items of one kind were erased from one place."""

    place: str
    unit: str
    count: int


class ErasedOut(Answered):
    """The receipt of an erasure, or, while it is not finished, what it waits for."""

    mind_id: str
    session_id: str | None = Field(description="The erased session; null if a mind or a single turn was erased.")
    turn_id: str | None = Field(description="The erased turn; null if more was erased.")
    began_at: datetime | None = Field(description="When the erasure began; null once it is finished.")
    erased_at: datetime | None = Field(description="When the erasure was finished; null while it goes on.")
    verified: bool = Field(description="Whether a final search found nothing and the graph's server rewrote its files.")
    waiting_for: str | None = Field(
        description="What the erasure waits for. It goes on by itself, also after a restart."
    )
    erased: list[ErasedCount]
    peoples_files: list[str] = Field(description="Files of people in the mind's folder that were erased with it.")
    edited_by_person: list[str] = Field(
        description="Chapters that a person edited. They stay, and may mention what was erased."
    )
    left: list[str] = Field(
        description="Files of people that still contain it, or can not be read. They are left to their owners."
    )
    append_only_file: str = Field(description="`rewritten`, `off`, or why the graph's server did not rewrite it.")
    snapshot: str = Field(description="`saved`, `off`, or why the graph's server did not save one.")
    found: list[str] = Field(description="Where the final search still found something, or could not look.")


class DoomedChapterOut(Answered):
    """A chapter that tells of what would be erased."""

    heading: str
    is_edited: bool = Field(description="Whether a person edited it. Then it stays, unless the whole mind is erased.")


class ErasurePreviewOut(Answered):
    """What an erasure would take. Nothing was changed."""

    dry_run: Literal[True] = True
    mind_id: str
    session_id: str | None
    turn_id: str | None
    turns: int
    facts: int | None = Field(description="Null while the graph is unavailable.")
    entities: int | None = Field(description="Null while the graph is unavailable.")
    chapters: list[DoomedChapterOut]
    files: list[str] = Field(description="Files of people and of the agent, and traces, that show it or go with it.")
    left: list[str] = Field(description="Those of `files` that are left to the people who own them.")
    traces: int
    corrections: int


ERASED: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "session_id": None,
    "turn_id": "2026-01-09-0001",
    "began_at": None,
    "erased_at": "2026-01-12T09:30:00Z",
    "verified": True,
    "waiting_for": None,
    "erased": [
        {"place": "transcript", "unit": "turns", "count": 1},
        {"place": "text index", "unit": "turns", "count": 1},
        {"place": "story", "unit": "chapters", "count": 1},
        {"place": "graph", "unit": "episodes", "count": 1},
        {"place": "graph", "unit": "facts", "count": 1},
        {"place": "graph", "unit": "entities", "count": 3},
    ],
    "peoples_files": [],
    "edited_by_person": [],
    "left": [],
    "append_only_file": "rewritten",
    "snapshot": "off",
    "found": [],
}
ERASED_MIND: dict[str, Any] = {
    **ERASED,
    "turn_id": None,
    "erased": [
        {"place": "transcript", "unit": "files", "count": 1},
        {"place": "transcript", "unit": "bytes", "count": 412},
        {"place": "transcript", "unit": "turns", "count": 1},
        {"place": "people's files", "unit": "files", "count": 3},
        {"place": "graph", "unit": "episodes", "count": 1},
        {"place": "graph", "unit": "facts", "count": 1},
        {"place": "graph", "unit": "keys", "count": 2},
    ],
    "peoples_files": ["MEMORY.md", "SOUL.md", "memory/README.md"],
}
