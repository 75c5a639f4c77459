"""
What we last published, beside the story: a backup of its cursor, and which chapters are in our words.

The file's own cursor is the proof; this is what stands in when a person deletes it, and it may be behind after a crash.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from consolidation.kernel.errors import StoryUnwritable
from consolidation.kernel.files import replace_text
from consolidation.story.anchor import read_marks

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Published:
    """
    The last sequence told (None: nothing known), the anchor written with it, the newest instant told.

    ``digests`` are the chapters in our words; ``short`` those of them that stand for longer ones.
    """

    sequence: int | None = None
    anchor: datetime | None = None
    newest: datetime | None = None
    digests: frozenset[str] = field(default_factory=frozenset)
    short: frozenset[str] = field(default_factory=frozenset)


def read_ledger(file: Path) -> Published:
    """What stands in *file*; nothing known where it is missing or garbled."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return Published(
            int(found["sequence"]) if found["sequence"] is not None else None,
            _instant(found["anchor"]),
            _instant(found["newest"]),
            frozenset(str(digest) for digest in found["digests"]),
            frozenset(str(digest) for digest in found.get("short", ())),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return Published()


def write_ledger(file: Path, published: Published) -> None:
    """Put *published* into *file*, whole or not at all. Raises StoryUnwritable."""
    content = {
        "sequence": published.sequence,
        "anchor": published.anchor and published.anchor.isoformat(),
        "newest": published.newest and published.newest.isoformat(),
        "digests": sorted(published.digests),
        "short": sorted(published.short),
    }
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace_text(file, json.dumps(content))
    except OSError as error:
        raise StoryUnwritable(f"{file.name} can not be written: {error.strerror}") from error


def note_ours(file: Path, digests: Iterable[str]) -> None:
    """Note chapters as ours ahead of publishing them: after a crash they must not pass for a person's."""
    known = read_ledger(file)
    write_ledger(file, replace(known, digests=known.digests | set(digests)))


def note_short(file: Path, digests: Iterable[str]) -> None:
    """Note chapters as ours, and as standing for longer ones, ahead of publishing them."""
    known, new = read_ledger(file), set(digests)
    write_ledger(file, replace(known, digests=known.digests | new, short=known.short | new))


def caught_up(file: Path, story: str, top: int) -> Published:
    """What stands in *file*, brought up to a story that a crash left ahead of it."""
    known, marks = read_ledger(file), read_marks(story)
    if marks.sequence is None or marks.tied_to is None or not (known.sequence or 0) < marks.sequence <= top:
        return known
    newest = max(known.newest, marks.tied_to) if known.newest else marks.tied_to
    return replace(known, sequence=marks.sequence, anchor=marks.tied_to, newest=newest)


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text is not None else None
