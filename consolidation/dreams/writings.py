"""
How dreams write into files that people edit too: ``priorities.md``, ``briefing.md``, ``diary.md``.

The digests of the lines that dreams wrote last are known. All other lines of a file are a person's: they stay, however
many dreams follow, and what a person deleted does not come back.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from itertools import dropwhile
from typing import TYPE_CHECKING

from consolidation.text.surrogates import as_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import tzinfo

    from consolidation.dreams.dream_log import DreamRecord

MOST_PRIORITIES, MOST_BRIEFING_LINES = 5, 80
MOST_DELETED = 400  # lines of a file; the oldest are forgotten
_ITEM = re.compile(r"^\ufeff?\s*(?:[-*]|\d+[.)])\s+(.+)$")
_PRIORITIES = "# Priorities"


@dataclass(frozen=True, slots=True)
class OurLines:
    """
    What is known of the lines that dreams wrote into a file, as digests.

    ``known`` are all that may be in it, also those of a write that was interrupted. ``left`` are those that were in it
    when a dream wrote it last. ``deleted`` are those that a person deleted before that, the newest first.
    """

    known: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()
    deleted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A file as a dream leaves it, and the digests of the lines in it that are ours and of those a person deleted."""

    text: str
    ours: tuple[str, ...]
    deleted: tuple[str, ...]


def line_digest(line: str) -> str:
    """What tells a line of ours from one that a person changed."""
    return hashlib.blake2b(as_bytes(line), digest_size=8).hexdigest()


PRIORITIES_HEADING = line_digest(_PRIORITIES)


def line_digests(text: str) -> tuple[str, ...]:
    """The digests of the lines of *text*, blank ones left out."""
    return tuple(line_digest(line) for line in text.splitlines() if line.strip())


def read_priorities(text: str) -> tuple[str, ...]:
    """The items of ``priorities.md``, the most important first."""
    found = (_ITEM.match(line) for line in text.splitlines())
    return tuple(one[1].strip() for one in found if one)


def new_priorities(text: str, items: Sequence[str], *, before: OurLines) -> Rewritten:
    """*text* with *items* in the place of ours, which were as *before* says, behind what a person wrote."""
    peoples, deleted = _peoples(text, before.known), deleted_lines(text, before)
    theirs = [one for line in peoples for one in read_priorities(line)]
    wanted = [f"- {one}" for one in dict.fromkeys(items) if one not in theirs]
    ours = [line for line in wanted if line_digest(line) not in deleted]
    ours = ours[: max(MOST_PRIORITIES - len(theirs), 0)]
    heading = [] if any(line.startswith("#") for line in peoples) else [_PRIORITIES, ""]
    return _rewritten([*heading, *peoples, *ours], ours=[*heading, *ours], deleted=deleted)


def new_briefing(text: str, briefing: str, *, before: OurLines) -> Rewritten:
    """
    *briefing* in the place of ours, which were as *before* says, behind the lines that a person wrote.

    Where there are more than ``MOST_BRIEFING_LINES``, ours are cut.
    """
    peoples, deleted = _peoples(text, before.known), deleted_lines(text, before)
    wanted = [line for line in briefing.strip().splitlines() if line not in peoples]
    ours = [line for line in wanted if line_digest(line) not in deleted]
    ours = ours[: max(MOST_BRIEFING_LINES - len(peoples) - bool(peoples), 0)]
    between = [""] if peoples and ours else []
    return _rewritten([*peoples, *between, *ours], ours=ours, deleted=deleted)


def deleted_lines(text: str, before: OurLines) -> tuple[str, ...]:
    """
    The digests of our lines that a person deleted, now or before, the newest first.

    A file that they emptied is begun anew. A line that they wrote again themselves is theirs.
    """
    if not text.strip():
        return ()
    present = line_digests(text)
    gone = (*sorted(before.left.difference(present)), *(one for one in before.deleted if one not in present))
    return tuple(dict.fromkeys(gone))[:MOST_DELETED]


def _peoples(text: str, known: AbstractSet[str]) -> list[str]:
    return [line for line in text.splitlines() if line.strip() and line_digest(line) not in known]


def _rewritten(lines: Iterable[str], *, ours: Iterable[str], deleted: tuple[str, ...]) -> Rewritten:
    return Rewritten("".join(f"{line}\n" for line in lines), line_digests("\n".join(ours)), deleted)


def diary_heading(record: DreamRecord, dreams: Iterable[DreamRecord], *, zone: tzinfo) -> str:
    """The heading of a deep sleep's entry: its minute, and its number where an earlier deep sleep has that minute."""
    minute = f"{record.t.astimezone(zone):%Y-%m-%d %H:%M}"
    earlier = (one for one in dreams if one.deep and one.dream < record.dream)
    is_taken = any(f"{one.t.astimezone(zone):%Y-%m-%d %H:%M}" == minute for one in earlier)
    return f"## {minute}" + f", dream {record.dream}" * is_taken


def with_diary_entry(text: str, entry: str, *, heading: str) -> str:
    """*text* with *entry* at its end, under *heading*; as it is where it has an entry of this heading."""
    if heading in text.splitlines():
        return text
    before = f"{text.rstrip()}\n\n" if text.strip() else ""
    return f"{before}{heading}\n\n{entry.strip()}\n"


def diary_entry_again(text: str, entry: str, *, written: Sequence[str]) -> str:
    """
    *text* with *entry* under the heading, among the lines *written* (digests), of which the entry went; above what a
    person wrote there.

    The heading goes where there is nothing to say under it. Where a person deleted it, or an entry is there, *text*
    stays.
    """
    lines, (heading, has_entry) = text.splitlines(), _heading_of(text, written)
    if heading is None or has_entry:
        return text
    after = list(dropwhile(lambda line: not line.strip(), lines[heading + 1 :]))
    if entry.strip():
        new = [lines[heading], "", *entry.strip().splitlines(), *([""] if after else [])]
    else:
        new = [] if not after or after[0].startswith("#") else [lines[heading], ""]
    left = [*lines[:heading], *new, *after]
    return "".join(f"{line}\n" for line in left).lstrip("\n") if any(left) else ""


def diary_entry(text: str, written: Sequence[str]) -> tuple[str, ...]:
    """The digests of an entry of the diary without its heading, which is the last one among the lines *written*."""
    headings = {line_digest(line) for line in text.splitlines() if line.startswith("#")}
    begins_at = max((at + 1 for at, digest in enumerate(written) if digest in headings), default=0)
    return tuple(written[begins_at:])


def _heading_of(text: str, written: Sequence[str]) -> tuple[int | None, bool]:
    """Where the heading of the entry *written* is, and whether more of the entry is there."""
    lines, entry = text.splitlines(), diary_entry(text, written)
    own = written[len(written) - len(entry) - 1 :][:1]
    places = [at for at, line in enumerate(lines) if line.startswith("#") and line_digest(line) in own]
    return (places[-1] if places else None), any(line.strip() and line_digest(line) in entry for line in lines)
