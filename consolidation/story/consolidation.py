"""
ConsolidationService: the one door through which we change a story.

Invariant: every turn at or below the cursor is narrated, and every turn above it is in the transcript. The cursor moves
only in the replace that writes what it counts. The file is locked for writing bytes, never across a model call: a
draft is made first, and applied to whatever the story is by then. Where a person changed a chapter meanwhile, their
text wins.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import anyio.to_thread

from consolidation.corrections.taken_out import as_put_right
from consolidation.kernel.errors import MemoryFault, ModelTimedOut, ModelTruncated, StoryUnreadable, StoryUnwritable
from consolidation.story.anchor import read_marks, without_marks
from consolidation.story.backlog import BatchSize, catch_up, read_backlog, read_owed, read_pending
from consolidation.story.chapter_turns import left_out_by, turns_told
from consolidation.story.chapters import parse
from consolidation.story.compression import oldest_run
from consolidation.story.draft import StoryDraft
from consolidation.story.erasure import erase_from_story
from consolidation.story.ledger import read_ledger, story_digest, write_ledger
from consolidation.story.narrator import ToldSoFar, shown_tokens
from consolidation.story.notes import NO_NOTES
from consolidation.story.publish import publish_batch, publish_owed, publish_shorter
from consolidation.story.put_right import put_right_in_story
from consolidation.story.run import MindStory, Run, RunInProgress, failed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import StoredTurn
    from consolidation.story.anchor import PendingRange
    from consolidation.story.chapter_turns import ErasedTurns
    from consolidation.story.erasure import ErasedFromStory
    from consolidation.story.narrator import Narrator, Voice
    from consolidation.story.run import Gathered

type Progress = Callable[[Run], None]

_MOST_PASSES = 40  # of compression in one run
# Runs in a row in which no answer could be used. What a model does not tell as it should in the next one is quoted:
# a story in quotes is worth more than none.
_PATIENCE = 2


class ConsolidationService:
    """Narrates pending turns, goes back to earlier stories, takes erased turns out: one at a time for each story."""

    def __init__(
        self, narrator: Narrator, *, clock: Clock, batch_tokens: int = 50_000, most_words: int = 10_000
    ) -> None:
        """A batch has at most *batch_tokens*. A story above *most_words* is made shorter, its oldest chapters first."""
        self._narrator = narrator
        self._clock = clock
        self._batch_tokens = batch_tokens
        self._most_words = most_words
        self._locks: dict[Path, asyncio.Lock] = {}

    async def update_narrative_story(
        self,
        story: MindStory,
        *,
        voice: Voice,
        trigger: str,
        progress: Progress,
        gathered: Gathered | None = None,
    ) -> Run:
        """
        Narrate every pending turn. *progress* is called with the run each time it advances.

        A batch that fails stops the run, and the run says why: its turns and all later ones go on being pending, and
        the story is as it was.
        """
        async with self._only(story):
            going = RunInProgress(Run(trigger, self._clock.now(), gathered=gathered), progress)
            size: BatchSize | None = None
            try:
                ledger = await anyio.to_thread.run_sync(read_ledger, story.ledger)
                size = BatchSize(self._batch_tokens, ledger.in_time)
                is_patient = ledger.refused_runs < _PATIENCE
                await self._narrate(story, going, replace(voice, quotes_refused=not is_patient), size)
            except (MemoryFault, OSError) as error:
                going.run = failed(going.run, error)
            # The run itself has told of the disk; what is refused is quoted later.
            with suppress(StoryUnreadable, StoryUnwritable):
                await anyio.to_thread.run_sync(_note_run, story.ledger, going.run, size)
            going.advance(ended_at=self._clock.now(), received=0)
            return going.run

    async def skip(self, story: MindStory, *, trigger: str) -> Run:
        """Count every pending turn as narrated, without narrating it. Raises StoryFault, OSError."""
        async with self._only(story):
            started_at = self._clock.now()
            await anyio.to_thread.run_sync(catch_up, story)
            owed = await read_owed(story, now=started_at)
            backlog = await read_backlog(story, now=started_at)
            if backlog.turns:
                await publish_batch(story, backlog.turns, None, backlog.pending, rest=(), seen=backlog.marks)
            ledger = await anyio.to_thread.run_sync(read_ledger, story.ledger)
            await anyio.to_thread.run_sync(write_ledger, story.ledger, replace(ledger, owed=frozenset()))
            turns = len(owed) + len(backlog.turns)
            return Run(trigger, started_at, self._clock.now(), turns=turns, reason="skipped, not narrated")

    async def erase(self, story: MindStory, erased: ErasedTurns) -> ErasedFromStory:
        """
        Take erased turns out of the story; the other turns of the chapters that told of them are owed.

        Raises StoryFault, Locked, OSError.
        """
        async with self._only(story):
            return await erase_from_story(story, erased)

    async def rewind(self, story: MindStory, *, version: str) -> str:
        """
        Put an earlier story back with its own marks, so that turns narrated after it are pending again.

        Waits for a run that is under way. Returns the text it wrote. Raises StoryFault, Locked, OSError.
        """
        async with self._only(story):
            marks = read_marks(version)
            ledger = await anyio.to_thread.run_sync(read_ledger, story.ledger)
            then = marks.tied_to
            text = version if marks.sequence is not None else without_marks(version)  # else nothing says what is in it
            present = parse(without_marks(await anyio.to_thread.run_sync(story.file.read)))
            # An erasure has taken chapters out of earlier stories: their other turns were narrated in later ones.
            owed = ledger.owed | left_out_by(parse(without_marks(version)), present, ledger.turns)
            rewound = replace(ledger, sequence=marks.sequence, anchor=then, newest=then, owed=owed, notes=NO_NOTES)
            # The ledger first: after a crash in between, the cursor of the present story brings it up again.
            await anyio.to_thread.run_sync(write_ledger, story.ledger, rewound)
            return (await anyio.to_thread.run_sync(story.file.change, lambda _: text)).written

    async def pending(self, story: MindStory) -> tuple[StoredTurn, ...]:
        """The turns that are not narrated, in the order in which they will be."""
        return (*await self.owed(story), *(await read_backlog(story, now=self._clock.now())).turns)

    async def owed(self, story: MindStory) -> tuple[StoredTurn, ...]:
        """Those of them that were narrated before: their chapter was removed with an erased turn."""
        return await read_owed(story, now=self._clock.now())

    async def pending_range(self, story: MindStory) -> PendingRange:
        """Which turns are not narrated, by position. No turn is read."""
        return (await read_pending(story, now=self._clock.now()))[0]

    async def put_right(self, story: MindStory) -> int:
        """
        Take out of the story what people put right; the turns of those chapters are owed. Returns how many went.

        Raises StoryFault, Locked, OSError.
        """
        async with self._only(story):
            await anyio.to_thread.run_sync(catch_up, story)
            return await put_right_in_story(story)

    async def catch_up(self, story: MindStory) -> int:
        """Bring the ledger up to a story that a crash left ahead of it. Returns the last sequence narrated."""
        async with self._only(story):
            return await anyio.to_thread.run_sync(catch_up, story)

    @asynccontextmanager
    async def _only(self, story: MindStory) -> AsyncIterator[None]:
        async with self._locks.setdefault(story.ledger, asyncio.Lock()):
            yield

    async def _narrate(self, story: MindStory, going: RunInProgress, voice: Voice, size: BatchSize) -> None:
        await anyio.to_thread.run_sync(catch_up, story)
        await put_right_in_story(story)
        owed = await read_owed(story, now=self._clock.now())
        backlog = await read_backlog(story, now=self._clock.now())
        going.advance(turns=len(owed) + len(backlog.turns), reason=backlog.pending.reason)
        seen = backlog.marks

        def voice_of(*, is_quoted: bool) -> Voice:
            return replace(voice, is_quoting=voice.is_quoting or is_quoted)

        async def tell_owed(batch: Sequence[StoredTurn], *, is_quoted: bool) -> None:
            by = voice_of(is_quoted=is_quoted)
            draft = await self._draft(story, batch, going, size, voice=by, is_again=False, is_newest=False)
            await publish_owed(story, batch, draft)
            await _count(going, batch, draft, is_quoted=is_quoted)

        async def tell(batch: Sequence[StoredTurn], *, is_quoted: bool) -> None:
            nonlocal seen
            by = voice_of(is_quoted=is_quoted)
            is_again = batch[0].sequence <= backlog.pending.sequence
            rest = backlog.turns[going.run.narrated - len(owed) + len(batch) :]
            is_newest = not rest and not is_again
            draft = await self._draft(story, batch, going, size, voice=by, is_again=is_again, is_newest=is_newest)
            seen = await publish_batch(story, batch, draft, backlog.pending, rest=rest, seen=seen)
            await _count(going, batch, draft, is_quoted=is_quoted)
            await self._compress(story, going, voice)

        for turns, told_by in ((owed, tell_owed), (backlog.again, tell), (backlog.new, tell)):
            await _in_batches(turns, size, told_by, quotes_refused=voice.quotes_refused, refused=going.refuse)

    async def _draft(
        self,
        story: MindStory,
        batch: Sequence[StoredTurn],
        going: RunInProgress,
        size: BatchSize,
        *,
        voice: Voice,
        is_again: bool,
        is_newest: bool,
    ) -> StoryDraft:
        text = without_marks(await anyio.to_thread.run_sync(story.file.read))
        ledger = await anyio.to_thread.run_sync(read_ledger, story.ledger)
        told = ToldSoFar(parse(text), ledger.digests, ledger.notes_on(text), ledger.newest, story_digest(text))
        left = await anyio.to_thread.run_sync(_as_put_right, story, batch)
        if not left:
            return StoryDraft(())
        size.of_story = await anyio.to_thread.run_sync(shown_tokens, told, size.most_of_story)
        return await self._narrator.narrate(
            left,
            told=told,
            voice=voice,
            going=going,
            is_again=is_again,
            is_newest=is_newest,
            most_of_turn=size.most_of_turn,
            most_of_story=size.most_of_story,
        )

    async def _compress(self, story: MindStory, going: RunInProgress, voice: Voice) -> None:
        """Make a story that has grown too long shorter, its oldest chapters first."""
        for _ in range(_MOST_PASSES):
            text = await anyio.to_thread.run_sync(story.file.read)
            ledger = await anyio.to_thread.run_sync(read_ledger, story.ledger)
            book = parse(without_marks(text))
            chapters = oldest_run(book, ours=ledger.digests, short=ledger.short, most_words=self._most_words)
            if not chapters:
                return
            shorter = await self._narrator.shorten(chapters, voice=voice, going=going)
            await publish_shorter(story, chapters, shorter)
            going.advance(compressed=going.run.compressed + len(chapters))


class _Tell(Protocol):
    """Tells a batch; ``is_quoted``: in quotes, without asking a model."""

    async def __call__(self, batch: Sequence[StoredTurn], *, is_quoted: bool) -> None: ...


async def _in_batches(
    turns: Sequence[StoredTurn], size: BatchSize, tell: _Tell, *, quotes_refused: bool, refused: Callable[[str], None]
) -> None:
    """
    Have *turns* told, batch by batch: in smaller ones where a model can not take one in, end its chapters, or be quick.

    With *quotes_refused*, what it can not end in the smallest ones is quoted, and *refused* is told why. What it takes
    too long for is never quoted.
    """
    is_quoted = False
    while turns:
        batch = size.take(turns)
        try:
            await tell(batch, is_quoted=is_quoted)
        except ModelTruncated as error:
            if not size.shrink(batch, is_of_window=error.is_of_window):
                if is_quoted or not quotes_refused:
                    raise
                refused(str(error))
                is_quoted = True
                size.widen()
            continue
        except ModelTimedOut:
            if not size.shrink_for_time(batch):
                raise
            continue
        if not is_quoted:
            size.grow()
        is_quoted = False
        size.widen()
        turns = turns[len(batch) :]


def _note_run(file: Path, run: Run, size: BatchSize | None) -> None:
    """
    Write down whether *run* was one more that no model could tell, and the *size* of batches for the next one.

    One that failed otherwise changes nothing.
    """
    ledger = read_ledger(file)
    is_refused = run.was_refused or run.was_quoted
    known = ledger.refused_runs
    count = min(known + 1, _PATIENCE) if is_refused else known if run.error is not None else 0
    in_time = size.in_time if size is not None else ledger.in_time
    if (count, in_time) != (known, ledger.in_time):
        write_ledger(file, replace(ledger, refused_runs=count, in_time=in_time))


def _as_put_right(story: MindStory, batch: Sequence[StoredTurn]) -> Sequence[StoredTurn]:
    """The turns of *batch* as they are to be told, after what people put right."""
    standing = story.corrections.standing() if story.corrections is not None else None
    if not standing:
        return batch
    return [left for stored in batch if (left := as_put_right(stored, standing)) is not None]


async def _count(going: RunInProgress, batch: Sequence[StoredTurn], draft: StoryDraft, *, is_quoted: bool) -> None:
    run = going.run
    if is_quoted:
        going.quote(await anyio.to_thread.run_sync(turns_told, batch, draft))
    going.advance(narrated=run.narrated + len(batch), chapters=run.chapters + len(draft.append))
