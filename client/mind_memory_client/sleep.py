"""Answers about an agent's day: what it did, how tired it is, its sleep, its dreams."""

from __future__ import annotations

from datetime import date, datetime

from mind_memory_client.answers import Answer, DroppedMessage


class KeptAction(Answer):
    """An action that is on disk, under its turn's id. ``duplicate``: it had been stored before."""

    id: str
    sequence: int
    duplicate: bool


class SurfacedThought(Answer):
    """A memory that came up beside an agent's actions; its outcome is reported with ``trace_id``."""

    text: str
    trace_id: str
    flashback_id: str


class KeptActions(Answer):
    """
    What was stored of an agent's actions, and how it is.

    ``actions`` counts the tool calls since its last dream. ``notice`` is told to the agent, once, when it has become
    tired. ``must_sleep`` asks for ``sleep``. ``thought`` came up since the last answer.
    """

    mind_id: str
    session_id: str
    kept: tuple[KeptAction, ...]
    dropped: tuple[DroppedMessage, ...]
    actions: int
    fatigue: str
    notice: str | None
    must_sleep: bool
    asleep_until: datetime | None
    thought: SurfacedThought | None


class SleepBegun(Answer):
    """
    A sleep: a ``nap``, or one of kind ``lightweight``, ``dream`` or ``deep_sleep``, in which the agent dreams.

    Pause the agent for ``pause_seconds``. ``dream_id`` is None for a nap.
    """

    mind_id: str
    kind: str
    pause_seconds: float
    wake_at: datetime
    dream_id: str | None


class SleepStatus(Answer):
    """
    How an agent is: ``awake``, ``asleep`` or ``dreaming``, and why.

    ``wake_at`` is None while it is awake. ``waiting_for`` says why a dream, or the end of a deep sleep, is late.
    """

    state: str
    reason: str
    wake_at: datetime | None
    cycle: int
    actions: int
    fatigue: str
    must_sleep: bool
    dreams: int
    last_dream_at: datetime | None
    waiting_for: str | None


class DreamChange(Answer):
    """
    A line that a dream changed: ``observed``, ``rule``, ``over``, ``relevelled`` or ``pruned``.

    ``was`` is the level before, where it gave another one. ``is_there`` says whether the line stands in its file now.
    """

    what: str
    text: str
    is_there: bool
    level: str | None
    was: str | None
    day: date | None
    at: str | None


class Dream(Answer):
    """
    What an agent dreamt, when; ``is_quoted`` where no model dreamt it, ``observations`` is their number.

    ``undone_at`` is when a person took it back, None where it counts.
    """

    t: datetime
    dream: int
    cycle: int
    kind: str
    actions: int
    failed_calls: int
    reflection: str
    priority: str
    observations: int
    first_sequence: int
    last_sequence: int
    model: str
    is_quoted: bool
    is_forced: bool
    undone_at: datetime | None
    undone_by: str | None
    changes: tuple[DreamChange, ...]


class Dreams(Answer):
    """The newest dreams, newest first, and how the agent is."""

    mind_id: str
    dreams: tuple[Dream, ...]
    status: SleepStatus
