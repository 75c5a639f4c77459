"""Answers about what deep sleeps measured of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from mind_memory_client.answers import Answer


class Proposal(Answer):
    """
    A setting that might be changed, from ``value`` to ``proposed``.

    It ``is_acceptable`` where it is a setting of the mind; others are the service's.
    """

    setting: str
    value: float | None
    proposed: float | None
    reason: str
    is_acceptable: bool


class Evaluation(Answer):
    """
    What the deep sleep of this number measured of the time since the one before; shares are None of nothing.

    ``accepted_at`` is when a person accepted its proposal.
    """

    t: datetime
    dream: int
    dreams: int
    forced_dreams: int
    actions: int
    failed_share: float | None
    repeated_share: float | None
    surface_rate: float | None
    outcomes: Mapping[str, int]
    observations: Mapping[str, int]
    proposal: Proposal | None
    accepted_at: datetime | None
    accepted_by: str | None


class Evaluations(Answer):
    """Evaluations, newest first; ``next_cursor`` is None at the end."""

    items: tuple[Evaluation, ...]
    next_cursor: str | None
