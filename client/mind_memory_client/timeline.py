"""What each day or week brought to a mind."""

from __future__ import annotations

from datetime import date  # noqa: TC003 - pydantic reads it

from mind_memory_client.models import Answer


class CallFigures(Answer):
    """
    Pre-turn calls: in how many something surfaced or nothing did, and how many took each step down (``degraded``).

    Times are in milliseconds, to a twentieth; None where there were no calls.
    """

    calls: int
    surfaced: int
    silent: int
    degraded: dict[str, int]
    p50_ms: float | None
    p95_ms: float | None
    tokens: int
    cost_usd: float


class TimelineBucket(Answer):
    """One day, or the week that begins on ``start``."""

    start: date
    turns: int
    facts_learned: int
    facts_ended: int
    chapters: int
    resonance: CallFigures


class Timeline(Answer):
    """What days or weeks brought, oldest first; those that brought nothing are left out."""

    buckets: tuple[TimelineBucket, ...]
