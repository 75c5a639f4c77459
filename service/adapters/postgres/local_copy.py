"""The copy that this machine has of one mind: its files, its transcript, and how far it follows the database."""

from __future__ import annotations

import errno
import os
import re
import shutil
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from consolidation.transcript.records import DamagedRecord, decode
from service.adapters.postgres.mind_rows import FAR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from consolidation.kernel.turns import StoredTurn
    from service.adapters.postgres.mind_rows import FileState, News, Touched

_ACCEPTED = re.compile(rb'"accepted_at":"(\d{4}-\d\d)')
_FIRST_MONTH = "1970-01"  # where nothing is left but tombstones
_OCCUPIED = frozenset({errno.ENOTEMPTY, errno.EEXIST})
_TRIES = 10  # to take a place that somebody else makes a file in
_APPENDING = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(slots=True)
class LocalCopy:
    """
    One mind's copy below *folder*. Whoever reads or changes it holds ``mutex``.

    It has everything up to ``version``. ``files`` are the versions of whole files, also of later ones that this process
    wrote itself, ``appended`` the number of the last part behind each, and ``last`` the last turn of the transcript.
    ``changed`` and ``has_turns`` say what came since somebody asked, ``is_anew`` that the copy must be made anew.
    """

    mind_id: str
    folder: Path
    mutex: threading.RLock = field(default_factory=threading.RLock)
    version: int = 0
    generation: int = 0
    timeline: str = ""
    files: dict[str, int] = field(default_factory=dict)
    appended: dict[str, int] = field(default_factory=dict)
    last: int = 0
    changed: set[str] = field(default_factory=set)
    has_turns: bool = False
    is_anew: bool = False
    _month: str = ""

    @property
    def has_news(self) -> bool:
        """Whether something came that nobody has asked for, since a write found the copy behind."""
        return bool(self.changed) or self.has_turns or self.is_anew

    def is_of_another_past(self, found: News | Touched) -> bool:
        """Whether it may have what the database has not: something was erased, or another server was promoted."""
        is_other = found.generation != self.generation or found.timeline != self.timeline
        return is_other or not 0 <= found.version - self.version <= FAR

    def is_next(self, touched: Touched) -> bool:
        """Whether nobody else has written between its version and what was just written."""
        return self.version == touched.version - 1 and (not self.version or not self.is_of_another_past(touched))

    def has(self, path: str, state: FileState | None) -> bool:
        """Whether it has a file as its rows are."""
        if state is None or (state.is_gone and not self.files.get(path)):
            return True
        return (state.version, state.parts) == (self.files.get(path), self.appended.get(path, 0))

    def follow(self, touched: Touched) -> None:
        """Note that it has what was just written; what others wrote before is still to come, if there was any."""
        if self.is_next(touched):
            self.version, self.generation, self.timeline = touched.version, touched.generation, touched.timeline

    def clear(self) -> None:
        """Delete the copy, indexes too."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.version = self.last = 0
        self.files, self.appended, self._month = {}, {}, ""
        self.changed, self.has_turns, self.is_anew = set(), False, False

    def become(self, fresh: LocalCopy) -> None:
        """
        Put *fresh*, a copy of the same mind on the same disk, in the place of this one, indexes too. Raises OSError.

        Who still has the earlier copy open may make a file anew in the moment in which the place is empty.
        """
        gone = fresh.folder.with_name(f"{fresh.folder.name}.gone")
        for left in reversed(range(_TRIES)):
            shutil.rmtree(gone, ignore_errors=True)
            if self.folder.exists():
                self.folder.rename(gone)
            try:
                fresh.folder.rename(self.folder)
            except OSError as error:
                if error.errno not in _OCCUPIED or not left:
                    raise
            else:
                break
        shutil.rmtree(gone, ignore_errors=True)
        self.version, self.generation, self.timeline = fresh.version, fresh.generation, fresh.timeline
        self.files, self.appended, self.last, self._month = fresh.files, fresh.appended, fresh.last, fresh._month
        self.changed, self.has_turns, self.is_anew = set(), False, False

    def put(self, path: str, content: bytes | None, *, version: int) -> None:
        """Let *path* be *content* (None: gone), as it is since *version*. Nothing where this process wrote that."""
        if self.files.get(path) == version:
            return
        file = self.folder / path
        if content is None:
            file.unlink(missing_ok=True)
        else:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Not where a write of this process prepares the same file: it takes the mutex only to put it in place.
            beside = file.with_name(f".{file.name}.arrived.new")
            beside.unlink(missing_ok=True)
            _write(beside, content)
            beside.replace(file)
        self.files[path], self.appended[path] = version, 0
        self.changed.add(path)

    def place(self, path: str, content: bytes) -> None:
        """Make a file that each machine makes for itself, in a copy that nobody uses yet."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write(file, content)

    def extend(self, path: str, content: bytes, *, number: int) -> None:
        """Append part *number* to *path*, unless it is there."""
        if number > self.appended.get(path, 0):
            _write(self.folder / path, content)
            self.appended[path] = number
            self.changed.add(path)

    def add_turns(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Append the turns that are above the last one, each by its sequence."""
        new = [(sequence, line) for sequence, line in lines if sequence > self.last]
        by_month: dict[str, list[bytes]] = {}
        months = [found[1].decode() if (found := _ACCEPTED.search(line)) else "" for _, line in new]
        self._month = self._month or next(filter(None, months), _FIRST_MONTH)  # a tombstone has no time
        for (_, line), month in zip(new, months, strict=True):
            self._month = max(self._month, month)  # a clock set back must not reorder files
            by_month.setdefault(self._month, []).append(line)
        transcript = self.folder / "transcript"
        transcript.mkdir(parents=True, exist_ok=True, mode=0o700)
        for month, some in by_month.items():
            _write(transcript / f"{month}.jsonl", b"".join(line + b"\n" for line in some))
        if new:
            self.last, self.has_turns = new[-1][0], True


def _write(file: Path, content: bytes) -> None:
    """Append to a file. It is not synced: a copy is made anew when the machine starts."""
    handle = os.open(file, _APPENDING, 0o600)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(handle, rest) :]
    finally:
        os.close(handle)


def whole_turns(transcript: Path) -> Iterator[tuple[int, tuple[StoredTurn, bytes]]]:
    """The turns in the files of a transcript, by sequence, each with its line."""
    for file in sorted(transcript.glob("*.jsonl")):
        for line in file.read_bytes().splitlines():
            with suppress(DamagedRecord):
                kept = decode(line)
                yield kept.sequence, (kept, line)
