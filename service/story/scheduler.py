"""
Decides when a story is narrated: after enough tokens, after a quiet time, on request; again after a failure.

A run never holds up a turn. Runs of one mind follow each other; minds do not wait for each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from consolidation.kernel.errors import MemoryFault
from consolidation.story.triggers import Trigger, Waiting, due

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable

    from consolidation.kernel.ports import Clock
    from consolidation.story.run import Gathered, Run
    from consolidation.story.triggers import TriggerThresholds
    from service.mind.minds import Mind, Minds
    from service.mind.story_progress import PendingTurns, StoryProgress
    from service.runtime.background import Background
    from service.story.pending_log import PendingLog
    from service.story.writer import StoryWriter

log = structlog.get_logger()

_MOST_DUE = 50  # resting minds that one sweep opens


class StoryScheduler:
    """Begins the runs of all minds, each as a background job."""

    def __init__(
        self,
        writer: StoryWriter,
        *,
        minds: Minds,
        clock: Clock,
        background: Background,
        pending_log: PendingLog,
        thresholds: TriggerThresholds,
        sweep_seconds: float,
    ) -> None:
        self._writer = writer
        self._minds = minds
        self._clock = clock
        self._background = background
        self._pending_log = pending_log
        self._thresholds = thresholds
        self._sweep_seconds = sweep_seconds
        self._unreadable: set[str] = set()

    def notice(self, mind: Mind) -> int:
        """Learn that a turn was stored; enough pending tokens begin a run. Returns how many tokens are pending."""
        mind.story.last_turn_at = self._clock.monotonic()
        self._pending_log.wake(mind)
        self.begin_if_due(mind)
        return mind.story.pending(mind.transcript.positions).tokens

    def begin_if_due(self, mind: Mind) -> None:
        """Begin a run if it is time for one, none is under way, and the mind is ours to work on."""
        if not self._minds.custody.holds(mind.mind_id):
            return
        trigger = self._due(mind.story, mind.story.pending(mind.transcript.positions))
        if trigger is not None and not mind.story.is_running and not self._background.is_stopping:
            self.begin(mind, trigger=trigger)

    def _due(self, story: StoryProgress, pending: PendingTurns) -> Trigger | None:
        now = self._clock.monotonic()
        waiting = Waiting(pending.tokens, now - story.last_turn_at, story.failures, now - story.failed_at)
        return due(waiting, self._thresholds)

    def begin(
        self,
        mind: Mind,
        *,
        trigger: Trigger,
        first: Callable[[], Awaitable[Gathered]] | None = None,
        skips: bool = False,
    ) -> asyncio.Task[Run | None]:
        """
        Begin a run behind those that were begun before; the task ends with it.

        *first* imports turns before it. With *skips*, pending turns are counted as narrated without being narrated.
        The run goes on although nobody awaits the task.
        """
        work = self._writer.skip if skips else self._writer.narrate
        mind.story.runs += 1

        async def run() -> Run:
            try:
                await self._minds.gate.until_resumed(mind.mind_id)
                ended = await work(mind, trigger=trigger, first=first)
            finally:
                mind.story.runs -= 1
            if ended.error is None:
                self.begin_if_due(mind)  # turns stored meanwhile began no run
            return ended

        return self._background.start(f"story {mind.mind_id}", run, owner=mind.mind_id)

    def put_right(self, mind: Mind) -> None:
        """Take out of the story what a person has just put right, and narrate what is owed, in the background."""
        mind.story.is_checked = False  # until that is done, whichever process does it

        async def run() -> None:
            await self._minds.gate.until_resumed(mind.mind_id)
            try:
                await self._minds.take_over(mind.mind_id)
                await self._writer.put_right(mind)
            except (MemoryFault, OSError) as error:  # the next run does it
                log.warning("story.not_put_right", mind_id=mind.mind_id, error=str(error))
                return
            if mind.story.owed.turns and not self._background.is_stopping:
                self.begin(mind, trigger=Trigger.MANUAL)

        self._background.start(f"put right {mind.mind_id}", run, owner=mind.mind_id)

    async def sweep(self) -> None:
        """
        Look again and again whether a run is due, of every open mind and of resting ones whose time has come.

        So a lost wake-up loses nothing. Never returns.
        """
        while not self._background.is_stopping:
            for mind_id in (*(mind.mind_id for mind in self._minds.opened()), *await self._minds.due(limit=_MOST_DUE)):
                await self.look(mind_id)
            await self._background.pause(self._sweep_seconds)

    async def look(self, mind_id: str) -> None:
        """Begin a run of one mind if one is due; a mind that can not be read is logged once and left alone."""
        try:
            with self._minds.gate.enter(mind_id):
                mind = self._minds.get(mind_id) or await self._minds.find(mind_id)
                if not self._minds.custody.holds(mind_id):
                    return
                if not mind.story.is_checked and not mind.story.is_running:
                    await self._writer.put_right(mind)
                    if mind.story.owed.turns and not self._background.is_stopping:
                        self.begin(mind, trigger=Trigger.MANUAL)  # for an erasure or a correction before a restart
                self.begin_if_due(mind)
                await self._pending_log.look(mind)
            self._unreadable.discard(mind_id)
        except (MemoryFault, OSError) as error:
            if mind_id not in self._unreadable:
                log.warning("story.unreadable", mind_id=mind_id, error=str(error))
            self._unreadable.add(mind_id)
