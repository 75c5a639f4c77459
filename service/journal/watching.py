"""Has a journal read as soon as a person has saved a note; where changes can not be seen, asking notices them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from service.journal.places import FOLDER, NOTES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from service.journal.keeping import Keeping
    from service.minds import Minds

    type Steps = tuple[str, ...]
    type Changes = Callable[..., AsyncIterator[set[Steps]]]

_HEAD_START_SECONDS = 1.0  # of the doors: nobody waits for a watch

log = structlog.get_logger()


class Watching:
    """Watches the folder of all minds."""

    def __init__(self, folder: Path, *, minds: Minds, keeping: Keeping, changes: Changes) -> None:
        """Bind to who tells of *changes*, which raises OSError where it can not."""
        self._folder = folder
        self._minds = minds
        self._keeping = keeping
        self._changes = changes

    async def watch(self) -> None:
        """For ever, or as long as changes are told."""
        await asyncio.sleep(_HEAD_START_SECONDS)
        try:
            await anyio.to_thread.run_sync(lambda: self._folder.mkdir(parents=True, exist_ok=True, mode=0o700))
            async for changed in self._changes(self._folder, concerns=concerns_journal):
                touched = {steps[0] for steps in changed}
                for mind in self._minds.opened():
                    if mind.mind_id in touched and not self._minds.fence.is_closed(mind.mind_id):
                        self._keeping.read(mind)
        except OSError as error:
            log.warning("journal.not_watched", reason=str(error), instead="files are looked at before each search")


def concerns_journal(steps: Steps) -> bool:
    """Whether a path below the folder of all minds is of a journal, or was a folder in one. Pure."""
    return steps[1:] == (NOTES,) or (len(steps) > 1 and steps[1] == FOLDER)
