"""
Up to where the story is told: two comments at its end, written in the same breath as the text. Pure.

    <!-- CURSOR: v1 seq=1234 for=2026-01-28T13:45:00.000Z -->
    <!-- LAST_PROCESSED: 2026-01-28T13:45:00.000Z -->

CURSOR is exact: a position in the transcript. LAST_PROCESSED is for readers that know only times; it stays below
every turn that still waits. ``for=`` ties the two: where a person changed the second alone, we know it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_INSTANT = r"(?P<instant>[0-9TZ:.+-]{1,40})"
_OPEN, _CLOSE = r"^[ \t]{0,8}<!-- {0,4}", r" {0,4}-->[ \t]{0,8}\r?\n?"
_ANCHOR = re.compile(_OPEN + r"LAST_PROCESSED: {0,4}" + _INSTANT + _CLOSE, re.MULTILINE)
_CURSOR = re.compile(_OPEN + r"CURSOR: {0,4}v1 seq=(?P<sequence>\d{1,15}) for=" + _INSTANT + _CLOSE, re.MULTILINE)
_LOOKALIKE = re.compile(r"<!--[^>\n]{0,40}(?:LAST_PROCESSED|CURSOR)[^>\n]{0,120}-?-?>?", re.IGNORECASE)
_FUTURE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Marks:
    """What the comments of a story say; None for one that is missing, doubled or garbled."""

    sequence: int | None
    tied_to: datetime | None
    anchor: datetime | None
    anchors: int


@dataclass(frozen=True, slots=True)
class ToTell:
    """What is not yet told: every turn above *sequence*, and turns at or below it that are newer than *since*."""

    sequence: int
    since: datetime | None
    reason: str


def read_marks(text: str) -> Marks:
    """The marks of a story."""
    anchors, cursors = list(_ANCHOR.finditer(text)), list(_CURSOR.finditer(text))
    cursor = cursors[0] if len(cursors) == 1 else None
    return Marks(
        sequence=int(cursor["sequence"]) if cursor else None,
        tied_to=_instant(cursor["instant"]) if cursor else None,
        anchor=_instant(anchors[0]["instant"]) if len(anchors) == 1 else None,
        anchors=len(anchors),
    )


def without_marks(text: str) -> str:
    """*text* without our comments; every other byte as it was."""
    return _ANCHOR.sub("", _CURSOR.sub("", text))


def with_marks(text: str, *, sequence: int, anchor: datetime, tied_to: datetime | None = None) -> str:
    """
    *text* carrying exactly one pair of marks, at its end.

    *tied_to* differs from *anchor* only while turns are told again from an anchor that a person moved back.
    """
    return carrying(text, Marks(sequence=sequence, tied_to=tied_to or anchor, anchor=anchor, anchors=1))


def carrying(text: str, marks: Marks) -> str:
    """*text* with *marks* at its end and no others; those that are None are left out."""
    bare = without_marks(text)
    lines = []
    if marks.sequence is not None and marks.tied_to is not None:
        lines.append(f"<!-- CURSOR: v1 seq={marks.sequence} for={_written(marks.tied_to)} -->")
    if marks.anchor is not None:
        lines.append(f"<!-- LAST_PROCESSED: {_written(marks.anchor)} -->")
    if lines and bare and not bare.endswith("\n"):
        bare += "\n"
    ending = "\r\n" if "\r\n" in bare else "\n"
    return bare + "".join(f"{line}{ending}" for line in lines)


def defanged(text: str) -> str:
    """What people say and models answer, without anything that looks like our marks."""
    return _LOOKALIKE.sub(" ", text)  # a space: what stood around it must not close up to another


def decide(text: str, *, ledger: int | None, ledger_anchor: datetime | None, top: int, now: datetime) -> ToTell:
    """
    What is still to be told of a transcript that ends at sequence *top*.

    *ledger* is the sequence we last published, kept beside the story as a backup; None where that is not known. A
    cursor in the file is proof of what was published and may be ahead of the ledger (a crash came between).
    """
    marks = read_marks(text)
    told = _told(marks, ledger=ledger, top=top)
    if told is None:
        if marks.anchor is not None and marks.anchor <= now + _FUTURE:
            return ToTell(0, marks.anchor, "an anchor of another tool: told is what is not newer than it")
        return ToTell(0, None, "nothing is told yet")
    if marks.sequence is not None and marks.sequence < told and marks.anchor == marks.tied_to:
        return ToTell(marks.sequence, None, "an older story stands here: told again from its cursor")
    tied_to = marks.tied_to if marks.sequence == told else ledger_anchor
    if marks.anchor is None or tied_to is None or marks.anchor == tied_to:
        return ToTell(told, None, "the cursor" if marks.sequence == told else "the ledger")
    if marks.anchor > tied_to:
        return ToTell(told, None, "the anchor was moved forward by hand: ignored, nothing is skipped silently")
    return ToTell(told, marks.anchor, "the anchor was moved back by hand: told again from there")


def anchor_for(told: Iterable[datetime], waiting: Iterable[datetime]) -> datetime | None:
    """The newest instant told, but below every one that waits; None when nothing is told."""
    newest = max(told, default=None)
    if newest is None:
        return None
    earliest = min(waiting, default=None)
    if earliest is not None and earliest <= newest:
        return _milliseconds(earliest) - timedelta(milliseconds=1)
    return _milliseconds(newest)


def _told(marks: Marks, *, ledger: int | None, top: int) -> int | None:
    if marks.sequence is not None and marks.sequence <= top and (ledger is None or marks.sequence >= ledger):
        return marks.sequence
    return min(ledger, top) if ledger is not None else None


def _instant(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found.astimezone(UTC) if found.tzinfo is not None else None


def _written(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _milliseconds(instant: datetime) -> datetime:
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)
