"""Reads a note of an open mind as soon as a person saves it. Where that can not be seen, the next search reads it."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from service.index.journal_files import FOLDER, NOTES, OWN_WRITINGS

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from service.journal.freshness import JournalFreshness
    from service.mind.minds import Minds

    type Steps = tuple[str, ...]
    type Changes = Callable[..., AsyncGenerator[set[Steps]]]

_HEAD_START_SECONDS = 1.0  # start after the API: nobody waits for the watch
_LOOK_SECONDS = 5.0  # between two looks at which minds are open: each new watch walks through all their folders

log = structlog.get_logger()


class JournalWatch:
    """Watches the folders of the minds that are open: a system has no watches for those of all minds."""

    def __init__(self, folder: Path, *, minds: Minds, freshness: JournalFreshness, changes: Changes) -> None:
        """*changes* yields changed paths, now and then none, and raises OSError where folders can not be watched."""
        self._folder = folder
        self._minds = minds
        self._freshness = freshness
        self._changes = changes

    async def watch(self) -> None:
        """Watch until the end, or until changes are no longer reported."""
        await asyncio.sleep(_HEAD_START_SECONDS)
        try:
            await anyio.to_thread.run_sync(lambda: self._folder.mkdir(parents=True, exist_ok=True, mode=0o700))
            while True:
                await self._watch_open()
        except OSError as error:
            log.warning("journal.not_watched", reason=str(error), instead="files are checked before each search")

    async def _watch_open(self) -> None:
        """Watch the minds that are open now, until others are."""
        watched, loop = self._open(), asyncio.get_running_loop()
        until = loop.time() + _LOOK_SECONDS
        if watched:
            async with aclosing(self._changes(self._folder, within=watched)) as found:
                async for changed in found:
                    self._read({steps[0] for steps in changed if concerns_journal(steps)})
                    if loop.time() >= until and self._open() != watched:
                        return
        await asyncio.sleep(_HEAD_START_SECONDS)  # there is nothing to be watched

    def _open(self) -> frozenset[str]:
        return frozenset(mind.mind_id for mind in self._minds.opened())

    def _read(self, touched: set[str]) -> None:
        for mind_id in touched:
            mind = self._minds.get(mind_id)
            if mind is not None and not self._minds.gate.is_closed(mind_id):
                self._freshness.start_reading(mind)


def concerns_journal(steps: Steps) -> bool:
    """Whether a path below the folder of all minds belongs to a journal, or was a folder in one."""
    return steps[1:] in {(name,) for name in (NOTES, *OWN_WRITINGS)} or (len(steps) > 1 and steps[1] == FOLDER)
