"""The state of minds, and recall on purpose."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from service.http.schemas.corrections import DecisionOut
from service.http.schemas.fields import Answered
from service.http.schemas.resonance import NoteOut, PersonOut, SourceOut, UsageOut
from service.http.schemas.settings import SettingsFaultOut
from service.http.schemas.sleep import SleepStatusOut


class ParkedOut(Answered):
    """A turn whose extraction failed too often. It is stored, and found by its words."""

    sequence: int
    turn_id: str
    error: str
    attempts: int
    parked_at: datetime


class GraphOut(Answered):
    """The progress of the graph."""

    available: bool
    sequence: int = Field(description="The last turn whose facts are in the graph.")
    saved: int = Field(description="The last turn that is saved as an episode.")
    lag: int = Field(description="Turns that wait for extraction, or to be embedded anew.")
    waiting_for: str | None = Field(description="Why it is behind, if something fails.")
    parked: list[ParkedOut]
    episodes: int
    entities: int
    facts: int


class StoryOut(Answered):
    """The progress of the story."""

    sequence: int = Field(description="The last turn that is in the story.")
    pending_turns: int
    pending_tokens: int
    words: int
    chapters: int
    last_processed: datetime | None = Field(
        description="The time of the newest message in the story, never later than a message that waits."
    )
    waiting_for: str | None = Field(description="Why the last run stopped early, if it did.")


class TextOut(Answered):
    """The progress of full text."""

    sequence: int = Field(description="The last turn that can be found by its words.")
    facts: int = Field(description="The last turn whose facts can be found by their words.")


class DamageOut(Answered):
    """A line of the transcript or of `corrections.jsonl` that is damaged; `aside`, in `transcript/`, has its bytes."""

    file: str
    offset: int
    length: int
    reason: str
    aside: str


class OutcomeCounts(Answered):
    """How many outcomes of each kind stand."""

    acted: int = 0
    used: int = 0
    deferred: int = 0
    dismissed: int = 0
    contradicted: int = 0


class MindOut(Answered):
    """One mind."""

    mind_id: str
    is_example: bool = Field(default=False, description="Whether it is the made-up life of `POST /v1/example`.")
    turns: int
    sessions: int
    last_sequence: int
    graph: GraphOut
    said: int = Field(
        description="What people said by corrections. `GET …/facts` lists it among the facts, which `graph` counts."
    )
    story: StoryOut
    text: TextOut
    outcomes: OutcomeCounts
    sleep: SleepStatusOut
    damaged: list[DamageOut]
    settings_fault: SettingsFaultOut | None = Field(description="What is wrong with the mind's own settings.toml.")
    usage: UsageOut = Field(description="What model calls for it cost since the service started.")


class MindListed(Answered):
    """One mind in the list. Its numbers are null where they are not known now, and `waiting_for` says why."""

    mind_id: str
    turns: int | None
    sessions: int | None
    waiting_for: str | None = Field(
        description="Why it is behind, if something fails; or why nothing is known of it, as of a worker that is away."
    )
    is_example: bool = Field(default=False, description="Whether it is the made-up life of `POST /v1/example`.")


class MindsOut(Answered):
    """A page of the minds that the caller may see."""

    minds: list[MindListed]
    next_cursor: str | None = Field(description="Where the next page begins; null at the end.")


class MemoryOut(Answered):
    """A memory that was found."""

    id: str
    kind: Literal["fact", "entity", "episode", "observation"]
    text: str
    occurred_at: datetime | None
    valid_at: datetime | None
    invalid_at: datetime | None
    score: float
    sources: list[SourceOut | NoteOut | PersonOut]
    is_contradicted: bool = Field(
        description="Whether it was found wrong when it surfaced. It does not surface by itself any more."
    )
    corrections: list[DecisionOut] = Field(description="What people decided of it, or of what its turn told.")
    entity_kind: str | None = Field(description="What sort of thing an entity is, of the setting `ENTITY_KINDS`.")


class RememberedOut(Answered):
    """The memories that were found, best first."""

    memories: list[MemoryOut]
    degraded: list[str]


class Retried(Answered):
    """The number of parked turns that will be tried again."""

    retrying: int
