"""
What we last published, beside the story: a backup of its cursor; which chapters are in our words, and of which turns.

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
from consolidation.story.tellings import Telling, ranges, sequences_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from consolidation.story.tellings import Tellings


@dataclass(frozen=True, slots=True)
class Published:
    """
    The last sequence told (None: nothing known), the anchor written with it, the newest instant told.

    ``digests`` are the chapters in our words, ``short`` those of them that stand for longer ones, ``tellings`` what
    each tells; ``again`` are turns below the cursor that are owed, since their chapter was taken out.
    """

    sequence: int | None = None
    anchor: datetime | None = None
    newest: datetime | None = None
    digests: frozenset[str] = field(default_factory=frozenset)
    short: frozenset[str] = field(default_factory=frozenset)
    tellings: Mapping[str, Telling] = field(default_factory=dict)
    again: frozenset[int] = field(default_factory=frozenset)


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
            {
                digest: Telling(str(one["at"]), sequences_of(one["told"]), sequences_of(one["seen"]))
                for digest, one in found.get("tellings", {}).items()
            },
            sequences_of(found.get("again", ())),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Published()


def write_ledger(file: Path, published: Published) -> None:
    """Put *published* into *file*, whole or not at all. Raises StoryUnwritable."""
    content = {
        "sequence": published.sequence,
        "anchor": published.anchor and published.anchor.isoformat(),
        "newest": published.newest and published.newest.isoformat(),
        "digests": sorted(published.digests),
        "short": sorted(published.short),
        "tellings": {
            digest: {"at": one.at, "told": ranges(one.told), "seen": ranges(one.seen)}
            for digest, one in sorted(published.tellings.items())
        },
        "again": ranges(published.again),
    }
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace_text(file, json.dumps(content))
    except OSError as error:
        raise StoryUnwritable(f"{file.name} can not be written: {error.strerror}") from error


def note_ours(file: Path, tellings: Tellings) -> None:
    """Note chapters as ours ahead of publishing them: after a crash they must not pass for a person's."""
    write_ledger(file, with_ours(read_ledger(file), tellings))


def note_short(file: Path, tellings: Tellings) -> None:
    """Note chapters as ours, and as standing for longer ones, ahead of publishing them."""
    known = with_ours(read_ledger(file), tellings)
    write_ledger(file, replace(known, short=known.short | tellings.keys()))


def with_ours(known: Published, tellings: Tellings) -> Published:
    """*known* with more chapters in our words."""
    return replace(known, digests=known.digests | tellings.keys(), tellings={**known.tellings, **tellings})


def caught_up(file: Path, story: str, top: int) -> Published:
    """What stands in *file*, brought up to a story that a crash left ahead of it."""
    known, marks = read_ledger(file), read_marks(story)
    if marks.sequence is None or marks.tied_to is None or not (known.sequence or 0) < marks.sequence <= top:
        return known
    newest = max(known.newest, marks.tied_to) if known.newest else marks.tied_to
    return replace(known, sequence=marks.sequence, anchor=marks.tied_to, newest=newest)


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text is not None else None
