"""The files that people own in a mind's folder: listed with the journal, and replaced by compare-and-swap."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from consolidation.kernel.errors import (
    JournalFileChanged,
    JournalFileNotEditable,
    JournalFileTooLarge,
    StoryChanged,
    StoryPreconditionMissing,
)
from consolidation.kernel.files import replace_bytes
from consolidation.kernel.links import held_folder
from consolidation.kernel.shared_files import Stamp, stamp_of, until_unchanged
from consolidation.story.edits import check_unchanged
from service.index.journal_dates import day_of
from service.index.journal_files import BRIEFING, LISTED, NOTES, OWN_WRITINGS, files_of, read, steps_of

if TYPE_CHECKING:
    import threading
    from pathlib import Path

_KINDS = {NOTES: "memory", **{name: name.removesuffix(".md").casefold() for name in (*LISTED, *OWN_WRITINGS)}}
_OF_AGENT = frozenset({*OWN_WRITINGS, BRIEFING})
_NOTE, _DAY = "note", "day"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """
    A file of the journal, or SOUL.md, PURPOSE.md or briefing.md. ``path`` is below the mind's folder.

    ``kind`` is memory, soul, purpose, day (its name begins with a date), note, or what an agent writes of itself:
    observations, diary, rules, priorities, briefing. Only people's files are editable.
    """

    path: str
    kind: str
    date: date | None
    bytes: int
    changed_at: datetime

    @property
    def name(self) -> str:
        """The last step of the path."""
        return self.path.rpartition("/")[2]

    @property
    def is_editable(self) -> bool:
        """Whether people write it."""
        return self.path not in _OF_AGENT


def list_files(root: Path) -> tuple[JournalEntry, ...]:
    """Every file, the newest first, by the day in its name or by its last change. Blocking. Raises OSError."""
    entries = [_entry(path, stamp) for path, stamp in files_of(root, also=LISTED).items()]
    return tuple(sorted(entries, key=lambda one: (one.date or one.changed_at.date(), one.changed_at), reverse=True))


class PersonFiles:
    """Replaces people's files. One write at a time; a person's editor is not held up."""

    def __init__(self, *, most_bytes: int, mutex: threading.Lock) -> None:
        """*mutex* is held by every door to the same files: each compares a file to what was read, and replaces it."""
        self._most_bytes = most_bytes
        self._mutex = mutex

    def put(self, root: Path, path: str, text: str, *, expected: str | None) -> None:
        """
        Put *text* in the place of the file whose ETag is *expected*. Blocking.

        Raises JournalPathRefused (also for a link), JournalFileNotFound, JournalFileNotEditable, JournalFileTooLarge,
        StoryPreconditionMissing when *expected* is None, JournalFileChanged, OSError.
        """
        steps_of(path, also=LISTED)
        if path in _OF_AGENT:
            raise JournalFileNotEditable(f"{path} is written by the agent's dreams, not by people")
        if expected is None:
            raise StoryPreconditionMissing("send If-Match with the ETag of the file that this one replaces")
        content = text.encode()
        if len(content) > self._most_bytes:
            raise JournalFileTooLarge(f"is larger than {self._most_bytes} bytes", pointer="#/text")
        until_unchanged(lambda: self._put(root, path, content, expected=expected))

    def _put(self, root: Path, path: str, content: bytes, *, expected: str) -> None:
        *folders, name = steps_of(path, also=LISTED)
        read(root, path, most_bytes=self._most_bytes, also=LISTED)  # a file that is not there may lack its folder, too
        with self._mutex, held_folder(root.joinpath(*folders)) as folder:
            seen = stamp_of(folder / name)
            present, _ = read(root, path, most_bytes=self._most_bytes, also=LISTED)
            try:
                check_unchanged(present.decode("utf-8", "surrogateescape"), expected=expected)
            except StoryChanged as changed:
                raise JournalFileChanged(changed.current, etag=changed.etag) from changed
            replace_bytes(folder / name, content, seen=seen)


def _entry(path: str, stamp: Stamp) -> JournalEntry:
    day = day_of(path)
    kind = _KINDS.get(path, _DAY if day is not None else _NOTE)
    return JournalEntry(path, kind, day, stamp.size, datetime.fromtimestamp(stamp.mtime_ns / 1e9, UTC))
