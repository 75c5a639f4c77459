"""What an agent is handed when it wakes."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from consolidation.dreams.waking import LEAST_TOKENS, MOST_TOKENS, MOST_TOKENS_EVER
from service.http.schemas.fields import Answered, SessionId, Zone


class WakingQuery(BaseModel):
    """What is wanted of a waking, as the query of a request."""

    model_config = ConfigDict(frozen=True)

    session_id: SessionId | None = Field(None, description="The session that begins; it is not the last one then.")
    max_tokens: int = Field(
        MOST_TOKENS, ge=LEAST_TOKENS, le=MOST_TOKENS_EVER, description="How many tokens `text` takes at most."
    )
    timezone: Zone | None = Field(
        None, description="The time zone of the times in `text`; the agent's own if left out."
    )


class ObservationOut(Answered):
    """An observation that is in `text`."""

    level: str = Field(description="`RED`, `YLW` or `GRN`: critical, important, informational.")
    day: date
    at: str = Field(description="The time of that day, as the dream that wrote it had it.")
    text: str


class UnreadMessageOut(Answered):
    """A message of a person that was stored since the last dream."""

    at: datetime
    who: str = Field(description="The name, or `user`.")
    session_id: str
    text: str = Field(description="The message, cut after 500 characters.")


class LastSessionOut(Answered):
    """The session before this one."""

    session_id: str
    ended_at: datetime
    actions: int = Field(description="Its tool calls since the last dream, or those of that dream.")
    intent: str
    was_interrupted: bool = Field(description="Whether the agent acted in it and did not sleep afterwards.")


class WakingOut(Answered):
    """What an agent is handed when it wakes."""

    woke_at: datetime | None = Field(
        description="When the last sleep ended, or is to end; null if the agent never slept."
    )
    slept_seconds: float
    cycle: int
    reason: str
    reflection: str = Field(description="What the last dream with words came to.")
    priority: str
    priorities: list[str]
    observations: list[ObservationOut] = Field(description="Those in `text`, RED first.")
    left_out: int = Field(description="How many observations there are besides.")
    rules: list[str]
    briefing: str
    unread_messages: list[UnreadMessageOut] = Field(
        description="The newest ten messages of people that were stored since the last dream, newest first."
    )
    last_session: LastSessionOut | None
    pointers: dict[str, str] = Field(description="Where the rest can be read, by name.")
    text: str = Field(description="All of it, ready to be put in front of a conversation.")
    etag: str


WAKING: dict[str, Any] = {
    "woke_at": "2026-01-10T07:00:00Z",
    "slept_seconds": 3600.0,
    "cycle": 4,
    "reason": "",
    "reflection": "I rebuilt the index twice before I read the error.",
    "priority": "Send Ann the report.",
    "priorities": ["The report for Ann"],
    "observations": [{"level": "RED", "day": "2026-01-09", "at": "18:30", "text": "Promised Ann the report by Friday"}],
    "left_out": 0,
    "rules": ["Read the error before the second attempt"],
    "briefing": "The import is half done.",
    "unread_messages": [
        {
            "at": "2026-01-09T18:30:00Z",
            "who": "user",
            "session_id": "telegram:42",
            "text": "My mother lives in Lyon.",
        }
    ],
    "last_session": {
        "session_id": "telegram:42",
        "ended_at": "2026-01-09T18:30:06.120000Z",
        "actions": 0,
        "intent": "",
        "was_interrupted": False,
    },
    "pointers": {
        "log": "/v1/minds/global-user-memory/log",
        "remember": "/v1/minds/global-user-memory/remember",
        "observations": "/v1/minds/global-user-memory/observations",
        "diary": "/v1/minds/global-user-memory/journal/file?path=diary.md",
        "story": "/v1/minds/global-user-memory/story",
    },
    "text": "[MY WAKING]\nYou woke on Sat 2026-01-10 07:00+00:00, after 3600 seconds of sleep. …\n[END OF MY WAKING]",
    "etag": '"5f1a0c3e9d2b47a68c10e4f7"',
}
