"""Reads the stories of all minds: as they are now, as they were, and how much is not narrated in them yet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import VersionNotFound
from consolidation.story.anchor import read_marks, without_marks
from consolidation.story.chapters import parse
from consolidation.story.edits import difference, etag_of
from consolidation.story.ledger import read_ledger
from consolidation.story.storyfile import StoryFile
from service.mind.story_progress import PendingTurns
from service.story.writer import story_of

if TYPE_CHECKING:
    from consolidation.kernel.ports import Clock
    from consolidation.story.chapters import Book
    from consolidation.story.consolidation import ConsolidationService
    from consolidation.story.notes import StoryNotes
    from consolidation.story.storyfile import Version
    from consolidation.workspace import Workspace
    from service.mind.minds import Mind

NOW = "now"


@dataclass(frozen=True, slots=True)
class StorySnapshot:
    """
    A story as one text, and everything that can be said of exactly this text.

    ``ours`` are the digests of the chapters that the narrator wrote and no person changed. ``sequence`` is the last
    turn that is narrated, ``last_processed`` the time in the story's own mark. ``notes`` are the narrator's.
    """

    text: str
    book: Book
    ours: frozenset[str]
    sequence: int
    last_processed: datetime | None
    notes: StoryNotes

    @property
    def etag(self) -> str:
        """The fingerprint of the text."""
        return etag_of(self.text)


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed between two stories, as a unified diff."""

    since: str
    until: str
    diff: str


class StoryReader:
    """Reads; it changes nothing, and does no I/O on the event loop."""

    def __init__(self, consolidation: ConsolidationService, *, clock: Clock) -> None:
        self._consolidation = consolidation
        self._clock = clock

    async def snapshot(self, mind: Mind) -> StorySnapshot:
        """The story as it is now. Raises StoryUnreadable."""
        return await anyio.to_thread.run_sync(
            lambda: snapshot_of(StoryFile.of(mind.workspace, clock=self._clock).read(), mind.workspace)
        )

    async def pending(self, mind: Mind) -> PendingTurns:
        """What is not narrated yet, by the story on disk rather than by what is remembered. Raises StoryUnreadable."""
        story, positions = story_of(mind, clock=self._clock), mind.transcript.positions
        pending = await self._consolidation.pending_range(story)
        if pending.since is not None and (again := await self._consolidation.pending(story)):
            return PendingTurns(len(again), sum(stored.tokens for stored in again))
        owed = await self._consolidation.owed(story)
        return PendingTurns(
            positions.remembered_after(pending.sequence) + len(owed),
            positions.tokens_after(pending.sequence) + sum(stored.tokens for stored in owed),
        )

    async def versions(self, mind: Mind) -> tuple[Version, ...]:
        """The earlier stories, newest first."""
        return await anyio.to_thread.run_sync(StoryFile.of(mind.workspace, clock=self._clock).versions)

    async def version(self, mind: Mind, name: str) -> str:
        """An earlier story. Raises VersionNotFound."""
        text = await anyio.to_thread.run_sync(StoryFile.of(mind.workspace, clock=self._clock).version, name)
        if text is None:
            raise VersionNotFound(f"no version is called {name[:60]!r}; GET …/story/history lists them")
        return text

    async def difference(self, mind: Mind, *, since: str, until: str | None) -> Difference:
        """What changed from one version to another, or to the story as it is now. Raises VersionNotFound."""
        before = await self.version(mind, since)
        after = await self.version(mind, until) if until else (await self.snapshot(mind)).text
        return Difference(since, until or NOW, difference(before, after, names=(since, until or NOW)))


def snapshot_of(text: str, workspace: Workspace) -> StorySnapshot:
    """What can be said of *text*, which is or was the story in *workspace*; call it in a worker thread."""
    ledger, marks, bare = read_ledger(workspace.published), read_marks(text), without_marks(text)
    return StorySnapshot(
        text=text,
        book=parse(bare),
        ours=ledger.digests,
        sequence=marks.sequence if marks.sequence is not None else ledger.sequence or 0,
        last_processed=marks.anchor or ledger.anchor,
        notes=ledger.notes_on(bare),
    )


def saved_at(version: str) -> datetime:
    """When a version was replaced by the next one; its name says it."""
    return datetime.strptime(version, "%Y-%m-%dT%H-%M-%S-%fZ").replace(tzinfo=UTC)
