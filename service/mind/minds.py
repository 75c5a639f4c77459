"""The minds of one home. Each is opened at its first use, and is one object for as long as the service runs."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from consolidation.kernel.errors import DiskFull, HomeFault, MindErasing, MindExists, TranscriptUnwritable
from consolidation.kernel.files import is_full, sync_folder
from consolidation.transcript.log import Transcript
from consolidation.workspace import Workspace, minds_of, no_such_mind, workspace_of
from service.index.journal_index import JournalIndex
from service.index.text_index import TextIndex
from service.mind.health import Health
from service.mind.story_progress import read_progress
from service.mind.trace_log import TraceLog

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from consolidation.kernel.ports import Clock, Usage
    from consolidation.kernel.turns import StoredTurn
    from service.mind.health import LaneName
    from service.mind.mind_gate import MindGate
    from service.mind.story_progress import StoryProgress
    from service.observability.dependency_health import Dependency
    from service.ports.graph import MindGraph

_LOOK_SECONDS = 0.005
_FEW_TURNS = 32  # full text has them in one step, soon; whoever waits for more of them, waits for an import


@dataclass(frozen=True, slots=True)
class Mind:
    """
    One identity's memory: its folder, transcript, graph, story, full text and journal, and the traces of resonances.

    ``disk`` is the dependency to which trouble with the mind's files is reported.
    """

    mind_id: str
    workspace: Workspace
    transcript: Transcript
    text: TextIndex
    journal: JournalIndex
    trace_log: TraceLog
    disk: Dependency
    graph: MindGraph
    story: StoryProgress
    health: Health = field(default_factory=Health)

    def lag(self, lane: LaneName) -> int:
        """How many turns that are remembered a lane has still before it."""
        return self.transcript.positions.remembered_after(self.health.lanes[lane].cursor)

    async def until_indexed(self, *, seconds: float) -> None:
        """
        Return once full text has every turn accepted so far, and after *seconds* at the latest.

        Where it is far behind, return at once. Raises IndexUnusable.
        """
        newest = self.transcript.positions.last
        with anyio.move_on_after(seconds):
            while 0 < newest - await anyio.to_thread.run_sync(self.text.cursor, "turns") <= _FEW_TURNS:  # noqa: ASYNC110 - a cursor in a file
                await asyncio.sleep(_LOOK_SECONDS)

    async def turns_before(self, turn: StoredTurn, *, limit: int) -> tuple[StoredTurn, ...]:
        """The last remembered turns before *turn* in its session, oldest first."""
        earlier = await self.transcript.before_in_session(turn.turn.session_id, turn.sequence, limit=limit)
        return tuple(one for one in earlier if one.is_remembered)

    async def close(self) -> None:
        """Close the mind's files."""
        await self.transcript.close()
        self.text.close()
        self.journal.close()


class Minds:
    """Opens minds. Asking for one that does not exist creates nothing."""

    def __init__(
        self,
        home: Path,
        *,
        clock: Clock,
        disk: Dependency,
        gate: MindGate,
        graph_of: Callable[[str], MindGraph],
        linked_folders: tuple[Path, ...] = (),
    ) -> None:
        """
        This process must own *home*. A mind that *gate* has closed does not exist. STORY.md and SOUL.md of a mind may
        be links into *linked_folders*.
        """
        self.disk = disk
        self.gate = gate
        self._home = home
        self._clock = clock
        self._graph_of = graph_of
        self._linked_folders = linked_folders
        self._open: dict[str, Mind] = {}
        self._opening = asyncio.Lock()

    def ids(self) -> tuple[str, ...]:
        """The ids of all minds that exist, sorted."""
        return tuple(mind_id for mind_id in minds_of(self._home) if not self.gate.is_closed(mind_id))

    def workspace(self, mind_id: str) -> Workspace:
        """A mind's folder, whether it exists or not. Raises InvalidMindId."""
        return workspace_of(self._home, mind_id, linked_folders=self._linked_folders)

    async def find(self, mind_id: str) -> Mind:
        """A mind that exists. Raises InvalidMindId, MindNotFound, HomeFault."""
        workspace = self.workspace(mind_id)
        if self.gate.is_closed(mind_id):
            raise no_such_mind(mind_id)
        if mind_id not in self._open and not await anyio.to_thread.run_sync(lambda: workspace.exists):
            raise no_such_mind(mind_id)
        return await self._opened(mind_id)

    async def find_or_create(self, mind_id: str) -> Mind:
        """A mind, made from the template at its first turn. Raises InvalidMindId, MindErasing, HomeFault."""
        if self.gate.is_closed(mind_id):
            raise MindErasing(f"{mind_id!r} is being erased; its next turn, after that, begins a new mind")
        return await self._opened(mind_id)

    async def admit(self, mind_id: str, folder: Path) -> Mind:
        """
        Move *folder*, which is complete and on the same disk, into the mind's place, in one rename.

        From then on the mind exists, whatever is killed. Raises MindExists, HomeFault.
        """
        workspace = self.workspace(mind_id)
        async with self._opening:
            try:
                await anyio.to_thread.run_sync(_move, folder, workspace.folder)
            except OSError as error:
                raise HomeFault(f"{workspace.folder}: {error.strerror}") from error
        return await self._opened(mind_id)

    def get(self, mind_id: str) -> Mind | None:
        """The mind if it is open, else None."""
        return self._open.get(mind_id)

    def add_usage(self, mind_id: str, usage: Usage) -> None:
        """Add what a model call cost to a mind's account. A mind that is not open has none."""
        if (mind := self.get(mind_id)) is not None:
            mind.health.usage += usage

    def opened(self) -> tuple[Mind, ...]:
        """All minds that are open."""
        return tuple(self._open.values())

    async def forget(self, mind_id: str) -> None:
        """Close a mind, so that nothing of it is left in memory. Nobody may be at work on it."""
        mind = self._open.pop(mind_id, None)
        if mind is not None:
            await mind.close()

    async def close(self) -> None:
        """Close every mind."""
        for mind in self._open.values():
            await mind.close()
        self._open.clear()

    async def _opened(self, mind_id: str) -> Mind:
        if mind_id in self._open:
            return self._open[mind_id]
        workspace = self.workspace(mind_id)
        async with self._opening:
            if mind_id not in self._open:
                try:
                    await anyio.to_thread.run_sync(workspace.check_folders)
                    await anyio.to_thread.run_sync(workspace.create)
                    transcript = await Transcript(workspace.transcript, clock=self._clock).open()
                    trace_log = await anyio.to_thread.run_sync(TraceLog, workspace.subconscious)
                    story = await anyio.to_thread.run_sync(
                        lambda: read_progress(workspace, now=self._clock.monotonic())
                    )
                except OSError as error:
                    kind = DiskFull if is_full(error) else TranscriptUnwritable
                    raise kind(f"{workspace.folder}: {error.strerror}") from error
                self._open[mind_id] = Mind(
                    mind_id=mind_id,
                    workspace=workspace,
                    transcript=transcript,
                    text=TextIndex(workspace.text_index),
                    journal=JournalIndex(workspace.journal_index),
                    trace_log=trace_log,
                    disk=self.disk,
                    graph=self._graph_of(mind_id),
                    story=story,
                )
        return self._open[mind_id]


def _move(folder: Path, target: Path) -> None:
    target.parent.mkdir(mode=0o700, exist_ok=True)
    if os.path.lexists(target):
        raise MindExists(f"there is a mind {target.name!r} already: import under another id, or erase it first")
    folder.rename(target)
    sync_folder(target.parent)
