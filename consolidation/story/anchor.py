"""
The two comments at the end of a story that say how far it is. They are written in one replace with the text.

    <!-- CURSOR: v1 seq=1234 for=2026-01-28T13:45:00.000Z -->
    <!-- LAST_PROCESSED: 2026-01-28T13:45:00.000Z -->

CURSOR is exact: the last transcript sequence that is narrated. LAST_PROCESSED, the anchor, is for readers that know
only times. It stays below every turn that is still pending. ``for=`` repeats the anchor as we wrote it: where a person
changed the anchor alone, the two differ. A person may write a day alone, or a time without a zone, which is UTC's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_INSTANT = r"(?P<instant>[0-9TZ:.+ -]{1,40}?)"
_OPEN, _CLOSE = r"^[ \t]{0,8}<!-- {0,4}", r" {0,4}-->[ \t]{0,8}\r?\n?"
_ANCHOR = re.compile(_OPEN + r"LAST_PROCESSED: {0,4}" + _INSTANT + _CLOSE, re.MULTILINE)
_CURSOR = re.compile(_OPEN + r"CURSOR: {0,4}v1 seq=(?P<sequence>\d{1,15}) for=" + _INSTANT + _CLOSE, re.MULTILINE)
_LOOKALIKE = re.compile(r"<!--[^>\n]{0,40}(?:LAST_PROCESSED|CURSOR)[^>\n]{0,120}-?-?>?", re.IGNORECASE)
_GARBLED = re.compile(r"^[ \t]{0,8}<!-- {0,4}LAST_PROCESSED\b", re.MULTILINE)
_FUTURE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Marks:
    """What the comments of a story say; None for one that is missing, doubled or garbled."""

    sequence: int | None
    tied_to: datetime | None
    anchor: datetime | None
    anchors: int


@dataclass(frozen=True, slots=True)
class PendingRange:
    """
    Which turns are not narrated yet: every turn above *sequence*, and turns at or below it that are newer than *since*.

    *since* is None unless a person moved the anchor back, or another tool wrote it. *reason* is for people.
    """

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


def places_in_marked(text: str) -> Callable[[int], int]:
    """Where in *text* the character is that has a given place in ``without_marks(text)``: a function for many."""
    cursors = [mark.span() for mark in _CURSOR.finditer(text)]
    anchors = [mark.span() for mark in _ANCHOR.finditer(_CURSOR.sub("", text))]

    def place_of(place: int) -> int:
        for start, end in (*anchors, *cursors):
            if start <= place:
                place += end - start
        return place

    return place_of


def with_marks(text: str, *, sequence: int, anchor: datetime, tied_to: datetime | None = None) -> str:
    """
    *text* with exactly one pair of marks, at its end.

    *tied_to* differs from *anchor* only while turns are narrated again from an anchor that a person moved back.
    """
    return replace_marks(text, Marks(sequence=sequence, tied_to=tied_to or anchor, anchor=anchor, anchors=1))


def replace_marks(text: str, marks: Marks) -> str:
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


def without_lookalikes(text: str) -> str:
    """
    What people say and models answer, without anything that looks like our marks.

    Else a message could say that everything up to 2999 is narrated, and the story would skip it.
    """
    return _LOOKALIKE.sub(" ", text)  # a space: the text around it must not close up to another lookalike


def find_pending(
    text: str, *, ledger: int | None, ledger_anchor: datetime | None, last: int, now: datetime
) -> PendingRange:
    """
    Which turns of a transcript that ends at sequence *last* are not narrated in the story *text*.

    *ledger* is the sequence we last published, which is kept beside the story as a backup; None where it is not known.
    A cursor in the story proves what was published and may be ahead of the ledger (a crash came between).
    """
    marks = read_marks(text)
    narrated = _narrated(marks, ledger=ledger, last=last)
    if narrated is None:
        if marks.anchor is not None and marks.anchor <= now + _FUTURE:
            return PendingRange(0, marks.anchor, "the anchor of another tool: turns that are newer are narrated")
        return PendingRange(0, None, "nothing is narrated yet")
    if marks.sequence is not None and marks.sequence < narrated and marks.anchor == marks.tied_to:
        return PendingRange(marks.sequence, None, "this is an older story: narrated again from its cursor")
    tied_to = marks.tied_to if marks.sequence == narrated else ledger_anchor
    if marks.anchor is None or tied_to is None or marks.anchor == tied_to:
        by = "the cursor" if marks.sequence == narrated else "the ledger"
        is_garbled = marks.anchor is None and _GARBLED.search(text) is not None
        return PendingRange(narrated, None, f"{by}: the anchor is not a time, and ignored" if is_garbled else by)
    if marks.anchor > tied_to:
        reason = "a person moved the anchor forward: ignored, since turns are skipped only on request"
        return PendingRange(narrated, None, reason)
    return PendingRange(narrated, marks.anchor, "a person moved the anchor back: narrated again from there")


def anchor_for(narrated: Iterable[datetime], pending: Iterable[datetime]) -> datetime | None:
    """The newest instant narrated, but below every pending one; None when nothing is narrated. In milliseconds."""
    newest = max(map(_milliseconds, narrated), default=None)
    if newest is None:
        return None
    earliest = min(map(_milliseconds, pending), default=None)
    if earliest is not None and earliest <= newest:
        return earliest - timedelta(milliseconds=1)
    return newest


def is_after(instant: datetime, anchor: datetime) -> bool:
    """Whether *instant* comes after *anchor*: not within the millisecond of one that we wrote; others write finer."""
    return (instant if anchor.microsecond % 1000 else _milliseconds(instant)) > anchor


def anchor_moved_back(marks: Marks, *, since: Marks) -> datetime | None:
    """The anchor in *marks* if a person moved it back *since*; else None."""
    if marks.anchor is None or since.anchor is None or marks.anchor >= since.anchor:
        return None
    return marks.anchor


def _narrated(marks: Marks, *, ledger: int | None, last: int) -> int | None:
    if marks.sequence is not None and marks.sequence <= last and (ledger is None or marks.sequence >= ledger):
        return marks.sequence
    return min(ledger, last) if ledger is not None else None


def _instant(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found.astimezone(UTC) if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _written(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _milliseconds(instant: datetime) -> datetime:
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)
