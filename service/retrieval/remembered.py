"""What a search on purpose finds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from consolidation.corrections.record import What
from service.retrieval.lead_words import told_words
from service.retrieval.put_right import ANOTHER_SHARE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from consolidation.corrections.record import Correction
    from consolidation.corrections.standing import Statement
    from service.retrieval.moment import JournalLines, Source
    from service.retrieval.put_right import PutRight

type Kind = Literal["fact", "entity", "episode", "observation"]

KINDS: frozenset[Kind] = frozenset({"fact", "entity", "episode", "observation"})


@dataclass(frozen=True, slots=True)
class Remembered:
    """
    Something found; ``score`` is in 0…1 within its kind.

    It rests on turns (``sources``), and an observation on its line (``notes``) as well. ``is_contradicted``: it was
    found wrong when it surfaced, so it does not come up by itself any more. ``names`` are those that a fact joins, or
    an entity's own; ``entity_kind`` is what sort of thing an entity is, where a model said. ``corrections`` are what
    people decided of it. A ``statement`` is what a person said. ``mind_id`` is of the other mind that it is in.
    """

    id: str
    kind: Kind
    text: str
    occurred_at: datetime | None
    valid_at: datetime | None
    invalid_at: datetime | None
    score: float
    sources: tuple[Source, ...]
    is_contradicted: bool = False
    notes: tuple[JournalLines, ...] = ()
    corrections: tuple[Correction, ...] = ()
    is_held_back: bool = False
    statement: Statement | None = None
    names: tuple[str, ...] = ()
    entity_kind: str = ""
    mind_id: str = ""

    @property
    def tells_wrong(self) -> bool:
        """Whether a person said that something in it is not so; their own words of an entity are so."""
        return any(one.what in {What.WRONG, What.EDIT} for one in self.corrections if not self._is_own(one))

    @property
    def written(self) -> Correction | None:
        """The edit by which a person wrote what is known of this entity; None where nobody did."""
        return next(filter(self._is_own, self.corrections), None)

    @property
    def counting_less(self) -> Remembered:
        """The same with a lower score: it is of another one than is asked for."""
        return replace(self, score=round(self.score - abs(self.score) * (1 - ANOTHER_SHARE), 4))

    def _is_own(self, made: Correction) -> bool:
        return self.kind == made.target.kind == "entity" and made.what is What.EDIT


def distinct(memories: Sequence[Remembered]) -> tuple[Remembered, ...]:
    """*memories* without the facts and episodes whose words, and a source, stand in one before."""
    kept: list[tuple[frozenset[str], frozenset[int]]] = []
    distinct: list[Remembered] = []
    for memory in memories:
        words = told_words(memory.text)
        sources = frozenset(source.sequence for source in memory.sources)
        is_said = memory.kind != "entity"
        if is_said and any((words <= others or others <= words) and sources & behind for others, behind in kept):
            continue
        if is_said:
            kept.append((words, sources))
        distinct.append(memory)
    return tuple(distinct)


def is_confirmed(memory: Remembered, put_right: PutRight) -> bool:
    """Whether a person said that it is right, whatever outcomes say of it."""
    if memory.kind == "episode":
        return all(put_right.confirms(source.sequence, memory.text) for source in memory.sources)
    sequences = [source.sequence for source in memory.sources] if memory.kind == "fact" else []
    return put_right.are_right(sequences) or any(one.what is What.RIGHT for one in memory.corrections)
