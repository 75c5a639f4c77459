"""
The turns of a transcript that are not narrated yet, and the batches they are narrated in.

Above the cursor are the new ones. Below it may be turns that a person asked for again, by moving the anchor back, and
turns whose chapter was removed with an erased turn: these are *owed*.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.story.anchor import find_pending, is_after, read_marks, without_marks
from consolidation.story.chapter_turns import still_owed
from consolidation.story.chapters import parse
from consolidation.story.ledger import caught_up, read_ledger, write_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from consolidation.kernel.turns import StoredTurn
    from consolidation.story.anchor import Marks, PendingRange
    from consolidation.story.run import MindStory

PAUSE = timedelta(hours=2)  # between two talks
MOST_OF_TURN, MOST_OF_STORY = 20_000, 6_000  # tokens
_LEAST_OF_TURN, _LEAST_OF_STORY = 500, 250
_MOST_TIMED_OUT = 2  # in a run: each costs the time limit of the model
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Backlog:
    """
    Pending turns without those that are owed: those to be narrated again first, by their times, then the new ones.

    ``marks`` are those of the story when this was read.
    """

    pending: PendingRange
    marks: Marks
    again: tuple[StoredTurn, ...]
    new: tuple[StoredTurn, ...]

    @property
    def turns(self) -> tuple[StoredTurn, ...]:
        """All of them, in the order in which they are narrated."""
        return (*self.again, *self.new)


@dataclass(slots=True)
class BatchSize:
    """
    How much of a backlog is narrated at once in a run, and how much of one long turn and of the story is shown.

    In tokens. It shrinks where a model can not take a batch in, can not end its chapters, or takes too long.
    ``of_story`` is how much of the story was shown last. ``in_time`` is what a model may tell in time, 0 where none has
    taken too long; a run begins with that of the run before. ``timed_out`` counts how often one did in this run.
    """

    most_tokens: int
    in_time: int = 0
    most_of_turn: int = field(init=False)
    most_of_story: int = MOST_OF_STORY
    of_story: int = 0
    timed_out: int = 0
    settings_tokens: int = field(init=False)

    def __post_init__(self) -> None:
        self.settings_tokens = self.most_tokens
        self.most_tokens = min(self.most_tokens, self.in_time or self.most_tokens)
        self.widen()

    def take(self, turns: Sequence[StoredTurn]) -> tuple[StoredTurn, ...]:
        """The first batch of *turns*, which are not empty."""
        return next(batches(turns, most_tokens=self.most_tokens))

    def shrink(self, batch: Sequence[StoredTurn], *, is_of_window: bool) -> bool:
        """
        Half of what *batch* was: of its turns, or of the one turn that it is. False where that is too little.

        Where the window was too small, half of the story that was shown, if that is more than *batch*, or if less of
        *batch* is too little.
        """
        of_batch = sum(one.tokens for one in batch)
        if is_of_window and self.of_story > min(of_batch, self.most_of_turn) and self._shrink_story():
            return True
        if len(batch) > 1:
            self.most_tokens = of_batch // 2
            return True
        half = min(self.most_of_turn, of_batch) // 2
        if half < _LEAST_OF_TURN:
            return is_of_window and self._shrink_story()
        self.most_of_turn = half
        return True

    def shrink_for_time(self, batch: Sequence[StoredTurn]) -> bool:
        """
        Half of what *batch* was, since a model took too long for it; the next run begins with that, too.

        False where that is too little, or where it took too long before in this run: nothing may answer just now.
        """
        self.timed_out += 1
        if not self.shrink(batch, is_of_window=False):
            return False
        self.in_time = self.most_tokens if len(batch) > 1 else self.most_of_turn
        return self.timed_out < _MOST_TIMED_OUT

    def grow(self) -> None:
        """Twice as much for the next batch, since a model told one in time, unless it took too long in this run."""
        if not self.in_time or self.timed_out or self.most_tokens < self.in_time:
            return
        twice = self.in_time * 2
        self.in_time = twice if twice < self.settings_tokens else 0
        self.most_tokens = self.in_time or self.settings_tokens

    def _shrink_story(self) -> bool:
        half = min(self.most_of_story, self.of_story) // 2
        if half < _LEAST_OF_STORY:
            return False
        self.most_of_story = half
        return True

    def widen(self) -> None:
        """The next turn is shown whole again, or as much of it as may be told in time."""
        self.most_of_turn = min(MOST_OF_TURN, max(self.in_time, _LEAST_OF_TURN)) if self.in_time else MOST_OF_TURN


async def read_pending(story: MindStory, *, now: datetime) -> tuple[PendingRange, Marks]:
    """Which turns are pending, and the marks that say so. No turn is read."""
    text = await anyio.to_thread.run_sync(story.file.read)
    last = story.transcript.positions.last
    ledger = await anyio.to_thread.run_sync(caught_up, story.ledger, text, last)
    pending = find_pending(text, ledger=ledger.sequence, ledger_anchor=ledger.anchor, last=last, now=now)
    return pending, read_marks(text)


async def read_backlog(story: MindStory, *, now: datetime) -> Backlog:
    """The pending turns without those that are owed."""
    pending, marks = await read_pending(story, now=now)
    turns: list[StoredTurn] = []
    after = 0 if pending.since is not None else pending.sequence
    while page := await story.transcript.after(after, limit=_PAGE):
        turns.extend(stored for stored in page if stored.is_remembered and _is_pending(stored, pending))
        after = page[-1].sequence
    if pending.since is not None:
        owed = {stored.sequence for stored in await read_owed(story, now=now)}
        turns = [stored for stored in turns if stored.sequence not in owed]
    # In the order of their times: the anchor is what says how far narrating them again has come.
    again = sorted((one for one in turns if one.sequence <= pending.sequence), key=lambda one: one.occurred_at)
    return Backlog(pending, marks, tuple(again), tuple(turns[len(again) :]))


async def read_owed(story: MindStory, *, now: datetime) -> tuple[StoredTurn, ...]:
    """Turns at or below the cursor whose chapter was removed with an erased turn, in the order of their times."""
    ledger = await anyio.to_thread.run_sync(read_ledger, story.ledger)
    if not ledger.owed:
        return ()
    text = await anyio.to_thread.run_sync(story.file.read)
    left = still_owed(ledger.owed, ledger.turns, parse(without_marks(text)).chapters)
    cursor = (await read_pending(story, now=now))[0].sequence
    turns = await story.transcript.read_many(sorted(sequence for sequence in left if sequence <= cursor))
    return tuple(sorted((one for one in turns if one.is_remembered), key=lambda one: one.occurred_at))


def catch_up(story: MindStory) -> int:
    """Bring the ledger up to a story that a crash left ahead of it. Returns the last sequence that is narrated."""
    known = read_ledger(story.ledger)
    found = caught_up(story.ledger, story.file.read(), story.transcript.positions.last)
    if found != known:
        write_ledger(story.ledger, found)
    return found.sequence or 0


def batches(turns: Sequence[StoredTurn], *, most_tokens: int) -> Iterator[tuple[StoredTurn, ...]]:
    """
    *turns*, in order, in batches of at most *most_tokens*. No turn is split, and no turn is left out.

    A batch that is full ends at the longest pause in its second half, so that a talk is told in one piece. A turn
    above the limit is a batch of its own; the narrator cuts its text, with a mark.
    """
    batch: list[StoredTurn] = []
    size = 0
    for stored in turns:
        while batch and size + stored.tokens > most_tokens:
            end = _end_of_batch(batch, stored, most_tokens=most_tokens)
            yield tuple(batch[:end])
            batch = batch[end:]
            size = sum(one.tokens for one in batch)
        batch.append(stored)
        size += stored.tokens
    if batch:
        yield tuple(batch)


def _end_of_batch(batch: Sequence[StoredTurn], following: StoredTurn, *, most_tokens: int) -> int:
    """How many turns of a full batch to take: all before its longest pause, where that is a pause and late enough."""
    times = [stored.occurred_at for stored in (*batch, following)]
    sizes = list(accumulate(stored.tokens for stored in batch))
    pauses = [
        (abs(later - earlier), end)
        for end, (earlier, later) in enumerate(pairwise(times), start=1)
        if sizes[end - 1] >= most_tokens / 2
    ]
    longest, end = max(pauses, default=(timedelta(), len(batch)))
    return end if longest >= PAUSE else len(batch)


def _is_pending(stored: StoredTurn, pending: PendingRange) -> bool:
    if pending.since is None:
        return stored.sequence > pending.sequence
    is_new = stored.sequence > pending.sequence > 0  # at 0, another tool's anchor is all that says what is narrated
    return is_new or is_after(stored.occurred_at, pending.since)
