"""
Which links in a mind's folder are followed: none into the home, and others only into folders that a setting names.

Whoever can write there, a bot with a file tool or a synced folder, could link a file of the mind to another mind, to
the keys, or to any file of this machine. What it links to would be shown, exported, or written.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Of a home; also by another name they stay secret.
SECRETS = ("keys.json", "service.json", "audit.jsonl", "audit.key", "erasures.jsonl")
_FOLDERS = ("minds", "graph", "incoming", "outgoing", "uploads")
_HANDLES = Path("/proc/self/fd")  # of Linux: each leads to what is open, wherever that is now
_READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # without O_NONBLOCK, a pipe would block


class LinkRefused(OSError):
    """A link, or something else that is not a regular file, is in a file's place. ``strerror`` says what and why."""

    def __init__(self, file: Path, reason: str) -> None:
        super().__init__(errno.ELOOP, reason, str(file))


def real_place(file: Path, *, linked_folders: Iterable[Path]) -> Path:
    """
    Where *file*, which is directly in a mind's folder, really is: there, or where the link in its place leads.

    Raises LinkRefused.
    """
    home = file.parents[min(2, len(file.parents) - 1)]
    place = _target(file, home=home, linked_folders=linked_folders) if file.is_symlink() else file
    try:
        found = place.lstat()
    except FileNotFoundError:
        return place
    if is_secret(found, home=home):
        raise LinkRefused(file, "it is another name of a file that guards the home")
    return place


def open_regular(file: Path, *, within: int | None = None) -> IO[bytes]:
    """
    Open a regular file to read it; no link in its place is followed.

    A relative *file* is one of the open folder *within*, if one is given. Raises OSError.
    """
    handle = os.open(file, _READING, dir_fd=within)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise LinkRefused(file, "it is not a regular file")


@contextmanager
def held_folder(folder: Path) -> Iterator[Path]:
    """
    A path that means *folder* until the block ends, also where somebody swaps it for a link meanwhile.

    Where the system has no paths of open folders, it is *folder*, and only a link that is there now is refused. Raises
    LinkRefused, FileNotFoundError, OSError.
    """
    try:
        handle = os.open(folder, _READING | os.O_DIRECTORY)
    except NotADirectoryError as error:
        raise LinkRefused(folder, f"{folder.name} is a link") from error
    try:
        yield _HANDLES / str(handle) if _HANDLES.is_dir() else folder
    finally:
        os.close(handle)


def make_private(home: Path) -> None:
    """Let only its owner read *home*, its folders and its secrets, also where they were there before."""
    for folder in (home, *(home / name for name in _FOLDERS)):
        _restrict(folder, 0o700)
    for name in SECRETS:
        _restrict(home / name, 0o600)
        _restrict(home / f"{name}.lock", 0o600)


def _restrict(place: Path, mode: int) -> None:
    """Take away what others may do. A file of another owner stays as it is."""
    with suppress(FileNotFoundError, PermissionError):
        found = stat.S_IMODE(place.lstat().st_mode)
        if found & ~mode and not place.is_symlink():
            place.chmod(found & mode)


def is_secret(found: os.stat_result, *, home: Path) -> bool:
    """Whether a file is one of those that guard *home*, by whatever name."""
    if found.st_nlink == 1:
        return False
    for name in SECRETS:
        try:
            secret = (home / name).stat()
        except OSError:
            continue
        if (secret.st_dev, secret.st_ino) == (found.st_dev, found.st_ino):
            return True
    return False


def _target(file: Path, *, home: Path, linked_folders: Iterable[Path]) -> Path:
    try:
        target = file.resolve()
    except (OSError, RuntimeError) as error:
        raise LinkRefused(file, "it is a link that leads back to itself") from error
    if target.is_symlink():
        raise LinkRefused(file, "it is a link that leads back to itself")
    if target.is_relative_to(home.resolve()):
        raise LinkRefused(file, "it is a link into the home")
    if not any(target.is_relative_to(folder.resolve()) for folder in linked_folders):
        raise LinkRefused(file, "it is a link, and leads into no folder of MIND_MEMORY_STORY__LINKED_FOLDERS")
    return target
