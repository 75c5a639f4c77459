"""What people put right, as frozen values."""

from __future__ import annotations

from datetime import datetime

from mind_memory_client.answers import Answer
from mind_memory_client.sources import PersonSource, TurnSource


class Decision(Answer):
    """What a person decided of a memory; ``by`` is the id of their key, ``owner``, or ``local``."""

    id: str
    what: str
    to: str | None
    at: datetime
    by: str


class CorrectionTarget(Answer):
    """The memory that was put right, named by its words and the turns that it comes from."""

    kind: str
    text: str
    turn_ids: tuple[str, ...]
    joins: tuple[str, ...]


class Correction(Decision):
    """
    A decision as it is kept; ``state`` is ``stands``, ``replaced`` by a later one, or ``undone``.

    ``duplicate``: it stood already, or was taken back already.
    """

    target: CorrectionTarget
    reason: str | None
    state: str
    undone_at: datetime | None
    undone_by: str | None
    duplicate: bool = False


class Corrections(Answer):
    """The decisions of a mind, newest first; ``next_cursor`` leads to older ones, None where there are none."""

    items: tuple[Correction, ...]
    next_cursor: str | None = None


class CardLine(Answer):
    """One thing that is known of a person; ``decided`` is the pin or the words of a person, None for what lasts."""

    id: str
    text: str
    sources: tuple[TurnSource | PersonSource, ...]
    decided: Decision | None


class Card(Answer):
    """What is known of one person, pinned lines first; ``name`` is "user" for somebody without a name."""

    name: str
    lines: tuple[CardLine, ...]


class People(Answer):
    """The cards of a mind's people; ``shown`` says whether the stable part holds them: auto, always, never."""

    people: tuple[Card, ...]
    shown: str
