"""What a mind holds, and how far its digestion is; what it remembers on purpose."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from service.wire.fields import Answered
from service.wire.resonance import SourceOut, UsageOut


class ParkedOut(Answered):
    """A turn that no model could read; it is kept and found as it was said."""

    sequence: int
    turn_id: str
    error: str
    attempts: int
    parked_at: datetime


class GraphOut(Answered):
    """How far the graph is."""

    available: bool
    sequence: int = Field(description="The last turn whose facts are in the graph.")
    saved: int = Field(description="The last turn that can be recalled as it was said.")
    lag: int = Field(description="Turns that wait to be read.")
    waiting_for: str | None = Field(description="Why it is behind, when something fails.")
    parked: list[ParkedOut]
    episodes: int
    entities: int
    facts: int


class StoryOut(Answered):
    """How far the story is."""

    sequence: int = Field(description="The last turn that is told.")
    pending_turns: int
    pending_tokens: int
    words: int
    chapters: int
    last_processed: datetime | None = Field(description="The time of the newest that is told, below all that waits.")
    waiting_for: str | None = Field(description="Why the last run stopped early, when it did.")


class TextOut(Answered):
    """How far full text is."""

    sequence: int = Field(description="The last turn that is found by its words.")
    facts: int = Field(description="The last turn whose facts are found by theirs.")


class DamageOut(Answered):
    """A line of the transcript that was not what had been written."""

    file: str
    offset: int
    length: int
    reason: str
    aside: str


class MindOut(Answered):
    """One mind."""

    mind_id: str
    turns: int
    sessions: int
    last_sequence: int
    graph: GraphOut
    story: StoryOut
    text: TextOut
    damaged: list[DamageOut]
    usage: UsageOut


class MindListed(Answered):
    """One line of the list."""

    mind_id: str
    turns: int
    sessions: int


class MindsOut(Answered):
    """Every mind there is."""

    minds: list[MindListed]


class MemoryOut(Answered):
    """Something remembered."""

    id: str
    kind: Literal["fact", "entity", "episode"]
    text: str
    occurred_at: datetime | None
    valid_at: datetime | None
    invalid_at: datetime | None
    score: float
    sources: list[SourceOut]


class RememberedOut(Answered):
    """What was found, best first."""

    memories: list[MemoryOut]
    degraded: list[str]


class TracesOut(Answered):
    """The newest resonances, newest first."""

    traces: list[dict[str, Any]]


class Retried(Answered):
    """How many parked turns will be tried again."""

    retrying: int
