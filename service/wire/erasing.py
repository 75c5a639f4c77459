"""What an erase did, over the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from service.wire.fields import Answered


class ErasedCount(Answered):
    """So much of one kind went from one place."""

    place: str
    unit: str
    count: int


class ErasedOut(Answered):
    """The receipt of an erase; while it waits for something, what it waits for."""

    mind_id: str
    session_id: str | None = Field(description="The session that was erased; null where more was, or one turn.")
    turn_id: str | None = Field(description="The turn that was erased; null where more was.")
    began_at: datetime | None = Field(description="When it began, while it goes on.")
    erased_at: datetime | None = Field(description="When nothing of it was left; null while it goes on.")
    verified: bool = Field(
        description="A last search found nothing, and the graph's server has written its files anew."
    )
    waiting_for: str | None = Field(description="Why it is not done; it goes on by itself, also after a restart.")
    erased: list[ErasedCount]
    peoples_files: list[str] = Field(description="Files a person wrote in the mind's folder, that went with it.")
    edited_by_person: list[str] = Field(description="Chapters that a person edited: they stay, and may tell of it.")
    left: list[str] = Field(description="What still shows it and is a person's: theirs to deal with.")
    append_only_file: str = Field(description="`rewritten`, `off`, or why the graph's server did not.")
    snapshot: str = Field(description="`saved`, `off`, or why the graph's server did not.")
    found: list[str] = Field(description="Where the last search still found something.")


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
