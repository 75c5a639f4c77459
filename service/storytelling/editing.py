"""What people do to a story through a door: read it, put another in its place, look at earlier ones, go back to one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import StoryUnguarded, VersionNotFound
from consolidation.story.anchor import without_marks
from consolidation.story.editing import check_unchanged, difference, edited

if TYPE_CHECKING:
    from consolidation.story.storyfile import StoryFile, Version
    from service.minds import Mind
    from service.storytelling.runs import Storytelling

NOW = "now"


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed between two stories, as a unified diff."""

    since: str
    until: str
    diff: str


class StoryEditing:
    """The stories of all minds, in people's hands."""

    def __init__(self, storytelling: Storytelling) -> None:
        self._storytelling = storytelling

    async def put(self, mind: Mind, text: str, *, expected: str | None) -> None:
        """
        Put *text* in the place of the story whose etag is *expected*.

        Raises StoryUnguarded when none is, StoryChanged when it is another one by now, StoryFault.
        """
        if expected is None:
            raise StoryUnguarded("send If-Match with the ETag of the story that this one replaces")

        def plan(story: str) -> str:
            check_unchanged(story, expected=expected)
            return edited(story, text)

        await anyio.to_thread.run_sync(self._file(mind).change, plan)

    async def versions(self, mind: Mind) -> tuple[Version, ...]:
        """The earlier stories, newest first."""
        return await anyio.to_thread.run_sync(self._file(mind).versions)

    async def version(self, mind: Mind, name: str) -> str:
        """An earlier story. Raises VersionNotFound."""
        text = await anyio.to_thread.run_sync(self._file(mind).version, name)
        if text is None:
            raise VersionNotFound(f"no version is called {name[:60]!r}; GET …/story/history lists them")
        return text

    async def difference(self, mind: Mind, *, since: str, until: str | None) -> Difference:
        """What changed from a version to another, or to the story as it stands. Raises VersionNotFound."""
        before = await self.version(mind, since)
        after = await (self.version(mind, until) if until else anyio.to_thread.run_sync(self._file(mind).read))
        return Difference(since, until or NOW, difference(before, after, names=(since, until or NOW)))

    async def restore(self, mind: Mind, name: str, *, retells: bool) -> None:
        """
        Put an earlier story in the story's place; with *retells*, what was told after it is told again.

        Raises VersionNotFound, StoryFault.
        """
        text = await self.version(mind, name)
        if retells:
            await self._storytelling.rewind(mind, text)
            return
        await anyio.to_thread.run_sync(self._file(mind).change, lambda story: edited(story, without_marks(text)))

    def _file(self, mind: Mind) -> StoryFile:
        return self._storytelling.subject(mind).file


def saved_at(version: str) -> datetime:
    """The instant that a version's name tells."""
    return datetime.strptime(version, "%Y-%m-%dT%H-%M-%S-%fZ").replace(tzinfo=UTC)
