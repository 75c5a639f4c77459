"""Which minds hold a thread: for each an empty file in the mind's folder, so whoever erases the mind erases it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.ports.thread_index import thread_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

_FOLDER = ("derived", "zep-threads")


class FileThreadIndex:
    """The ``ThreadIndex`` of a home on this machine."""

    def __init__(self, *, ids: Callable[[], Iterable[str]], folder_of: Callable[[str], Path]) -> None:
        """*ids* are those of all minds, sorted, and *folder_of* gives the folder of one."""
        self._ids = ids
        self._folder_of = folder_of

    def minds_with(self, thread_id: str) -> tuple[str, ...]:
        """The ids of the minds that hold a thread of this id, sorted."""
        return tuple(one for one in self._ids() if self._file(thread_id, one).exists())

    def note(self, thread_id: str, *, mind_id: str) -> None:
        """Note that a mind holds a thread."""
        if not self._folder_of(mind_id).exists():
            return
        file = self._file(thread_id, mind_id)
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.touch(mode=0o600)

    def forget(self, thread_id: str, *, mind_id: str) -> None:
        """Delete an entry."""
        self._file(thread_id, mind_id).unlink(missing_ok=True)

    def _file(self, thread_id: str, mind_id: str) -> Path:
        return self._folder_of(mind_id).joinpath(*_FOLDER, thread_digest(thread_id).hex())
