"""
Which turns each chapter of ours was made of, so that one turn can be erased and the others narrated again.

A turn is *narrated* in one chapter: of its batch, the one whose time it falls in. Where chapters only quote, it is
narrated in the one that has a sentence of it, or in none. Otherwise any chapter of the batch may
hold its words, since its narrator had *seen* the whole batch, and later narrators had read that chapter. So what is
removed with an erased turn is the chapter that narrates it, and every other one in which its words are found. The other
turns narrated there are owed: they must be narrated again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.text.language import detect
from consolidation.text.sentences import sentences
from consolidation.text.words import content_words, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from consolidation.kernel.turns import StoredTurn
    from consolidation.story.chapters import Book, Chapter
    from consolidation.story.draft import StoryDraft

_NOTHING: frozenset[int] = frozenset()
_NOWHERE: frozenset[str] = frozenset()
_QUOTED = 20  # words of a sentence


@dataclass(frozen=True, slots=True)
class ChapterTurns:
    """Of one chapter: the time in its heading, the sequences narrated in it, the sequences its narrators had seen."""

    at: str
    narrated: frozenset[int]
    seen: frozenset[int]


type TurnsByChapter = Mapping[str, ChapterTurns]  # by the chapter's digest


@dataclass(frozen=True, slots=True)
class ErasedTurns:
    """
    Erased turns, and by what a chapter that tells of them is known: what nothing else in the transcript contains.

    ``forms`` are words as they were written, and prove it wherever they are found. ``terms`` are folded words, short
    ones too, and prove it in a chapter whose narrator had seen the turns.
    """

    sequences: frozenset[int]
    forms: tuple[str, ...] = ()
    terms: frozenset[str] = frozenset()

    def are_told_in(self, chapter: Chapter, turns: TurnsByChapter) -> bool:
        """Whether *chapter* tells of them."""
        if any(form in chapter.text for form in self.forms):
            return True
        made_of = turns.get(chapter.digest)
        if made_of is None or not made_of.seen & self.sequences:
            return False
        return bool(made_of.narrated & self.sequences) or not self.terms.isdisjoint(_terms(chapter.text))


@dataclass(frozen=True, slots=True)
class ErasureEffect:
    """
    What erasing turns does to a story.

    ``removed`` are digests of chapters of ours, ``edited`` are headings of chapters that a person changed and that may
    hold the erased words, ``owed`` are the turns to be narrated again.
    """

    removed: frozenset[str]
    edited: tuple[str, ...]
    owed: frozenset[int]


def turns_of_draft(batch: Sequence[StoredTurn], draft: StoryDraft, known: TurnsByChapter) -> dict[str, ChapterTurns]:
    """The turns of the chapters in *draft*, made of *batch*. A revised chapter keeps the turns it had."""
    seen = frozenset(stored.sequence for stored in batch)
    found: dict[str, ChapterTurns] = {}
    for digest, chapter in draft.revise.items():
        before = known.get(digest, ChapterTurns(chapter.first, _NOTHING, _NOTHING))
        found[chapter.digest] = ChapterTurns(chapter.first, before.narrated, before.seen | seen)
    narrated: dict[str, set[int]] = {}
    chapters = sorted(draft.append or tuple(draft.revise.values()), key=lambda one: one.first)
    for stored in batch:
        when = f"{stored.occurred_at.astimezone(draft.zone):%Y-%m-%d %H:%M}"
        quoted = draft.quoted.get(stored.sequence, _NOWHERE) if draft.quoted is not None else None
        homes = [one for one in chapters if quoted is None or one.digest in quoted]
        if homes:
            home = next((one for one in reversed(homes) if one.first <= when), homes[0])
            narrated.setdefault(home.digest, set()).add(stored.sequence)
    for chapter in (*draft.append, *draft.revise.values()):
        base = found.get(chapter.digest, ChapterTurns(chapter.first, _NOTHING, _NOTHING))
        mine = frozenset(narrated.get(chapter.digest, ()))
        found[chapter.digest] = ChapterTurns(chapter.first, base.narrated | mine, base.seen | seen)
    return found


def chapters_quoting(batch: Sequence[StoredTurn], draft: StoryDraft) -> dict[int, frozenset[str]]:
    """The digests of the chapters of *draft* that have a sentence of each turn of *batch*, by its sequence."""
    words = {one.digest: _in_words(one.text) for one in (*draft.append, *draft.revise.values())}
    found = {}
    for stored in batch:
        said = _sentences(stored)
        found[stored.sequence] = frozenset(at for at, text in words.items() if any(one in text for one in said))
    return found


def turns_told(batch: Sequence[StoredTurn], draft: StoryDraft) -> frozenset[int]:
    """The sequences of *batch* that chapters of *draft* narrate."""
    return _NOTHING.union(*(one.narrated for one in turns_of_draft(batch, draft, {}).values()))


def turns_of_shorter(
    chapters: Sequence[Chapter], shorter: Sequence[Chapter], known: TurnsByChapter
) -> dict[str, ChapterTurns]:
    """The turns of *shorter*, which take the place of *chapters*: each has those of the chapters in its time span."""
    seen = _NOTHING.union(*(known[one.digest].seen for one in chapters if one.digest in known))
    narrated: dict[str, set[int]] = {one.digest: set() for one in shorter}
    for chapter in chapters:
        home = next((one for one in shorter if one.first <= chapter.first <= one.last), shorter[-1])
        narrated[home.digest] |= known[chapter.digest].narrated if chapter.digest in known else _NOTHING
    return {one.digest: ChapterTurns(one.first, frozenset(narrated[one.digest]), seen) for one in shorter}


def still_owed(owed: frozenset[int], known: TurnsByChapter, present: Iterable[Chapter]) -> frozenset[int]:
    """
    *owed* without the turns of chapters that are *present* in the story.

    A chapter in the story proves that its turns are narrated, although a crash kept that from being written down.
    """
    return owed.difference(*(known[one.digest].narrated for one in present if one.digest in known))


def effect_of_erasing(book: Book, *, ours: frozenset[str], turns: TurnsByChapter, erased: ErasedTurns) -> ErasureEffect:
    """What erasing turns does to *book*."""
    present = {chapter.digest for chapter in book.chapters}
    told = [chapter for chapter in book.chapters if erased.are_told_in(chapter, turns)]
    removed = frozenset(chapter.digest for chapter in told if chapter.digest in ours)
    gone = narrating(erased, turns) - present
    changed = {turns[digest].at for digest in gone}

    def may_hold(chapter: Chapter) -> bool:
        """Whether a person may have made it of a chapter that told of them, with another time in its heading, too."""
        is_of_gone = bool(gone) and not erased.terms.isdisjoint(_terms(chapter.text))
        return chapter.first in changed or chapter in told or is_of_gone

    edited = tuple(one.heading for one in book.chapters if one.digest not in ours and may_hold(one))
    lost = _NOTHING.union(*(turns[digest].narrated for digest in removed if digest in turns))
    stays = _NOTHING.union(*(turns[digest].narrated for digest in present - removed if digest in turns))
    return ErasureEffect(removed, edited, lost - erased.sequences - stays)


def narrating(erased: ErasedTurns, turns: TurnsByChapter) -> frozenset[str]:
    """The digests of the chapters that *erased* were narrated in, in the story or not."""
    return frozenset(digest for digest, one in turns.items() if one.narrated & erased.sequences)


def left_out_by(earlier: Book, present: Book, turns: TurnsByChapter) -> frozenset[int]:
    """The turns that chapters of *present* narrate, and no chapter of *earlier*, edited ones counted by their time."""
    known = _NOTHING.union(*(turns[one.digest].narrated for one in earlier.chapters if one.digest in turns))
    edited = {one.first for one in earlier.chapters if one.digest not in turns}
    ours = (turns[one.digest] for one in present.chapters if one.digest in turns)
    return _NOTHING.union(*(one.narrated for one in ours if one.at not in edited)) - known


def ranges(sequences: Iterable[int]) -> list[list[int]]:
    """*sequences* as pairs of first and last: how they are written to the ledger."""
    found: list[list[int]] = []
    for sequence in sorted(sequences):
        if found and found[-1][1] + 1 == sequence:
            found[-1][1] = sequence
        else:
            found.append([sequence, sequence])
    return found


def sequences_of(pairs: Iterable[Sequence[int]]) -> frozenset[int]:
    """The sequences that ``ranges`` wrote."""
    return frozenset(sequence for first, last in pairs for sequence in range(first, last + 1))


def _sentences(stored: StoredTurn) -> tuple[str, ...]:
    """The words of each sentence of a turn, of a long one the first: a quotation may end before it does."""
    texts = [one.content for one in stored.turn.messages]
    found = (tokens(one)[:_QUOTED] for text in texts for one in sentences(text, language=detect(text)))
    return tuple(_in_words(" ".join(words)) for words in found if words)


def _in_words(text: str) -> str:
    return f" {' '.join(tokens(text))} "


def _terms(text: str) -> Iterable[str]:
    return content_words(text, language=detect(text))
