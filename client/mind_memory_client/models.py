"""What the service answers, as frozen values. A field that a newer service adds is ignored."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from mind_memory_client.answers import Answer as Answer  # noqa: PLC0414 - imported from here too
from mind_memory_client.answers import DroppedMessage as DroppedMessage  # noqa: PLC0414 - the same
from mind_memory_client.corrections import Decision
from mind_memory_client.settings import SettingsFault
from mind_memory_client.sleep import SleepStatus
from mind_memory_client.sources import PersonSource, TurnSource


class Usage(Answer):
    """What the calls of language models cost."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0


# Turns


class AppliedOutcomes(Answer):
    """What was applied of reported outcomes; ``unknown`` are ids that were not shown, or that name no memory."""

    applied: int
    unknown: tuple[str, ...]


class StoredTurn(Answer):
    """A turn that is on disk. ``duplicate`` is true when it was stored before; then this is the first answer again."""

    mind_id: str
    turn_id: str
    sequence: int
    accepted_at: datetime
    pending_tokens: int
    dropped: tuple[DroppedMessage, ...]
    duplicate: bool
    outcomes: AppliedOutcomes | None = None


class FieldProblem(Answer):
    """A field that is not valid: a JSON pointer to it, and why."""

    pointer: str
    detail: str


class TurnProblem(Answer):
    """Why a turn of a batch was not stored; ``type`` ends with the slug that a refused call would have."""

    type: str
    title: str
    status: int
    detail: str
    errors: tuple[FieldProblem, ...]


class BatchedTurn(Answer):
    """What became of one turn of a batch: it is ``stored``, or a ``problem`` says why not."""

    index: int
    turn_id: str
    status: int
    stored: StoredTurn | None
    problem: TurnProblem | None


class StoredBatch(Answer):
    """What became of each turn of a batch, in its order."""

    mind_id: str
    stored: int
    refused: int
    turns: tuple[BatchedTurn, ...]


class SavedMemory(Answer):
    """A memory that is on disk; ``index`` is its place in the request. ``duplicate``: it had been saved before."""

    index: int
    turn_id: str
    sequence: int
    accepted_at: datetime
    importance: float
    duplicate: bool


class SavedMemories(Answer):
    """What was saved on purpose; ``dropped`` says what was not worth it, and which secrets were taken out."""

    mind_id: str
    session_id: str
    memories: tuple[SavedMemory, ...]
    dropped: tuple[DroppedMessage, ...]


class Compaction(Answer):
    """What became of the messages of a context window."""

    mind_id: str
    session_id: str
    new_messages: int
    known_messages: int
    turn_ids: tuple[str, ...]
    dropped: tuple[DroppedMessage, ...]
    pending_tokens: int


class TrimmedWindow(Answer):
    """A context window after trimming: what stays, as it was; how many messages left, and what they held in short."""

    messages: tuple[dict[str, Any], ...]
    dropped: int
    digest: str


# Resonance and recall


class JournalSource(Answer):
    """Lines of the journal that a memory comes from; the fields of a turn are None."""

    mind_id: str | None = None
    turn_id: None = None
    session_id: None = None
    sequence: None = None
    path: str
    start_line: int
    end_line: int
    timestamp: datetime
    excerpt: str


class Flashback(Answer):
    """A memory that surfaced: ``text`` as the model reads it, ``raw`` as it was said."""

    id: str
    kind: str
    text: str
    raw: str
    label: str
    date: str
    occurred_at: datetime
    score: float
    sources: tuple[TurnSource | JournalSource | PersonSource, ...]


class StablePart(Answer):
    """Story, people's cards, recall protocol: they seldom change. ``text`` is None when the etag sent still fits."""

    text: str | None
    etag: str


class VolatilePart(Answer):
    """What belongs to this turn alone."""

    text: str


class Resonance(Answer):
    """
    What surfaced before a turn, or why nothing did.

    ``messages`` are ready for a model. ``degraded`` lists what timed out or was unavailable. ``trace_id`` is None only
    when the service was not reached or does not know the mind yet, and of a probe, which has its ``trace`` here.
    """

    mind_id: str
    trace_id: str | None = None
    surfaced: bool
    silence: str | None
    flashbacks: tuple[Flashback, ...]
    block: str
    stable: StablePart
    volatile: VolatilePart
    messages: list[Any]
    degraded: tuple[str, ...]
    timings_ms: dict[str, float] = Field(default_factory=dict)
    usage: Usage = Usage()
    trace: dict[str, Any] | None = None

    @classmethod
    def silent(cls, mind: str, messages: list[Any], *, why: str, degraded: tuple[str, ...] = ()) -> Resonance:
        """The answer when nothing surfaces, made here: *messages* as they are."""
        return cls(
            mind_id=mind,
            surfaced=False,
            silence=why,
            flashbacks=(),
            block="",
            stable=StablePart(text="", etag=""),
            volatile=VolatilePart(text=""),
            messages=messages,
            degraded=degraded,
        )


class Memory(Answer):
    """A fact, an entity, an episode or an observation that ``remember`` found; ``entity_kind`` where one is known."""

    id: str
    kind: str
    text: str
    occurred_at: datetime | None
    valid_at: datetime | None
    invalid_at: datetime | None
    score: float
    sources: tuple[TurnSource | JournalSource | PersonSource, ...]
    is_contradicted: bool = False
    corrections: tuple[Decision, ...] = ()
    entity_kind: str | None = None


