"""The status of the service and its minds."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from service.http.schemas.examples import NO_COST
from service.http.schemas.fields import Answered
from service.http.schemas.minds import OutcomeCounts
from service.http.schemas.resonance import UsageOut

CALL: dict[str, Any] = {
    "at": "2026-01-12T08:59:58Z",
    "role": "narrative",
    "model": "openai/gpt-4o-mini",
    "host": "its provider's own",
    "streamed": True,
    "first_words_ms": 640,
    "ms": 5210,
    "prompt_tokens": 3120,
    "completion_tokens": 412,
    "cost_usd": 0.0007,
    "outcome": "answered",
    "finish": "stop",
    "reason": None,
}

STANDING: dict[str, Any] = {
    "version": "0.1.0",
    "started_at": "2026-01-12T08:00:00Z",
    "now": "2026-01-12T09:00:00Z",
    "dependencies": [{"name": "graph", "trouble": None, "breaker": "closed"}],
    "model_calls": [],
    "learnt": {
        "surfaced": 1,
        "outcomes": {"acted": 1, "used": 0, "deferred": 0, "dismissed": 0, "contradicted": 0},
    },
    "minds": [
        {
            "mind_id": "global-user-memory",
            "turns": 1,
            "sessions": 1,
            "lag": {"indexing": 0, "saving": 0, "extracting": 0},
            "waiting_for": None,
            "parked": 0,
            "story": {
                "pending_turns": 1,
                "pending_tokens": 17,
                "is_running": False,
                "received": 0,
                "waiting_for": None,
            },
            "resonance": {"calls": 1, "surfaced": 1, "last_at": "2026-01-12T09:00:00Z", "last_surfaced": True},
            "agent": {"actions": 0, "fatigue": "rested", "dreams": 0, "last_dream_at": None},
            "usage": NO_COST,
        }
    ],
    "next_cursor": None,
}


class DependencyOut(Answered):
    """A dependency of the service."""

    name: str
    trouble: str | None = Field(description="Why it does not work; null if it works, as far as is known.")
    breaker: Literal["closed", "half_open", "open"] | None = Field(
        description="The state of its circuit breaker, if it has one."
    )


class ModelCallOut(Answered):
    """A call to a model that has ended."""

    at: datetime = Field(description="When it began.")
    role: Literal["chat", "subconscious", "narrative", "extraction", "transcription"]
    model: str
    host: str = Field(description="Where the model was asked, without path or key.")
    streamed: bool
    first_words_ms: int | None = Field(description="How long the first words of a stream took.")
    ms: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    outcome: Literal["answered", "failed", "given_up"] = Field(
        description="`given_up`: nobody waited for it any longer, since the deadline came first."
    )
    finish: str | None = Field(description="Why the answer ended, as the provider says.")
    reason: str | None = Field(description="Why it failed.")

    model_config = Answered.model_config | {"json_schema_extra": {"examples": [CALL]}}


class LagOut(Answered):
    """The number of turns that each lane has not processed yet."""

    indexing: int = Field(description="Turns that can not be found by their words yet.")
    saving: int = Field(description="Turns that can not be found by their meaning yet.")
    extracting: int = Field(description="Turns whose facts are not extracted yet.")


class ResonanceStandingOut(Answered):
    """The results of the newest pre-turn calls, up to 200."""

    calls: int
    surfaced: int = Field(description="The number of calls in which something surfaced.")
    last_at: datetime | None = Field(description="The time of the last call.")
    last_surfaced: bool | None


class StoryStandingOut(Answered):
    """What waits for the story."""

    pending_turns: int
    pending_tokens: int
    is_running: bool
    received: int = Field(description="Characters of the answer that the model is writing now; 0 between answers.")
    waiting_for: str | None = Field(description="Why the last run stopped early, if it did.")


class AgentStandingOut(Answered):
    """How an autonomous agent is. A mind without one has done nothing."""

    actions: int = Field(description="Tool calls since its last dream.")
    fatigue: Literal["rested", "tired", "exhausted"]
    dreams: int
    last_dream_at: datetime | None


class MindStandingOut(Answered):
    """
    The status of one mind, as far as it is known without asking the graph. Where nothing of it is known now, all but
    `waiting_for` is null.
    """

    mind_id: str
    turns: int | None
    sessions: int | None
    lag: LagOut | None
    waiting_for: str | None = Field(
        description="Why it is behind, if something fails; or why nothing is known of it, as of a worker that is away."
    )
    parked: int | None
    story: StoryStandingOut | None
    resonance: ResonanceStandingOut | None
    agent: AgentStandingOut | None
    usage: UsageOut | None = Field(description="What model calls for it cost since the service started.")

    @classmethod
    def of_unknown(cls, mind_id: str, *, reason: str) -> MindStandingOut:
        """A mind of which nothing is known now, and why."""
        unknown = dict.fromkeys(cls.model_fields)
        return cls.model_validate(unknown | {"mind_id": mind_id, "waiting_for": reason})


class LearntOut(Answered):
    """How many memories surfaced since the start, and what became of them, as far as somebody reported or noticed."""

    surfaced: int
    outcomes: OutcomeCounts


class StandingOut(Answered):
    """The service, its dependencies and its minds."""

    version: str
    started_at: datetime
    now: datetime
    dependencies: list[DependencyOut] = Field(description="Only for keys that may see all minds; empty for others.")
    model_calls: list[ModelCallOut] = Field(
        description="The model calls that ended last, up to 20, newest first; only for keys that may see all minds."
    )
    learnt: LearntOut | None = Field(description="Only for keys that may see all minds; null for others.")
    minds: list[MindStandingOut]
    next_cursor: str | None = Field(description="Where the next page of minds begins; null at the end.")
