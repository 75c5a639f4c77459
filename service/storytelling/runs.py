"""When a story is told: what waits in each mind, and the runs that tell it, one at a time, beside everything else."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import MemoryFault
from consolidation.story.anchor import read_marks, without_marks
from consolidation.story.chapters import parse
from consolidation.story.ledger import read_ledger
from consolidation.story.narrator import Voice
from consolidation.story.run import Run, Subject, failed
from consolidation.story.storyfile import StoryFile
from consolidation.story.triggers import Backlog, Trigger, due
from service.storytelling.listing import Listing
from service.storytelling.outcome import told_of
from service.storytelling.state import Spell, StoryState

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Sequence

    from consolidation.kernel.ports import Clock
    from consolidation.story.consolidate import ConsolidationService
    from consolidation.story.run import Gathered
    from consolidation.story.taking_out import TakenOut
    from consolidation.story.triggers import Patience
    from service.background import Background
    from service.minds import Mind, Minds
    from service.storytelling.outcome import Outcomes

log = structlog.get_logger()

_SOUL = 8_000


class Storytelling:
    """The stories of all minds."""

    def __init__(
        self,
        service: ConsolidationService,
        *,
        minds: Minds,
        clock: Clock,
        background: Background,
        agent: str,
        patience: Patience,
        sweep_seconds: float,
        outcomes: Outcomes,
    ) -> None:
        """Bind to the one door; *patience* says when a story is told by itself."""
        self._outcomes = outcomes
        self._service = service
        self._minds = minds
        self._clock = clock
        self._background = background
        self._agent = agent
        self._patience = patience
        self._sweep_seconds = sweep_seconds
        self._listing = Listing(background)
        self._tellings: dict[str, Spell] = {}
        self._unreadable: set[str] = set()

    def last_run(self, mind: Mind) -> Run | None:
        """The run that is under way, or the last one; None when there was none since the service began."""
        known = self._tellings.get(mind.mind_id)
        return known.run if known is not None else None

    def is_running(self, mind: Mind) -> bool:
        """Whether a run is under way or waits for one."""
        known = self._tellings.get(mind.mind_id)
        return known is not None and known.tasks > 0

    async def state(self, mind: Mind) -> StoryState:
        """The story as it stands. Raises StoryUnreadable."""
        subject = self.subject(mind)
        text = await anyio.to_thread.run_sync(subject.file.read)
        known = await anyio.to_thread.run_sync(read_ledger, subject.ledger)
        to_tell = await self._service.to_tell(subject)
        positions = mind.transcript.positions
        owed = await self._service.owed(subject)
        again = await self._service.pending(subject) if to_tell.since is not None else ()
        marks = read_marks(text)
        return StoryState(
            text=text,
            book=parse(without_marks(text)),
            ours=known.digests,
            sequence=marks.sequence if marks.sequence is not None else known.sequence or 0,
            last_processed=marks.anchor or known.anchor,
            pending_turns=len(again) or positions.remembered_after(to_tell.sequence) + len(owed),
            pending_tokens=sum(kept.tokens for kept in again or owed)
            + (0 if again else positions.tokens_after(to_tell.sequence)),
        )

    def begin(
        self,
        mind: Mind,
        *,
        trigger: Trigger,
        first: Callable[[], Awaitable[Gathered]] | None = None,
        skips: bool = False,
    ) -> asyncio.Task[Run | None]:
        """
        Begin a run behind those that were begun before; the task ends with it, whoever waits.

        *first* reads more in before it; with *skips*, what waits is counted as told.
        """
        telling = self._telling(mind)
        telling.tasks += 1

        async def run() -> Run:
            try:
                await self._minds.fence.until_free(mind.mind_id)
                with self._outcomes.watching(mind, trigger) as ended:
                    ended(run := await self._run(mind, telling, trigger, first=first, skips=skips))
            finally:
                telling.tasks -= 1
            if run.error is None:
                self._begin_if_due(mind, telling)  # what was kept meanwhile woke nobody
            return run

        return self._background.start(f"story {mind.mind_id}", run, of=mind.mind_id)

    def notice(self, mind: Mind) -> int:
        """A turn was kept: how many tokens wait by now; enough of them begin a run."""
        telling = self._telling(mind)
        telling.heard_at = self._clock.monotonic()
        self._listing.wake(mind, told=telling.told)
        return self._begin_if_due(mind, telling)

    def pending_tokens(self, mind: Mind) -> int:
        """How many tokens wait to be told."""
        return self.pending(mind)[1]

    def pending(self, mind: Mind) -> tuple[int, int]:
        """How many turns, and tokens, wait to be told."""
        telling, positions = self._telling(mind), mind.transcript.positions
        return positions.remembered_after(telling.told), positions.tokens_after(telling.told) + telling.owed

    async def sweep(self) -> None:
        """For ever: look at every mind there is, whether it is time to tell; a lost wake-up loses nothing."""
        while not self._background.is_stopping:
            with suppress(OSError):  # a home that can not be read: the lanes' sweep tells
                for mind_id in self._minds.ids():
                    await self._look(mind_id)
            await self._background.pause(self._sweep_seconds)

    async def _look(self, mind_id: str) -> None:
        try:
            with self._minds.fence.inside(mind_id):
                mind = await self._minds.find(mind_id)
                telling = self._telling(mind)
                if not telling.is_settled and not telling.tasks:
                    await self._settle(mind, telling)
                self._begin_if_due(mind, telling)
            self._unreadable.discard(mind_id)
        except (MemoryFault, OSError) as error:
            if mind_id not in self._unreadable:
                log.warning("story.unreadable", mind_id=mind_id, error=str(error))
            self._unreadable.add(mind_id)

    async def rewind(self, mind: Mind, version: str) -> None:
        """Go back to an earlier story, and have what was told after it wait again. Raises StoryFault, OSError."""
        telling = self._telling(mind)
        await self._service.rewind(self.subject(mind), version=version)
        await self._settle(mind, telling)
        self._begin_if_due(mind, telling)

    async def take_out(self, mind: Mind, erased: frozenset[int], *, words: Sequence[str]) -> TakenOut:
        """Take erased turns, that alone said *words*, out of the story and its history. Raises StoryFault, OSError."""
        taken = await self._service.take_out(self.subject(mind), erased, words=words)
        await self._settle(mind, self._telling(mind))
        return taken

    def forget(self, mind_id: str) -> None:
        """Know nothing of a mind's story: it was erased."""
        self._tellings.pop(mind_id, None)
        self._listing.forget(mind_id)

    def subject(self, mind: Mind) -> Subject:
        """Whose story it is, as the one door wants it."""
        workspace = mind.workspace
        soul = workspace.read(workspace.soul, most_characters=_SOUL)
        file = StoryFile(workspace.story, history=workspace.history, clock=self._clock)
        voice = Voice(self._agent, soul.strip(), workspace.prompts)
        return Subject(mind.transcript, file, workspace.published, voice)

    def _telling(self, mind: Mind) -> Spell:
        known = self._tellings.get(mind.mind_id)
        if known is None:
            told = read_ledger(mind.workspace.published).sequence or 0  # a small file, once a mind
            known = self._tellings[mind.mind_id] = Spell(told, self._clock.monotonic())
        return known

    def _begin_if_due(self, mind: Mind, telling: Spell) -> int:
        now = self._clock.monotonic()
        pending = self.pending_tokens(mind)
        backlog = Backlog(pending, now - telling.heard_at, telling.failures, now - telling.failed_at)
        trigger = due(backlog, self._patience)
        if trigger is not None and not telling.tasks and not self._background.is_stopping:
            self.begin(mind, trigger=trigger)
        return pending

    async def _run(
        self,
        mind: Mind,
        telling: Spell,
        trigger: Trigger,
        *,
        first: Callable[[], Awaitable[Gathered]] | None,
        skips: bool,
    ) -> Run:
        def progress(run: Run) -> None:
            telling.run = run

        subject, started = self.subject(mind), Run(trigger, self._clock.now())
        if telling.tasks == 1:
            progress(started)
        try:
            gathered = await first() if first is not None else None
            if skips:
                run = replace(await self._service.skip(subject, trigger=trigger), gathered=gathered)
            else:
                run = await self._service.update_narrative_story(
                    subject, trigger=trigger, progress=progress, gathered=gathered
                )
            await self._settle(mind, telling)
        except (MemoryFault, OSError) as error:
            run = failed(replace(started, ended_at=self._clock.now()), error)
        except BaseException as error:
            progress(replace(started, ended_at=self._clock.now(), error=told_of(error)))
            raise
        progress(run)
        telling.failures = telling.failures + 1 if run.error is not None else 0
        telling.failed_at = self._clock.monotonic()
        return run

    async def _settle(self, mind: Mind, telling: Spell) -> None:
        """Look anew how far the story is, and list what waits."""
        subject = self.subject(mind)
        telling.told = await self._service.settle(subject)
        telling.owed = sum(kept.tokens for kept in await self._service.owed(subject))
        telling.is_settled = True
        await self._listing.list_anew(mind, lambda: self._service.pending(subject))
