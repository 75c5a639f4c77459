"""How far the lanes of a mind are behind its transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.minds import Mind

_CURSORS = {"indexing": "indexed", "saving": "saved", "extracting": "extracted"}
LANES = tuple(_CURSORS)


def lag(mind: Mind, lane: str) -> int:
    """How many turns that are remembered a *lane* has still before it."""
    return mind.transcript.positions.remembered_after(getattr(mind.health, _CURSORS[lane]))


def waiting_for(mind: Mind, lane: str) -> str | None:
    """Why a *lane* waits; None where nothing fails."""
    reason: str | None = getattr(mind.health, lane)
    return reason


def parked(mind: Mind) -> int:
    """How many turns no model could read."""
    return len(mind.health.progress.parked) if mind.health.progress is not None else 0
