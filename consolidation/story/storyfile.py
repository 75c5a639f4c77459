"""
STORY.md on disk: read when it holds still, changed by compare-and-swap, its last versions kept for undo.

Invariant: at every moment the file is a whole old or a whole new story, and no save of a person is lost. A save that
comes while we plan is planned upon. One that slips into the swap is found and merged. One that an editor writes into
the version we displaced is merged at the next change. What we wrote last is stored a second time (``.latest``): where a
person empties the file, or a program garbles it, that is an earlier version.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Self

from consolidation.kernel.errors import StoryUnreadable, StoryUnwritable
from consolidation.kernel.files import exclusive, move, new_file, remove, replace_bytes, storing
from consolidation.kernel.links import LinkRefused, held_folder, real_place
from consolidation.kernel.shared_files import stamp_of
from consolidation.kernel.sharing_errors import ChangedElsewhere
from consolidation.story.anchor import anchor_moved_back, read_marks, replace_marks, without_marks
from consolidation.story.exchange import create, put_in_place, read_stable, write_new
from consolidation.story.merge import merge
from consolidation.text.surrogates import as_bytes, as_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from consolidation.kernel.ports import Clock
    from consolidation.workspace import Workspace

_LOCK_SECONDS = 30
_TRIES = 40
_VERSIONS = 50
_INSTANT = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{6}Z"
_VERSION, _LATEST = re.compile(rf"{_INSTANT}\.md"), re.compile(rf"{_INSTANT}\.latest")
_TICK = timedelta(microseconds=1)
_COPY = ".latest.copy"  # what we are about to write
_LATE = 8  # displaced versions that an editor may still be writing into


@dataclass(frozen=True, slots=True)
class Version:
    """An earlier story: its name, which sorts by time, and its text's size in bytes."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Change:
    """
    What became of a change to a story.

    ``written`` is the text that this change wrote, to the last byte. ``story`` is the story right afterwards. The two
    differ only where a person's save slipped into the write and was merged. Whoever answers a caller answers with
    ``written``: a caller who takes it for the story is then refused, and can not overwrite that save.
    """

    written: str
    story: str


class StoryFile:
    """One mind's story. Creating the object touches no file. All methods block; call them in a worker thread."""

    def __init__(self, file: Path, *, history: Path, clock: Clock, linked_folders: tuple[Path, ...] = ()) -> None:
        """*file* may be a link into one of *linked_folders*."""
        self._given = file
        self._linked_folders = linked_folders
        self._folder = history
        self._clock = clock

    @classmethod
    def of(cls, workspace: Workspace, *, clock: Clock) -> Self:
        """The story of a mind's folder."""
        return cls(workspace.story, history=workspace.history, clock=clock, linked_folders=workspace.linked_folders)

    def now(self) -> datetime:
        """The time, as its versions are dated."""
        return self._clock.now()

    def read(self) -> str:
        """The story as it is now; empty when there is none. Raises StoryUnreadable."""
        return as_text(read_stable(self._file, is_expected=self._folder.is_dir()) or b"")

    def change(self, plan: Callable[[str], str]) -> Change:
        """
        Put ``plan(story)`` in the story's place, planning again for as long as a person changes it meanwhile.

        *plan* is quick and may be called often; models are asked before. Raises Locked, StoryUnreadable,
        StoryUnwritable, and whatever *plan* raises; then the story is unchanged.
        """
        try:
            with exclusive(self._file, seconds=_LOCK_SECONDS):
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                with held_folder(self._folder) as folder:
                    return _HeldStory(self._file, folder, self._clock).change(plan)
        except OSError as error:
            raise StoryUnwritable(f"{self._file.name} can not be written: {error.strerror or error}") from error

    def versions(self) -> tuple[Version, ...]:
        """The earlier stories, newest first. What we wrote last is one of them as soon as the story differs from it."""
        with self._held() as story:
            found = story.versions() if story is not None else []
            return tuple(Version(file.stem, file.stat().st_size) for file in found)

    def version(self, name: str) -> str | None:
        """The text of an earlier story; None when no version has this name."""
        with self._held() as story:
            found = story.versions() if story is not None else []
            return next((as_text(file.read_bytes()) for file in found if file.stem == name), None)

    def written(self) -> str:
        """What we wrote last, whatever a person made of it since; "" where that is not known."""
        with self._held() as story:
            return story.written() if story is not None else ""

    def redact(self, plan: Callable[[str], str | None]) -> int:
        """
        Put ``plan(story)`` in the place of every earlier story, or delete it where that is None.

        A displaced story that *plan* would change is deleted. Returns how many files were changed or deleted.
        """
        with exclusive(self._file, seconds=_LOCK_SECONDS), self._held() as story:
            return story.redact(plan) if story is not None else 0

    @contextmanager
    def _held(self) -> Iterator[_HeldStory | None]:
        """Open the story together with its history. Gives None if the history is missing or is a link."""
        with ExitStack() as stack:
            try:
                folder = stack.enter_context(held_folder(self._folder))
            except (FileNotFoundError, LinkRefused):
                yield None
            else:
                yield _HeldStory(self._file, folder, self._clock)

    @cached_property
    def _file(self) -> Path:
        """Where a link leads: the story of a vault that is linked from here stays in the vault."""
        try:
            return real_place(self._given, linked_folders=self._linked_folders)
        except LinkRefused as refused:
            raise StoryUnreadable(f"{self._given.name}: {refused.strerror}") from refused


