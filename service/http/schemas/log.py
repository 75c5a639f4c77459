"""The log: messages that hold the words of a search."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from service.http.schemas.corrections import DecisionOut
from service.http.schemas.fields import ZONE_OF_DAYS, Answered, Instant, Question, SessionId, Zone
from service.mind.own_settings import Language
from service.retrieval.log_search import CURSOR

CYCLE = "cycle"
_INSTANT = TypeAdapter(Instant)


def _cycle_or_instant(value: object) -> object:
    if value == CYCLE:
        return value
    try:
        return _INSTANT.validate_python(value)
    except ValidationError as error:
        reason = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise ValueError(f"must be `cycle`, or a time: {reason}") from error


CycleOrInstant = Annotated[Literal["cycle"] | datetime, BeforeValidator(_cycle_or_instant)]


class LogSearch(BaseModel):
    """What to look for in the log, as the query of a request."""

    model_config = ConfigDict(frozen=True)

    query: Question = Field(
        description="The words as they stand in the log, in any case. No pattern.", examples=["in lyon"]
    )
    session_id: SessionId | None = Field(None, description="Only this session.")
    role: Literal["user", "assistant", "system", "tool", "thought"] | None = Field(
        None, description="Only messages of this role."
    )
    since: Instant | None = Field(None, description="Said at or after this time.")
    until: Instant | None = Field(None, description="Said at or before this time.")
    exclude_from: CycleOrInstant | None = Field(
        None,
        description="Leave out what was said at this time and later: what the bot still sees. `cycle` leaves out what "
        "was stored since the agent last woke.",
    )
    limit: int = Field(5, ge=1, le=100)
    context: int = Field(1, ge=0, le=5, description="Messages before and after each, of its session.")
    cursor: str | None = Field(None, pattern=CURSOR, description="`next_cursor` of the page before.")
    timezone: Zone | None = Field(None, description=ZONE_OF_DAYS)
    language: Language | None = Field(
        None, description="The language of `age`, like `de`; that of the query, or the mind's, if left out."
    )


class LogLineOut(Answered):
    """A message around one that was found."""

    role: str
    name: str | None
    at: datetime
    text: str = Field(description="The message, cut after 300 characters.")


class LogItem(Answered):
    """A message that holds the words."""

    sequence: int
    turn_id: str
    session_id: str
    kind: str = Field(description="The kind of its turn: `turn`, `memory`, `import`, `heartbeat` or `probe`.")
    role: str
    name: str | None
    at: datetime = Field(description="When it was said; when it was stored if the message has no time of its own.")
    age: str = Field(description="How long ago that was, in words. Empty for a time in the future.")
    date: str = Field(description="The date in the same language.")
    cycles_ago: int | None = Field(description="How many sleeps of the agent ago; null if it never slept.")
    text: str = Field(
        description="The message, or the line that a tool printed, cut to about 600 characters around the words."
    )
    before: list[LogLineOut] = Field(description="The messages before it in its session, oldest first.")
    after: list[LogLineOut]
    corrections: list[DecisionOut] = Field(
        description="What people decided of its turn, and of facts it told that are not to come up."
    )


class LogOut(Answered):
    """What was found, newest first."""

    items: list[LogItem]
    next_cursor: str | None = Field(description="Pass it as `cursor` for older items; null at the end of the log.")
    degraded: list[str] = Field(
        description="`deadline` if time ran out; `next_cursor` says where to go on. `database_unavailable` if the "
        "newest messages may be missing."
    )


LOG_FOUND: dict[str, Any] = {
    "items": [
        {
            "sequence": 1,
            "turn_id": "2026-01-09-0001",
            "session_id": "telegram:42",
            "kind": "turn",
            "role": "user",
            "name": None,
            "at": "2026-01-09T18:30:00Z",
            "age": "a few days ago",
            "date": "Jan 9",
            "cycles_ago": None,
            "text": "My mother lives in Lyon.",
            "before": [],
            "after": [
                {
                    "role": "assistant",
                    "name": None,
                    "at": "2026-01-09T18:30:05Z",
                    "text": "How often do you see her?",
                }
            ],
            "corrections": [],
        }
    ],
    "next_cursor": None,
    "degraded": [],
}
