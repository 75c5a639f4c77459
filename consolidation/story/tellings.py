"""
Which turns each chapter of ours tells, so that one can be erased and the others told again. Pure.

A turn is *told* in one chapter: of its batch, the one whose time it falls in. Any chapter of the batch may hold its
words all the same: its narrator had *seen* it. So all of them go with an erased turn, and what they told is owed again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from consolidation.kernel.turns import Kept
    from consolidation.story.chapters import Book, Chapter
    from consolidation.story.narrator import Draft

_NOTHING: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Telling:
    """Of one chapter: its time as its heading says it, the sequences told in it, those its narrators had seen."""

    at: str
    told: frozenset[int]
    seen: frozenset[int]


type Tellings = Mapping[str, Telling]  # by the chapter's digest


@dataclass(frozen=True, slots=True)
class Touched:
    """What erasing turns does to a story: chapters of ours that go, by digest; headings of a person's; what is owed."""

    gone: frozenset[str]
    edited: tuple[str, ...]
    owed: frozenset[int]


def tellings_of(batch: Sequence[Kept], draft: Draft, known: Tellings) -> dict[str, Telling]:
    """What the chapters of *draft* tell, made of *batch*; what is revised goes on telling what it told."""
    seen = frozenset(kept.sequence for kept in batch)
    found: dict[str, Telling] = {}
    for digest, chapter in draft.revise.items():
        before = known.get(digest, Telling(chapter.first, _NOTHING, _NOTHING))
        found[chapter.digest] = Telling(chapter.first, before.told, before.seen | seen)
    told: dict[str, set[int]] = {}
    chapters = sorted(draft.append or tuple(draft.revise.values()), key=lambda one: one.first)
    for kept in batch if chapters else ():
        when = kept.occurred_at.strftime("%Y-%m-%d %H:%M")
        home = next((one for one in reversed(chapters) if one.first <= when), chapters[0])
        told.setdefault(home.digest, set()).add(kept.sequence)
    for chapter in (*draft.append, *draft.revise.values()):
        base = found.get(chapter.digest, Telling(chapter.first, _NOTHING, _NOTHING))
        mine = frozenset(told.get(chapter.digest, ()))
        found[chapter.digest] = Telling(chapter.first, base.told | mine, base.seen | seen)
    return found


def tellings_of_shorter(chapters: Sequence[Chapter], shorter: Sequence[Chapter], known: Tellings) -> dict[str, Telling]:
    """What *shorter*, that stand in the place of *chapters*, tell: each what those told whose time it spans."""
    seen = _NOTHING.union(*(known[one.digest].seen for one in chapters if one.digest in known))
    told: dict[str, set[int]] = {one.digest: set() for one in shorter}
    for chapter in chapters:
        home = next((one for one in shorter if one.first <= chapter.first <= one.last), shorter[-1])
        told[home.digest] |= known[chapter.digest].told if chapter.digest in known else _NOTHING
    return {one.digest: Telling(one.first, frozenset(told[one.digest]), seen) for one in shorter}


def owed(again: frozenset[int], tellings: Tellings, standing: Iterable[Chapter]) -> frozenset[int]:
    """What is left of *again*: a chapter that stands proves that its turns are told, whatever a crash left out."""
    return again.difference(*(tellings[one.digest].told for one in standing if one.digest in tellings))


def touched(
    book: Book, *, ours: frozenset[str], tellings: Tellings, erased: frozenset[int], words: Sequence[str]
) -> Touched:
    """What erasing the turns *erased*, that alone said *words*, does to *book*."""
    standing = {chapter.digest for chapter in book.chapters}
    concerned = {digest: one for digest, one in tellings.items() if one.seen & erased}
    gone = frozenset(digest for digest in concerned if digest in standing and digest in ours)
    changed = {one.at for digest, one in concerned.items() if digest not in standing}
    edited = tuple(
        chapter.heading
        for chapter in book.chapters
        if chapter.digest not in ours and (chapter.first in changed or any(word in chapter.text for word in words))
    )
    lost = _NOTHING.union(*(tellings[digest].told for digest in gone))
    stays = _NOTHING.union(*(tellings[digest].told for digest in standing - gone if digest in tellings))
    return Touched(gone, edited, lost - erased - stays)


def ranges(sequences: Iterable[int]) -> list[list[int]]:
    """*sequences* as runs, first and last of each: how they are written down."""
    found: list[list[int]] = []
    for sequence in sorted(sequences):
        if found and found[-1][1] + 1 == sequence:
            found[-1][1] = sequence
        else:
            found.append([sequence, sequence])
    return found


def sequences_of(runs: Iterable[Sequence[int]]) -> frozenset[int]:
    """The sequences again."""
    return frozenset(sequence for first, last in runs for sequence in range(first, last + 1))
