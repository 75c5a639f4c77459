"""What the service answers, as frozen values; a field it has learned since is passed over."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Answer(BaseModel):
    """An answer, or a part of one."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)


class Dropped(Answer):
    """A message that is not remembered, and why; ``index`` is None for the metadata."""

    index: int | None
    reason: str


class TurnKept(Answer):
    """The turn is on disk."""

    mind_id: str
    turn_id: str
    sequence: int
    accepted_at: datetime
    pending_tokens: int
    dropped: tuple[Dropped, ...]
    duplicate: bool = Field(description="It had been accepted before; this is the first answer again.")


class Source(Answer):
    """A turn that a memory rests on."""

    turn_id: str
    session_id: str
    sequence: int
    timestamp: datetime
    excerpt: str


class Note(Answer):
    """Lines of the journal that a memory rests on; what is of turns alone is None."""

    turn_id: None = None
    session_id: None = None
    sequence: None = None
    path: str
    start_line: int
    end_line: int
    timestamp: datetime
    excerpt: str


class Flashback(Answer):
    """A memory that surfaced: told, and as it was said."""

    id: str
    kind: str
    text: str
    raw: str
    label: str
    date: str
    occurred_at: datetime
    score: float
    sources: tuple[Source | Note, ...]


class Stable(Answer):
    """Story and recall protocol: changes only when the story does. ``text`` is None when the known etag still holds."""

    text: str | None
    etag: str


class Volatile(Answer):
    """What is of this turn alone."""

    text: str


class Usage(Answer):
    """What the models cost."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0


class Resonance(Answer):
    """What surfaced before a turn, or why nothing did."""

    mind_id: str
    trace_id: str | None = Field(description="None only where the service was not reached.")
    surfaced: bool
    silence: str | None
    flashbacks: tuple[Flashback, ...]
    block: str
    stable: Stable
    volatile: Volatile
    messages: list[Any] = Field(description="Ready for a model that takes role and content.")
    degraded: tuple[str, ...]
    timings_ms: dict[str, float] = Field(default_factory=dict)
    usage: Usage = Usage()


def silent(mind: str, messages: list[Any], *, why: str, degraded: tuple[str, ...] = ()) -> Resonance:
    """The answer of a memory that has nothing to say: *messages* as they are."""
    return Resonance(
        mind_id=mind,
        trace_id=None,
        surfaced=False,
        silence=why,
        flashbacks=(),
        block="",
        stable=Stable(text="", etag=""),
        volatile=Volatile(text=""),
        messages=messages,
        degraded=degraded,
    )


class Memory(Answer):
    """Something remembered on purpose."""

    id: str
    kind: str
    text: str
    occurred_at: datetime | None
    valid_at: datetime | None
    invalid_at: datetime | None
    score: float
    sources: tuple[Source, ...]


class Remembered(Answer):
    """What was found, best first."""

    memories: tuple[Memory, ...]
    degraded: tuple[str, ...] = ()


class JournalChunk(Answer):
    """A passage of the journal."""

    path: str
    start_line: int
    end_line: int
    score: float
    snippet: str


class JournalFound(Answer):
    """Passages of the journal, best first."""

    results: tuple[JournalChunk, ...]
    degraded: tuple[str, ...] = ()


class JournalFile(Answer):
    """Lines of a file of the journal."""

    path: str
    text: str
    from_line: int
    lines: int
    total_lines: int


class Chapter(Answer):
    """A chapter of the story."""

    heading: str
    since: str = Field(alias="from")
    until: str = Field(alias="to")
    words: int
    edited_by_person: bool


class Story(Answer):
    """STORY.md as it stands; ``etag`` is what an edit must name."""

    mind_id: str
    text: str
    etag: str
    last_processed: datetime | None
    last_sequence: int
    words: int
    chapters: tuple[Chapter, ...]
