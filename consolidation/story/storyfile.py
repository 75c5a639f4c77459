"""
STORY.md on disk: read when it stands still, changed by compare-and-swap, its last versions kept.

Invariant: at every moment the file is a whole old or a whole new story, and no save of a person is lost: one that
comes while we think is planned upon, one that slips into the swap is found and planned upon again, one that an editor
writes into the version we displaced is merged at the next change.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from consolidation.kernel.errors import StoryUnreadable, StoryUnwritable
from consolidation.kernel.files import exclusive
from consolidation.story.anchor import carrying, read_marks, without_marks
from consolidation.story.exchange import create, put_in_place, read_settled, replace_bytes, write_new
from consolidation.story.merging import merge
from consolidation.story.planning import moved_back

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from consolidation.kernel.ports import Clock

_LOCK_SECONDS = 30
_TRIES = 40
_VERSIONS = 50
_VERSION = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{6}Z\.md")
_LATE = 8  # versions an editor may still be writing into


@dataclass(frozen=True, slots=True)
class Version:
    """An earlier story: its name, which sorts by time, and its text's size in bytes."""

    name: str
    size: int


class StoryFile:
    """One mind's story. All methods block; call them in a worker thread."""

    def __init__(self, file: Path, *, history: Path, clock: Clock) -> None:
        """Bind to *file*; a link is followed, so that a vault's story stays where it is."""
        self._file = file.resolve() if file.is_symlink() else file
        self._history = history
        self._clock = clock

    def read(self) -> str:
        """The story as it stands; empty when there is none. Raises StoryUnreadable."""
        return _text(self._settled())

    def change(self, plan: Callable[[str], str]) -> str:
        """
        Put ``plan(story)`` in the story's place, planning again for as long as a person changes it meanwhile.

        *plan* is quick and may be called often; models are asked before. Returns the story as published. Raises
        StoryLocked, StoryUnreadable, StoryUnwritable.
        """
        try:
            with exclusive(self._file, seconds=_LOCK_SECONDS):
                self._history.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._take_late_edits()
                return self._swap(plan)
        except OSError as error:
            raise StoryUnwritable(f"{self._file.name} can not be written: {error.strerror or error}") from error

    def versions(self) -> tuple[Version, ...]:
        """The earlier stories, newest first."""
        return tuple(Version(file.stem, file.stat().st_size) for file in self._kept())

    def version(self, name: str) -> str | None:
        """The text of an earlier story; None when no version is called so."""
        if not any(version.name == name for version in self.versions()):
            return None
        return _text((self._history / f"{name}.md").read_bytes())

    def purge(self, holds: Callable[[str], bool]) -> int:
        """Delete every earlier story, and every displaced one, whose text *holds*; how many files that were."""
        with exclusive(self._file, seconds=_LOCK_SECONDS):
            if not self._history.is_dir():
                return 0
            found = [file for file in self._kept() if holds(_text(file.read_bytes()))]
            for late in sorted(self._beside.glob("*.late")):
                pair = (late, late.with_suffix(".base"))
                if any(holds(_text(_bytes_of(file))) for file in pair):
                    found += [file for file in pair if file.exists()]
            for file in found:
                file.unlink(missing_ok=True)
            return len(found)

    def _settled(self) -> bytes | None:
        return read_settled(self._file, is_expected=self._history.is_dir())

    def _swap(self, plan: Callable[[str], str]) -> str:
        for _ in range(_TRIES):
            standing = self._settled()
            new = _bytes(plan(_text(standing)))
            if new == standing:
                return _text(new)
            if self._publish(standing, new):
                return self._take_late_edits() or _text(new)
        raise StoryUnreadable("the story keeps changing")

    def _publish(self, standing: bytes | None, new: bytes) -> bool:
        """
        Put *new* in the place of *standing*; False when something else stands there.

        What is displaced is kept with what we believed it to be, noted before: where the two differ, a person saved in
        between, and theirs is merged, now or after a crash.
        """
        late = self._beside / f"{self._clock.now():%Y%m%d%H%M%S%f}-{_digest(new)}.late"
        write_new(late, new, like=self._file)
        try:
            if standing is not None:
                replace_bytes(late.with_suffix(".base"), standing)
            if self._settled() != standing:
                return _dropped(late)
            if standing is None:
                create(late, self._file)
            else:
                self._keep(standing)
                if not put_in_place(late, self._file):
                    late.with_suffix(".base").unlink()
        except (FileNotFoundError, FileExistsError):
            return _dropped(late)
        for old in sorted(self._beside.glob("*.late"))[:-_LATE]:
            if old.read_bytes() == _bytes_of(old.with_suffix(".base")):
                _dropped(old)
        return True

    @property
    def _beside(self) -> Path:
        """Where what we displace is kept: with the history, or beside a story that is linked from another disk."""
        if self._file.parent.stat().st_dev == self._history.stat().st_dev:
            return self._history
        folder = self._file.with_name(f".{self._file.name}.late")
        folder.mkdir(exist_ok=True, mode=0o700)
        return folder

    def _keep(self, text: bytes) -> None:
        """Keep a copy of a version for undo, and let the oldest go."""
        name = f"{self._clock.now():%Y-%m-%dT%H-%M-%S-%f}Z"
        (self._history / f"{name}.md").write_bytes(text)
        for old in self._kept()[_VERSIONS:]:
            old.unlink()

    def _kept(self) -> list[Path]:
        """The files of the earlier stories, newest first; what else lies there is a person's."""
        found = self._history.iterdir() if self._history.is_dir() else ()
        return sorted((file for file in found if _VERSION.fullmatch(file.name)), reverse=True)

    def _take_late_edits(self) -> str | None:
        """Merge what people saved into versions that we displaced; the story, where that changed it."""
        story = None
        for _ in range(_TRIES):
            owed = self._owed()
            if owed is None:
                return story
            late, base, theirs = owed
            standing = self._settled()
            merged = _bytes(_merged(_text(base), _text(theirs), _text(standing)))
            if merged == standing or self._publish(standing, merged):
                story = _text(merged)
                replace_bytes(late.with_suffix(".base"), theirs)
        raise StoryUnreadable("the story keeps changing")

    def _owed(self) -> tuple[Path, bytes, bytes] | None:
        """The oldest displaced version that is not what we believed, what we believed, and what it is."""
        for late in sorted(self._beside.glob("*.late")):
            base = _bytes_of(late.with_suffix(".base"))
            if base is None or _digest(late.read_bytes()) == late.stem.rpartition("-")[2]:
                _dropped(late)  # never published
            elif late.read_bytes() != base:
                theirs = read_settled(late, is_expected=True)
                if theirs is not None and theirs != base:
                    return late, base, theirs
        return None


def _merged(base: str, theirs: str, story: str) -> str:
    merged = merge(without_marks(base), ours=without_marks(story), theirs=without_marks(theirs))
    marks, back = read_marks(story), moved_back(read_marks(theirs), read_marks(base))
    if back is not None and marks.anchor is not None:
        marks = replace(marks, anchor=min(marks.anchor, back))
    return carrying(merged.text, marks)


def _dropped(late: Path) -> bool:
    late.unlink(missing_ok=True)
    late.with_suffix(".base").unlink(missing_ok=True)
    return False


def _bytes_of(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None


def _text(content: bytes | None) -> str:
    return (content or b"").decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
