"""
Writes what a narrator made into the story, with the marks that count it, and into the ledger.

The order is what a crash can not break: first the ledger says which chapters are ours, then one replace writes chapters
and marks, then the ledger says what was published. After a crash in between, the marks in the story are the proof.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.sharing_errors import ChangedElsewhere
from consolidation.story.anchor import (
    Marks,
    anchor_for,
    anchor_moved_back,
    read_marks,
    replace_marks,
    with_marks,
    without_marks,
)
from consolidation.story.chapter_turns import still_owed, turns_of_draft, turns_of_shorter
from consolidation.story.chapters import parse
from consolidation.story.checks import repetition
from consolidation.story.compression import body
from consolidation.story.draft import apply_draft, replacing_chapters
from consolidation.story.ledger import (
    read_ledger,
    record_ours,
    record_shorter,
    story_digest,
    with_ours,
    write_ledger,
)
from consolidation.text.language import detect
from consolidation.text.words import content_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.turns import StoredTurn
    from consolidation.story.anchor import PendingRange
    from consolidation.story.chapter_turns import TurnsByChapter
    from consolidation.story.chapters import Chapter
    from consolidation.story.draft import StoryDraft
    from consolidation.story.ledger import StoryLedger
    from consolidation.story.run import MindStory


async def publish_batch(
    story: MindStory,
    batch: Sequence[StoredTurn],
    draft: StoryDraft | None,
    pending: PendingRange,
    *,
    rest: Sequence[StoredTurn],
    seen: Marks,
) -> Marks:
    """
    Write what *draft* makes of *batch*, and the marks that count it. Returns the marks as we meant them.

    Without a draft only the marks are written: the batch is skipped. *rest* are the turns that are still pending
    afterwards, *seen* the marks when the batch was taken. Raises StoryFault, and Locked, also where another process has
    moved the cursor since: it may have narrated the same turns; or where a person has edited each chapter that *draft*
    revises, and it adds none. Turns that only a revision tells which was dropped for such an edit are owed.
    """
    ledger = await anyio.to_thread.run_sync(read_ledger, story.ledger)
    narrated = [stored.occurred_at for stored in batch] + ([ledger.newest] if ledger.newest else [])
    anchor = anchor_for(narrated, (stored.occurred_at for stored in rest))
    assert anchor is not None  # noqa: S101 - a batch is never empty
    sequence = max(pending.sequence, *(stored.sequence for stored in batch))
    tied_to, bases = anchor, [""]
    if any(stored.sequence <= pending.sequence for stored in rest):
        # Narrated again from an anchor moved back, and not yet done: the anchor stays behind what it is tied to.
        left = (stored.occurred_at for stored in rest if stored.sequence <= pending.sequence)
        anchor = anchor_for((stored.occurred_at for stored in batch), left) or anchor
        tied_to = ledger.anchor or tied_to

    def plan(text: str) -> str:
        marks, bare = read_marks(text), without_marks(text)
        if marks.sequence not in {None, pending.sequence if seen.sequence is None else seen.sequence}:
            raise ChangedElsewhere("the story's cursor has moved since these turns were narrated; try again")
        bases.append(story_digest(bare))
        new = _applied(bare, draft) if draft is not None else bare
        back = anchor_moved_back(marks, since=seen)  # while the narrator was thinking
        return with_marks(new, sequence=sequence, anchor=min(anchor, back or anchor), tied_to=tied_to)

    turns = await anyio.to_thread.run_sync(_turns_of, batch, draft, ledger)
    told_at = ledger.next_told_at(story.file.now())
    await anyio.to_thread.run_sync(record_ours, story.ledger, turns, told_at)
    change = await anyio.to_thread.run_sync(story.file.change, plan)
    owed = ledger.owed - {stored.sequence for stored in batch}
    if draft is not None:
        turns, untold = _as_written(batch, draft, turns, story=without_marks(change.written))
        owed |= untold
    ours = with_ours(ledger, turns, told_at=told_at)
    published = replace(ours, sequence=sequence, anchor=tied_to, newest=max(narrated), owed=owed)
    if draft is not None and draft.notes is not None:
        # Made on another story than was there at last, they may hold what a person has just taken out.
        noted_on = story_digest(without_marks(change.written)) if draft.made_on == bases[-1] else ""
        published = replace(published, notes=draft.notes, noted_on=noted_on)
    await anyio.to_thread.run_sync(write_ledger, story.ledger, published)
    return Marks(sequence, tied_to, anchor, anchors=1)


async def publish_owed(story: MindStory, batch: Sequence[StoredTurn], draft: StoryDraft) -> None:
    """
    Write what *draft* makes of turns below the cursor: the marks stay as they are.

    Raises StoryFault, and Locked, also where another process has told one of these turns since, or where nothing of
    *draft* is left beside what a person has edited.
    """
    ledger = await anyio.to_thread.run_sync(read_ledger, story.ledger)
    turns = await anyio.to_thread.run_sync(_turns_of, batch, draft, ledger)
    told_at = ledger.next_told_at(story.file.now())
    await anyio.to_thread.run_sync(record_ours, story.ledger, turns, told_at)
    sequences = frozenset(stored.sequence for stored in batch)

    def plan(text: str) -> str:
        bare = without_marks(text)
        if still_owed(sequences, read_ledger(story.ledger).turns, parse(bare).chapters) != sequences:
            raise ChangedElsewhere("these turns were narrated elsewhere meanwhile; try again")
        return replace_marks(_applied(bare, draft), read_marks(text))

    change = await anyio.to_thread.run_sync(story.file.change, plan)
    written, untold = _as_written(batch, draft, turns, story=without_marks(change.written))
    ours, owed = with_ours(ledger, written, told_at=told_at), (ledger.owed - sequences) | untold
    await anyio.to_thread.run_sync(write_ledger, story.ledger, replace(ours, owed=owed))


async def publish_shorter(story: MindStory, chapters: Sequence[Chapter], shorter: Sequence[Chapter]) -> None:
    """Put *shorter* in the place of *chapters*, where nobody changed these. Raises StoryFault, Locked."""
    ledger = await anyio.to_thread.run_sync(read_ledger, story.ledger)
    turns = turns_of_shorter(chapters, shorter, ledger.turns)
    await anyio.to_thread.run_sync(record_shorter, story.ledger, turns)
    shorten, bases = replacing_chapters(chapters, shorter), [""]

    def plan(text: str) -> str:
        bases.append(story_digest(without_marks(text)))
        return shorten(text)

    change = await anyio.to_thread.run_sync(story.file.change, plan)
    if ledger.noted_on and ledger.noted_on == bases[-1]:
        noted_on = story_digest(without_marks(change.written))
        known = await anyio.to_thread.run_sync(read_ledger, story.ledger)
        await anyio.to_thread.run_sync(write_ledger, story.ledger, replace(known, noted_on=noted_on))


def _turns_of(batch: Sequence[StoredTurn], draft: StoryDraft | None, ledger: StoryLedger) -> TurnsByChapter:
    return turns_of_draft(batch, draft, ledger.turns) if draft is not None else {}


def _applied(story: str, draft: StoryDraft) -> str:
    """
    Apply *draft*, without the revisions of chapters that a person edited meanwhile: their text wins.

    Raises ChangedElsewhere where nothing of it is left.
    """
    present = {chapter.digest for chapter in parse(story).chapters}
    if draft.revise and not draft.append and present.isdisjoint(draft.revise):
        raise ChangedElsewhere("a chapter was edited while it was told anew; try again")
    return apply_draft(story, draft)


def _as_written(
    batch: Sequence[StoredTurn], draft: StoryDraft, turns: TurnsByChapter, *, story: str
) -> tuple[TurnsByChapter, frozenset[int]]:
    """*turns* as *story* tells them, and the sequences of *batch* that it does not, since a person's edit won."""
    present = {chapter.digest for chapter in parse(story).chapters}
    chapters = (*draft.append, *draft.revise.values())
    told = {one.digest for one in chapters if one.digest in present or repetition(body(one), story=story)}
    left = frozenset[int]().union(*(turns[one.digest].narrated for one in chapters if one.digest not in told))
    taken = frozenset[int]().union(*(turns[digest].narrated for digest in told))
    dropped = "\n".join(body(one) for one in draft.revise.values() if one.digest not in told)
    missed = _told_only_in(dropped, batch, story=story)
    written = {at: replace(one, narrated=one.narrated - missed) if at in told else one for at, one in turns.items()}
    return written, (left - taken) & {stored.sequence for stored in batch} | missed


def _told_only_in(dropped: str, batch: Sequence[StoredTurn], *, story: str) -> frozenset[int]:
    """The sequences of *batch* with words that *dropped* has, and *story* has not."""
    if not dropped:
        return frozenset()
    language = detect(dropped)
    missing = content_stems(dropped, language=language) - content_stems(story, language=language)
    said = ((stored.sequence, "\n".join(one.content for one in stored.turn.messages)) for stored in batch)
    return frozenset(
        sequence for sequence, text in said if not missing.isdisjoint(content_stems(text, language=language))
    )
