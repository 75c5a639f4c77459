"""Locks and plain writes: the only module that knows filelock."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from consolidation.kernel.errors import StoryLocked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class FolderLock:
    """Owns a folder for as long as this process lives; the kernel frees it when we die."""

    def __init__(self, folder: Path) -> None:
        """Bind to *folder*, which must exist when the lock is taken."""
        self._lock = FileLock(folder / ".lock", timeout=0, thread_local=False)

    def take(self) -> bool:
        """Take the folder; False when another process has it."""
        try:
            self._lock.acquire()
        except Timeout:
            return False
        return True

    def release(self) -> None:
        """Give the folder back."""
        self._lock.release()


def replace_text(file: Path, text: str) -> None:
    """Put *text* in *file*'s place, whole or not at all, synced, for its owner's eyes only."""
    beside = file.with_name(f".{file.name}.new")
    beside.unlink(missing_ok=True)
    fresh = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fresh, "w", encoding="utf-8") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
    beside.replace(file)


@contextmanager
def exclusive(file: Path, *, seconds: float) -> Iterator[None]:
    """
    Hold ``<file>.lock`` against other processes, other threads and other tasks of this one.

    For bytes, not for thoughts: nothing slow belongs inside. Raises StoryLocked after *seconds*. A lock object of our
    own each time: one that is shared counts its holders instead of keeping them apart.
    """
    lock = FileLock(file.with_name(f"{file.name}.lock"), timeout=seconds, thread_local=False, is_singleton=False)
    try:
        with lock:
            yield
    except Timeout as error:
        raise StoryLocked(f"{file.name} was locked by somebody else for {seconds:g} s") from error


def append_line(file: Path, line: str, *, rotate_bytes: int) -> None:
    """
    Append one line to *file*, first setting a file above *rotate_bytes* aside as ``<name>.1``.

    Not synced: it survives the death of this process, not a power cut.
    """
    if file.exists() and file.stat().st_size > rotate_bytes:
        file.replace(file.with_name(f"{file.name}.1"))
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, f"{line}\n".encode())
    finally:
        os.close(handle)


def append_synced(file: Path, content: bytes) -> None:
    """Append *content* to *file* and have it on the disk. Raises OSError; what was written by then stays."""
    is_new = not file.exists()
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        rest = content
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.fsync(handle)
    finally:
        os.close(handle)
    if is_new:
        sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in *folder* survive a power cut: a new file's own fsync does not."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
