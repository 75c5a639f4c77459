"""
ConsolidationService: the one door through which the story changes.

Invariant: every turn at or below the cursor is told, every turn above it is in the transcript; the cursor moves only in
the replace that writes what it counts. The lock is held for bytes, never across a model call: a plan is made, and laid
upon whatever the story is by then. Where a person changed a chapter meanwhile, theirs stands.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import MemoryFault
from consolidation.story.anchor import Marks, anchor_for, carrying, read_marks, with_marks, without_marks
from consolidation.story.batching import batches
from consolidation.story.chapters import parse
from consolidation.story.ledger import note_ours, note_short, read_ledger, with_ours, write_ledger
from consolidation.story.planning import laid_upon, moved_back, shortened_in
from consolidation.story.run import Run, Subject, failed
from consolidation.story.shortening import oldest_run
from consolidation.story.taking_out import take_out
from consolidation.story.tellings import tellings_of, tellings_of_shorter
from consolidation.story.waiting import decided, owed_again, settled, waiting

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence
    from pathlib import Path

    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import Kept
    from consolidation.story.anchor import ToTell
    from consolidation.story.narrator import Draft, Narrator
    from consolidation.story.run import Gathered
    from consolidation.story.taking_out import TakenOut

type Progress = Callable[[Run], None]

_MOST_PASSES = 40  # of compression in one run


class ConsolidationService:
    """Tells what is not yet told, batch by batch; one run at a time for each story."""

    def __init__(
        self, narrator: Narrator, *, clock: Clock, batch_tokens: int = 50_000, most_words: int = 10_000
    ) -> None:
        """Bind to the narrator; a batch has at most *batch_tokens*, a story about *most_words*."""
        self._narrator = narrator
        self._clock = clock
        self._batch_tokens = batch_tokens
        self._most_words = most_words
        self._turnstiles: dict[Path, asyncio.Lock] = {}

    async def update_narrative_story(
        self, subject: Subject, *, trigger: str, progress: Progress, gathered: Gathered | None = None
    ) -> Run:
        """
        Tell every turn that waits; *progress* is told of the run each time it advances.

        A batch that fails stops the run: its turns and all later ones go on waiting, and the story is as it was.
        """
        async with self._turnstile(subject):
            run = Run(trigger, self._clock.now(), gathered=gathered)
            try:
                async for run in self._told(subject, run):  # noqa: B020 - each step goes on from the last
                    progress(run)
            except (MemoryFault, OSError) as error:
                run = failed(run, error)
            run = replace(run, ended_at=self._clock.now())
            progress(run)
            return run

    async def skip(self, subject: Subject, *, trigger: str) -> Run:
        """Count every turn that waits as told, without telling it. Raises StoryFault, OSError."""
        async with self._turnstile(subject):
            started_at = self._clock.now()
            await anyio.to_thread.run_sync(settled, subject)
            owed = await owed_again(subject, now=started_at)
            to_tell, seen, turns = await waiting(subject, now=started_at)
            if turns:
                await self._publish(subject, turns, None, to_tell, rest=(), seen=seen)
            known = await anyio.to_thread.run_sync(read_ledger, subject.ledger)
            await anyio.to_thread.run_sync(write_ledger, subject.ledger, replace(known, again=frozenset()))
            count = len(owed) + len(turns)
            return Run(trigger, started_at, self._clock.now(), turns=count, reason="skipped, not told")

    async def take_out(self, subject: Subject, erased: frozenset[int], *, words: Sequence[str]) -> TakenOut:
        """
        Take erased turns, that alone said *words*, out of the story; what their chapters told besides is owed again.

        Raises StoryFault, OSError.
        """
        async with self._turnstile(subject):
            return await take_out(subject, erased, words=words)

    async def rewind(self, subject: Subject, *, version: str) -> str:
        """
        Put an earlier story back with its own marks, so that what was told after it is told again.

        Waits for a run that is under way. Raises StoryFault, OSError.
        """
        async with self._turnstile(subject):
            marks = read_marks(version)
            known = await anyio.to_thread.run_sync(read_ledger, subject.ledger)
            then = marks.tied_to
            text = version if marks.sequence is not None else without_marks(version)  # else nothing says what is in it
            rewound = replace(known, sequence=marks.sequence, anchor=then, newest=then)
            # The ledger first: after a crash in between, the cursor of the story that stands brings it up again.
            await anyio.to_thread.run_sync(write_ledger, subject.ledger, rewound)
            return await anyio.to_thread.run_sync(subject.file.change, lambda _: text)

    async def pending(self, subject: Subject) -> tuple[Kept, ...]:
        """The turns that wait to be told, in order."""
        return (*await self.owed(subject), *(await waiting(subject, now=self._clock.now()))[2])

    async def owed(self, subject: Subject) -> tuple[Kept, ...]:
        """Those of them that were told before: their chapter went with an erased turn."""
        return await owed_again(subject, now=self._clock.now())

    async def to_tell(self, subject: Subject) -> ToTell:
        """What is not yet told, by position: no turn is read."""
        return (await decided(subject, now=self._clock.now()))[0]

    async def settle(self, subject: Subject) -> int:
        """Bring the ledger up to a story that a crash left ahead of it; the last sequence told."""
        async with self._turnstile(subject):
            return await anyio.to_thread.run_sync(settled, subject)

    @asynccontextmanager
    async def _turnstile(self, subject: Subject) -> AsyncIterator[None]:
        async with self._turnstiles.setdefault(subject.ledger, asyncio.Lock()):
            yield

    async def _told(self, subject: Subject, run: Run) -> AsyncIterator[Run]:
        """The run after each step."""
        await anyio.to_thread.run_sync(settled, subject)
        owed = await owed_again(subject, now=self._clock.now())
        to_tell, seen, turns = await waiting(subject, now=self._clock.now())
        run = replace(run, turns=len(owed) + len(turns), reason=to_tell.reason)
        yield run
        for batch in batches(owed, most_tokens=self._batch_tokens):
            draft = await self._narrated(subject, batch, is_again=False)
            await self._publish_owed(subject, batch, draft)
            run = _advanced(run, batch, draft)
            yield run
        for batch in self._batches(turns, to_tell):
            draft = await self._narrated(subject, batch, is_again=batch[0].sequence <= to_tell.sequence)
            rest = turns[run.told - len(owed) + len(batch) :]
            seen = await self._publish(subject, batch, draft, to_tell, rest=rest, seen=seen)
            run = _advanced(run, batch, draft)
            yield run
            async for run in self._shortened(subject, run):  # noqa: B020
                yield run

    def _batches(self, turns: Sequence[Kept], to_tell: ToTell) -> Iterator[tuple[Kept, ...]]:
        """What is told again apart from what is new."""
        again = sum(kept.sequence <= to_tell.sequence for kept in turns)
        yield from batches(turns[:again], most_tokens=self._batch_tokens)
        yield from batches(turns[again:], most_tokens=self._batch_tokens)

    async def _narrated(self, subject: Subject, batch: Sequence[Kept], *, is_again: bool) -> Draft:
        story = await anyio.to_thread.run_sync(subject.file.read)
        known = await anyio.to_thread.run_sync(read_ledger, subject.ledger)
        book = parse(without_marks(story))
        return await self._narrator.narrate(
            batch, book=book, ours=known.digests, voice=subject.voice, is_again=is_again
        )

    async def _publish_owed(self, subject: Subject, batch: Sequence[Kept], draft: Draft) -> None:
        """Write what *draft* makes of turns below the cursor: the marks stay as they are."""
        known = await anyio.to_thread.run_sync(read_ledger, subject.ledger)
        tellings = tellings_of(batch, draft, known.tellings)
        await anyio.to_thread.run_sync(note_ours, subject.ledger, tellings)

        def plan(story: str) -> str:
            return carrying(laid_upon(without_marks(story), draft), read_marks(story))

        await anyio.to_thread.run_sync(subject.file.change, plan)
        again = known.again - {kept.sequence for kept in batch}
        published = replace(with_ours(known, tellings), again=again)
        await anyio.to_thread.run_sync(write_ledger, subject.ledger, published)

    async def _publish(
        self,
        subject: Subject,
        batch: Sequence[Kept],
        draft: Draft | None,
        to_tell: ToTell,
        *,
        rest: Sequence[Kept],
        seen: Marks,
    ) -> Marks:
        """Write what *draft* makes of *batch* and the marks that count it; the marks as we would have them stand."""
        known = await anyio.to_thread.run_sync(read_ledger, subject.ledger)
        told = [kept.occurred_at for kept in batch] + ([known.newest] if known.newest else [])
        anchor = anchor_for(told, (kept.occurred_at for kept in rest))
        assert anchor is not None  # noqa: S101 - a batch is never empty
        sequence = max(to_tell.sequence, *(kept.sequence for kept in batch))
        tied_to = anchor
        if any(kept.sequence <= to_tell.sequence for kept in rest):
            # Told again from an anchor moved back, and not yet done: the anchor stays behind what it is tied to.
            left = (kept.occurred_at for kept in rest if kept.sequence <= to_tell.sequence)
            anchor, tied_to = anchor_for((kept.occurred_at for kept in batch), left) or anchor, known.anchor or anchor

        def plan(story: str) -> str:
            text = without_marks(story)
            text = laid_upon(text, draft) if draft is not None else text
            back = moved_back(read_marks(story), seen)  # while the narrator was thinking
            return with_marks(text, sequence=sequence, anchor=min(anchor, back or anchor), tied_to=tied_to)

        tellings = tellings_of(batch, draft, known.tellings) if draft is not None else {}
        await anyio.to_thread.run_sync(note_ours, subject.ledger, tellings)
        await anyio.to_thread.run_sync(subject.file.change, plan)
        again = known.again - {kept.sequence for kept in batch}
        published = replace(
            with_ours(known, tellings), sequence=sequence, anchor=tied_to, newest=max(told), again=again
        )
        await anyio.to_thread.run_sync(write_ledger, subject.ledger, published)
        return Marks(sequence, tied_to, anchor, anchors=1)

    async def _shortened(self, subject: Subject, run: Run) -> AsyncIterator[Run]:
        """Make a story that has grown too long shorter, its oldest chapters first."""
        for _ in range(_MOST_PASSES):
            story = await anyio.to_thread.run_sync(subject.file.read)
            known = await anyio.to_thread.run_sync(read_ledger, subject.ledger)
            book = parse(without_marks(story))
            chapters = oldest_run(book, ours=known.digests, short=known.short, most_words=self._most_words)
            if not chapters:
                return
            shorter, usage = await self._narrator.shorten(chapters, voice=subject.voice)
            tellings = tellings_of_shorter(chapters, shorter, known.tellings)
            await anyio.to_thread.run_sync(note_short, subject.ledger, tellings)
            await anyio.to_thread.run_sync(subject.file.change, shortened_in(chapters, shorter))
            run = replace(run, compressed=run.compressed + len(chapters), usage=run.usage + usage)
            yield run


def _advanced(run: Run, batch: Sequence[Kept], draft: Draft) -> Run:
    return replace(
        run, told=run.told + len(batch), chapters=run.chapters + len(draft.append), usage=run.usage + draft.usage
    )
