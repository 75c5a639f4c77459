"""
Erased turns go out of the story and its earlier versions: the chapters of ours that tell of them, and no others.

The other turns of those chapters are owed. A chapter that a person edited stays, and is named. All of it may be
repeated at any point: what is owed is written down before the chapters go, a chapter that is in the story proves that
its turns are narrated, and the ledger forgets a chapter last.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.story.anchor import read_marks, replace_marks, without_marks
from consolidation.story.chapter_turns import ChapterTurns, effect_of_erasing, narrating
from consolidation.story.chapters import Book, parse
from consolidation.story.ledger import read_ledger, with_ours, write_ledger
from consolidation.story.notes import NO_NOTES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from consolidation.story.chapter_turns import ErasedTurns, ErasureEffect
    from consolidation.story.chapters import Chapter
    from consolidation.story.ledger import StoryLedger
    from consolidation.story.run import MindStory

_PAGE = 500
_MINUTE, _DAY_END = len("2026-01-28 14:00"), " 23:59"


@dataclass(frozen=True, slots=True)
class ErasedFromStory:
    """
    How many of our chapters went, turns are owed, earlier stories were shortened or deleted.

    ``edited`` are the headings of chapters that a person edited. They stay.
    """

    chapters: int = 0
    edited: tuple[str, ...] = ()
    owed: int = 0
    versions: int = 0


async def erase_from_story(story: MindStory, erased: ErasedTurns) -> ErasedFromStory:
    """Take erased turns out of *story*. Raises StoryFault, Locked, OSError."""
    present = parse(without_marks(await anyio.to_thread.run_sync(story.file.read)))
    ledger = await with_guessed_turns(story, present)

    def effect_on(book: Book) -> ErasureEffect:
        return effect_of_erasing(book, ours=ledger.digests, turns=ledger.turns, erased=erased)

    before = await anyio.to_thread.run_sync(effect_on, present)
    owed = (ledger.owed | before.owed) - erased.sequences
    if before.removed or ledger.owed & erased.sequences:
        await anyio.to_thread.run_sync(write_ledger, story.ledger, replace(ledger, owed=owed, notes=NO_NOTES))
    gone = set(narrating(erased, ledger.turns))

    def plan(text: str) -> str:
        book = parse(without_marks(text))
        removed = effect_on(book).removed
        gone.update(removed)
        return without_chapters(text, book, [one for one in book.chapters if one.digest in removed])

    chapters = len(before.removed)
    if before.removed:
        change = await anyio.to_thread.run_sync(story.file.change, plan)
        present = parse(without_marks(change.story))
    edited = effect_on(present).edited
    versions = await anyio.to_thread.run_sync(story.file.redact, _redaction(erased, ledger))
    await anyio.to_thread.run_sync(write_ledger, story.ledger, _without_chapters(ledger, gone, owed=owed))
    return ErasedFromStory(chapters, edited, len(before.owed), versions)


async def doomed_chapters(story: MindStory, erased: ErasedTurns) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """
    The headings of chapters that would go with *erased*, and of those that would stay since a person edited them.

    Nothing is written. Raises StoryFault, OSError.
    """
    present = parse(without_marks(await anyio.to_thread.run_sync(story.file.read)))
    ledger = await with_guessed_turns(story, present)
    effect = await anyio.to_thread.run_sync(
        lambda: effect_of_erasing(present, ours=ledger.digests, turns=ledger.turns, erased=erased)
    )
    return tuple(one.heading for one in present.chapters if one.digest in effect.removed), effect.edited


def _without_chapters(ledger: StoryLedger, gone: set[str], *, owed: frozenset[int]) -> StoryLedger:
    """*ledger* without chapters that are no longer there, and without notes, which may hold what is erased."""
    left = {digest: one for digest, one in ledger.turns.items() if digest not in gone}
    return replace(
        ledger, digests=ledger.digests - gone, short=ledger.short - gone, turns=left, owed=owed, notes=NO_NOTES
    )


def _redaction(erased: ErasedTurns, ledger: StoryLedger) -> Callable[[str], str | None]:
    """What stays of an earlier story. None where it has no chapter left, or a word of theirs is in its opening."""
    times = {ledger.turns[digest].at for digest in narrating(erased, ledger.turns)}

    def redact(text: str) -> str | None:
        book = parse(without_marks(text))
        told = [one for one in book.chapters if one.first in times or erased.are_told_in(one, ledger.turns)]
        if any(form in book.opening for form in erased.forms) or (told and len(told) == len(book.chapters)):
            return None
        return without_chapters(text, book, told)

    return redact


def without_chapters(text: str, book: Book, chapters: Sequence[Chapter]) -> str:
    """The story *text*, which *book* is without its marks, without *chapters*."""
    if not chapters:
        return text
    left = tuple(chapter for chapter in book.chapters if chapter not in chapters)
    return replace_marks(Book(book.opening, left).text, read_marks(text))


async def with_guessed_turns(story: MindStory, book: Book) -> StoryLedger:
    """
    The ledger. A chapter of ours whose turns it does not know is taken to be made of those of its time.

    Only earlier versions wrote such chapters, with UTC in their headings.
    """
    ledger = await anyio.to_thread.run_sync(read_ledger, story.ledger)
    unknown = [one for one in book.chapters if one.digest in ledger.digests and one.digest not in ledger.turns]
    if not unknown:
        return ledger
    spans = {one.digest: (one.first, _end(one)) for one in unknown}
    narrated: dict[str, set[int]] = {one.digest: set() for one in unknown}
    after = 0
    while page := await story.transcript.after(after, limit=_PAGE):
        after = page[-1].sequence
        for stored in page:
            when = f"{stored.occurred_at:%Y-%m-%d %H:%M}"
            for digest, (first, last) in spans.items():
                if stored.is_remembered and stored.sequence <= (ledger.sequence or 0) and first <= when <= last:
                    narrated[digest].add(stored.sequence)
    guesses = {
        one.digest: ChapterTurns(one.first, frozenset(narrated[one.digest]), frozenset(narrated[one.digest]))
        for one in unknown
    }
    return with_ours(ledger, guesses)


def _end(chapter: Chapter) -> str:
    """The end of the chapter's last day: it may narrate all of that day."""
    return chapter.last[: -len(" 14:00")] + _DAY_END if len(chapter.last) == _MINUTE else chapter.last + _DAY_END
