"""How everything stands, at a glance."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from service.wire.examples import NO_COST
from service.wire.fields import Answered
from service.wire.resonance import UsageOut

STANDING: dict[str, Any] = {
    "version": "0.1.0",
    "started_at": "2026-01-12T08:00:00Z",
    "now": "2026-01-12T09:00:00Z",
    "dependencies": [{"name": "graph", "trouble": None, "breaker": "closed"}],
    "minds": [
        {
            "mind_id": "global-user-memory",
            "turns": 1,
            "sessions": 1,
            "lag": {"indexing": 0, "saving": 0, "extracting": 0},
            "waiting_for": None,
            "parked": 0,
            "story": {"pending_turns": 1, "pending_tokens": 17, "is_running": False, "waiting_for": None},
            "resonance": {"calls": 1, "surfaced": 1, "last_at": "2026-01-12T09:00:00Z", "last_surfaced": True},
            "usage": NO_COST,
        }
    ],
}


class DependencyOut(Answered):
    """Something that is stood on."""

    name: str
    trouble: str | None = Field(description="Why it does not work; null where it does, as far as anybody knows.")
    breaker: Literal["closed", "half_open", "open"] | None = Field(description="Its breaker's state, if it has one.")


class LagOut(Answered):
    """Turns that a lane has still before it."""

    indexing: int = Field(description="Until they are found by their words.")
    saving: int = Field(description="Until they are found by their meaning.")
    extracting: int = Field(description="Until a model has read them.")


class ResonanceStandingOut(Answered):
    """What came of the newest pre-turn calls, up to 200."""

    calls: int
    surfaced: int = Field(description="In how many of them something surfaced.")
    last_at: datetime | None = Field(description="The moment that the last one was asked for.")
    last_surfaced: bool | None


class StoryStandingOut(Answered):
    """What waits to be told."""

    pending_turns: int
    pending_tokens: int
    is_running: bool
    waiting_for: str | None = Field(description="Why the last run stopped early, when it did.")


class MindStandingOut(Answered):
    """One mind, as far as it is known without asking the graph."""

    mind_id: str
    turns: int
    sessions: int
    lag: LagOut
    waiting_for: str | None = Field(description="Why it is behind, when something fails.")
    parked: int
    story: StoryStandingOut
    resonance: ResonanceStandingOut
    usage: UsageOut


class StandingOut(Answered):
    """The service, what it stands on, and its minds."""

    version: str
    started_at: datetime
    now: datetime
    dependencies: list[DependencyOut] = Field(description="For a key that sees all minds; empty for others.")
    minds: list[MindStandingOut]
