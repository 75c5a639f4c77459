"""
ConsolidationService: the one door through which the story changes.

Invariant: every turn at or below the cursor is told, every turn above it is in the transcript; the cursor moves only in
the replace that writes what it counts. The lock is held for bytes, never across a model call: a plan is made, and laid
upon whatever the story is by then. Where a person changed a chapter meanwhile, theirs stands.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import MemoryFault
from consolidation.kernel.ports import Usage
from consolidation.story.anchor import anchor_for, decide, read_marks, with_marks, without_marks
from consolidation.story.batching import batches
from consolidation.story.chapters import appended, parse
from consolidation.story.ledger import Published, read_ledger, write_ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import Kept
    from consolidation.story.anchor import ToTell
    from consolidation.story.narrator import Draft, Narrator, Voice
    from consolidation.story.storyfile import StoryFile
    from consolidation.transcript.log import Transcript

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose story it is: its transcript, its file, the ledger beside it, and who tells."""

    transcript: Transcript
    file: StoryFile
    ledger: Path
    voice: Voice


@dataclass(frozen=True, slots=True)
class Run:
    """One run: why it ran, how far it came, and why it stopped; ``error`` is None when nothing failed."""

    trigger: str
    started_at: datetime
    ended_at: datetime | None = None
    turns: int = 0
    told: int = 0
    chapters: int = 0
    reason: str = ""
    error: str | None = None
    usage: Usage = field(default_factory=Usage)


class ConsolidationService:
    """Tells what is not yet told, batch by batch; one run at a time for each story."""

    def __init__(self, narrator: Narrator, *, clock: Clock, batch_tokens: int = 50_000) -> None:
        """Bind to the narrator; a batch has at most *batch_tokens*."""
        self._narrator = narrator
        self._clock = clock
        self._batch_tokens = batch_tokens
        self._turnstiles: dict[Path, asyncio.Lock] = {}

    async def update_narrative_story(self, subject: Subject, *, trigger: str, progress: Callable[[Run], None]) -> Run:
        """
        Tell every turn that waits; *progress* is told of the run each time it advances.

        A batch that fails stops the run: its turns and all later ones go on waiting, and the story is as it was.
        """
        async with self._turnstiles.setdefault(subject.ledger, asyncio.Lock()):
            run = Run(trigger, self._clock.now())
            try:
                to_tell, turns = await self._waiting(subject)
                run = replace(run, turns=len(turns), reason=to_tell.reason)
                progress(run)
                for batch in batches(turns, most_tokens=self._batch_tokens):
                    draft = await self._narrated(subject, batch)
                    await self._publish(subject, batch, draft, to_tell, rest=turns[run.told + len(batch) :])
                    run = replace(
                        run,
                        told=run.told + len(batch),
                        chapters=run.chapters + len(draft.append),
                        usage=run.usage + draft.usage,
                    )
                    progress(run)
            except MemoryFault as error:
                run = replace(run, error=f"{type(error).__name__}: {error}")
            run = replace(run, ended_at=self._clock.now())
            progress(run)
            return run

    async def pending(self, subject: Subject) -> tuple[Kept, ...]:
        """The turns that wait to be told, in order."""
        return (await self._waiting(subject))[1]

    async def to_tell(self, subject: Subject) -> ToTell:
        """What is not yet told, by position: no turn is read."""
        story = await anyio.to_thread.run_sync(subject.file.read)
        top = subject.transcript.positions.last
        known = await anyio.to_thread.run_sync(_caught_up, subject.ledger, story, top)
        return decide(story, ledger=known.sequence, ledger_anchor=known.anchor, top=top, now=self._clock.now())

    async def _waiting(self, subject: Subject) -> tuple[ToTell, tuple[Kept, ...]]:
        to_tell = await self.to_tell(subject)
        turns: list[Kept] = []
        after = 0 if to_tell.since is not None else to_tell.sequence
        while page := await subject.transcript.after(after, limit=_PAGE):
            turns.extend(kept for kept in page if kept.is_remembered and _is_due(kept, to_tell))
            after = page[-1].sequence
        return to_tell, tuple(turns)

    async def _narrated(self, subject: Subject, batch: Sequence[Kept]) -> Draft:
        story = await anyio.to_thread.run_sync(subject.file.read)
        known = await anyio.to_thread.run_sync(read_ledger, subject.ledger)
        return await self._narrator.narrate(
            batch, book=parse(without_marks(story)), ours=known.digests, voice=subject.voice
        )

    async def _publish(
        self, subject: Subject, batch: Sequence[Kept], draft: Draft, to_tell: ToTell, *, rest: Sequence[Kept]
    ) -> None:
        known = await anyio.to_thread.run_sync(read_ledger, subject.ledger)
        told = [kept.occurred_at for kept in batch] + ([known.newest] if known.newest else [])
        anchor = anchor_for(told, (kept.occurred_at for kept in rest))
        assert anchor is not None  # noqa: S101 - a batch is never empty
        sequence = max(to_tell.sequence, *(kept.sequence for kept in batch))
        tied_to = anchor
        if any(kept.sequence <= to_tell.sequence for kept in rest):
            # Told again from an anchor moved back, and not yet done: the anchor stays behind what it is tied to.
            anchor, tied_to = max(kept.occurred_at for kept in batch), known.anchor or anchor

        def plan(story: str) -> str:
            return with_marks(planned(without_marks(story), draft), sequence=sequence, anchor=anchor, tied_to=tied_to)

        await anyio.to_thread.run_sync(subject.file.change, plan)
        ours = known.digests | {chapter.digest for chapter in (*draft.append, *draft.revise.values())}
        published = Published(sequence, tied_to, max(told), ours)
        await anyio.to_thread.run_sync(write_ledger, subject.ledger, published)


def planned(story: str, draft: Draft) -> str:
    """
    *story* with what *draft* adds and revises; a chapter that is no longer what the narrator saw stays as it is. Pure.

    Chapters that stand there already are not added again: planning twice is planning once.
    """
    text = story
    for chapter in parse(story).chapters:
        revised = draft.revise.get(chapter.digest)
        if revised is not None:
            text = text.replace(chapter.text, revised.text, 1)
    book = parse(text)
    standing = {chapter.digest for chapter in book.chapters}
    return appended(book, tuple(chapter for chapter in draft.append if chapter.digest not in standing)).text


def _caught_up(ledger: Path, story: str, top: int) -> Published:
    """The ledger, brought up to a story that a crash left ahead of it."""
    known, marks = read_ledger(ledger), read_marks(story)
    if marks.sequence is None or marks.tied_to is None or not (known.sequence or 0) < marks.sequence <= top:
        return known
    newest = max(known.newest, marks.tied_to) if known.newest else marks.tied_to
    published = Published(marks.sequence, marks.tied_to, newest, known.digests)
    write_ledger(ledger, published)
    return published


def _is_due(kept: Kept, to_tell: ToTell) -> bool:
    if kept.sequence > to_tell.sequence:
        return True
    return to_tell.since is not None and kept.occurred_at > to_tell.since
