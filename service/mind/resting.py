"""
The minds that are closed with nothing left to do: what lists show of them, and what they go on with when opened again.

It is in a file, except what counts from the beginning of the service. A file that can not be read or written costs
time, never a turn: its minds are opened once more.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import IndexUnusable
from consolidation.kernel.ports import Usage
from consolidation.story.triggers import Waiting, due_in
from service.mind.health import LaneName
from service.mind.mind_register import MindRegister, RestingMind, RestingStory
from service.mind.story_progress import PendingTurns
from service.mind.summary import Narration, Totals, summary_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from consolidation.kernel.ports import Clock
    from consolidation.story.run import Run
    from consolidation.story.triggers import TriggerThresholds
    from service.mind.minds import Mind
    from service.mind.summary import MindSummary
    from service.observability.dependency_health import Dependency
    from service.workers.share import Share

_PART = "register of minds"
_MOST_REMEMBERED = 10_000


@dataclass(slots=True)
class _SinceStart:
    """What counts from the beginning of the service: what a mind's model calls cost, and its last story run."""

    usage: Usage
    last_run: Run | None


class RestingMinds:
    """The resting minds of a share of a home. *thresholds* say when a story is due; without them, none is."""

    def __init__(
        self,
        home: Path,
        *,
        clock: Clock,
        thresholds: TriggerThresholds | None,
        disk: Dependency,
        share: Share,
    ) -> None:
        self._register = MindRegister(home / "derived" / "minds.sqlite3", share=share)
        self._clock = clock
        self._thresholds = thresholds
        self._disk = disk
        self._ids: set[str] | None = None  # None: not read yet
        self._reading = asyncio.Lock()
        self._since_start: OrderedDict[str, _SinceStart] = OrderedDict()
        self._embedder: str | None = None  # the stored name of ours, once it was asked for minds of others

    def __contains__(self, mind_id: str) -> bool:
        """Whether a mind is resting, as far as the file was read."""
        return self._ids is not None and mind_id in self._ids

    async def ids(self) -> AbstractSet[str]:
        """The ids of all of them."""
        async with self._reading:
            if self._ids is None:
                self._ids = await self._asked(self._register.resting_ids, otherwise=set[str]())
            return self._ids

    async def rest(self, mind: Mind, *, unused_seconds: float) -> None:
        """Note that *mind* is closed, *unused_seconds* after its last use."""
        await self.ids()
        resting = self._resting_of(mind, unused_seconds=unused_seconds)
        since = _SinceStart(mind.health.usage, mind.story.last_run)
        if since.usage != Usage() or since.last_run is not None:
            self._since_start[mind.mind_id] = since
            while len(self._since_start) > _MOST_REMEMBERED:
                self._since_start.popitem(last=False)
        if await self._asked(lambda: self._register.rest(resting), otherwise=False) and self._ids is not None:
            self._ids.add(mind.mind_id)

    async def wake(self, mind_id: str) -> RestingMind | None:
        """Note that a mind is about to be opened, and return what it goes on with; None where it was not resting."""
        if mind_id not in await self.ids():
            return None
        known = await self._rows((mind_id,))
        await self._asked(lambda: self._register.wake(mind_id), otherwise=None)
        self._discard(mind_id)
        return known.get(mind_id)

    def restore(self, mind: Mind, known: RestingMind) -> None:
        """Let *mind*, which was just opened, go on where it was."""
        for lane, cursor in known.cursors.items():
            mind.health.lanes[lane].cursor = cursor
        mind.health.embedder = known.embedder
        if known.embedder and self._embedder not in {None, known.embedder}:
            mind.health.lanes[LaneName.SAVING].cursor = 0  # all its vectors are made anew
        story, ago = known.story, self._ago
        mind.story.owed, mind.story.is_checked = story.owed, story.is_checked
        mind.story.failures, mind.story.failed_at = story.failures, ago(story.failed_at)
        mind.story.last_turn_at = ago(story.last_turn_at)
        if (since := self._since_start.pop(mind.mind_id, None)) is not None:
            mind.health.usage, mind.story.last_run = since.usage, since.last_run

    async def forget(self, mind_id: str) -> None:
        """Drop a mind that does not exist any more."""
        await self.ids()
        self._discard(mind_id)
        self._since_start.pop(mind_id, None)
        await self._asked(lambda: self._register.forget(mind_id), otherwise=None)

    async def due(self, *, limit: int) -> tuple[str, ...]:
        """Those whose story is due, the longest due first."""
        now = self._clock.now().timestamp()
        return await self._asked(lambda: self._register.due(now, limit=limit), otherwise=())

    async def least_used(self, mind_ids: Iterable[str], *, limit: int) -> tuple[str, ...]:
        """Those of *mind_ids* that are resting, the least recently used first."""
        return await self._asked(lambda: self._register.least_used(mind_ids, limit=limit), otherwise=())

    async def of_other_embedders(self, embedder: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        """Those of which no embedder is known; and, with its name, those of another one, whose turns come again."""
        self._embedder = embedder
        return await self._asked(lambda: self._register.of_other_embedders(embedder), otherwise=((), ()))

    async def summaries(self, mind_ids: Iterable[str]) -> dict[str, MindSummary]:
        """What lists show of at most 500 of them, by id."""
        ids = await self.ids()
        wanted = [mind_id for mind_id in mind_ids if mind_id in ids]
        found = await self._rows(wanted) if wanted else {}
        return {mind_id: self._shown(one.summary) for mind_id, one in found.items()}

    async def totals(self) -> Totals:
        """Sums over all of them."""
        return await self._asked(self._register.totals, otherwise=Totals(0, PendingTurns(), 0, 0))

    def add_usage(self, mind_id: str, usage: Usage) -> None:
        """Add what a model call cost that ended after its mind was closed."""
        if mind_id in self:
            since = self._since_start.setdefault(mind_id, _SinceStart(Usage(), None))
            since.usage += usage

    def close(self) -> None:
        """Close the file."""
        self._register.close()

    def _resting_of(self, mind: Mind, *, unused_seconds: float) -> RestingMind:
        story, now = mind.story, self._clock.now().timestamp()
        offset = now - self._clock.monotonic()
        return RestingMind(
            summary=summary_of(mind),
            cursors={lane: mind.health.lanes[lane].cursor for lane in LaneName},
            story=RestingStory(
                owed=story.owed,
                last_turn_at=story.last_turn_at + offset,
                failures=story.failures,
                failed_at=story.failed_at + offset,
                is_checked=story.is_checked,
                due_at=self._due_at(mind, now=now),
            ),
            used_at=now - unused_seconds,
            embedder=mind.health.embedder,
        )

    def _due_at(self, mind: Mind, *, now: float) -> float | None:
        story = mind.story
        if not story.is_checked:
            return now
        if self._thresholds is None:
            return None
        tokens, time = story.pending(mind.transcript.positions).tokens, self._clock.monotonic()
        waiting = Waiting(tokens, time - story.last_turn_at, story.failures, time - story.failed_at)
        seconds = due_in(waiting, self._thresholds)
        return None if seconds is None else now + seconds

    def _ago(self, wall: float) -> float:
        """A time of the wall clock as one of the monotonic clock; never in the future."""
        return self._clock.monotonic() - max(self._clock.now().timestamp() - wall, 0.0)

    def _shown(self, summary: MindSummary) -> MindSummary:
        since = self._since_start.get(summary.mind_id)
        if since is None:
            return summary
        run = since.last_run
        narration = Narration(received=run.received, error=run.error) if run is not None else summary.narration
        return replace(summary, usage=since.usage, narration=narration)

    async def _rows(self, mind_ids: Sequence[str]) -> dict[str, RestingMind]:
        return await self._asked(lambda: self._register.get(mind_ids), otherwise=dict[str, RestingMind]())

    def _discard(self, mind_id: str) -> None:
        if self._ids is not None:
            self._ids.discard(mind_id)

    async def _asked[T](self, ask: Callable[[], T], *, otherwise: T) -> T:
        try:
            found = await anyio.to_thread.run_sync(ask)
        except IndexUnusable as error:
            self._disk.failed(str(error), part=_PART)
            return otherwise
        self._disk.worked(part=_PART)
        return found
