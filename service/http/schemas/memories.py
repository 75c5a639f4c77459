"""Memories that are saved on purpose: the body and its answer."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from service.http.schemas.fields import Answered, Body, Instant, SessionId, Text, TurnId

SAVES: dict[str, Any] = {
    "memories": [
        {
            "id": "note-17",
            "text": "Ada prefers trains to planes.",
            "importance": 0.8,
            "occurred_at": "2026-01-10T09:00:00Z",
        },
        {"id": "note-18", "text": "She said hello.", "importance": 0.05},
    ]
}


class MemoryIn(Body):
    """One sentence to remember."""

    id: TurnId | None = Field(None, description="The memory is stored once under this id, however often it is sent.")
    text: Annotated[Text, Field(min_length=1, max_length=4_000)] = Field(
        description="What to remember, understandable by itself."
    )
    importance: Annotated[float, Field(ge=0, le=1, strict=True, allow_inf_nan=False)] = Field(
        0.5, description="From 0 to 1: promises, bans, people and deadlines from 0.7 on. Below 0.1 it is not stored."
    )
    occurred_at: Instant | None = Field(None, description="When it happened; now if left out.")


class MemoriesIn(Body):
    """Memories to save, all of them or none."""

    session_id: SessionId = Field("memories", description="The conversation that they come from.")
    memories: Annotated[list[MemoryIn], Field(min_length=1, max_length=100)]

    model_config = Body.model_config | {"json_schema_extra": {"examples": [SAVES]}}


class MemorySavedOut(Answered):
    """A memory that is stored on disk."""

    index: int = Field(description="Its place in the request.")
    turn_id: str = Field(description="The id of its turn: yours, or a new one.")
    sequence: int
    accepted_at: datetime
    importance: float
    duplicate: bool = Field(description="Whether it had been saved before.")


class MemoryDropped(Answered):
    """A memory that was not stored, and why; or a kind of secret that was removed from one that was."""

    index: int
    reason: (
        Literal["below the write threshold", "empty", "injected", "heartbeat", "probe", "off_the_record"]
        | Annotated[str, Field(pattern="^secret: ", examples=["secret: card number"])]
    )


class MemoriesSaved(Answered):
    """What was saved, and what was not."""

    mind_id: str
    session_id: str
    memories: list[MemorySavedOut]
    dropped: list[MemoryDropped]


MEMORIES_SAVED: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "session_id": "memories",
    "memories": [
        {
            "index": 0,
            "turn_id": "note-17",
            "sequence": 2,
            "accepted_at": "2026-01-10T09:00:01.120000Z",
            "importance": 0.8,
            "duplicate": False,
        }
    ],
    "dropped": [{"index": 1, "reason": "below the write threshold"}],
}
