"""
The ledger beside a story: a backup of its cursor, and which chapters we wrote, of which turns.

The cursor in the story is the proof. The ledger takes its place when a person deletes it. After a crash the ledger may
be behind the story, never ahead of it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from consolidation.kernel.errors import StoryUnreadable, StoryUnwritable
from consolidation.kernel.files import replace_text
from consolidation.story.anchor import read_marks
from consolidation.story.chapter_turns import ChapterTurns, ranges, sequences_of
from consolidation.story.notes import NO_NOTES, StoryNotes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from consolidation.story.chapter_turns import TurnsByChapter


@dataclass(frozen=True, slots=True)
class StoryLedger:
    """
    The last sequence narrated (None: not known), the anchor written with it, the newest instant narrated.

    ``digests`` are the chapters that we wrote, ``short`` those of them that replaced longer ones, ``turns`` what each
    was made of. ``owed`` are turns below the cursor to be narrated again, since their chapter was removed. ``notes``
    are the narrator's, made when the story without its marks had the digest ``noted_on``.
    ``put_right`` is the id of the last line of the corrections that the story follows; ``follows_mutes`` is false where
    an earlier version wrote it, which left names standing that were muted. ``told_at`` is when we wrote each chapter
    first, as far as that is known; one that replaced a longer one is not told anew. ``refused_runs`` are those in a row
    in which no model wrote what can be used. ``in_time`` is how many tokens at once a model that was too slow may tell
    in time; 0 where none was.
    """

    sequence: int | None = None
    anchor: datetime | None = None
    newest: datetime | None = None
    digests: frozenset[str] = field(default_factory=frozenset)
    short: frozenset[str] = field(default_factory=frozenset)
    turns: Mapping[str, ChapterTurns] = field(default_factory=dict)
    owed: frozenset[int] = field(default_factory=frozenset)
    notes: StoryNotes = NO_NOTES
    noted_on: str = ""
    put_right: str = ""
    follows_mutes: bool = False
    told_at: Mapping[str, datetime] = field(default_factory=dict)
    refused_runs: int = 0
    in_time: int = 0

    def next_told_at(self, now: datetime) -> datetime:
        """The time at which chapters are told *now*: later than all before, whichever machine's clock told those."""
        newest = max(self.told_at.values(), default=None)
        return now if newest is None or now > newest else newest + timedelta(microseconds=1)

    def notes_on(self, story: str) -> StoryNotes:
        """The narrator's notes, where they were made on just this story; else none: a person may have changed it."""
        return self.notes if self.noted_on == story_digest(story) else NO_NOTES


def read_ledger(file: Path) -> StoryLedger:
    """
    The ledger in *file*; an empty one where the file is missing or garbled.

    Raises StoryUnreadable where it can not be read just now: an empty one in its place would be written for good.
    """
    try:
        content = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return StoryLedger()
    except OSError as error:
        raise StoryUnreadable(f"{file.name} can not be read: {error.strerror}") from error
    try:
        found = json.loads(content)
        return StoryLedger(
            int(found["sequence"]) if found["sequence"] is not None else None,
            _instant(found["anchor"]),
            _instant(found["newest"]),
            frozenset(str(digest) for digest in found["digests"]),
            frozenset(str(digest) for digest in found.get("short", ())),
            {
                digest: ChapterTurns(str(one["at"]), sequences_of(one["told"]), sequences_of(one["seen"]))
                for digest, one in found.get("tellings", {}).items()
            },
            sequences_of(found.get("again", ())),
            StoryNotes.read(found.get("notes", {})),
            str(found.get("noted_on", "")),
            str(found.get("put_right", "")),
            bool(found.get("follows_mutes", False)),
            {digest: datetime.fromisoformat(at) for digest, at in found.get("told_at", {}).items()},
            int(found.get("refused_runs", 0)),
            int(found.get("in_time", 0)),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return StoryLedger()


def write_ledger(file: Path, ledger: StoryLedger) -> None:
    """Put *ledger* into *file*, whole or not at all. Raises StoryUnwritable."""
    content = {
        "sequence": ledger.sequence,
        "anchor": ledger.anchor and ledger.anchor.isoformat(),
        "newest": ledger.newest and ledger.newest.isoformat(),
        "digests": sorted(ledger.digests),
        "short": sorted(ledger.short),
        "tellings": {
            digest: {"at": one.at, "told": ranges(one.narrated), "seen": ranges(one.seen)}
            for digest, one in sorted(ledger.turns.items())
        },
        "again": ranges(ledger.owed),
        "notes": ledger.notes.written(),
        "noted_on": ledger.noted_on,
        "put_right": ledger.put_right,
        "follows_mutes": ledger.follows_mutes,
        "told_at": {digest: at.isoformat() for digest, at in sorted(ledger.told_at.items())},
        "refused_runs": ledger.refused_runs,
        "in_time": ledger.in_time,
    }
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace_text(file, json.dumps(content))
    except OSError as error:
        raise StoryUnwritable(f"{file.name} can not be written: {error.strerror}") from error


def record_ours(file: Path, turns: TurnsByChapter, at: datetime) -> None:
    """Record chapters as ours, told *at* a time, before they are published: else a crash makes them a person's."""
    write_ledger(file, with_ours(read_ledger(file), turns, told_at=at))


def record_shorter(file: Path, turns: TurnsByChapter) -> None:
    """Record chapters as ours that replace longer ones, before they are published."""
    ledger = with_ours(read_ledger(file), turns)
    write_ledger(file, replace(ledger, short=ledger.short | turns.keys()))


def with_ours(ledger: StoryLedger, turns: TurnsByChapter, *, told_at: datetime | None = None) -> StoryLedger:
    """*ledger* with more chapters of ours, which were told at this time, where they were not told before."""
    first = dict.fromkeys(turns, told_at) if told_at is not None else {}
    return replace(
        ledger,
        digests=ledger.digests | turns.keys(),
        turns={**ledger.turns, **turns},
        told_at={**first, **ledger.told_at},
    )


def story_digest(story: str) -> str:
    """A fingerprint of a story without its marks: it shows whether anybody changed it."""
    return hashlib.blake2b(story.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def caught_up(file: Path, story: str, last: int) -> StoryLedger:
    """The ledger in *file*, brought up to *story*, which a crash may have left ahead of it; *last* is the last turn."""
    ledger, marks = read_ledger(file), read_marks(story)
    if marks.sequence is None or marks.tied_to is None or not (ledger.sequence or 0) < marks.sequence <= last:
        return ledger
    newest = max(ledger.newest, marks.tied_to) if ledger.newest else marks.tied_to
    return replace(ledger, sequence=marks.sequence, anchor=marks.tied_to, newest=newest)


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text is not None else None
