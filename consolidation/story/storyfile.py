"""
STORY.md on disk: read when it stands still, changed by compare-and-swap, its last versions kept.

Invariant: at every moment the file is a whole old or a whole new story, and no save of a person is lost: one that
comes while we think is planned upon, one that slips into the swap is found and planned upon again, one that an editor
writes into the version we displaced is merged at the next change.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from consolidation.kernel.errors import StoryUnreadable
from consolidation.kernel.files import exclusive
from consolidation.story.exchange import create, put_in_place, read_settled, write_beside
from consolidation.story.merging import merge

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from consolidation.kernel.ports import Clock

_LOCK_SECONDS = 30
_TRIES = 40
_VERSIONS = 50
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
        StoryLocked, StoryUnreadable, OSError.
        """
        with exclusive(self._file, seconds=_LOCK_SECONDS):
            self._history.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._take_late_edits()
            return self._swap(plan)

    def versions(self) -> tuple[Version, ...]:
        """The earlier stories, newest first."""
        found = sorted(self._history.glob("*.md"), reverse=True) if self._history.is_dir() else []
        return tuple(Version(file.stem, file.stat().st_size) for file in found)

    def version(self, name: str) -> str | None:
        """The text of an earlier story; None when no version is called so."""
        if not any(version.name == name for version in self.versions()):
            return None
        return _text((self._history / f"{name}.md").read_bytes())

    def _settled(self) -> bytes | None:
        return read_settled(self._file, is_expected=self._history.is_dir())

    def _swap(self, plan: Callable[[str], str]) -> str:
        seen = standing = self._settled()
        for _ in range(_TRIES):
            new = _bytes(plan(_text(seen)))
            if new == standing:
                return _text(new)
            displaced = self._publish(standing, new)
            if displaced is None:
                return _text(new)
            seen, standing = displaced
        raise StoryUnreadable("the story keeps changing")

    def _publish(self, standing: bytes | None, new: bytes) -> tuple[bytes | None, bytes | None] | None:
        """
        Put *new* in the place of *standing*; None when that is what it displaced.

        Else what a person saved instead, to plan upon, and what now stands in the file.
        """
        beside = write_beside(self._file, new)
        try:
            found = self._settled()
            if found != standing:
                return found, found
            if standing is None:
                create(beside, self._file)
                return None
            self._keep(standing)
            if not put_in_place(beside, self._file):
                return None
            displaced = beside.read_bytes()
        except (FileNotFoundError, FileExistsError):
            now = self._settled()
            return now, now
        else:
            self._displace(beside, displaced)
            return None if displaced == standing else (displaced, new)
        finally:
            beside.unlink(missing_ok=True)

    def _keep(self, text: bytes) -> None:
        """Keep a copy of a version for undo, and let the oldest go."""
        name = f"{self._clock.now():%Y-%m-%dT%H-%M-%S-%f}Z"
        (self._history / f"{name}.md").write_bytes(text)
        for old in sorted(self._history.glob("*.md"), reverse=True)[_VERSIONS:]:
            old.unlink()

    def _displace(self, file: Path, seen: bytes) -> None:
        """Keep the very file we displaced, as we saw it: an editor that holds it open may still write into it."""
        name = f"{self._clock.now():%Y%m%d%H%M%S%f}-{_digest(seen)}"
        (self._history / f"{name}.base").write_bytes(seen)
        file.rename(self._history / f"{name}.late")
        for old in sorted(self._history.glob("*.late"))[:-_LATE]:
            old.with_suffix(".base").unlink(missing_ok=True)
            old.unlink()

    def _take_late_edits(self) -> None:
        for late in sorted(self._history.glob("*.late")):
            written, kept = late.read_bytes(), late.with_suffix(".base")
            if _digest(written) == late.stem.rpartition("-")[2] or not kept.exists():
                continue
            self._swap(partial(_merged, _text(kept.read_bytes()), _text(written)))
            late.rename(late.with_name(f"{late.stem.rpartition('-')[0]}-{_digest(written)}.late"))
            kept.rename(kept.with_name(f"{kept.stem.rpartition('-')[0]}-{_digest(written)}.base"))


def _merged(base: str, theirs: str, story: str) -> str:
    return merge(base, ours=story, theirs=theirs).text


def _text(content: bytes | None) -> str:
    return (content or b"").decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
