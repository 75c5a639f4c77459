"""
Changes the stories of all minds: narrates what is pending, goes back to an earlier story, takes erased turns out.

Everything here goes through the one ConsolidationService. Afterwards the mind's progress and its list of pending turns
say what the story on disk says.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import MemoryFault
from consolidation.kernel.ports import Usage
from consolidation.kernel.sharing_errors import ChangedElsewhere
from consolidation.story.narrator import Voice
from consolidation.story.run import MindStory, Run, failed
from consolidation.story.storyfile import StoryFile
from service.mind.own_settings import zone_of
from service.mind.story_progress import PendingTurns

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from consolidation.kernel.ports import Clock
    from consolidation.story.chapter_turns import ErasedTurns
    from consolidation.story.consolidation import ConsolidationService
    from consolidation.story.erasure import ErasedFromStory
    from consolidation.story.run import Gathered
    from consolidation.story.triggers import Trigger
    from service.mind.minds import Mind, Minds
    from service.story.pending_log import PendingLog
    from service.story.run_telemetry import RunTelemetry
    from service.story.sources import StorySources

    type _Work = Callable[[Mind, Run], Awaitable[Run]]

_MOST_TRIES = 3  # of a run that other services disturb
_WAITS = "waits for the run of another service"
_TOLD_ELSEWHERE = "another service has just told what was pending"


class StoryWriter:
    """Writes; *agent* is what the bot is called in its story."""

    def __init__(
        self,
        consolidation: ConsolidationService,
        *,
        clock: Clock,
        agent: str,
        pending_log: PendingLog,
        sources: StorySources,
        telemetry: RunTelemetry,
        minds: Minds,
    ) -> None:
        self._consolidation = consolidation
        self._clock = clock
        self._agent = agent
        self._pending_log = pending_log
        self._sources = sources
        self._telemetry = telemetry
        self._minds = minds

    async def narrate(
        self, mind: Mind, *, trigger: Trigger, first: Callable[[], Awaitable[Gathered]] | None = None
    ) -> Run:
        """
        Narrate every pending turn; *first* imports turns before.

        What fails is in the run that is returned, which is then the mind's ``last_run``: turns go on being pending.
        """

        def progress(run: Run) -> None:
            self._telemetry.report_refusal(mind, before=mind.story.last_run, run=run)
            mind.story.last_run = run

        async def run(mind: Mind, started: Run) -> Run:
            gathered = await first() if first is not None else None
            voice = await anyio.to_thread.run_sync(
                lambda: Voice.of(mind.workspace, agent=self._agent, zone=zone_of(mind))
            )
            return await self._consolidation.update_narrative_story(
                story_of(mind, clock=self._clock),
                voice=voice,
                trigger=started.trigger,
                progress=progress,
                gathered=gathered,
            )

        return await self._observed(mind, trigger, run)

    async def skip(
        self, mind: Mind, *, trigger: Trigger, first: Callable[[], Awaitable[Gathered]] | None = None
    ) -> Run:
        """Count every pending turn as narrated, without narrating it; otherwise as ``narrate``."""

        async def run(mind: Mind, started: Run) -> Run:
            gathered = await first() if first is not None else None
            skipped = await self._consolidation.skip(story_of(mind, clock=self._clock), trigger=started.trigger)
            return replace(skipped, gathered=gathered)

        return await self._observed(mind, trigger, run)

    async def rewind(self, mind: Mind, version: str) -> str:
        """
        Go back to an earlier story, so that turns narrated after it are pending again. Returns the text it wrote.

        Raises StoryFault, Locked, OSError.
        """
        async with self._alone(mind) as found:
            written = await self._consolidation.rewind(story_of(found, clock=self._clock), version=version)
            await self.refresh(found)
        return written

    async def erase(self, mind: Mind, erased: ErasedTurns) -> ErasedFromStory:
        """
        Take erased turns out of the story and its history.

        Raises StoryFault, Locked, OSError.
        """
        found = await self._consolidation.erase(story_of(mind, clock=self._clock), erased)
        await self._sources.erase(mind)
        await self.refresh(mind)
        return found

    async def put_right(self, mind: Mind) -> int:
        """
        Take out of the story what people put right. Returns how many chapters went.

        Raises StoryFault, Locked, OSError.
        """
        gone = await self._consolidation.put_right(story_of(mind, clock=self._clock))
        if gone:
            await self._sources.erase(mind)
        await self.refresh(mind)
        return gone

    def forget(self, mind_id: str) -> None:
        """Drop what is known of an erased mind."""
        self._pending_log.forget(mind_id)
        self._sources.forget(mind_id)

    async def refresh(self, mind: Mind) -> None:
        """Learn from the disk how far the story is, and list what is pending. Raises StoryFault, HomeFault."""
        story = story_of(mind, clock=self._clock)
        mind.story.sequence = await self._consolidation.catch_up(story)
        owed = await self._consolidation.owed(story)
        mind.story.owed = PendingTurns(len(owed), sum(stored.tokens for stored in owed))
        mind.story.is_checked = True
        await self._pending_log.rewrite(mind, lambda: self._consolidation.pending(story))

    async def _observed(self, mind: Mind, trigger: Trigger, work: _Work) -> Run:
        run = started = Run(trigger, self._clock.now())
        if mind.story.runs == 1:  # else the run that this one waits for is still shown
            mind.story.last_run = started
        with self._telemetry.observe(mind, trigger) as ended:
            try:
                mind, run = await self._in_turn(mind, started, work)
            except (MemoryFault, OSError) as error:
                run = failed(replace(run, ended_at=self._clock.now()), error)
            except BaseException as error:
                mind.story.last_run = replace(started, ended_at=self._clock.now(), error=_reason(error))
                raise
            mind.story.last_run = run
            mind.story.failures = mind.story.failures + 1 if run.error is not None else 0
            mind.story.failed_at = self._clock.monotonic()
            ended(run)
            if run.error is None:
                self._sources.begin(mind)
        return run

    async def _in_turn(self, mind: Mind, started: Run, work: _Work) -> tuple[Mind, Run]:
        """
        Do *work* after the run of another service, if one is under way. Returns the mind as it is then, and the run.

        Where another service has taken the mind or written its story all the same, that is read, and *work* is redone.
        """
        run, has_waited, spent = started, False, Usage()
        tries = 1 if self._minds.custodian is None else _MOST_TRIES

        def waits() -> None:
            nonlocal has_waited
            has_waited, mind.story.last_run = True, replace(started, reason=_WAITS)

        for left in reversed(range(tries)):
            async with self._alone(mind, waits=waits) as found:
                mind = found
                try:
                    run = await work(mind, started)
                    await self.refresh(mind)
                except ChangedElsewhere as error:
                    run = failed(replace(started, ended_at=self._clock.now()), error)
            spent += run.usage
            if not run.was_overtaken or not left:
                break
        is_told_elsewhere = has_waited and not run.turns and run.error is None
        return mind, replace(run, usage=spent, reason=_TOLD_ELSEWHERE if is_told_elsewhere else run.reason)

    @asynccontextmanager
    async def _alone(self, mind: Mind, *, waits: Callable[[], None] = lambda: None) -> AsyncIterator[Mind]:
        """The mind, whose story no other service writes inside the block; *waits* is called while one does."""
        if self._minds.custodian is None:
            yield mind
            return
        async with self._minds.custodian.narrating(mind.mind_id, waits=waits):
            yield await self._minds.find(mind.mind_id)  # with what the others wrote


def story_of(mind: Mind, *, clock: Clock) -> MindStory:
    """The mind's story, as consolidation works on it."""
    file = StoryFile.of(mind.workspace, clock=clock)
    return MindStory(mind.transcript, file, mind.workspace.published, mind.corrections)


def _reason(error: BaseException) -> str:
    """What a person reads in the state of a run that ended by an error nobody foresaw, or was stopped."""
    is_stopped = isinstance(error, asyncio.CancelledError)
    return "stopped before its end" if is_stopped else "an unexpected error; see the log"
