"""Answers about how tired an agent was."""

from __future__ import annotations

from datetime import datetime

from mind_memory_client.answers import Answer


class FatiguePoint(Answer):
    """The tool calls since the dream before, at an instant; 0 with each dream."""

    at: datetime
    actions: int


class PastSleep(Answer):
    """A sleep that is over: ``nap``, ``lightweight``, ``dream`` or ``deep_sleep``."""

    kind: str
    asleep_at: datetime
    woke_at: datetime


class Fatigue(Answer):
    """
    How tired an agent was, oldest first, and its sleeps.

    From ``warning`` tool calls on it is tired, from ``limit`` on it has to sleep. ``asleep_since`` is None while it
    is awake.
    """

    mind_id: str
    since: datetime
    until: datetime
    warning: int
    limit: int
    points: tuple[FatiguePoint, ...]
    sleeps: tuple[PastSleep, ...]
    asleep_since: datetime | None
