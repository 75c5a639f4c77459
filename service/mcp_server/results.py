"""What each tool answers, as data: what a model can use of the API's answers, and nothing else."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

_LEFT_OUT = "Parts of memory that could not be asked this time."


class Part(BaseModel):
    """A piece of an answer; what a newer service tells besides is left out."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Result(Part):
    """An answer."""

    mind: str = Field(description="Whose memory was asked.")
    note: str | None = Field(None, description="What to know about this answer, where it is not as usual.")


class Source(Part):
    """Where a memory comes from: a turn of a conversation, or lines of the journal."""

    timestamp: datetime | None = None
    session_id: str | None = None
    turn_id: str | None = None
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    excerpt: str = Field("", description="What was said, shortened.")


class Memory(Part):
    """Something remembered."""

    id: str
    kind: str = Field(description="fact, entity or episode.")
    text: str
    occurred_at: datetime | None = Field(None, description="When it was told.")
    valid_at: datetime | None = Field(None, description="Since when it holds.")
    invalid_at: datetime | None = Field(None, description="Since when it no longer holds.")
    score: float = 0
    sources: tuple[Source, ...] = ()


class Remembered(Result):
    """Of `remember`."""

    memories: tuple[Memory, ...] = Field((), description="Best first; empty when nothing is known.")
    degraded: tuple[str, ...] = Field((), description=_LEFT_OUT)


class Passage(Part):
    """Lines of the journal."""

    path: str
    start_line: int
    end_line: int
    score: float
    snippet: str


class JournalFound(Result):
    """Of `journal_memory_search`."""

    results: tuple[Passage, ...] = Field((), description="Best first; empty when nothing fits.")
    degraded: tuple[str, ...] = Field((), description=_LEFT_OUT)


class JournalText(Result):
    """Of `journal_memory_get`."""

    path: str
    text: str = ""
    from_line: int = Field(1, description="The first line of text.")
    lines: int = Field(0, description="How many lines text has.")
    total_lines: int = Field(0, description="How many the file has.")


class Story(Result):
    """Of `read_story`."""

    text: str = Field("", description="Dated chapters in Markdown, oldest first.")
    chapters: int = Field(0, description="How many chapters text has.")
    total_chapters: int = 0
    words: int = Field(0, description="Of the whole story.")
    last_processed: datetime | None = Field(None, description="Up to when it is told.")


class Flashback(Part):
    """A memory that surfaced."""

    id: str
    kind: str
    text: str
    label: str = Field(description="How long ago, in words.")
    date: str
    occurred_at: datetime | None = None
    sources: tuple[Source, ...] = ()


class Resonated(Result):
    """Of `resonance`."""

    surfaced: bool = False
    silence: str | None = Field(None, description="Why nothing surfaced.")
    block: str = Field("", description="The memories as one text to keep in mind; empty when nothing surfaced.")
    flashbacks: tuple[Flashback, ...] = ()
    degraded: tuple[str, ...] = Field((), description=_LEFT_OUT)
    session_id: str = ""
    trace_id: str | None = None


class Dropped(Part):
    """A message that is not kept as it was, and why."""

    index: int | None = Field(None, description="Which message, from 0 on.")
    reason: str


class Stored(Result):
    """Of `store_turn`."""

    turn_id: str = Field(description="Send it again if you have to repeat the call.")
    session_id: str
    sequence: int = Field(description="Its place in this mind's memory.")
    accepted_at: datetime
    duplicate: bool = Field(default=False, description="It had been stored before; nothing was kept twice.")
    dropped: tuple[Dropped, ...] = ()
