"""What each tool answers, as data: the parts of the API's answers that a model can use."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from consolidation.text.injected_blocks import as_data

_DEGRADED = "Parts of memory that could not be searched this time."


class ResultPart(BaseModel):
    """
    A part of a result. Fields that a newer service adds are left out.

    A model reads it, so each text is data: marks of chat templates and of ours are defused. Only ``framed`` fields keep
    ours, around texts that were defused before.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    framed: ClassVar[frozenset[str]] = frozenset()

    @field_validator("*")
    @classmethod
    def _as_data(cls, value: object, info: ValidationInfo) -> object:
        if info.field_name in cls.framed:
            return value
        if isinstance(value, str):
            return as_data(value)
        return (
            tuple(as_data(one) if isinstance(one, str) else one for one in value) if isinstance(value, tuple) else value
        )


class ToolResult(ResultPart):
    """The result of a tool."""

    mind: str = Field(description="The mind that was asked.")
    note: str | None = Field(None, description="A remark about this answer, if something is unusual.")


class SourceResult(ResultPart):
    """The source of a memory: a turn of a conversation, lines of the journal, or a person who put it right."""

    timestamp: datetime | None = None
    session_id: str | None = None
    turn_id: str | None = None
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    by: str | None = Field(None, description="The person who put it right: a key's id, owner, or local.")
    excerpt: str = Field("", description="What was said, shortened.")


class DecisionResult(ResultPart):
    """What a person decided of a memory."""

    id: str
    what: str
    to: str | None = None
    at: datetime
    by: str = ""


class MemoryResult(ResultPart):
    """A memory that was found."""

    id: str
    kind: str = Field(description="fact, entity, episode or observation.")
    text: str
    occurred_at: datetime | None = Field(None, description="When it was said.")
    valid_at: datetime | None = Field(None, description="Valid since.")
    invalid_at: datetime | None = Field(None, description="No longer valid since.")
    score: float = 0
    is_contradicted: bool = Field(default=False, description="It was found wrong once: do not rely on it.")
    corrections: tuple[DecisionResult, ...] = Field(
        (), description="What a person decided of it: wrong and edit mean that it is not so."
    )
    entity_kind: str | None = Field(None, description="What sort of thing an entity is, where that is known.")
    sources: tuple[SourceResult, ...] = ()


class RememberResult(ToolResult):
    """Result of `remember`."""

    memories: tuple[MemoryResult, ...] = Field((), description="Best first; empty when nothing is known.")
    degraded: tuple[str, ...] = Field((), description=_DEGRADED)


class AnswerLineResult(ResultPart):
    """A sentence of an answer."""

    text: str
    sources: tuple[str, ...] = Field((), description="Ids of evidence.")


class ContradictionResult(ResultPart):
    """Memories that can not be true together."""

    texts: tuple[str, ...] = ()
    sources: tuple[str, ...] = Field((), description="Ids of evidence.")


class EvidenceResult(MemoryResult):
    """A memory that an answer may rest on."""

    state: str = Field(
        "said", description="holding, ended or planned, for facts; wrong: a person said so; said for everything else."
    )


class AskResult(ToolResult):
    """Result of `ask_memory`."""

    answer: tuple[AnswerLineResult, ...] = Field((), description="Empty when no model worded an answer.")
    missing: tuple[str, ...] = Field((), description="What of the question is not in memory.")
    contradictions: tuple[ContradictionResult, ...] = ()
    evidence: tuple[EvidenceResult, ...] = Field((), description="Best first; empty when nothing is known.")
    by_model: bool = Field(default=False, description="Whether a model worded the answer, checked against evidence.")
    dropped: tuple[str, ...] = Field((), description="Why lines of an answer were left out.")
    degraded: tuple[str, ...] = Field((), description=_DEGRADED)


class FactResult(ResultPart):
    """A fact."""

    id: str
    text: str
    state: str = Field(description="holding, ended or planned; wrong: a person said so.")
    valid_at: datetime | None = Field(None, description="Valid since.")
    invalid_at: datetime | None = Field(None, description="No longer valid since.")
    turns: int = Field(description="In how many conversations' turns it was told.")
    sources: tuple[SourceResult, ...] = Field((), description="The newest turns that told it.")
    is_contradicted: bool = Field(default=False, description="It was found wrong once: do not rely on it.")
    corrections: tuple[DecisionResult, ...] = Field((), description="What a person decided of it.")


class FactsResult(ToolResult):
    """Result of `list_facts`."""

    items: tuple[FactResult, ...] = Field((), description="Newest first.")
    next_cursor: str | None = Field(None, description="For older facts; missing at the end.")


class EntityResult(ResultPart):
    """A person, a place, a thing."""

    id: str
    name: str = Field(description="As it was told.")
    called: str = Field("", description="What people call it by now, after they renamed or merged it.")
    kind: str = ""
    summary: str = ""
    facts: int = Field(description="How many facts are known.")
    mentions: int = Field(description="In how many turns these were told.")
    last_at: datetime | None = Field(None, description="When it was last spoken of.")
    corrections: tuple[DecisionResult, ...] = Field((), description="What a person decided of it.")


