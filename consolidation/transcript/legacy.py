"""
Reads histories that are older than this memory: files dated by their names, as turns of the agent's own notes.

``memory/2025-03-04.md``, ``memory/2025-03-04-lyon.md``, anything so named in ``memory/`` or ``legacy/``. The id of a
turn is the file and the number of the piece, so that reading a file twice stores its turns once.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDERS = ("memory", "legacy")
_ENDINGS = frozenset({".md", ".txt", ".markdown"})
_DATE = re.compile(r"(?<!\d)(\d{4})-?(\d\d)-?(\d\d)(?!\d)")
_LIKE_A_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d-\d\d-\d\d(?!\d)")
_NOON = time(12, tzinfo=UTC)
_EARLIEST = 1990
_LONGEST_PIECE = 4_000  # characters
_LARGEST = 4 << 20
_PARAGRAPH = re.compile(r"\n[ \t]*\n|\n(?=#{1,6} )")


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that gave no turn, and why."""

    where: str
    reason: str


def legacy_turns(folder: Path, *, today: datetime) -> Iterator[Turn | Unread]:
    """
    The turns of a workspace's dated files, oldest file first. Today's files are still being written and are left out.

    Links are not followed. Nothing is raised: a file that can not be read is an ``Unread``.
    """
    for day, file in sorted(_dated(folder)):
        where = file.relative_to(folder).as_posix()
        if not day:
            yield Unread(where, "the calendar has no such day")
            continue
        if day >= today.date().isoformat():
            yield Unread(where, "its day is not over")
            continue
        try:
            with file.open(encoding="utf-8-sig", errors="replace") as handle:
                text = handle.read(_LARGEST)
                is_whole = not handle.read(1)
        except OSError as error:
            yield Unread(where, error.strerror or str(error))
            continue
        if not is_whole:
            yield Unread(where, f"is longer than {_LARGEST} characters; the rest was not read")
        noon = datetime.combine(datetime.fromisoformat(day), _NOON)
        for number, piece in enumerate(_pieces(text), start=1):
            said = Message(Speaker.THOUGHT, piece, noon + timedelta(seconds=number - 1))
            yield Turn(f"legacy:{where[-180:]}#{number}", f"legacy:{day}", (said,), kind=TurnKind.IMPORT)


def _dated(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files with a day in their names, and it; "" where the calendar has not that day, like 30 February."""
    for name in FOLDERS:
        for file in (folder / name).rglob("*") if not (folder / name).is_symlink() else ():
            day = _day(file.stem)
            is_dated = day or _LIKE_A_DATE.search(file.stem)
            if is_dated and file.suffix.lower() in _ENDINGS and file.is_file() and not file.is_symlink():
                yield day, file


def _day(name: str) -> str:
    for found in _DATE.finditer(name):
        with suppress(ValueError):
            day = datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=UTC)
            if day.year >= _EARLIEST:
                return day.date().isoformat()
    return ""


def _pieces(text: str) -> Iterator[str]:
    """*text* in pieces of limited length, cut between paragraphs; only white space is lost."""
    piece = ""
    for paragraph in _PARAGRAPH.split(text.replace("\x00", "")):
        for at in range(0, len(paragraph), _LONGEST_PIECE):
            part = paragraph[at : at + _LONGEST_PIECE].strip("\n")
            if piece and len(piece) + len(part) > _LONGEST_PIECE:
                yield piece
                piece = ""
            piece = f"{piece}\n\n{part}".strip("\n") if part.strip() else piece
    if piece.strip():
        yield piece
