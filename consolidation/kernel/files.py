"""
Locks, and every write that must be whole: the only module that imports filelock.

A file is written beside its place, synced, put in its place by one rename, and the folder is synced. Whoever reads it
sees the whole old or the whole new content, also after a power cut. Two writers do not go through here, for a reason:
the transcript's append (`transcript/log.py`) and the exchange of STORY.md (`story/exchange.py`).

Where several machines share a folder, every write is stored for all of them first (`shared_files.py`).
"""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import contextmanager, nullcontext, suppress
from typing import IO, TYPE_CHECKING

from filelock import FileLock, Timeout

from consolidation.kernel.errors import Locked
from consolidation.kernel.shared_files import shared_with

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from consolidation.kernel.shared_files import Stamp

_APPENDING = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def is_full(error: OSError) -> bool:
    """Whether there was no room: on the disk, in a quota, or below a limit of this process."""
    return error.errno in _FULL


class FolderLock:
    """Owns a folder for as long as this process lives; the kernel frees it when the process dies."""

    def __init__(self, folder: Path) -> None:
        """*folder* must exist when the lock is taken."""
        self._lock = FileLock(folder / ".lock", timeout=0, mode=0o600, thread_local=False)
        self._holder = folder / ".holder"

    def take(self) -> bool:
        """Take the folder; False when another process has it."""
        try:
            self._lock.acquire()
        except Timeout:
            return False
        with suppress(OSError):  # it only helps people to find the process
            replace_text(self._holder, f"{os.getpid()}\n")
        return True

    def holder(self) -> int | None:
        """The id of the process that has the folder; None where that is not known."""
        try:
            return int(self._holder.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None

    def release(self) -> None:
        """Give the folder back."""
        with suppress(OSError):
            self._holder.unlink(missing_ok=True)
        self._lock.release()


@contextmanager
def exclusive(file: Path, *, seconds: float) -> Iterator[None]:
    """
    Hold ``<file>.lock`` against other processes, other threads and other tasks of this one.

    Hold it for writing bytes, never across a model call. Raises Locked after *seconds*. Each call makes a lock object
    of its own: a shared one counts its holders instead of keeping them apart.
    """
    beside = file.with_name(f"{file.name}.lock")
    with suppress(FileNotFoundError):
        if beside.lstat().st_nlink > 1:  # to lock it is to empty it
            raise Locked(f"{beside.name} is another name of some file, and no lock: delete it")
    lock = FileLock(beside, timeout=seconds, mode=0o600, thread_local=False, is_singleton=False)
    try:
        with lock:
            yield
    except Timeout as error:
        raise Locked(f"{file.name} is locked by another process; gave up after {seconds:g} s") from error


@contextmanager
def new_file(file: Path, *, mode: int = 0o600) -> Iterator[IO[bytes]]:
    """
    A new file to write into. It is synced when the block ends, and removed when the block raises.

    Raises FileExistsError, OSError. The file's name survives a power cut only after ``sync_folder``.
    """
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(handle, "wb") as opened:
            yield opened
            opened.flush()
            os.fsync(opened.fileno())
    except BaseException:
        file.unlink(missing_ok=True)  # a part of it helps nobody, and takes room where there is none
        raise


@contextmanager
def replacing(file: Path, *, seen: Stamp | None = None) -> Iterator[IO[bytes]]:
    """
    A file to write into that takes *file*'s place when the block ends, whole or not at all. Only its owner can read it.

    The new content is at ``.<name>.new`` meanwhile. What a killed process left there is deleted first. Raises OSError,
    and ChangedElsewhere where a shared file is not any more as it was *seen*.
    """
    beside = file.with_name(f".{file.name}.new")
    beside.unlink(missing_ok=True)
    with new_file(beside) as opened:
        yield opened
    move(beside, file, seen=seen)


def move(new: Path, file: Path, *, seen: Stamp | None = None) -> None:
    """Put *new*, a file of the same disk, in *file*'s place. It is gone if it could not be. Raises as ``replacing``."""
    try:
        with storing(file, new, seen=seen):
            new.replace(file)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    sync_folder(file.parent)


def storing(file: Path, new: Path, *, seen: Stamp | None = None) -> AbstractContextManager[None]:
    """A block that puts *new* in *file*'s place. Where the folder is shared, its content is stored for all before."""
    found = shared_with(file)
    return nullcontext() if found is None else found[0].replacing(found[1], new.read_bytes(), seen=seen)


def remove(file: Path, *, seen: Stamp | None = None) -> None:
    """Delete *file*, which need not be there. Raises as ``replacing``."""
    found = shared_with(file)
    with nullcontext() if found is None else found[0].removing(found[1], seen=seen):
        file.unlink(missing_ok=True)


def remove_tree(folder: Path) -> None:
    """Delete *folder* with everything in it. Raises OSError."""
    found = shared_with(folder, is_folder=True)
    with nullcontext() if found is None else found[0].removing_tree(found[1]):
        shutil.rmtree(folder)


def replace_bytes(file: Path, content: bytes, *, seen: Stamp | None = None) -> None:
    """Put *content* in *file*'s place, as ``replacing`` does."""
    with replacing(file, seen=seen) as opened:
        opened.write(content)


def replace_text(file: Path, text: str, *, seen: Stamp | None = None) -> None:
    """Put *text*, as UTF-8, in *file*'s place, as ``replacing`` does."""
    replace_bytes(file, text.encode(), seen=seen)


def append_line(file: Path, line: str) -> tuple[int, int]:
    """
    Append one line to *file*; return where it begins, and where the next one does.

    Not synced: it survives the death of this process, not a power cut. Raises OSError; then none of it is in the file.
    """
    content = f"{line}\n".encode()
    end = _append(file, content, is_synced=False)
    return end - len(content), end


def append_unsynced(file: Path, content: bytes) -> None:
    """Append *content* to *file*, which may be made again at any time. Raises OSError."""
    handle = os.open(file, _APPENDING, 0o600)
    try:
        _write_all(handle, content)
    finally:
        os.close(handle)


def append_synced(file: Path, content: bytes, *, follows: bool = False) -> None:
    """
    Append *content* to *file* and sync it. Raises OSError; then none of it is in the file.

    Where it *follows* what the file ends with and the folder is shared, it raises ChangedElsewhere if another machine
    has appended something that is not in the file yet.
    """
    is_new = not file.exists()
    _append(file, content, is_synced=True, follows=follows)
    if is_new:
        sync_folder(file.parent)


def _append(file: Path, content: bytes, *, is_synced: bool, follows: bool = False) -> int:
    """Append *content*, or nothing where that fails. Returns where the file ends then."""
    found = shared_with(file)
    shared = None if found is None else found[0].appending(found[1], content, follows=follows)
    with nullcontext(content) if shared is None else shared as lacking:
        handle = os.open(file, _APPENDING, 0o600)
        try:
            end = os.fstat(handle).st_size
            try:
                _write_all(handle, lacking)
                if is_synced:
                    os.fsync(handle)
            except OSError:
                os.ftruncate(handle, end)
                raise
        finally:
            os.close(handle)
    return end + len(lacking)


def sync_folder(folder: Path) -> None:
    """Make the names in *folder* survive a power cut: a new file's own fsync does not."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write_all(handle: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:  # a full disk may take a part of it without an error
        rest = rest[os.write(handle, rest) :]
