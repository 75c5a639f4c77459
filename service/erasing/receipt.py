"""What an erase did, place by place: the answer to whoever asked for it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from service.erasing.ports import Rewritten


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be erased: a mind, or one session or one turn of it."""

    mind_id: str
    session_id: str | None = None
    turn_id: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all of the mind goes."""
        return self.session_id is None and self.turn_id is None


@dataclass(slots=True)
class Tally:
    """Filled while an erase runs, over all its attempts: counts by place and unit, and what a person should know."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    people: dict[str, None] = field(default_factory=dict)
    edited: dict[str, None] = field(default_factory=dict)
    left: dict[str, None] = field(default_factory=dict)

    def add(self, place: str, **counted: int) -> None:
        """Count what went from *place*, by unit."""
        self.counts.update({(place, unit): number for unit, number in counted.items()})


@dataclass(frozen=True, slots=True)
class Receipt:
    """
    What was erased and when.

    ``people`` are people's own files that went, ``edited`` chapters of a person's that stay and may tell of it,
    ``left`` what else holds it and is not ours. ``found`` is what a last search still found: nothing, if ``verified``.
    """

    wish: Wish
    erased_at: datetime
    counts: tuple[tuple[str, str, int], ...]
    people: tuple[str, ...]
    edited: tuple[str, ...]
    left: tuple[str, ...]
    rewritten: Rewritten
    found: tuple[str, ...]

    @property
    def verified(self) -> bool:
        """Whether a search for it found nothing, and nothing that keeps it was refused."""
        return not self.found and self.rewritten.is_done


def receipt_of(
    wish: Wish, tally: Tally, *, erased_at: datetime, rewritten: Rewritten, found: tuple[str, ...]
) -> Receipt:
    """The receipt from what was counted."""
    counts = tuple((place, unit, number) for (place, unit), number in tally.counts.items() if number)
    people, edited, left = tuple(tally.people), tuple(tally.edited), tuple(tally.left)
    return Receipt(wish, erased_at, counts, people, edited, left, rewritten, found)
