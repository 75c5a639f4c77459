"""
A person's edit and what was written meanwhile, in one story; and what an edit changed, in words. Pure.

The person's edit wins, line by line; a chapter that was told meanwhile is never lost by that.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.story.chapters import parse
from consolidation.story.merging import merge
from service.cli.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from consolidation.story.chapters import Book, Chapter


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The story with both in it, and at how many places only the person's words could stand."""

    text: str
    conflicts: int


def reconcile(base: str, *, current: str, edited: str) -> Reconciled:
    """*edited*, which was made of *base*, laid upon *current*."""
    found = merge(base, ours=current, theirs=edited)
    return Reconciled(found.text, len(found.conflicts))


def changed_in_words(before: str, after: str) -> str:
    """``1 chapter changed, 2 added``: what became of a story."""
    old, new = parse(before), parse(after)
    added = _beyond(new, old)
    gone = _beyond(old, new)
    changed = sum((Counter(one.first for one in added) & Counter(one.first for one in gone)).values())
    words: list[str] = []
    for number, what in ((changed, "changed"), (len(added) - changed, "added"), (len(gone) - changed, "removed")):
        if number:
            words.append(f"{number:,} {what}" if words else f"{counted(number, 'chapter')} {what}")
    if old.opening.split() != new.opening.split():
        words.append("what stands before the chapters changed")
    return ", ".join(words) or "only blanks changed"


def _beyond(book: Book, other: Book) -> list[Chapter]:
    """The chapters of *book* that do not stand in *other* as they are."""
    standing = Counter(chapter.digest for chapter in other.chapters)
    return list(_left(book, standing))


def _left(book: Book, standing: Counter[str]) -> Iterator[Chapter]:
    for chapter in book.chapters:
        if standing[chapter.digest]:
            standing[chapter.digest] -= 1
        else:
            yield chapter
