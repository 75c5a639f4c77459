"""
What people put right goes into the story: chapters of ours that tell it are taken out, and their turns told again.

As in `erasure.py`, the turns to be told again are written down before a chapter goes. The ledger names the last line of
the corrections that the story follows, so that a process that dies in between loses nothing. A chapter that a person
edited stays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.corrections.decided_since import followed, names_since
from consolidation.corrections.record import Correction, What
from consolidation.corrections.taken_out import turns_by, turns_naming
from consolidation.corrections.wording import Wording, tells_of_any
from consolidation.story.anchor import without_marks
from consolidation.story.chapters import parse
from consolidation.story.erasure import with_guessed_turns, without_chapters
from consolidation.story.ledger import read_ledger, write_ledger
from consolidation.story.notes import NO_NOTES
from consolidation.text.language import detect
from consolidation.text.sentences import whole_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.corrections.record import Line
    from consolidation.story.chapters import Book, Chapter
    from consolidation.story.ledger import StoryLedger
    from consolidation.story.run import MindStory

_NOT_TOLD_SO = frozenset({What.WRONG, What.EDIT, What.MUTE})
_TOLD_AGAIN = frozenset({*_NOT_TOLD_SO, What.RIGHT})


@dataclass(frozen=True, slots=True)
class _Change:
    """
    What became otherwise: the turns that told it.

    Where only chapters that hold certain words are meant, these are its ``wording``, or one of the ``names``; ``own``
    are the turns in which one of these speaks, whose chapters are meant, too.
    ``recaps`` are the digests of chapters that carry the wording although none of their own turns does.
    """

    sequences: frozenset[int]
    wording: Wording | None = None
    names: frozenset[str] = frozenset()
    recaps: frozenset[str] = frozenset()
    own: frozenset[int] = frozenset()

    @property
    def is_gone(self) -> bool:
        """Whether it is not to be told any more; else it may be told again."""
        return self.wording is not None or bool(self.names)

    def is_told_in(self, chapter: Chapter, ledger: StoryLedger) -> bool:
        made_of = ledger.turns.get(chapter.digest)
        if made_of is None:
            return False
        if self.names:  # a later chapter may name them, too, whatever its turns do
            return tells_of_any(_body(chapter), self.names) or not made_of.narrated.isdisjoint(self.own)
        if not made_of.narrated & self.sequences:
            return chapter.digest in self.recaps
        return self.wording is None or _carries(_body(chapter), self.wording)


async def put_right_in_story(story: MindStory) -> int:
    """
    Take out what people put right since the story was last looked through. Returns how many chapters went.

    Raises StoryFault, Locked, OSError.
    """
    if story.corrections is None:
        return 0
    lines = await anyio.to_thread.run_sync(story.corrections.lines)
    known = await anyio.to_thread.run_sync(read_ledger, story.ledger)
    if not lines or (known.put_right == lines[-1].id and known.follows_mutes):
        return 0
    before = followed(lines, last=known.put_right)
    changes = (
        *_changes(story, lines, known=before),
        *await _of_names(story, lines, known=before if known.follows_mutes else 0),
    )
    present = parse(without_marks(await anyio.to_thread.run_sync(story.file.read)))
    ledger = await with_guessed_turns(story, present) if changes else known
    changes = tuple([await _with_recaps(one, story, present, ledger) for one in changes])
    removed = frozenset(one.digest for one in _telling(present, changes, ledger))
    orphans = _orphans(changes, ledger)
    owed = ledger.owed | orphans | frozenset().union(*(ledger.turns[one].narrated for one in removed))
    if removed or owed != ledger.owed:
        await anyio.to_thread.run_sync(write_ledger, story.ledger, replace(ledger, owed=owed, notes=NO_NOTES))
    gone = set(removed)

    def plan(text: str) -> str:
        book = parse(without_marks(text))
        told = _telling(book, changes, ledger)
        gone.update(one.digest for one in told)
        return without_chapters(text, book, told)

    if removed:
        await anyio.to_thread.run_sync(story.file.change, plan)
    left = {digest: one for digest, one in ledger.turns.items() if digest not in gone}
    notes, noted_on = (NO_NOTES, "") if changes else (ledger.notes, ledger.noted_on)
    done = replace(
        ledger,
        digests=ledger.digests - gone,
        short=ledger.short - gone,
        turns=left,
        owed=owed,
        notes=notes,
        noted_on=noted_on,
        put_right=lines[-1].id,
        follows_mutes=True,
    )
    await anyio.to_thread.run_sync(write_ledger, story.ledger, done)
    return len(removed)


def _changes(story: MindStory, lines: Sequence[Line], *, known: int) -> tuple[_Change, ...]:
    """What was decided of facts and turns behind the first *known* lines."""
    made = {one.id: one for one in lines if isinstance(one, Correction)}
    found = []
    for line in lines[known:]:
        one = line if isinstance(line, Correction) else made.get(line.of)
        if one is None or one.what not in _TOLD_AGAIN or one.target.kind == "entity":
            continue
        positions = (story.transcript.positions.sequence_of(turn_id) for turn_id in one.target.turn_ids)
        sequences = frozenset(sequence for sequence in positions if sequence is not None)
        # What was taken out is to come back: then its words are in no chapter.
        is_gone = line is one and one.what in _NOT_TOLD_SO and one.target.kind == "fact"
        found.append(_Change(sequences, Wording.of(one.target.text) if is_gone else None))
    return tuple(found)


async def _of_names(story: MindStory, lines: Sequence[Line], *, known: int) -> tuple[_Change, ...]:
    """The names that are muted since the first *known* lines, by whatever decision, and those that are not any more."""
    muted, back = await names_since(lines, known=known)
    changes = []
    if muted:
        naming, own = await turns_naming(story.transcript, muted), await turns_by(story.transcript, muted)
        changes.append(_Change(naming, names=muted, own=own))
    if back:
        changes.append(_Change(await turns_naming(story.transcript, back)))
    return tuple(changes)


async def _with_recaps(change: _Change, story: MindStory, book: Book, ledger: StoryLedger) -> _Change:
    """*change* with the chapters that look back on what is gone: words of a later turn speak for themselves."""
    if change.wording is None:
        return change
    recaps = set[str]()
    for chapter in book.chapters:
        made_of = ledger.turns.get(chapter.digest) if chapter.digest in ledger.digests else None
        if made_of is None or made_of.narrated & change.sequences or not _carries(_body(chapter), change.wording):
            continue
        turns = await story.transcript.read_many(sorted(made_of.narrated))
        if not any(_carries(one.content, change.wording) for turn in turns for one in turn.turn.messages):
            recaps.add(chapter.digest)
    return replace(change, recaps=frozenset(recaps))


def _body(chapter: Chapter) -> str:
    return chapter.text.partition("\n")[2]


def _carries(text: str, wording: Wording) -> bool:
    return any(wording.is_carried_by(one) for one in whole_sentences(text, language=detect(text)))


def _telling(book: Book, changes: Sequence[_Change], ledger: StoryLedger) -> list[Chapter]:
    ours = [one for one in book.chapters if one.digest in ledger.digests]
    return [one for one in ours if any(change.is_told_in(one, ledger) for change in changes)]


def _orphans(changes: Sequence[_Change], ledger: StoryLedger) -> frozenset[int]:
    """Turns to be told again that no chapter ever narrated, since nothing was left of them."""
    narrated = frozenset[int]().union(*(one.narrated for one in ledger.turns.values()))
    back = frozenset[int]().union(*(change.sequences for change in changes if not change.is_gone))
    return frozenset(one for one in back - narrated if one <= (ledger.sequence or 0))
