"""
A batch of which a model told a part as it should: those chapters stay, and the turns of the others are quoted.

A turn is told in the chapter whose time it falls in, as everywhere. Where it is not clear which turns the chapters at
fault were of, nothing is kept of an answer: no turn is told twice, and none is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from consolidation.story.chapter_turns import chapters_quoting, turns_of_draft

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.turns import StoredTurn
    from consolidation.story.chapters import Chapter
    from consolidation.story.draft import StoryDraft


@dataclass(frozen=True, slots=True)
class PartlyTold:
    """The chapters of a batch that can be used, the turns they tell, and those that are to be quoted beside them."""

    draft: StoryDraft
    told: frozenset[int]
    untold: tuple[StoredTurn, ...]


def partly_told(
    batch: Sequence[StoredTurn], usable: StoryDraft, lost: Sequence[Chapter], *, new: Sequence[Chapter]
) -> PartlyTold | None:
    """
    What of *batch* the *usable* chapters tell, where *lost* are those at fault; None where nothing can be kept.

    The usable ones that are not *new* are in the story already.
    """
    every = replace(usable, append=_by_time(usable.append, lost))
    narrated = {digest: one.narrated for digest, one in turns_of_draft(batch, every, {}).items()}
    kept = tuple(one for one in usable.append if narrated[one.digest] and one in new)
    if not kept or not all(narrated[one.digest] for one in lost):
        return None
    left = frozenset[int]().union(*(narrated[one.digest] for one in lost))
    untold = tuple(stored for stored in batch if stored.sequence in left)
    told = frozenset(stored.sequence for stored in batch) - left
    return PartlyTold(replace(usable, append=kept), told, untold)


def with_quoted(told: PartlyTold, quoted: StoryDraft) -> StoryDraft:
    """The chapters of *told* with the *quoted* ones of its other turns beside them."""
    kept = frozenset(one.digest for one in told.draft.append)
    homes = {**dict.fromkeys(told.told, kept), **chapters_quoting(told.untold, quoted)}
    return replace(told.draft, append=_by_time(told.draft.append, quoted.append), quoted=homes)


def _by_time(one: Sequence[Chapter], other: Sequence[Chapter]) -> tuple[Chapter, ...]:
    return tuple(sorted((*one, *other), key=lambda chapter: chapter.first))
