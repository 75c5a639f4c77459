"""
When a story is told: what waits in each mind, and the runs that tell it, one at a time a mind, beside everything else.

A run is begun when enough waits. It never holds up a turn: it reads the transcript, and writes STORY.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.story.anchor import read_marks, without_marks
from consolidation.story.chapters import parse
from consolidation.story.consolidate import Subject
from consolidation.story.ledger import read_ledger
from consolidation.story.narrator import Voice
from consolidation.story.storyfile import StoryFile

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from consolidation.kernel.ports import Clock
    from consolidation.story.chapters import Book
    from consolidation.story.consolidate import ConsolidationService, Run
    from service.background import Background
    from service.minds import Mind

log = structlog.get_logger()

_SOUL = 8_000


@dataclass(frozen=True, slots=True)
class StoryState:
    """A story and how far it is: the last sequence told, what waits, which chapters are in our words."""

    text: str
    book: Book
    ours: frozenset[str]
    sequence: int
    last_processed: datetime | None
    pending_turns: int
    pending_tokens: int


class Storytelling:
    """The stories of all minds."""

    def __init__(
        self,
        service: ConsolidationService,
        *,
        clock: Clock,
        background: Background,
        agent: str,
        threshold_tokens: int,
    ) -> None:
        """Bind to the one door; a story is told by itself when *threshold_tokens* wait, 0 for never."""
        self._service = service
        self._clock = clock
        self._background = background
        self._agent = agent
        self._threshold_tokens = threshold_tokens
        self._runs: dict[str, Run] = {}
        self._running: set[str] = set()
        self._told: dict[str, int] = {}

    def file(self, mind: Mind) -> StoryFile:
        """A mind's STORY.md."""
        workspace = mind.workspace
        return StoryFile(workspace.story, history=workspace.history, clock=self._clock)

    def last_run(self, mind: Mind) -> Run | None:
        """The run that is under way, or the last one; None when there was none since the service began."""
        return self._runs.get(mind.mind_id)

    async def state(self, mind: Mind) -> StoryState:
        """The story as it stands. Raises StoryUnreadable."""
        text = await anyio.to_thread.run_sync(self.file(mind).read)
        known = await anyio.to_thread.run_sync(read_ledger, _ledger(mind))
        to_tell = await self._service.to_tell(self._subject(mind))
        positions = mind.transcript.positions
        marks = read_marks(text)
        return StoryState(
            text=text,
            book=parse(without_marks(text)),
            ours=known.digests,
            sequence=marks.sequence if marks.sequence is not None else known.sequence or 0,
            last_processed=marks.anchor or known.anchor,
            pending_turns=positions.remembered_after(to_tell.sequence),
            pending_tokens=positions.tokens_after(to_tell.sequence),
        )

    async def tell(self, mind: Mind, *, trigger: str) -> Run:
        """Tell what waits, and return when that is done, or has failed: the run says so."""

        def progress(run: Run) -> None:
            self._runs[mind.mind_id] = run

        run = await self._service.update_narrative_story(self._subject(mind), trigger=trigger, progress=progress)
        log.info(
            "story.told",
            mind_id=mind.mind_id,
            trigger=trigger,
            turns=run.told,
            of=run.turns,
            chapters=run.chapters,
            error=run.error,
        )
        mind.health.usage += run.usage
        self._told[mind.mind_id] = await anyio.to_thread.run_sync(_told, mind)
        return run

    def begin(self, mind: Mind, *, trigger: str) -> None:
        """Tell what waits in the background; nothing happens while that is being done already."""
        if mind.mind_id in self._running or self._background.is_stopping:
            return
        self._running.add(mind.mind_id)

        async def run() -> None:
            try:
                told = await self.tell(mind, trigger=trigger)
            finally:
                self._running.discard(mind.mind_id)
            if told.error is None:
                await self.notice(mind)  # what was kept meanwhile woke nobody

        self._background.start(f"story {mind.mind_id}", run)

    async def notice(self, mind: Mind) -> int:
        """A turn was kept: how many tokens wait by now; enough of them begin a run."""
        told = self._told.get(mind.mind_id)
        if told is None:
            told = self._told[mind.mind_id] = await anyio.to_thread.run_sync(_told, mind)
        pending = mind.transcript.positions.tokens_after(told)
        last = self._runs.get(mind.mind_id)
        patience = 2 if last is not None and last.error is not None else 1  # what failed is not tried at every turn
        if self._threshold_tokens and pending >= self._threshold_tokens * patience:
            self.begin(mind, trigger="threshold")
        return pending

    def _subject(self, mind: Mind) -> Subject:
        workspace = mind.workspace
        soul = workspace.read(workspace.soul, most_characters=_SOUL)
        voice = Voice(self._agent, soul.strip(), workspace.prompts)
        return Subject(mind.transcript, self.file(mind), _ledger(mind), voice)


def _ledger(mind: Mind) -> Path:
    return mind.workspace.history / "published.json"


def _told(mind: Mind) -> int:
    return read_ledger(_ledger(mind)).sequence or 0
