"""What waits to be told of a transcript: what is above the cursor, what a person moved back to, what is owed again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.story.anchor import decide, read_marks, without_marks
from consolidation.story.chapters import parse
from consolidation.story.ledger import caught_up, read_ledger, write_ledger
from consolidation.story.tellings import owed

if TYPE_CHECKING:
    from datetime import datetime

    from consolidation.kernel.turns import Kept
    from consolidation.story.anchor import Marks, ToTell
    from consolidation.story.run import Subject

_PAGE = 500


async def decided(subject: Subject, *, now: datetime) -> tuple[ToTell, Marks]:
    """What is not yet told, by position, and the marks that say so: no turn is read."""
    story = await anyio.to_thread.run_sync(subject.file.read)
    top = subject.transcript.positions.last
    known = await anyio.to_thread.run_sync(caught_up, subject.ledger, story, top)
    to_tell = decide(story, ledger=known.sequence, ledger_anchor=known.anchor, top=top, now=now)
    return to_tell, read_marks(story)


async def owed_again(subject: Subject, *, now: datetime) -> tuple[Kept, ...]:
    """Turns at or below the cursor whose chapter was taken out, with what was erased of it, in order of their times."""
    known = await anyio.to_thread.run_sync(read_ledger, subject.ledger)
    if not known.again:
        return ()
    story = await anyio.to_thread.run_sync(subject.file.read)
    left = owed(known.again, known.tellings, parse(without_marks(story)).chapters)
    told = (await decided(subject, now=now))[0].sequence
    turns = await subject.transcript.read_many(sorted(sequence for sequence in left if sequence <= told))
    return tuple(sorted((kept for kept in turns if kept.is_remembered), key=lambda kept: kept.occurred_at))


async def waiting(subject: Subject, *, now: datetime) -> tuple[ToTell, Marks, tuple[Kept, ...]]:
    """The turns that wait, but for those that are owed: what a person moved back to first, by its times."""
    to_tell, marks = await decided(subject, now=now)
    turns: list[Kept] = []
    after = 0 if to_tell.since is not None else to_tell.sequence
    while page := await subject.transcript.after(after, limit=_PAGE):
        turns.extend(kept for kept in page if kept.is_remembered and _is_due(kept, to_tell))
        after = page[-1].sequence
    if to_tell.since is not None:
        known = {kept.sequence for kept in await owed_again(subject, now=now)}
        turns = [kept for kept in turns if kept.sequence not in known]
    # What is told again is told in the order of its times: the anchor is what says how far that has come.
    again = sorted((kept for kept in turns if kept.sequence <= to_tell.sequence), key=lambda kept: kept.occurred_at)
    return to_tell, marks, (*again, *turns[len(again) :])


def settled(subject: Subject) -> int:
    """Bring the ledger up to a story that a crash left ahead of it; the last sequence told."""
    known = read_ledger(subject.ledger)
    found = caught_up(subject.ledger, subject.file.read(), subject.transcript.positions.last)
    if found != known:
        write_ledger(subject.ledger, found)
    return found.sequence or 0


def _is_due(kept: Kept, to_tell: ToTell) -> bool:
    if to_tell.since is None:
        return kept.sequence > to_tell.sequence
    is_new = kept.sequence > to_tell.sequence > 0  # at 0, another tool's anchor is all that says what is told
    return is_new or kept.occurred_at > to_tell.since
