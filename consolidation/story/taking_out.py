"""
What is erased goes out of the story: chapters of ours that may hold its words, and earlier stories that do.

The other turns that those chapters told are owed again. A chapter that a person edited stays, and is named. May be
repeated at any point: what is owed is written down before the chapters go, and what stands proves what is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.story.anchor import carrying, read_marks, without_marks
from consolidation.story.chapters import Book, parse
from consolidation.story.ledger import read_ledger, with_ours, write_ledger
from consolidation.story.tellings import Telling, touched

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from consolidation.story.chapters import Chapter
    from consolidation.story.ledger import Published
    from consolidation.story.run import Subject

_PAGE = 500
_MINUTE, _DAY_END = len("2026-01-28 14:00"), " 23:59"


@dataclass(frozen=True, slots=True)
class TakenOut:
    """Chapters of ours that went, headings of a person's that stay, turns that are owed, earlier stories that went."""

    chapters: int = 0
    edited: tuple[str, ...] = ()
    owed: int = 0
    versions: int = 0


async def take_out(subject: Subject, erased: frozenset[int], *, words: Sequence[str]) -> TakenOut:
    """Take turns out that alone said *words*. Raises StoryFault, OSError."""
    standing = parse(without_marks(await anyio.to_thread.run_sync(subject.file.read)))
    known = await _with_guesses(subject, standing)
    marked = {digest for digest, one in known.tellings.items() if one.seen & erased}
    before = touched(standing, ours=known.digests, tellings=known.tellings, erased=erased, words=words)
    if before.gone or known.again & erased:
        await _note(subject, replace(known, again=(known.again | before.owed) - erased))
    gone: set[str] = set()

    def plan(story: str) -> str:
        book = parse(without_marks(story))
        now = touched(book, ours=known.digests, tellings=known.tellings, erased=erased, words=words).gone
        gone.update(now)
        left = tuple(chapter for chapter in book.chapters if chapter.digest not in now)
        return carrying(Book(book.opening, left).text, read_marks(story)) if now else story

    text = await anyio.to_thread.run_sync(subject.file.change, plan) if before.gone else ""
    book = parse(without_marks(text)) if before.gone else standing
    after = touched(book, ours=known.digests, tellings=known.tellings, erased=erased, words=words)
    await _note(subject, _forgotten(known, gone, again=(known.again | before.owed) - erased))
    times = {known.tellings[digest].at for digest in marked}
    versions = await anyio.to_thread.run_sync(subject.file.purge, _holds(marked, times, words))
    return TakenOut(len(gone), after.edited, len(before.owed), versions)


async def _note(subject: Subject, published: Published) -> None:
    await anyio.to_thread.run_sync(write_ledger, subject.ledger, published)


def _forgotten(known: Published, gone: set[str], *, again: frozenset[int]) -> Published:
    """*known* without chapters that are no longer there; retold, they are noted anew."""
    left = {digest: one for digest, one in known.tellings.items() if digest not in gone}
    return replace(known, digests=known.digests - gone, short=known.short - gone, tellings=left, again=again)


def _holds(marked: set[str], times: set[str], words: Sequence[str]) -> Callable[[str], bool]:
    """Whether an earlier story holds a chapter that goes, or an edited form of one, or one of *words*."""

    def holds(story: str) -> bool:
        chapters = parse(story).chapters
        return any(one.digest in marked or one.first in times for one in chapters) or any(w in story for w in words)

    return holds


async def _with_guesses(subject: Subject, book: Book) -> Published:
    """The ledger; a chapter of ours that it does not say the turns of is taken to tell those of its time."""
    known = await anyio.to_thread.run_sync(read_ledger, subject.ledger)
    unknown = [one for one in book.chapters if one.digest in known.digests and one.digest not in known.tellings]
    if not unknown:
        return known
    spans = {one.digest: (one.first, _end(one)) for one in unknown}
    told: dict[str, set[int]] = {one.digest: set() for one in unknown}
    after = 0
    while page := await subject.transcript.after(after, limit=_PAGE):
        after = page[-1].sequence
        for kept in page:
            when = f"{kept.occurred_at:%Y-%m-%d %H:%M}"
            for digest, (first, last) in spans.items():
                if kept.is_remembered and kept.sequence <= (known.sequence or 0) and first <= when <= last:
                    told[digest].add(kept.sequence)
    guessed = {
        one.digest: Telling(one.first, frozenset(told[one.digest]), frozenset(told[one.digest])) for one in unknown
    }
    return with_ours(known, guessed)


def _end(chapter: Chapter) -> str:
    """The end of the chapter's last day: it may tell all of it."""
    return chapter.last[: -len(" 14:00")] + _DAY_END if len(chapter.last) == _MINUTE else chapter.last + _DAY_END
