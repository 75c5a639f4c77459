"""
Puts a new version in a file's place only if the old one is what we believe: compare-and-swap for editors' files.

On Linux the two are exchanged atomically. A save that slips in between the comparison and the exchange is found
afterwards, in the file that we displaced. Elsewhere the gap is microseconds wide, and stays.
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
from consolidation.kernel.files import new_file, sync_folder
from consolidation.kernel.links import LinkRefused, open_regular

if TYPE_CHECKING:
    from pathlib import Path

_HERE, _EXCHANGE = -100, 2  # AT_FDCWD, RENAME_EXCHANGE of renameat2(2)
_PAUSE_SECONDS = 0.006
_GRACE_LOOKS, _MOST_LOOKS = 65, 800  # 0.4 s, 5 s
_NO_EXCHANGE = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP})


def read_stable(file: Path, *, is_expected: bool) -> bytes | None:
    """
    The bytes of *file* once two looks at it agree; None when there is no such file.

    Editors truncate and then write, or move the old file away and then write. So an empty file, or a missing one that
    *is_expected*, is believed only after a while. Raises StoryUnreadable when it is not a regular file, or when it
    keeps changing.
    """
    last: tuple[object, bytes | None] | None = None
    for looks in range(_MOST_LOOKS):
        before, content, after = _stamp(file), _bytes(file), _stamp(file)
        is_believed = looks > _GRACE_LOOKS or bool(content) or (content is None and not is_expected)
        if is_believed and before == after and last == (after, content):
            return content
        last = (after, content) if before == after else None
        time.sleep(_PAUSE_SECONDS)
    raise StoryUnreadable(f"{file} keeps changing")


def write_new(file: Path, content: bytes, *, like: Path) -> None:
    """Write *content* to the new *file*, synced, with the permissions of *like* and, where allowed, its owner."""
    with new_file(file, mode=0o644) as opened:
        _copy_permissions(like, opened.fileno())
        opened.write(content)


def put_in_place(new: Path, file: Path) -> bool:
    """
    Put *new* in *file*'s place. True: the old content is now at *new*. False: it is gone, nobody can look at it.

    Raises FileNotFoundError when *file* has just gone, FileExistsError when it has just come.
    """
    try:
        return _exchanged(new, file)
    finally:
        for folder in {new.parent, file.parent}:
            sync_folder(folder)


def create(new: Path, file: Path) -> None:
    """Put *new* where nothing is. Raises FileExistsError."""
    os.link(new, file)
    new.unlink()
    sync_folder(file.parent)


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


def _copy_permissions(like: Path, handle: int) -> None:
    with suppress(FileNotFoundError):
        model = like.lstat()
        os.fchmod(handle, stat.S_IMODE(model.st_mode))
        with suppress(PermissionError):
            os.fchown(handle, model.st_uid, model.st_gid)


def _stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.lstat()
    except FileNotFoundError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns)


def _bytes(file: Path) -> bytes | None:
    try:
        with open_regular(file) as opened:
            return opened.read()
    except FileNotFoundError:
        return None
    except LinkRefused as refused:
        raise StoryUnreadable(f"{file.name}: {refused.strerror}") from refused
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise StoryUnreadable(f"{file.name} has just become a link") from error
        raise
