"""What people said by corrections, as a list of facts has it: which of it is asked for, and where it stands in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from consolidation.corrections.wording import Wording, stems_of
from consolidation.text.language import detect

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from consolidation.corrections.standing import Statement
    from service.index.text_knowledge import FactRow
    from service.retrieval.time_window import TimeWindow

END = 2**53  # behind every number of a cursor
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SaidFilter:
    """
    What is asked for: said in the window, naming an entity by one of its ``keys``, with the stems of a query.

    ``wanted`` are its stems in each language, of which one's must all be there; ``language`` is of what nobody knows.
    """

    window: TimeWindow
    keys: frozenset[str] | None = None
    wanted: tuple[tuple[str, ...], ...] = ()
    language: str = "en"

    def holds(self, said: Statement) -> bool:
        """Whether a statement is asked for."""
        return self.window.holds(said.at) and self._names(said) and self._has_words(said)

    def _names(self, said: Statement) -> bool:
        row = f" {Wording.of(said.text).key} " if self.keys is not None else ""
        return self.keys is None or any(key and f" {key} " in row for key in self.keys)

    def _has_words(self, said: Statement) -> bool:
        if not self.wanted:
            return True
        stems = stems_of(said.text, detect(said.text, fallback=self.language))
        return any(stems.issuperset(one) for one in self.wanted)


def place_of(said: Statement) -> tuple[int, str]:
    """Where a statement stands among all, by its time in microseconds since 1970."""
    return (said.at - _EPOCH) // timedelta(microseconds=1), said.id


def said_behind(
    said: Sequence[Statement], place: tuple[int, str], only: SaidFilter, *, limit: int
) -> tuple[Statement, ...]:
    """The newest statements behind *place* that are asked for, newest first."""
    found: list[Statement] = []
    for one in sorted(said, key=place_of, reverse=True):
        if len(found) == limit:
            break
        if place_of(one) < place and only.holds(one):
            found.append(one)
    return tuple(found)


def newest_first(
    facts: Sequence[FactRow], said: Sequence[Statement], *, told_at: Callable[[FactRow], datetime | None]
) -> tuple[FactRow | Statement, ...]:
    """Both in one row by time; each keeps its order, and a fact whose turn is not known comes last."""
    merged: list[FactRow | Statement] = []
    waiting = list(reversed(said))
    for fact in facts:
        at = told_at(fact)
        while waiting and (at is None or waiting[-1].at >= at):
            merged.append(waiting.pop())
        merged.append(fact)
    return (*merged, *reversed(waiting))
