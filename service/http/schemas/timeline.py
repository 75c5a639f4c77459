"""What each day or week brought to a mind."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

from pydantic import Field

from service.http.schemas.fields import Answered, Body, Instant

TIMELINE: dict[str, Any] = {
    "buckets": [
        {
            "start": "2026-01-09",
            "turns": 1,
            "facts_learned": 1,
            "facts_ended": 0,
            "chapters": 1,
            "resonance": {
                "calls": 1,
                "surfaced": 1,
                "silent": 0,
                "degraded": {},
                "p50_ms": 31.4,
                "p95_ms": 31.4,
                "tokens": 0,
                "cost_usd": 0.0,
            },
        }
    ]
}


class TimelineAsked(Body):
    """Which days are meant."""

    bucket: Literal["day", "week"] = "day"
    since: Instant | None = Field(
        None,
        description="Its day is the first; 90 days before the last, if left out.",
        examples=["2026-01-01T00:00:00Z"],
    )
    until: Instant | None = Field(None, description="Its day is the last; today if left out.")


class CallFiguresOut(Answered):
    """Pre-turn calls: what came of them, how long they took, what their models cost."""

    calls: int
    surfaced: int
    silent: int
    degraded: dict[str, int] = Field(description="Calls that took each step down.")
    p50_ms: float | None = Field(description="To a twentieth; null without calls.")
    p95_ms: float | None = Field(description="The same.")
    tokens: int
    cost_usd: float


class TimelineBucketOut(Answered):
    """One day, or the week that begins on `start`, a Monday. In UTC."""

    start: date
    turns: int = Field(description="Turns that occurred.")
    facts_learned: int = Field(description="Facts that were told for the first time.")
    facts_ended: int = Field(description="Facts that ceased to hold.")
    chapters: int = Field(description="Chapters of the story that begin.")
    resonance: CallFiguresOut


class TimelineOut(Answered):
    """What days or weeks brought, oldest first; those that brought nothing are left out."""

    buckets: list[TimelineBucketOut]
