"""What the service answers about itself: minds, how far they are, and the runs that tell their stories."""

from __future__ import annotations

from datetime import datetime

from mind_memory_client.answers import Answer, Dropped, Usage


class Gathered(Answer):
    """What was read in before a run."""

    files: int
    turns: int
    new: int
    skipped: tuple[str, ...]


class Run(Answer):
    """A run that tells the story: `told` of `turns` that were due; `error` says why it stopped early."""

    trigger: str
    started_at: datetime
    ended_at: datetime | None
    turns: int
    told: int
    chapters: int
    compressed: int
    reason: str
    error: str | None
    gathered: Gathered | None
    usage: Usage


class Consolidation(Answer):
    """What waits to be told, and the last run."""

    mind_id: str
    is_running: bool
    pending_turns: int
    pending_tokens: int
    last_run: Run | None


class Compacted(Answer):
    """What became of a compacted window."""

    mind_id: str
    session_id: str
    new_messages: int
    known_messages: int
    turn_ids: tuple[str, ...]
    dropped: tuple[Dropped, ...]
    pending_tokens: int


class Parked(Answer):
    """A turn that no model could read; it is kept and found as it was said."""

    sequence: int
    turn_id: str
    error: str
    attempts: int
    parked_at: datetime


class GraphState(Answer):
    """How far the graph is."""

    available: bool
    sequence: int
    saved: int
    lag: int
    waiting_for: str | None
    parked: tuple[Parked, ...]
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


class TextState(Answer):
    """How far full text is."""

    sequence: int
    facts: int


class Damage(Answer):
    """A line of the transcript that was not what had been written."""

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
    text: TextState
    damaged: tuple[Damage, ...]
    usage: Usage


class MindListed(Answer):
    """One line of the list."""

    mind_id: str
    turns: int
    sessions: int


class Minds(Answer):
    """Every mind that the key may see."""

    minds: tuple[MindListed, ...]
