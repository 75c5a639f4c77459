"""Reads a note as soon as a person saves it. Where folders can not be watched, the next search reads it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from service.index.journal_files import FOLDER, NOTES, OWN_WRITINGS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from service.journal.freshness import JournalFreshness
    from service.mind.minds import Minds

    type Steps = tuple[str, ...]
    type Changes = Callable[..., AsyncIterator[set[Steps]]]

_HEAD_START_SECONDS = 1.0  # start after the API: nobody waits for the watch

log = structlog.get_logger()


class JournalWatch:
    """Watches the folder of all minds."""

    def __init__(self, folder: Path, *, minds: Minds, freshness: JournalFreshness, changes: Changes) -> None:
        """*changes* yields changed paths, and raises OSError where folders can not be watched."""
        self._folder = folder
        self._minds = minds
        self._freshness = freshness
        self._changes = changes

    async def watch(self) -> None:
        """Watch until the end, or until changes are no longer reported."""
        await asyncio.sleep(_HEAD_START_SECONDS)
        try:
            await anyio.to_thread.run_sync(lambda: self._folder.mkdir(parents=True, exist_ok=True, mode=0o700))
            async for changed in self._changes(self._folder, concerns=concerns_journal):
                touched = {steps[0] for steps in changed}
                for mind in self._minds.opened():
                    if mind.mind_id in touched and not self._minds.gate.is_closed(mind.mind_id):
                        self._freshness.start_reading(mind)
        except OSError as error:
            log.warning("journal.not_watched", reason=str(error), instead="files are checked before each search")


def concerns_journal(steps: Steps) -> bool:
    """Whether a path below the folder of all minds belongs to a journal, or was a folder in one."""
    return steps[1:] in {(name,) for name in (NOTES, *OWN_WRITINGS)} or (len(steps) > 1 and steps[1] == FOLDER)
