"""What people do to a story through a door: put another one in its place, go back to an earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import StoryPreconditionMissing
from consolidation.story.anchor import without_marks
from consolidation.story.edits import check_unchanged, edited
from consolidation.story.storyfile import StoryFile
from service.story.reader import snapshot_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from consolidation.kernel.ports import Clock
    from service.mind.minds import Mind
    from service.story.reader import StoryReader, StorySnapshot
    from service.story.scheduler import StoryScheduler
    from service.story.writer import StoryWriter

BEGINNING = "beginning"  # the name of the story before its first chapter


class StoryEditor:
    """
    Changes the story of any mind on a person's behalf.

    Each change returns the very text that it wrote, never the story as it is a moment later: a save that lands in
    between is somebody else's, and its ETag must not pass for ours.
    """

    def __init__(self, reader: StoryReader, *, writer: StoryWriter, scheduler: StoryScheduler, clock: Clock) -> None:
        self._reader = reader
        self._writer = writer
        self._scheduler = scheduler
        self._clock = clock

    async def put(self, mind: Mind, text: str, *, expected: str | None) -> StorySnapshot:
        """
        Put *text* in the place of the story whose ETag is *expected*.

        Raises StoryPreconditionMissing when *expected* is None, StoryChanged when the story is another one by now,
        StoryFault, Locked.
        """
        if expected is None:
            raise StoryPreconditionMissing("send If-Match with the ETag of the story that this one replaces")

        def plan(story: str) -> str:
            check_unchanged(story, expected=expected)
            return edited(story, text)

        return await self._changed(mind, plan)

    async def restore(self, mind: Mind, name: str, *, retells: bool) -> StorySnapshot:
        """
        Put an earlier story in the story's place; with *retells*, turns narrated after it are narrated again.

        ``BEGINNING`` is the story before its first chapter: with *retells*, the whole life is narrated again.
        Raises VersionNotFound, StoryFault, Locked.
        """
        text = await self._reader.version(mind, name) if name != BEGINNING else ""
        if not retells:
            return await self._changed(mind, lambda story: edited(story, without_marks(text)))
        written = await self._writer.rewind(mind, text)
        self._scheduler.begin_if_due(mind)
        return await anyio.to_thread.run_sync(snapshot_of, written, mind.workspace)

    async def _changed(self, mind: Mind, plan: Callable[[str], str]) -> StorySnapshot:
        def change() -> StorySnapshot:
            file = StoryFile.of(mind.workspace, clock=self._clock)
            return snapshot_of(file.change(plan).written, mind.workspace)

        return await anyio.to_thread.run_sync(change)
