"""
The ids of the minds of a home, listed anew only when one came or went, and a look into the folder of each.

A home may have a hundred thousand of them: a look into each takes seconds, and a minute from a cold disk.
"""

from __future__ import annotations

import asyncio
import os
import re
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.workspace import MIND_ID, Workspace

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from pathlib import Path

_TICK_NS = 2_000_000_000  # a folder that has just changed may change again without its time changing


class MindFolder:
    """The folder of a mind, of which nothing is read unless it is asked for."""

    def __init__(self, home: str, mind_id: str) -> None:
        self.mind_id = mind_id
        self._home = home

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of what is in it; none where it can not be read."""
        with suppress(OSError):
            return frozenset(os.listdir(f"{self._home}/minds/{self.mind_id}"))  # noqa: PTH208 - a third of the time
        return frozenset()


class MindListing:
    """The minds under the folder of a home. Safe to use from several threads."""

    def __init__(self, home: Path, *, now_ns: Callable[[], int]) -> None:
        """*now_ns* is the wall clock that the disk's times are of, in nanoseconds."""
        self._folder = home / "minds"
        self._now_ns = now_ns
        self._mutex = threading.Lock()
        self._ids: tuple[str, ...] | None = None  # None: not listed yet
        self._known: frozenset[str] = frozenset()
        self._changed_ns = -1  # the folder's time when it was listed; -1 where it must be listed again

    def assume(self, mind_ids: Iterable[str]) -> None:
        """Take folders of these names for minds, without a look into each; only before the first list."""
        with self._mutex:
            if self._ids is None:
                self._known = frozenset(mind_ids)

    def ids(self) -> tuple[str, ...]:
        """All ids, sorted. Raises OSError."""
        with self._mutex:
            self._look()
            return self._ids or ()

    def known(self) -> frozenset[str]:
        """All ids. Raises OSError."""
        with self._mutex:
            self._look()
            return self._known if self._ids else frozenset()

    def forget(self, mind_id: str) -> None:
        """A mind does not exist any more, whatever is left of its folder."""
        with self._mutex:
            self._known -= {mind_id}
            if self._ids is not None:
                self._ids = tuple(one for one in self._ids if one != mind_id)
            self._changed_ns = -1

    def _look(self) -> None:
        try:
            changed = self._folder.stat().st_mtime_ns
        except FileNotFoundError:
            self._ids, self._known, self._changed_ns = (), frozenset(), -1
            return
        if changed != self._changed_ns:
            is_settled = self._list() and self._now_ns() - changed > _TICK_NS
            self._changed_ns = changed if is_settled else -1

    def _list(self) -> bool:
        """List the folder; False where something in it may still become a mind."""
        names = frozenset(os.listdir(self._folder))  # noqa: PTH208 - a third of the time
        new = [name for name in names - self._known if re.fullmatch(MIND_ID, name)]
        minds = {name for name in new if Workspace(self._folder / name).exists}
        known = (self._known & names) | minds
        if self._ids is None or known != self._known:
            self._known, self._ids = known, tuple(sorted(known))
        return len(minds) == len(new)


@dataclass(slots=True)
class _Look:
    """A question about the folders of all minds, and its answer."""

    is_so: Callable[[MindFolder], object]
    found: list[str] = field(default_factory=list)
    error: OSError | None = None


class FolderLooks:
    """Looks into the folders of all minds. Whoever asks while others wait shares one look with them."""

    def __init__(self, home: Path, *, ids: Callable[[], Iterable[str]]) -> None:
        """*ids* lists the minds that are looked at; it may raise OSError."""
        self._home = str(home)
        self._ids = ids
        self._looks: list[_Look] = []  # that wait for the next look
        self._looking = asyncio.Lock()

    async def those_with(
        self, is_so: Callable[[MindFolder], object], *, prepare: Callable[[], Awaitable[None]]
    ) -> tuple[str, ...]:
        """The ids of minds of whose folders *is_so* is true, called in a thread after *prepare*. Raises OSError."""
        mine = _Look(is_so)
        self._looks.append(mine)
        await asyncio.sleep(0)  # all who come at once share the first
        async with self._looking:
            if looks := tuple(self._looks):
                self._looks.clear()
                await prepare()
                await anyio.to_thread.run_sync(self._look_at_all, looks)
        if mine.error is not None:
            raise mine.error
        return tuple(mine.found)

    def _look_at_all(self, looks: Sequence[_Look]) -> None:
        try:
            for mind_id in self._ids():
                folder = MindFolder(self._home, mind_id)
                for look in looks:
                    if look.is_so(folder):
                        look.found.append(mind_id)
        except OSError as error:
            for look in looks:
                look.error = error
