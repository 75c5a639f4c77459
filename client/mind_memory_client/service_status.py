"""What ``GET /v1/status`` answers, as frozen values: the service, what it needs, its model calls, and its minds."""

from __future__ import annotations

from datetime import datetime

from mind_memory_client.answers import Answer
from mind_memory_client.models import Usage


class DependencyStatus(Answer):
    """Something that the service needs: ``trouble`` is None while it works."""

    name: str
    trouble: str | None
    breaker: str | None


class Lag(Answer):
    """How many turns wait until they are found by words (indexing), by meaning (saving), and read by a model."""

    indexing: int
    saving: int
    extracting: int


class ResonanceActivity(Answer):
    """What came of the newest pre-turn calls, at most 200."""

    calls: int
    surfaced: int
    last_at: datetime | None
    last_surfaced: bool | None


class StoryBacklog(Answer):
    """What waits to enter the story; ``received`` are the characters of the answer that a model is writing."""

    pending_turns: int
    pending_tokens: int
    is_running: bool
    received: int
    waiting_for: str | None


class AgentActivity(Answer):
    """How an autonomous agent is: tool calls since its last dream, fatigue, dreams. A mind without one did nothing."""

    actions: int
    fatigue: str
    dreams: int
    last_dream_at: datetime | None


class MindStatus(Answer):
    """
    One mind, as far as the service knows it without asking the graph.

    Where it knows nothing of it now, since a worker is away or its files can not be read, all is None but
    ``waiting_for``, which says why.
    """

    mind_id: str
    turns: int | None
    sessions: int | None
    lag: Lag | None
    waiting_for: str | None
    parked: int | None
    story: StoryBacklog | None
    resonance: ResonanceActivity | None
    agent: AgentActivity | None
    usage: Usage | None


class ModelCall(Answer):
    """A call to a model that has ended: ``answered``, ``failed``, or ``given_up`` since nobody waited any longer."""

    at: datetime
    role: str
    model: str
    host: str
    streamed: bool
    first_words_ms: int | None
    ms: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    outcome: str
    finish: str | None
    reason: str | None


class Learnt(Answer):
    """How many memories surfaced since the start, and how many of them have each outcome."""

    surfaced: int
    outcomes: dict[str, int]


class ServiceStatus(Answer):
    """
    The service, what it needs, the model calls that ended last, newest first, and its minds.

    Minds come in pages, and ``next_cursor`` is None at the end. ``dependencies`` and ``model_calls`` are empty, and
    ``learnt`` is None, for a key that does not see all minds.
    """

    version: str
    started_at: datetime
    now: datetime
    dependencies: tuple[DependencyStatus, ...]
    model_calls: tuple[ModelCall, ...]
    learnt: Learnt | None = None
    minds: tuple[MindStatus, ...]
    next_cursor: str | None = None
