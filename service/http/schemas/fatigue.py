"""How tired an agent was, over days."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from service.http.schemas.fields import Answered


class FatiguePointOut(Answered):
    """How tired it was at an instant."""

    at: datetime
    actions: int = Field(description="The tool calls since the dream before; 0 with each dream.")


class PastSleepOut(Answered):
    """A sleep that is over."""

    kind: Literal["nap", "lightweight", "dream", "deep_sleep"]
    asleep_at: datetime
    woke_at: datetime


class FatigueOut(Answered):
    """How tired an agent was, oldest first, and when it slept. Of a long day, some calls are left out."""

    mind_id: str
    since: datetime
    until: datetime
    warning: int = Field(description="From so many tool calls on it is tired.")
    limit: int = Field(description="From so many on it has to sleep.")
    points: list[FatiguePointOut]
    sleeps: list[PastSleepOut]
    asleep_since: datetime | None = Field(description="When it fell asleep, if it sleeps now.")


FATIGUE: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "since": "2026-01-03T09:00:00Z",
    "until": "2026-01-10T09:00:00Z",
    "warning": 60,
    "limit": 80,
    "points": [
        {"at": "2026-01-09T18:30:00Z", "actions": 1},
        {"at": "2026-01-09T19:02:00Z", "actions": 34},
        {"at": "2026-01-09T19:02:10Z", "actions": 0},
        {"at": "2026-01-10T09:00:00Z", "actions": 0},
    ],
    "sleeps": [{"kind": "dream", "asleep_at": "2026-01-09T19:02:05Z", "woke_at": "2026-01-09T19:12:05Z"}],
    "asleep_since": None,
}
