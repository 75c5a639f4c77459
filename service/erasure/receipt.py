"""What to erase, and the receipt: how much went from each place, and what still holds it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from service.erasure.ports import Rewritten


@dataclass(frozen=True, slots=True)
class ErasureRequest:
    """What to erase: a mind, or one session or one turn of it."""

    mind_id: str
    session_id: str | None = None
    turn_id: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the whole mind goes."""
        return self.session_id is None and self.turn_id is None


@dataclass(frozen=True, slots=True)
class PlaceCount:
    """How many items of one kind went from one place."""

    place: str
    unit: str
    count: int


@dataclass(slots=True)
class ErasedCounts:
    """
    Filled while an erasure runs, over all its attempts: counts by place and unit, and what the receipt must name.

    The fields are those of Receipt, as dicts, so that a repeated attempt names nothing twice.
    """

    by_place: Counter[tuple[str, str]] = field(default_factory=Counter)
    peoples_files: dict[str, None] = field(default_factory=dict)
    edited_by_person: dict[str, None] = field(default_factory=dict)
    left: dict[str, None] = field(default_factory=dict)

    def add(self, place: str, **counted: int) -> None:
        """Count what went from *place*, by unit."""
        self.by_place.update({(place, unit): number for unit, number in counted.items()})


@dataclass(frozen=True, slots=True)
class Receipt:
    """
    What was erased and when.

    ``peoples_files`` are people's own files that went. ``edited_by_person`` are chapters that a person edited. They
    stay, and may mention what was erased. ``left`` is what still holds it and does not belong to us. ``found`` is where
    the final search still found something, and who could not be asked.
    """

    request: ErasureRequest
    erased_at: datetime
    erased: tuple[PlaceCount, ...]
    peoples_files: tuple[str, ...]
    edited_by_person: tuple[str, ...]
    left: tuple[str, ...]
    rewritten: Rewritten
    found: tuple[str, ...]

    @property
    def is_verified(self) -> bool:
        """Whether the final search found nothing, and the graph's server has rewritten every file that may hold it."""
        return not self.found and self.rewritten.is_done


def receipt_of(
    request: ErasureRequest, counts: ErasedCounts, *, erased_at: datetime, rewritten: Rewritten, found: tuple[str, ...]
) -> Receipt:
    """Make the receipt from the counts."""
    return Receipt(
        request,
        erased_at,
        tuple(PlaceCount(place, unit, count) for (place, unit), count in counts.by_place.items() if count),
        tuple(counts.peoples_files),
        tuple(counts.edited_by_person),
        tuple(counts.left),
        rewritten,
        found,
    )
