"""
Which files are the journal, and the only way to open them: MEMORY.md and memory/**/*.md, by their exact names, and what
an agent writes of itself beside them.

Below the mind's folder no link is followed, for a file or for a folder. Each step is opened from the one before it, and
a name counts as the folder lists it, so that a disk that ignores case or accents opens nothing else.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from consolidation.kernel.errors import HomeFault, JournalFileNotFound, JournalFileTooLarge, JournalPathRefused
from consolidation.kernel.links import is_secret
from consolidation.kernel.shared_files import Stamp

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOTES, FOLDER, ENDING = "MEMORY.md", "memory", ".md"
OWN_WRITINGS = ("observations.md", "diary.md", "rules.md", "priorities.md")  # of an autonomous agent
PERSONA, BRIEFING = ("SOUL.md", "PURPOSE.md"), "briefing.md"  # people's, and the agent's own for its next waking
LISTED = (*PERSONA, BRIEFING)  # with the journal, and not searched: who asks for them says so (*also*)
_ALONE = frozenset({NOTES, *OWN_WRITINGS})  # files beside the folder
POINTER = "query/path"
LONGEST_PATH = 1_000
_LONGEST_NAME_BYTES = 255  # of most disks
_DEEPEST = 16
_READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # without O_NONBLOCK, a pipe would block
_NO_NAMES = frozenset({"Cc", "Cs", "Zl", "Zp"})  # controls, halves of surrogate pairs, line ends


def steps_of(path: str, *, also: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The steps of *path* below the mind's folder; *also* are paths besides the journal. Raises JournalPathRefused."""
    if len(path) > LONGEST_PATH:
        raise _refused(f"is longer than {LONGEST_PATH} characters")
    if "\\" in path or any(unicodedata.category(character) in _NO_NAMES for character in path):
        raise _refused("contains a character that no name in the journal has")
    steps = tuple(path.split("/"))
    if any(step.startswith(".") or not step for step in steps):
        raise _refused("is not a plain path below the mind's folder: no step may be empty, nor begin with a dot")
    is_named = path in _ALONE or path in also
    if not is_named and not (steps[0] == FOLDER and len(steps) > 1 and _is_markdown(steps[-1])):
        raise _refused(f"is not in the journal, which is MEMORY.md, memory/**/*.md, {', '.join(OWN_WRITINGS)}")
    if len(steps) > _DEEPEST:
        raise _refused(f"leads over more than {_DEEPEST} names")
    if any(len(step.encode()) > _LONGEST_NAME_BYTES for step in steps):
        raise _refused(f"has a name of more than {_LONGEST_NAME_BYTES} bytes")
    return steps


def fault_of(error: OSError, *, doing: str) -> JournalPathRefused | HomeFault:
    """What *error* means for who asked: a name that is longer than the disk takes is wrong, anything else may pass."""
    if error.errno == errno.ENAMETOOLONG:  # also of a name that fits, where that of its new content does not
        return _refused("has a name that is too long")
    return HomeFault(f"{doing}: {error.strerror}")


def read(root: Path, path: str, *, most_bytes: int, also: tuple[str, ...] = ()) -> tuple[bytes, Stamp]:
    """
    A file's bytes, and the stamp it had before they were read; *also* as for ``steps_of``. Does blocking I/O.

    Raises JournalPathRefused, JournalFileNotFound, JournalFileTooLarge, OSError.
    """
    with _opened(root, steps_of(path, also=also)) as handle:
        found = os.fstat(handle)
        if is_secret(found, home=root.parents[1]):
            raise _refused("is another name of a file that guards the home")
        stamp = Stamp.of(found)
        with os.fdopen(os.dup(handle), "rb") as file:
            content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        detail = f"is larger than {most_bytes} bytes, which is the most that is read of one file"
        raise JournalFileTooLarge(detail, pointer=POINTER)
    return content, stamp


def files_of(root: Path, *, also: tuple[str, ...] = ()) -> dict[str, Stamp]:
    """Every file of the journal, and *also* those, with its stamp, by path. Does blocking I/O. Raises OSError."""
    found: dict[str, Stamp] = {}
    for entry in _entries(root):
        if (entry.name in _ALONE or entry.name in also) and entry.is_file(follow_symlinks=False):
            _put(found, entry, entry.name)
        elif entry.name == FOLDER and entry.is_dir(follow_symlinks=False):
            _gather(root / FOLDER, FOLDER, found)
        elif any(path.startswith(f"{entry.name}/") for path in also) and entry.is_dir(follow_symlinks=False):
            _gather_named(root / entry.name, also, found)
    return found


def _gather_named(folder: Path, paths: tuple[str, ...], found: dict[str, Stamp]) -> None:
    """Add to *found* those of *paths* that are files of *folder*."""
    with suppress(PermissionError):
        for entry in _entries(folder):
            if (path := f"{folder.name}/{entry.name}") in paths and entry.is_file(follow_symlinks=False):
                _put(found, entry, path)


def _gather(folder: Path, path: str, found: dict[str, Stamp]) -> None:
    """Add to *found* the files in *folder* and below it."""
    with suppress(PermissionError):
        for entry in _entries(folder):
            inner = f"{path}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if inner.count("/") < _DEEPEST - 1 and not entry.name.startswith("."):
                    _gather(folder / entry.name, inner, found)
            elif entry.is_file(follow_symlinks=False):
                with suppress(JournalPathRefused):  # a file that can not be requested by its name is not found either
                    _put(found, entry, "/".join(steps_of(inner)))


def _put(found: dict[str, Stamp], entry: os.DirEntry[str], path: str) -> None:
    with suppress(FileNotFoundError):  # a person deleted it meanwhile
        found[path] = Stamp.of(entry.stat(follow_symlinks=False))


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except (FileNotFoundError, NotADirectoryError):
        return


@contextmanager
def _opened(root: Path, steps: tuple[str, ...]) -> Iterator[int]:
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for at, step in enumerate(steps):
            is_last = at == len(steps) - 1
            inner = _step(handle, step, is_folder=not is_last)
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


def _step(folder: int, name: str, *, is_folder: bool) -> int:
    """Open *name* in *folder*, if it has exactly this name and kind."""
    if name not in os.listdir(folder):
        raise JournalFileNotFound("the journal has no such file")
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            raise _refused("leads over a link, and links are not followed")
        if not (stat.S_ISDIR(mode) if is_folder else stat.S_ISREG(mode)):
            raise JournalFileNotFound("the journal has no such file")
        return os.open(name, _READING | (os.O_DIRECTORY if is_folder else 0), dir_fd=folder)
    except (FileNotFoundError, NotADirectoryError) as error:  # it changed since it was listed
        raise JournalFileNotFound("the journal has no such file") from error


def _is_markdown(name: str) -> bool:
    return name.endswith(ENDING) and len(name) > len(ENDING)


def _refused(reason: str) -> JournalPathRefused:
    return JournalPathRefused(f"the path {reason}", pointer=POINTER)