class Remembered(Answer):
    """What ``remember`` found, best first."""

    memories: tuple[Memory, ...]
    degraded: tuple[str, ...] = ()


class Traces(Answer):
    """Traces, newest first; ``next_cursor`` is for older ones, None at the end."""

    traces: tuple[dict[str, Any], ...]
    next_cursor: str | None = None


# The journal


class JournalChunk(Answer):
    """A passage of the journal."""

    path: str
    start_line: int
    end_line: int
    score: float
    snippet: str


class JournalSearch(Answer):
    """What a search of the journal found, best first."""

    results: tuple[JournalChunk, ...]
    degraded: tuple[str, ...] = ()


class JournalFile(Answer):
    """Lines of a file of the journal, from ``from_line`` on."""

    path: str
    text: str
    from_line: int
    lines: int
    total_lines: int
    etag: str


# The story


class ImportedFiles(Answer):
    """The session files that a run read before it began."""

    files: int
    turns: int
    new: int
    skipped: tuple[str, ...]


class ConsolidationRun(Answer):
    """
    A run that writes the story. Of ``turns`` that waited, ``told`` are in it. ``error`` says why it ended early.

    ``quoted`` of them are in it as they were said: again and again, no answer of the model could be used for them.

    ``refused`` has the newest reasons why an answer of a model could not be used, ``received`` the characters that have
    come of the answer that is being written.
    """

    trigger: str
    started_at: datetime
    ended_at: datetime | None
    turns: int
    told: int
    quoted: int = 0  # a service before this field tells none
    chapters: int
    compressed: int
    reason: str
    refused: tuple[str, ...]
    received: int
    error: str | None
    gathered: ImportedFiles | None
    usage: Usage


class Consolidation(Answer):
    """What waits to enter the story, and the last run since the service started."""

    mind_id: str
    is_running: bool
    pending_turns: int
    pending_tokens: int
    last_run: ConsolidationRun | None


# Minds


class ParkedTurn(Answer):
    """A turn that no model could read; it is stored, and found as it was said."""

    sequence: int
    turn_id: str
    error: str
    attempts: int
    parked_at: datetime


class GraphState(Answer):
    """How far the graph is: ``sequence`` is the last turn whose facts it holds, ``lag`` the number of turns waiting."""

    available: bool
    sequence: int
    saved: int
    lag: int
    waiting_for: str | None
    parked: tuple[ParkedTurn, ...]
    episodes: int
    entities: int
    facts: int


class StoryState(Answer):
    """How far the story is."""

    sequence: int
    pending_turns: int
    pending_tokens: int
    words: int
    chapters: int
    last_processed: datetime | None
    waiting_for: str | None


class FullTextState(Answer):
    """How far the full-text index is."""

    sequence: int
    facts: int


class DamagedLine(Answer):
    """A line of the transcript or of the corrections that differs from what was written."""

    file: str
    offset: int
    length: int
    reason: str
    aside: str


class Mind(Answer):
    """One mind: what it holds, and how far it is."""

    mind_id: str
    turns: int
    sessions: int
    last_sequence: int
    graph: GraphState
    story: StoryState
    text: FullTextState
    sleep: SleepStatus
    outcomes: dict[str, int]
    damaged: tuple[DamagedLine, ...]
    usage: Usage
    settings_fault: SettingsFault | None = None
    is_example: bool = False
    said: int = 0


class MindSummary(Answer):
    """One mind in the list of minds. Where nothing is known of it now, numbers are None; ``waiting_for`` says why."""

    mind_id: str
    turns: int | None
    sessions: int | None
    waiting_for: str | None = None
    is_example: bool = False


class Minds(Answer):
    """A page of the minds that the key may see; ``next_cursor`` is None at the end."""

    minds: tuple[MindSummary, ...]
    next_cursor: str | None = None


class RetriedTurns(Answer):
    """How many parked turns a model reads once more."""

    retrying: int


# Moving and erasing


class ImportedMind(Answer):
    """The mind that an archive became; ``from_mind_id`` is its name where the archive was made."""

    mind_id: str
    from_mind_id: str
    made_at: datetime
    turns: int
    last_sequence: int
    episodes: int
    entities: int
    facts: int
    reembedded: bool
    prompts_left_out: int = 0


class Rebuild(Answer):
    """Graph and full-text index are empty, and fill again from ``turns`` turns."""

    mind_id: str
    turns: int


class ErasedCount(Answer):
    """How much of one kind was erased in one place."""

    place: str
    unit: str
    count: int


class Erasure(Answer):
    """A receipt. While the erase goes on, ``erased_at`` is None. ``left`` may show the words, and is a person's."""

    mind_id: str
    session_id: str | None
    turn_id: str | None
    began_at: datetime | None
    erased_at: datetime | None
    verified: bool
    waiting_for: str | None
    erased: tuple[ErasedCount, ...]
    peoples_files: tuple[str, ...]
    edited_by_person: tuple[str, ...]
    left: tuple[str, ...]
    append_only_file: str
    snapshot: str
    found: tuple[str, ...]


# The service


class Readiness(Answer):
    """Each dependency by name, ``ready`` or what is wrong with it; empty for a key that does not see all minds."""

    status: str
    parts: dict[str, str]

    @property
    def is_ready(self) -> bool:
        """Whether nothing is missing."""
        return self.status == "ready"
