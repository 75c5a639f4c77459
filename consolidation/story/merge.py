"""
Merges three versions of a story: what it was, what we made of it, and what a person made of it meanwhile.

By lines, as diff3 does it. Both sides' changes are kept where they touch different lines. Where they touch the same
lines, the person's win and ours are returned as conflicts. Marks must be removed before and set afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from consolidation.story.chapters import parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

type _Stretch = tuple[int, int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Lines that both sides changed: as they were, ours (not taken), theirs (taken)."""

    base: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged text, and what of ours was not taken."""

    text: str
    conflicts: tuple[Conflict, ...]


def merge(base: str, *, ours: str, theirs: str) -> Merged:
    """Both changes to *base*, the person's (*theirs*) winning."""
    if theirs in {base, ours}:
        return Merged(ours, ())
    if base == ours:
        return Merged(theirs, ())
    was, made, edited = (text.splitlines(keepends=True) for text in (base, ours, theirs))
    merged: list[str] = []
    conflicts: list[Conflict] = []
    at = (0, 0, 0)
    for b_start, b_end, o_start, o_end, t_start, t_end in _common(was, made, edited):
        before, mine, yours = was[at[0] : b_start], made[at[1] : o_start], edited[at[2] : t_start]
        taken = _taken(before, mine, yours)
        if taken is None:
            conflicts.append(Conflict("".join(before), "".join(mine), "".join(yours)))
            taken = yours + _added_chapters(before, mine, yours)
        merged += taken + was[b_start:b_end]
        at = (b_end, o_end, t_end)
    return Merged(_joined(merged), tuple(conflicts))


def _taken(before: list[str], mine: list[str], yours: list[str]) -> list[str] | None:
    """Both sides' versions of a stretch as one; None where one of them has to give way."""
    either = _either(before, mine, yours)
    if either is not None:
        return either
    if len(before) == len(mine) == len(yours):  # neighbouring lines, changed by one side each
        by_line = [_either(*lines) for lines in zip(before, mine, yours, strict=True)]
        if all(line is not None for line in by_line):
            return [line for line in by_line if line is not None]
    if not before:  # both only added, at the same place: both are kept, the person's first
        return _joint(yours, mine)
    for one, other in ((mine, yours), (yours, mine)):
        behind, in_front = _additions(before, one)
        if behind is not None:  # one side changed it, the other added behind it
            return _joint(other, behind)
        if in_front is not None:
            return _joint(in_front, other)
    return None


def _joint(first: list[str], then: list[str]) -> list[str]:
    """
    Both, one behind the other; once where one holds all that the other says.

    A process that is killed when it has merged a save merges it again, into what people have made of it since.
    """
    if _says_all_of(first, then):
        return first
    return then if _says_all_of(then, first) else first + then


def _says_all_of(lines: Sequence[str], some: Sequence[str]) -> bool:
    """Whether *lines* have each line of *some* that is not blank, and there is one, in the same order."""
    left, said = iter([line.strip() for line in lines]), [line.strip() for line in some if line.strip()]
    return bool(said) and all(line in left for line in said)


def _either[Part](before: Part, mine: Part, yours: Part) -> Part | None:
    """The one that differs from *before*; None where both do, in different ways."""
    if yours in (mine, before):
        return mine
    return yours if mine == before else None


def _added_chapters(before: list[str], mine: list[str], yours: list[str]) -> list[str]:
    """The chapters that we added in a stretch that a person changed too: they follow the person's text."""
    known = {chapter.first for lines in (before, yours) for chapter in parse("".join(lines)).chapters}
    new = [chapter for chapter in parse("".join(mine)).chapters if chapter.first not in known]
    return [line for chapter in new for line in ("\n", *chapter.text.splitlines(keepends=True))]


def _joined(lines: list[str]) -> str:
    """*lines* as one text; a line without an end that is no longer the last gets one."""
    return "".join(
        line if line.endswith("\n") or at == len(lines) - 1 else f"{line}\n" for at, line in enumerate(lines)
    )


def _additions(before: list[str], now: list[str]) -> tuple[list[str] | None, list[str] | None]:
    """What *now* adds behind *before*, or else in front of it; None, None where *before* itself was changed."""
    size = len(before)
    if now[:size] == before:
        return now[size:], None
    if now[len(now) - size :] == before:
        return None, now[: len(now) - size]
    return None, None


def _common(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Iterator[_Stretch]:
    """Stretches of *base* that are unchanged in both; the end of all three last."""
    mine = SequenceMatcher(None, base, ours, autojunk=False).get_matching_blocks()
    yours = SequenceMatcher(None, base, theirs, autojunk=False).get_matching_blocks()
    i = j = 0
    while i < len(mine) and j < len(yours):
        one, other = mine[i], yours[j]
        start, end = max(one.a, other.a), min(one.a + one.size, other.a + other.size)
        if start < end:
            o_start, t_start = one.b + start - one.a, other.b + start - other.a
            yield start, end, o_start, o_start + end - start, t_start, t_start + end - start
        if one.a + one.size < other.a + other.size:
            i += 1
        else:
            j += 1
    yield len(base), len(base), len(ours), len(ours), len(theirs), len(theirs)
