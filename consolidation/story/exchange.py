"""
Putting a new version in a file's place only if the old one is what we believe: compare-and-swap for editors' files.

On Linux the two are exchanged atomically, so that a save that slips in between the comparison and the exchange is
found afterwards, in the file we displaced. Elsewhere the gap is microseconds wide, and stays.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from consolidation.kernel.errors import StoryUnreadable

if TYPE_CHECKING:
    from pathlib import Path

_HERE, _EXCHANGE = -100, 2  # AT_FDCWD, RENAME_EXCHANGE of renameat2(2)
_SETTLE_SECONDS = 0.006
_GRACE_LOOKS, _MOST_LOOKS = 65, 800  # 0.4 s, 5 s
_NO_EXCHANGE = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP})


def read_settled(file: Path, *, is_expected: bool) -> bytes | None:
    """
    The bytes of *file* once it stands still; None when there is none.

    Editors truncate and then write, or move the old one away and then write: an empty file, or a missing one that
    *is_expected*, is believed only after a while. Raises StoryUnreadable when it is no file, or never settles.
    """
    last: tuple[object, bytes | None] | None = None
    for looks in range(_MOST_LOOKS):
        before, content, after = _stamp(file), _bytes(file), _stamp(file)
        is_believed = looks > _GRACE_LOOKS or bool(content) or (content is None and not is_expected)
        if is_believed and before == after and last == (after, content):
            return content
        last = (after, content) if before == after else None
        time.sleep(_SETTLE_SECONDS)
    raise StoryUnreadable(f"{file} keeps changing")


def write_new(file: Path, content: bytes, *, like: Path) -> None:
    """*content*, synced, in the new *file*, with the permissions of *like* and, where allowed, its owner."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    try:
        _dress(handle, like)
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.fsync(handle)
    except BaseException:
        file.unlink()
        raise
    finally:
        os.close(handle)


def replace_bytes(file: Path, content: bytes) -> None:
    """Put *content* in *file*'s place, whole or not at all, synced."""
    other = file.with_suffix(".writing")
    with other.open("wb") as handle:
        handle.write(content)
        handle.flush()
        os.fsync(handle.fileno())
    other.replace(file)


def put_in_place(new: Path, file: Path) -> bool:
    """
    Put *new* in *file*'s place; True when the old one now stands at *new*, False when there is none to look at.

    Raises FileNotFoundError when *file* has just gone, FileExistsError when it has just come.
    """
    try:
        return _exchanged(new, file)
    finally:
        _sync_folder(file.parent)


def create(new: Path, file: Path) -> None:
    """Put *new* where nothing is. Raises FileExistsError."""
    os.link(new, file)
    new.unlink()
    _sync_folder(file.parent)


def _exchanged(new: Path, file: Path) -> bool:
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.renameat2(_HERE, os.fsencode(new), _HERE, os.fsencode(file), _EXCHANGE) == 0:
            return True
        code = ctypes.get_errno()
        if code not in _NO_EXCHANGE:
            raise OSError(code, os.strerror(code), str(file))
    new.replace(file)
    return False


def _dress(handle: int, like: Path) -> None:
    with suppress(FileNotFoundError):
        model = like.stat()
        os.fchmod(handle, stat.S_IMODE(model.st_mode))
        with suppress(PermissionError):
            os.fchown(handle, model.st_uid, model.st_gid)


def _stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns)


def _bytes(file: Path) -> bytes | None:
    try:
        handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise StoryUnreadable(f"{file} is no regular file")
    with os.fdopen(handle, "rb") as opened:
        return opened.read()


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
