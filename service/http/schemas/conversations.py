"""Sessions and turns in pages: what is asked, what is answered."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from service.http.schemas.corrections import DecisionOut
from service.http.schemas.fields import Answered, SessionId

_MOST_SEQUENCE = 2**53
CURSOR = "`next_cursor` of the page before."
NEXT = "Pass it as `cursor` for the next page; null at the end."


class SessionsAsked(BaseModel):
    """Which sessions, as the query of a request."""

    model_config = ConfigDict(frozen=True)

    before: int | None = Field(
        None, ge=1, le=_MOST_SEQUENCE, description="Sessions as they stood before this sequence."
    )
    cursor: str | None = Field(None, max_length=4000, description=CURSOR)
    limit: int = Field(50, ge=1, le=500)


class SessionOut(Answered):
    """A session."""

    session_id: str
    first_at: datetime = Field(description="When its first turn was said.")
    last_at: datetime
    turns: int
    speakers: list[str] = Field(description="Names, or roles where there is no name, of those who speak in it.")
    opening: str = Field(description="The first words of the first message that is remembered, at most 200 characters.")


class SessionsOut(Answered):
    """A page of sessions, the one with the newest turn first."""

    items: list[SessionOut]
    next_cursor: str | None = Field(description=NEXT)


class TurnsAsked(BaseModel):
    """Which turns, as the query of a request."""

    model_config = ConfigDict(frozen=True)

    session_id: SessionId | None = Field(None, description="Only this session.")
    after: int | None = Field(
        None, ge=0, le=_MOST_SEQUENCE, description="Only above this sequence, oldest first. Without it, newest first."
    )
    before: int | None = Field(None, ge=1, le=_MOST_SEQUENCE, description="Only below this sequence.")
    cursor: str | None = Field(
        None, max_length=4000, description=f"{CURSOR} Everything else is asked as it was for that page."
    )
    limit: int = Field(50, ge=1, le=500, description="A page of very long turns has fewer.")


class MessageOut(Answered):
    """One message of a turn, as it is kept."""

    role: str
    content: str
    timestamp: datetime | None
    name: str | None
    id: str | None


class DigestionOut(Answered):
    """How far the lanes are with a turn."""

    state: Literal["digested", "waiting", "parked", "not_remembered"] = Field(
        description="`not_remembered`: noise, or said off the record. `parked`: no model could read it; see `error`."
    )
    indexed: bool = Field(description="It can be found by its words.")
    saved: bool = Field(description="It can be found by its meaning.")
    extracted: bool = Field(description="A model has read entities and facts in it.")
    error: str | None = Field(description="Why it is parked.")


class ToldInOut(Answered):
    """A chapter of the story that tells a turn."""

    index: int = Field(description="Its place in the story, from 0.")
    heading: str
    digest: str


class TurnOut(Answered):
    """A turn as it is kept."""

    id: str = Field(description="As flashbacks and `remember` name it.")
    sequence: int
    turn_id: str
    session_id: str
    accepted_at: datetime
    occurred_at: datetime = Field(description="When it was said.")
    kind: str = Field(description="`turn`, `memory`, `action`, `import`, `heartbeat`, `probe` or `off_the_record`.")
    messages: list[MessageOut]
    metadata: dict[str, JsonValue]
    trace_id: str | None = Field(description="The trace of its pre-turn call, where one is kept.")
    digestion: DigestionOut
    chapters: list[ToldInOut] | None = Field(
        description="The chapters of ours that tell it; null if the story can not be read."
    )
    corrections: list[DecisionOut] = Field(
        description="What people decided of it, and of facts it told that are not to come up."
    )


class TurnsOut(Answered):
    """A page of turns."""

    items: list[TurnOut]
    next_cursor: str | None = Field(description=NEXT)


SESSIONS: dict[str, Any] = {
    "items": [
        {
            "session_id": "telegram:42",
            "first_at": "2026-01-09T18:30:05Z",
            "last_at": "2026-01-11T08:02:00Z",
            "turns": 14,
            "speakers": ["Ada", "assistant"],
            "opening": "My mother lives in Lyon.",
        }
    ],
    "next_cursor": None,
}
TURN: dict[str, Any] = {
    "id": "episode:1",
    "sequence": 1,
    "turn_id": "2026-01-09-0001",
    "session_id": "telegram:42",
    "accepted_at": "2026-01-09T18:30:06Z",
    "occurred_at": "2026-01-09T18:30:05Z",
    "kind": "turn",
    "messages": [
        {
            "role": "user",
            "content": "My mother lives in Lyon.",
            "timestamp": "2026-01-09T18:30:00Z",
            "name": "Ada",
            "id": None,
        },
        {
            "role": "assistant",
            "content": "How often do you see her?",
            "timestamp": "2026-01-09T18:30:05Z",
            "name": None,
            "id": None,
        },
    ],
    "metadata": {},
    "trace_id": "123a9221c574418e9e73e0d4b95b30b0",
    "digestion": {"state": "digested", "indexed": True, "saved": True, "extracted": True, "error": None},
    "chapters": [],
    "corrections": [],
}
TURNS: dict[str, Any] = {"items": [TURN], "next_cursor": None}