class EntitiesResult(ToolResult):
    """Result of `list_entities`."""

    items: tuple[EntityResult, ...] = ()
    next_cursor: str | None = Field(None, description="For more; missing at the end.")


class LogLineResult(ResultPart):
    """A message around one that was found."""

    role: str
    name: str | None = None
    at: datetime
    text: str


class LogItemResult(ResultPart):
    """A message that holds the words."""

    role: str
    name: str | None = Field(None, description="The speaker's name, or the tool's.")
    at: datetime
    age: str = Field("", description="How long ago, in words.")
    cycles_ago: int | None = Field(None, description="How many of your sleeps ago, where that is known.")
    text: str = Field(description="The message, cut around the words.")
    session_id: str
    turn_id: str
    before: tuple[LogLineResult, ...] = ()
    after: tuple[LogLineResult, ...] = ()
    corrections: tuple[DecisionResult, ...] = Field(
        (), description="What a person decided of its turn and of what it told: wrong and edit mean that it is not so."
    )


class LogResult(ToolResult):
    """Result of `search_log`."""

    items: tuple[LogItemResult, ...] = Field((), description="Newest first.")
    next_cursor: str | None = Field(None, description="Pass it as cursor for older messages; none at the end.")
    degraded: tuple[str, ...] = Field((), description=_DEGRADED)


class SaveResult(ToolResult):
    """Result of `save_memory`."""

    id: str = Field("", description="The id of the memory; empty when it was not kept.")
    session_id: str
    importance: float
    duplicate: bool = Field(default=False, description="It had been saved before; nothing was saved twice.")
    dropped: tuple[str, ...] = Field((), description="Why it was not kept, or which secrets were taken out.")


class PassageResult(ResultPart):
    """Lines of the journal that were found."""

    path: str
    start_line: int
    end_line: int
    score: float
    snippet: str


class JournalSearchResult(ToolResult):
    """Result of `journal_memory_search`."""

    results: tuple[PassageResult, ...] = Field((), description="Best first; empty when nothing fits.")
    degraded: tuple[str, ...] = Field((), description=_DEGRADED)


class JournalFileResult(ToolResult):
    """Result of `journal_memory_get`."""

    path: str
    text: str = ""
    from_line: int = Field(1, description="The first line of text.")
    lines: int = Field(0, description="How many lines text has.")
    total_lines: int = Field(0, description="How many the file has.")


class StoryResult(ToolResult):
    """Result of `read_story`."""

    text: str = Field("", description="Dated chapters in Markdown, oldest first.")
    chapters: int = Field(0, description="How many chapters text has.")
    total_chapters: int = 0
    words: int = Field(0, description="The number of words of the whole story.")
    last_processed: datetime | None = Field(None, description="The time up to which the story is written.")


class WakingResult(ToolResult):
    """What an agent is handed when it wakes."""

    framed = frozenset({"text"})

    text: str = ""


class FlashbackResult(ResultPart):
    """A memory that surfaced."""

    id: str
    kind: str
    text: str
    label: str = Field(description="How long ago, in words.")
    date: str
    occurred_at: datetime | None = None
    sources: tuple[SourceResult, ...] = ()


class ResonanceResult(ToolResult):
    """Result of `resonance`."""

    framed = frozenset({"block"})

    surfaced: bool = False
    silence: str | None = Field(None, description="Why nothing surfaced.")
    block: str = Field("", description="The memories as one text to keep in mind; empty when nothing surfaced.")
    flashbacks: tuple[FlashbackResult, ...] = ()
    degraded: tuple[str, ...] = Field((), description=_DEGRADED)
    session_id: str = ""
    trace_id: str | None = None


class CorrectionResult(ToolResult):
    """Result of `correct_memory`."""

    id: str = Field("", description="The correction's id: a person can take it back by it.")
    what: str = ""
    memory: str = Field("", description="The words of the memory that was put right.")
    to: str | None = None
    duplicate: bool = Field(default=False, description="It stood already.")


class SleepResult(ToolResult):
    """Result of `set_sleep`."""

    kind: str = Field("", description="nap, lightweight, dream or deep_sleep; empty when you do not sleep.")
    pause_seconds: float = Field(0, description="For how long you pause.")
    wake_at: datetime | None = Field(None, description="When you wake.")
    dream_id: str | None = Field(None, description="The dream that began; none for a nap.")


class ReportResult(ToolResult):
    """Result of `report_outcome`."""

    applied: int = Field(0, description="How many outcomes stand now as you reported them.")
    unknown: tuple[str, ...] = Field((), description="Ids that were not shown, or that name no memory.")


class DroppedResult(ResultPart):
    """A message that was not stored as it was, and why."""

    index: int | None = Field(None, description="Which message, from 0 on.")
    reason: str


class StoreTurnResult(ToolResult):
    """Result of `store_turn`."""

    turn_id: str = Field(description="Send it again if you have to repeat the call.")
    session_id: str
    sequence: int = Field(description="Its place in this mind's memory.")
    accepted_at: datetime
    duplicate: bool = Field(default=False, description="It had been stored before; nothing was stored twice.")
    dropped: tuple[DroppedResult, ...] = ()
