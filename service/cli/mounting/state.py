"""
What a mounted folder remembers, in ``.mind-memory``: of each file, what folder and service last agreed on.

Without it, an edit could not be told from an old copy. A record is replaced whole, and before what it makes true.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.files import FolderLock, new_file, replace_text
from consolidation.story.exchange import create
from consolidation.story.storyfile import StoryFile
from consolidation.text.surrogates import as_bytes
from service.cli.command import CommandFailed

STATE = ".mind-memory"
_CONFLICT = ".conflict-"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Written:
    """A text that is being written into the folder, and the service's text and ETag that are agreed on by then."""

    text: str
    base: str
    etag: str


@dataclass(frozen=True, slots=True)
class Record:
    """
    A file as folder and service last had it in common; bytes that are not UTF-8 are surrogates.

    *sent* is a text of which it is not known yet whether the service took it.
    """

    path: str
    base: str = ""
    etag: str | None = None
    sent: str | None = None
    writing: Written | None = None

    def agreed(self, base: str, etag: str | None) -> Record:
        """The record once both have *base*."""
        return replace(self, base=base, etag=etag, sent=None, writing=None)


class MountState:
    """The state of one mounted folder. All methods block."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.place = folder / STATE
        self._records = self.place / "files"
        self._lock = FolderLock(self.place)
        self._known: dict[str, Record] | None = None  # nobody else writes them

    def open(self, *, mind: str, service: str) -> None:
        """
        Own the folder for *mind* of *service*. Raises CommandFailed where it holds another's files, or is in use.

        A name alone, such as one that was mistyped, holds nothing.
        """
        self._records.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not self._lock.take():
            raise CommandFailed(f"{self.folder} is mounted already, by process {self._lock.holder() or 'unknown'}")
        marker, now = self.place / "mount.json", {"version": _VERSION, "mind": mind, "service": service}
        try:
            before: dict[str, Any] = json.loads(marker.read_text(encoding="utf-8"))
        except FileNotFoundError:
            replace_text(marker, json.dumps(now))
            return
        except ValueError:
            before = {}
        if before != now and not self.records():
            replace_text(marker, json.dumps(now))
        elif before != now:
            self.close()
            raise CommandFailed(
                f"{self.folder} holds {before.get('mind', 'a mind')} of {before.get('service', 'a service')}: choose "
                f"another folder, or delete {self.place} to begin anew; then what differs is kept beside"
            )

    def close(self) -> None:
        """Give the folder back."""
        self._lock.release()

    def records(self) -> dict[str, Record]:
        """Every record, by the file's path."""
        if self._known is None:
            found = [_read(file) for file in self._records.glob("*.json")]
            self._known = {one.path: one for one in found if one is not None}
        return dict(self._known)

    def record(self, path: str) -> Record | None:
        """The record of one file; None for a file that was never here."""
        return self.records().get(path)

    def save(self, record: Record) -> Record:
        """Replace a record, if it is another one by now."""
        if self.record(record.path) == record:
            return record
        replace_text(self._file(record.path), json.dumps(asdict(record)))
        self._known = self.records() | {record.path: record}
        return record

    def forget(self, path: str) -> None:
        """Drop the record of a file that neither side has."""
        self._file(path).unlink(missing_ok=True)
        self._known = {name: one for name, one in self.records().items() if name != path}

    def file(self, path: str) -> StoryFile:
        """A file by compare-and-swap, with its displaced and earlier versions in the state."""
        return StoryFile(self.folder / path, history=self.place / "history" / _name(path), clock=SystemClock())

    def change(self, path: str, plan: Callable[[str], str]) -> str:
        """Put ``plan(text)`` in the place of a file's text, as ``StoryFile.change`` does; what was written."""
        try:
            return self.file(path).change(plan).written
        finally:
            (self.folder / f"{path}.lock").unlink(missing_ok=True)  # nobody else locks it: the folder is ours

    def put_aside(self, file: Path) -> Path:
        """Move a file, which is deleted, out of the folder."""
        aside = self.place / "deleted" / f"{SystemClock().now():%Y%m%dT%H%M%S%f}-{file.name[-100:]}"
        aside.parent.mkdir(exist_ok=True, mode=0o700)
        file.rename(aside)
        return aside

    def make(self, file: Path, text: str) -> None:
        """Put a new file, whole, where none is. Raises FileExistsError."""
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_name(f".{file.name[-100:]}.arriving")
        beside.unlink(missing_ok=True)
        with new_file(beside, mode=0o644) as opened:
            opened.write(as_bytes(text))
        try:
            create(beside, file)
        finally:
            beside.unlink(missing_ok=True)

    def keep_beside(self, file: Path, text: str) -> str | None:
        """Keep a text that gives way, beside *file*; its name, or None where there are no words or they are there."""
        stem, dot, ending = file.name.rpartition(".")
        there = file.parent.glob(f"{stem}{_CONFLICT}*") if file.parent.is_dir() else ()
        if not text.strip() or any(one.is_file() and one.read_bytes() == as_bytes(text) for one in there):
            return None
        name = f"{stem}{_CONFLICT}{SystemClock().now():%Y%m%dT%H%M%S%f}{dot}{ending}"
        self.make(file.with_name(name), text)
        return name

    def _file(self, path: str) -> Path:
        return self._records / f"{_name(path)}.json"


def is_conflict(path: str) -> bool:
    """Whether a file is one that was kept beside: it stays here."""
    return _CONFLICT in path.rpartition("/")[2]


def is_utf8(text: str) -> bool:
    """Whether *text* can be sent."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def _read(file: Path) -> Record | None:
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None  # then what differs is kept beside
    writing = found.pop("writing")
    return Record(**found, writing=None if writing is None else Written(**writing))


def _name(path: str) -> str:
    return hashlib.sha256(as_bytes(path)).hexdigest()[:24]
