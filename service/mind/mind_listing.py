"""The ids of the minds of a home, listed anew only when one came or went: a home may have a hundred thousand."""

from __future__ import annotations

import os
import re
import threading
from typing import TYPE_CHECKING

from consolidation.workspace import MIND_ID, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_TICK_NS = 2_000_000_000  # a folder that has just changed may change again without its time changing


class MindListing:
    """The minds under the folder of a home. Safe to use from several threads."""

    def __init__(self, home: Path, *, now_ns: Callable[[], int]) -> None:
        """*now_ns* is the wall clock that the disk's times are of, in nanoseconds."""
        self._folder = home / "minds"
        self._now_ns = now_ns
        self._mutex = threading.Lock()
        self._ids: tuple[str, ...] = ()
        self._known: frozenset[str] = frozenset()
        self._changed_ns = -1  # the folder's time when it was listed; -1 where it must be listed again

    def ids(self) -> tuple[str, ...]:
        """All ids, sorted. Raises OSError."""
        with self._mutex:
            try:
                changed = self._folder.stat().st_mtime_ns
            except FileNotFoundError:
                return ()
            if changed != self._changed_ns:
                is_settled = self._list() and self._now_ns() - changed > _TICK_NS
                self._changed_ns = changed if is_settled else -1
            return self._ids

    def forget(self, mind_id: str) -> None:
        """A mind does not exist any more, whatever is left of its folder."""
        with self._mutex:
            self._known -= {mind_id}
            self._ids = tuple(one for one in self._ids if one != mind_id)
            self._changed_ns = -1

    def _list(self) -> bool:
        """List the folder; False where something in it may still become a mind."""
        names = {entry.name for entry in os.scandir(self._folder)}
        new = [name for name in names - self._known if re.fullmatch(MIND_ID, name)]
        minds = {name for name in new if Workspace(self._folder / name).exists}
        known = (self._known & names) | minds
        if known != self._known:
            self._known, self._ids = frozenset(known), tuple(sorted(known))
        return len(minds) == len(new)
