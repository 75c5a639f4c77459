"""Reads ``observations.md`` of any mind, with what its dreams know of each line, and puts a person's in its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.dreams.observations import read_observations, without
from consolidation.kernel.errors import ObservationsChanged, StoryChanged, StoryPreconditionMissing
from consolidation.story.edits import check_unchanged, etag_of
from consolidation.story.storyfile import StoryFile
from service.retrieval.put_right import put_right_now

if TYPE_CHECKING:
    from datetime import date

    from consolidation.dreams.dream_log import Dreams
    from consolidation.dreams.observations import Level, Observation
    from consolidation.kernel.ports import Clock
    from service.mind.minds import Mind

_NAME = "observations"


@dataclass(frozen=True, slots=True)
class ObservationEntry:
    """An observation, and what dreams know of it: whether one wrote it or a person, whether it is over, its turns."""

    observation: Observation
    is_ours: bool
    is_superseded: bool
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ObservationsSnapshot:
    """The file as one text, and the observations in it, in its order."""

    text: str
    entries: tuple[ObservationEntry, ...]

    @property
    def etag(self) -> str:
        """The fingerprint of the text."""
        return etag_of(self.text)

    def of(self, *, level: Level | None, since: date | None) -> tuple[ObservationEntry, ...]:
        """The observations of this level, of this day and later; None asks for all."""
        return tuple(
            one
            for one in self.entries
            if (level is None or one.observation.level is level) and (since is None or one.observation.day >= since)
        )


class ObservationsEditor:
    """Reads and replaces the file, comparing and swapping; its last 50 versions are kept. No I/O on the event loop."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock

    async def snapshot(self, mind: Mind) -> ObservationsSnapshot:
        """The file as it is now. Raises StoryUnreadable, OSError."""
        return await anyio.to_thread.run_sync(lambda: _snapshot(mind, self._file(mind).read()))

    async def put(self, mind: Mind, text: str, *, expected: str | None) -> ObservationsSnapshot:
        """
        Put *text* in the place of the file whose ETag is *expected*; the answer is the very text that was written.

        Raises StoryPreconditionMissing when *expected* is None, ObservationsChanged when the file is another one by
        now, StoryFault, Locked, OSError.
        """
        if expected is None:
            raise StoryPreconditionMissing("send If-Match with the ETag of the observations that these replace")

        def plan(present: str) -> str:
            try:
                check_unchanged(present, expected=expected)
            except StoryChanged as changed:
                raise ObservationsChanged(changed.current, etag=changed.etag) from changed
            return text

        return await anyio.to_thread.run_sync(lambda: _snapshot(mind, self._file(mind).change(plan).written))

    def _file(self, mind: Mind) -> StoryFile:
        workspace = mind.workspace
        return StoryFile(workspace.writing(_NAME), history=workspace.writing_history(_NAME), clock=self._clock)


def observations_as_put_right(mind: Mind, text: str, dreams: Dreams) -> str:
    """*text* without what dreams observed of turns that people put right. Blocking. Raises HomeFault."""
    put_right = put_right_now(mind)
    if not put_right:
        return text

    def is_over(one: Observation) -> bool:
        digest = one.digest
        return digest in dreams.ours and bool(put_right.against_observation(one.text, dreams.sources(digest)))

    return without(text, is_over)


def _snapshot(mind: Mind, text: str) -> ObservationsSnapshot:
    dreams = mind.dreams.newest()
    found = read_observations(text)
    over = dreams.over(found)
    entries = (ObservationEntry(one, dreams.is_ours(one), one in over, dreams.sources(one.digest)) for one in found)
    return ObservationsSnapshot(text, tuple(entries))
