"""What a draft makes of the story as it stands by now; planned again as often as a person changes it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.story.chapters import parse, placed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from consolidation.story.anchor import Marks
    from consolidation.story.chapters import Chapter
    from consolidation.story.narrator import Draft


def laid_upon(story: str, draft: Draft) -> str:
    """
    *story* with what *draft* adds and revises; a chapter that is no longer what the narrator saw stays as it is.

    Chapters that stand there already are not added again: planning twice is planning once.
    """
    text = story
    for chapter in parse(story).chapters:
        revised = draft.revise.get(chapter.digest)
        if revised is not None:
            text = text.replace(chapter.text, revised.text, 1)
    book = parse(text)
    standing = {chapter.digest for chapter in book.chapters}
    return placed(book, tuple(chapter for chapter in draft.append if chapter.digest not in standing)).text


def shortened_in(chapters: Sequence[Chapter], shorter: Sequence[Chapter]) -> Callable[[str], str]:
    """The plan that puts *shorter* in the place of *chapters*, where all of them still stand side by side unchanged."""

    def plan(story: str) -> str:
        whole = "".join(chapter.text for chapter in chapters)
        ending = "\r\n" if "\r\n" in whole else "\n"
        short = "".join(ending.join(one.text.strip().splitlines()) + ending * 2 for one in shorter)
        return story.replace(whole, short, 1)

    return plan


def moved_back(marks: Marks, seen: Marks) -> datetime | None:
    """The anchor as a person moved it back since it was *seen*; None when they did not."""
    if marks.anchor is None or seen.anchor is None or marks.anchor >= seen.anchor:
        return None
    return marks.anchor
