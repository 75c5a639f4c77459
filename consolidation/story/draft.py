"""
A draft: the chapters that a narrator adds to a story and those it revises, and how they get into the story.

A draft is applied to the story as it is at that moment, and again as often as a person changes the story meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING

from consolidation.story.chapters import parse, placed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import tzinfo

    from consolidation.story.chapters import Chapter
    from consolidation.story.notes import StoryNotes


@dataclass(frozen=True, slots=True)
class StoryDraft:
    """
    Chapters to append, and chapters to put in the place of those with these digests.

    ``notes`` are the narrator's, made on the story with the digest ``made_on``; None where it makes none. The times of
    the chapters to append are in ``zone``. ``quoted`` are the digests of the chapters that quote each turn, by its
    sequence, and beside them those that may tell it; None where a model tells all turns in its own words.
    """

    append: tuple[Chapter, ...]
    revise: Mapping[str, Chapter] = field(default_factory=dict)
    notes: StoryNotes | None = None
    made_on: str = ""
    zone: tzinfo = UTC
    quoted: Mapping[int, frozenset[str]] | None = None


def apply_draft(story: str, draft: StoryDraft) -> str:
    """
    *story*, without marks, with the chapters of *draft*.

    A chapter that is no longer what the narrator saw is not revised. A chapter that is already in the story is not
    appended again: applying a draft twice is applying it once.
    """
    text = story
    for chapter in parse(story).chapters:
        revised = draft.revise.get(chapter.digest)
        if revised is not None:
            text = text.replace(chapter.text, revised.text, 1)
    book = parse(text)
    present = {chapter.digest for chapter in book.chapters}
    return placed(book, tuple(chapter for chapter in draft.append if chapter.digest not in present)).text


def replacing_chapters(chapters: Sequence[Chapter], shorter: Sequence[Chapter]) -> Callable[[str], str]:
    """A plan that puts *shorter* in the place of *chapters* if all of them are still side by side, unchanged."""

    def plan(story: str) -> str:
        whole = "".join(chapter.text for chapter in chapters)
        ending = "\r\n" if "\r\n" in whole else "\n"
        short = "".join(ending.join(one.text.strip().splitlines()) + ending * 2 for one in shorter)
        return story.replace(whole, short, 1)

    return plan
