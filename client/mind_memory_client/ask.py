"""The answer to a question that is put to memory: lines with their evidence."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from mind_memory_client.answers import Answer
from mind_memory_client.corrections import Decision
from mind_memory_client.models import JournalSource
from mind_memory_client.sources import PersonSource, TurnSource


class AnswerLine(Answer):
    """A sentence of an answer; ``sources`` are ids of evidence."""

    text: str
    sources: tuple[str, ...]


class Contradiction(Answer):
    """Memories that can not be true together: what each says, and its id."""

    texts: tuple[str, ...]
    sources: tuple[str, ...]


class Evidence(Answer):
    """A memory that bears on a question; ``state`` is how a fact stands, everything else was said."""

    id: str
    kind: str
    text: str
    state: Literal["holding", "ended", "planned", "said", "wrong"]
    occurred_at: datetime | None
    valid_at: datetime | None
    invalid_at: datetime | None
    sources: tuple[TurnSource | JournalSource | PersonSource, ...]
    is_contradicted: bool = False
    corrections: tuple[Decision, ...] = ()


class MemoryAnswer(Answer):
    """
    What memory answers: lines, what of the question is ``missing``, and all the evidence, best first.

    Without a model (``by_model`` is false) there are no lines. ``dropped`` says why lines of the model were left out.
    """

    answer: tuple[AnswerLine, ...]
    missing: tuple[str, ...]
    contradictions: tuple[Contradiction, ...]
    evidence: tuple[Evidence, ...]
    by_model: bool
    dropped: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()