def merged_under_marks(base: str, *, theirs: str, story: str) -> str:
    """What a person made of *base*, merged into *story*, under the marks of *story*; an anchor moved back counts."""
    merged = merge(without_marks(base), ours=without_marks(story), theirs=without_marks(theirs))
    marks, back = read_marks(story), anchor_moved_back(read_marks(theirs), since=read_marks(base))
    if back is not None and marks.anchor is not None:
        marks = replace(marks, anchor=min(marks.anchor, back))
    return replace_marks(merged.text, marks)


class _HeldStory:
    """A story and its history, while nobody can swap the history's folder for a link (see ``held_folder``)."""

    def __init__(self, file: Path, folder: Path, clock: Clock) -> None:
        self._file = file
        self._folder = folder
        self._history = _History(folder)
        self._clock = clock

    def change(self, plan: Callable[[str], str]) -> Change:
        self._note_written()
        self._merge_late_saves()
        return self._swap(plan)

    def versions(self) -> list[Path]:
        found = self._history.files()
        latest = self._history.latest()[:1]
        if latest:
            written = latest[0].read_bytes()
            is_stored = bool(found) and found[0].read_bytes() == written  # a crash came before it was replaced
            if not is_stored and self._differs(written):
                return [*latest, *found]
        return found

    def written(self) -> str:
        found = (_bytes_of(file) for file in (*self._unnoted(), *self._history.latest()))
        return as_text(next((content for content in found if content is not None), b""))

    def redact(self, plan: Callable[[str], str | None]) -> int:
        self._note_written()
        for litter in (*self._folder.glob("*.copy"), *self._beside.glob(".*.base.new")):
            litter.unlink()  # of a process that was killed
        changed = 0
        for file in (*self._history.files(), *self._history.latest()):
            text = as_text(file.read_bytes())
            redacted = plan(text)
            changed += redacted != text
            if redacted is None:
                remove(file)
            elif redacted != text:
                replace_bytes(file, as_bytes(redacted))
        return changed + sum(self._dropped_if_changed(late, plan) for late in self._beside.glob("*.late"))

    def _dropped_if_changed(self, late: Path, plan: Callable[[str], str | None]) -> int:
        pair = [file for file in (late, late.with_suffix(".base")) if file.exists()]
        texts = [as_text(file.read_bytes()) for file in pair]
        if all(plan(text) == text for text in texts):
            return 0
        _dropped(late)
        return len(pair)

    @property
    def _beside(self) -> Path:
        """Where displaced versions go: into the history, or beside a story that is linked from another disk."""
        if self._file.parent.stat().st_dev == self._folder.stat().st_dev:
            return self._folder
        folder = self._file.with_name(f".{self._file.name}.late")
        folder.mkdir(exist_ok=True, mode=0o700)
        return folder

    def _note_written(self) -> None:
        """Make what a killed process published what we wrote last."""
        for copy in self._unnoted()[:1]:
            self._history.set_latest(copy, at=self._clock.now())
        for litter in self._folder.glob(f"*{_COPY}"):
            litter.unlink()

    def _unnoted(self) -> list[Path]:
        """What a process published, newest first, that was killed before it noted what it wrote last."""
        found = sorted(self._folder.glob(f"*{_COPY}"), reverse=True)
        return [copy for copy in found if not copy.is_symlink() and self._was_published(copy)]

    def _was_published(self, copy: Path) -> bool:
        """Whether the whole of *copy* is the story, or what it displaced lies where it lay (see ``_publish``)."""
        stem = copy.name.removesuffix(_COPY)
        new, late = _bytes_of(copy), self._beside / f"{stem}.late"
        digest = stem.rpartition("-")[2]
        if new is None or _digest(new) != digest:
            return False
        displaced = None if late.is_symlink() else _bytes_of(late)
        return not self._differs(new) or (displaced is not None and _digest(displaced) != digest)

    def _read(self) -> bytes | None:
        return read_stable(self._file, is_expected=True)

    def _differs(self, written: bytes) -> bool:
        try:
            return self._read() != written
        except StoryUnreadable:
            return True

    def _swap(self, plan: Callable[[str], str]) -> Change:
        for _ in range(_TRIES):
            old = self._read()
            new = as_bytes(plan(as_text(old or b"")))
            if new == old:
                return Change(as_text(new), as_text(new))
            if self._publish(old, new):
                return Change(as_text(new), self._merge_late_saves() or as_text(new))
        raise StoryUnreadable("the story keeps changing")

    def _publish(self, old: bytes | None, new: bytes) -> bool:
        """
        Put *new* in the place of *old*; False when the story is no longer *old*.

        The version that we displace is kept (``.late``), and what we believed it to be was written down before
        (``.base``). Where the two differ, a person saved in between: their save is merged, now or after a crash.
        """
        late = self._beside / f"{self._clock.now():%Y%m%d%H%M%S%f}-{_digest(new)}.late"
        copy, latest = self._folder / f"{late.stem}.copy", self._folder / f"{late.stem}{_COPY}"
        write_new(late, new, like=self._file)
        try:
            with new_file(latest) as opened:
                opened.write(new)
            if old is not None:
                replace_bytes(late.with_suffix(".base"), old)
                with new_file(copy) as opened:
                    opened.write(old)
            seen = stamp_of(self._file)
            # One that was missing is not waited for once more: `create` fails where it has come.
            if read_stable(self._file, is_expected=old is not None) != old:
                return _dropped(late)
            self._history.keep_latest(unless=old)
            if old is not None:
                self._history.keep(copy, at=self._clock.now())
            with storing(self._file, late, seen=seen):
                if old is None:
                    create(late, self._file)
                elif not put_in_place(late, self._file):
                    late.with_suffix(".base").unlink()
            self._history.set_latest(latest, at=self._clock.now())
        except (FileNotFoundError, FileExistsError, ChangedElsewhere):
            return _dropped(late)
        finally:
            copy.unlink(missing_ok=True)
            latest.unlink(missing_ok=True)
        for done in sorted(self._beside.glob("*.late"))[:-_LATE]:
            if done.read_bytes() == _bytes_of(done.with_suffix(".base")):
                _dropped(done)
        return True

    def _merge_late_saves(self) -> str | None:
        """Merge what people saved into versions that we displaced. Returns the story if that changed it."""
        story = None
        for _ in range(_TRIES):
            found = self._late_save()
            if found is None:
                return story
            late, base, theirs = found
            present = self._read()
            merged = as_bytes(merged_under_marks(as_text(base), theirs=as_text(theirs), story=as_text(present or b"")))
            if merged == present or self._publish(present, merged):
                story = as_text(merged)
                replace_bytes(late.with_suffix(".base"), theirs)
        raise StoryUnreadable("the story keeps changing")

    def _late_save(self) -> tuple[Path, bytes, bytes] | None:
        """The oldest displaced version that is not what we believed, what we believed, and what it is."""
        for late in sorted(self._beside.glob("*.late")):
            if late.is_symlink() or late.with_suffix(".base").is_symlink():
                continue
            base = _bytes_of(late.with_suffix(".base"))
            if base is None or _digest(late.read_bytes()) == late.stem.rpartition("-")[2]:
                _dropped(late)  # never published
            elif late.read_bytes() != base:
                theirs = read_stable(late, is_expected=True)
                if theirs is not None and theirs != base:
                    return late, base, theirs
        return None


