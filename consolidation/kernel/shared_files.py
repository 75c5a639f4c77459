"""
Folders whose files several machines share: this machine has a copy, and what counts is somewhere else.

Whoever writes a file calls ``kernel/files.py`` and need not know. Below a shared folder, every write is stored for
everybody first, and then changes the copy. What holds the files is a ``SharedFiles``, registered with ``sharing``.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple, Protocol

from consolidation.kernel.sharing_errors import ChangedElsewhere

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path


class Stamp(NamedTuple):
    """How a file is recognised as unchanged without reading it."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, found: os.stat_result) -> Stamp:
        """The stamp of a file's status."""
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


_NO_FILE = Stamp(0, 0, 0, 0)


def stamp_of(file: Path) -> Stamp:
    """
    The stamp of *file*, also where there is none: take it before reading, and give it as *seen* to who replaces it.

    In a shared folder another machine's change may arrive in between, and would be overwritten.
    """
    try:
        return Stamp.of(file.lstat())
    except FileNotFoundError:
        return _NO_FILE


class SharedFiles(Protocol):
    """
    Stores the files below a folder for everybody. Safe to use from several threads; every method blocks.

    Each method gives a block in which the caller changes the copy. Before the block begins, the change is stored.
    Where it can not be stored, the block is not entered and nothing is changed: ChangedElsewhere where another process
    changed the file since the copy was brought up to date, CopyOutdated where the copy is to be made anew, NotInCustody
    where another process has taken over the mind's background work, DatabaseUnavailable where nobody answers.

    Where a file is written because of what was read in it, *seen* is its stamp from before that (``stamp_of``): what
    arrived in the copy since then counts as a change of another process.
    """

    def holds(self, file: Path, /) -> bool:
        """Whether *file* is shared; False for what each machine makes for itself, such as indexes and locks."""
        ...

    def replacing(self, file: Path, content: bytes, /, *, seen: Stamp | None = None) -> AbstractContextManager[None]:
        """Store *content* as the whole of *file*."""
        ...

    def appending(self, file: Path, content: bytes, /, *, follows: bool) -> AbstractContextManager[bytes]:
        """
        Append *content* to *file*. Gives what the copy lacks: what others appended, and *content* behind it.

        Where it *follows* what the copy ends with, ChangedElsewhere is raised if others have appended something.
        """
        ...

    def removing(self, file: Path, /, *, seen: Stamp | None = None) -> AbstractContextManager[None]:
        """Remove *file*. It need not be there."""
        ...

    def removing_tree(self, folder: Path, /) -> AbstractContextManager[None]:
        """Remove *folder* with everything in it."""
        ...


_TRIES = 20  # of a change that others keep coming before
_shared: dict[Path, SharedFiles] = {}


@contextmanager
def sharing(folder: Path, files: SharedFiles) -> Iterator[None]:
    """Let *files* store what is below *folder*, in this process, until the block ends."""
    place = folder.resolve()
    _shared[place] = files
    try:
        yield
    finally:
        del _shared[place]


def until_unchanged[T](change: Callable[[], T]) -> T:
    """
    Return what *change* returns, which reads a file and then writes it, and which may be called again.

    That is done where another machine has changed the file in between. Raises ChangedElsewhere in the end.
    """
    for _ in range(_TRIES - 1):
        with suppress(ChangedElsewhere):
            return change()
    return change()


def shared_with(file: Path, *, is_folder: bool = False) -> tuple[SharedFiles, Path] | None:
    """What stores *file* for everybody, and where the file is without links on the way; None where it is ours alone."""
    if not _shared:
        return None
    place = file.parent.resolve() / file.name
    for folder, files in _shared.items():
        if place.is_relative_to(folder):
            return (files, place) if is_folder or files.holds(place) else None
    return None
