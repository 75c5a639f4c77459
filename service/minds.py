"""The minds of one home: opened at first use, one object each for as long as the service runs."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import DiskFull, HomeFault, TranscriptUnwritable
from consolidation.kernel.files import is_full, sync_folder
from consolidation.kernel.ports import Usage
from consolidation.transcript.log import Transcript
from consolidation.workspace import Workspace, minds_of, no_such_mind, workspace_of
from service.fence import MindErasing
from service.journal.index import JournalIndex
from service.moving.faults import MindExists
from service.recall.text_index import TextIndex
from service.resonance.ledger import Ledger

if TYPE_CHECKING:
    from pathlib import Path

    from consolidation.kernel.ports import Clock
    from service.dependency import Dependency
    from service.fence import Fence
    from service.ports import Progress


@dataclass(slots=True)
class Health:
    """What a mind's status tells of its digestion: how far each lane is, why it is behind (None when it is not)."""

    progress: Progress | None = None
    indexed: int = 0
    saved: int = 0
    extracted: int = 0
    indexing: str | None = None
    saving: str | None = None
    extracting: str | None = None
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Mind:
    """One identity's memory: its folder, its transcript, its full text, its journal, and what it was shown lately."""

    mind_id: str
    workspace: Workspace
    transcript: Transcript
    text: TextIndex
    journal: JournalIndex
    ledger: Ledger
    disk: Dependency
    health: Health = field(default_factory=Health)


class Minds:
    """Opens minds; reading one that does not exist creates nothing."""

    def __init__(self, home: Path, *, clock: Clock, disk: Dependency, fence: Fence) -> None:
        """Bind to *home*, which this process must own, on *disk*; a mind that *fence* closes is not there."""
        self.disk = disk
        self._home = home
        self._clock = clock
        self.fence = fence
        self._open: dict[str, Mind] = {}
        self._opening = asyncio.Lock()

    def ids(self) -> tuple[str, ...]:
        """The ids of all minds there are, sorted."""
        return tuple(mind_id for mind_id in minds_of(self._home) if not self.fence.is_closed(mind_id))

    def workspace(self, mind_id: str) -> Workspace:
        """A mind's folder, whether it is there or not. Raises InvalidMindId."""
        return workspace_of(self._home, mind_id)

    async def find(self, mind_id: str) -> Mind:
        """A mind that exists. Raises InvalidMindId, MindNotFound, HomeFault."""
        workspace = self.workspace(mind_id)
        if self.fence.is_closed(mind_id) or (mind_id not in self._open and not workspace.exists):
            raise no_such_mind(mind_id)
        return await self._opened(mind_id)

    async def find_or_create(self, mind_id: str) -> Mind:
        """A mind, made from the template at its first turn. Raises InvalidMindId, MindErasing, HomeFault."""
        if self.fence.is_closed(mind_id):
            raise MindErasing(f"{mind_id!r} is being erased; its next turn, after that, begins a new mind")
        return await self._opened(mind_id)

    async def admit(self, mind_id: str, folder: Path) -> Mind:
        """
        Make *folder*, complete and on the same disk, the mind's, in one rename. Raises MindExists, HomeFault.

        From here on there is such a mind, whatever dies.
        """
        workspace = self.workspace(mind_id)
        async with self._opening:
            try:
                await anyio.to_thread.run_sync(_move, folder, workspace.folder)
            except OSError as error:
                raise HomeFault(f"{workspace.folder}: {error.strerror}") from error
        return await self._opened(mind_id)

    def opened(self) -> tuple[Mind, ...]:
        """The minds opened so far."""
        return tuple(self._open.values())

    async def forget(self, mind_id: str) -> None:
        """Close a mind's files and know it no more; nobody may be at work in it."""
        mind = self._open.pop(mind_id, None)
        if mind is not None:
            await mind.transcript.close()
            mind.text.close()
            mind.journal.close()

    async def close(self) -> None:
        """Close every mind's files."""
        for mind in self._open.values():
            await mind.transcript.close()
            mind.text.close()
            mind.journal.close()
        self._open.clear()

    async def _opened(self, mind_id: str) -> Mind:
        if mind_id in self._open:
            return self._open[mind_id]
        workspace = self.workspace(mind_id)
        async with self._opening:
            if mind_id not in self._open:
                try:
                    await anyio.to_thread.run_sync(workspace.create)
                    transcript = await Transcript(workspace.transcript, clock=self._clock).open()
                    ledger = await anyio.to_thread.run_sync(Ledger, workspace.subconscious)
                except OSError as error:
                    kind = DiskFull if is_full(error) else TranscriptUnwritable
                    raise kind(f"{workspace.folder}: {error.strerror}") from error
                text, journal = TextIndex(workspace.text_index), JournalIndex(workspace.journal_index)
                self._open[mind_id] = Mind(mind_id, workspace, transcript, text, journal, ledger, self.disk)
        return self._open[mind_id]


def _move(folder: Path, target: Path) -> None:
    target.parent.mkdir(mode=0o700, exist_ok=True)
    if os.path.lexists(target):
        raise MindExists(f"there is a mind {target.name!r} already: import under another id, or erase it first")
    folder.rename(target)
    sync_folder(target.parent)