class _History:
    """The folder of a story's earlier versions. Whatever else lies in it is a person's."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def files(self) -> list[Path]:
        """The versions, newest first."""
        found = self._folder.iterdir()
        return sorted((file for file in found if _VERSION.fullmatch(file.name) and not file.is_symlink()), reverse=True)

    def latest(self) -> list[Path]:
        """What we wrote last. Another file, behind it, is what a crash has left."""
        found = (file for file in self._folder.iterdir() if _LATEST.fullmatch(file.name) and not file.is_symlink())
        return sorted(found, reverse=True)

    def keep(self, copy: Path, *, at: datetime) -> None:
        """Make *copy* a version; delete the oldest ones."""
        self._keep(copy, name=self._free_name(at))

    def keep_latest(self, *, unless: bytes | None) -> None:
        """Make what we wrote last a version, unless these bytes are the same."""
        for latest in self.latest()[:1]:
            if latest.read_bytes() != unless:
                self._keep(latest, name=latest.stem)

    def set_latest(self, copy: Path, *, at: datetime) -> None:
        """Make *copy* what we wrote last."""
        before = self.latest()
        move(copy, self._folder / f"{self._free_name(at)}.latest")
        for file in before:
            remove(file)

    def _keep(self, copy: Path, *, name: str) -> None:
        move(copy, self._folder / f"{name}.md")
        for old in self.files()[_VERSIONS:]:
            remove(old)

    def _free_name(self, at: datetime) -> str:
        """A name that sorts by time. Of two writes in one microsecond, the later one gets the next."""
        taken = {file.stem for file in (*self.files(), *self.latest())}
        while (name := f"{at:%Y-%m-%dT%H-%M-%S-%f}Z") in taken:
            at += _TICK
        return name


def _dropped(late: Path) -> bool:
    late.unlink(missing_ok=True)
    late.with_suffix(".base").unlink(missing_ok=True)
    return False


def _bytes_of(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
