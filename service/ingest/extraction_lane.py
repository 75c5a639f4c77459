"""
The extraction lane: a model reads each turn, in order, and a turn that can not be read never stops its mind.

It never runs ahead of the saving lane. When a turn is parked, and when it is tried again, is decided in ``parking``.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import (
    ExtractionTimedOut,
    GraphUnavailable,
    HomeFault,
    IndexUnusable,
    MemoryFault,
    ModelTimedOut,
)
from service.index.remembered_messages import remembered
from service.ingest.agreement import graph_parts_at
from service.ingest.episodes import as_episode, uuid_of
from service.ingest.extraction_prompts import shortened
from service.ingest.knowledge_index import index_knowledge
from service.ingest.parking import (
    OUTAGES,
    is_for_outage,
    is_last_chance,
    is_left_alone,
    is_not_tried,
    is_outage,
    is_over,
    is_to_be_parked,
    is_to_be_read_again,
    is_too_slow,
    parking_reason,
)
from service.mind.events import about
from service.mind.health import LaneName
from service.ports.graph import Parked
from service.ports.shared_home import SOLE
from service.runtime.time_limit import limited

if TYPE_CHECKING:
    from datetime import datetime

    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import StoredTurn
    from service.ingest.lane_telemetry import LaneTelemetry
    from service.mind.events import Publish
    from service.mind.minds import Mind
    from service.ports.graph import Extracted, Progress
    from service.ports.shared_home import Custody

log = structlog.get_logger()

_TURNS_BEFORE = 2  # of a session are shown to the model with a turn
_KNOWLEDGE_PAGE = 500
_MOST_READ_AGAIN = 20  # parked turns that are read again before the next new turn
_LOOK_AHEAD = 200  # turns in which the next one that is remembered is looked for


class ExtractionLane:
    """Moves the graph's cursor ``extracted`` and, before it, full text's cursor ``facts``."""

    name = LaneName.EXTRACTING
    uses_graph = True

    def __init__(
        self,
        *,
        clock: Clock,
        most_attempts: int,
        turn_seconds: float,
        telemetry: LaneTelemetry,
        publish: Publish,
        custody: Custody = SOLE,
    ) -> None:
        """
        Each of *most_attempts* at a turn may take *turn_seconds*, without what it waits for other turns' model calls;
        *publish* tells which turns were read. Of a mind that is in another process's *custody*, the lane only puts into
        full text what that one found.
        """
        self._custody = custody
        self._clock = clock
        self._most_attempts = most_attempts
        self._turn_seconds = turn_seconds
        self._telemetry = telemetry
        self._publish = publish
        self._to_retry: set[str] = set()
        self._to_try: dict[str, int] = {}
        self._to_cut: set[str] = set()  # episodes of which less is shown at the next attempt
        self._read_at: datetime | None = None

    @property
    def read_at(self) -> datetime | None:
        """When a turn of any mind was read last; None before the first one."""
        return self._read_at

    def retry(self, mind_id: str) -> None:
        """Try all parked turns of a mind again at its next step: somebody asked for it."""
        self._to_retry.add(mind_id)

    def try_after_outage(self, mind_id: str, *, first: int = 0) -> None:
        """
        Try those that an outage parked at the mind's next step, beginning with the turn of sequence *first*.

        Where the outage turns out to go on, the first of them is the last.
        """
        self._to_try[mind_id] = first

    def forget(self, mind_id: str) -> None:
        """Drop what is remembered of a mind."""
        self._to_retry.discard(mind_id)
        self._to_try.pop(mind_id, None)

    async def step(self, mind: Mind) -> bool:
        """Extract the next turn; True while there are more. Raises GraphUnavailable, or what the turn failed of."""
        progress = await self._read_progress(mind)
        if not self._custody.holds(mind.mind_id):
            await self._catch_up(mind, progress.extracted)
            return False
        if await graph_parts_at(mind, progress, custody=self._custody) is not None:
            raise GraphUnavailable("the graph holds another turn than the transcript; the saving lane takes it out")
        if await self._retry_parked(mind, progress.parked, has_new=progress.extracted < progress.saved):
            progress = await self._read_progress(mind)
        await self._catch_up(mind, progress.extracted)
        has_more = any(map(is_to_be_read_again, progress.parked))
        turns = await mind.transcript.after(progress.extracted, limit=_LOOK_AHEAD)
        saved = [turn for turn in turns if turn.sequence <= progress.saved]
        turn = next((turn for turn in saved if turn.is_remembered), None)
        if turn is None:
            if saved:
                await self._pass(mind, saved[-1], after=progress.extracted)
                await _move_cursor(mind, saved[-1].sequence)
            return has_more or len(saved) == _LOOK_AHEAD
        await self._extract_or_park(mind, turn, after=progress.extracted, in_outage=is_outage(progress.parked))
        return True

    async def _read_progress(self, mind: Mind) -> Progress:
        progress = await mind.graph.progress()
        if self._custody.holds(mind.mind_id):  # else vectors are to be made here of what is saved
            mind.health.lanes[LaneName.SAVING].cursor = progress.saved
        mind.health.lanes[self.name].cursor = progress.extracted
        mind.health.parked, mind.health.awaits_end_of_outage = progress.parked, is_outage(progress.parked)
        return progress

    async def _extract_or_park(self, mind: Mind, turn: StoredTurn, *, after: int, in_outage: bool) -> None:
        episode = uuid_of(mind, turn)
        attempt = await mind.graph.begin_attempt(episode)
        if attempt > 1:
            await anyio.to_thread.run_sync(mind.text.forget_facts_of, episode)
        try:
            extracted = await self._extract(mind, turn)
        except (GraphUnavailable, HomeFault):
            raise
        except MemoryFault as error:
            if is_not_tried(error):
                await mind.graph.undo_attempt(episode)
                raise
            if not is_to_be_parked(error, attempt=attempt, most_attempts=self._most_attempts, in_outage=in_outage):
                raise
            reason = parking_reason(error, is_final=False)
            await self._park(mind, turn, reason, attempts=attempt, after=after)
            await _move_cursor(mind, turn.sequence)
            return
        try:
            await anyio.to_thread.run_sync(index_knowledge, mind, extracted, turn.sequence)
        except IndexUnusable:
            await self._pass(mind, turn, after=after)  # full text catches up; no model is asked twice
            raise
        await self._pass(mind, turn, after=after)
        self._publish(mind.mind_id, "turn.read", **about(turn))
        if in_outage:  # it is over
            self.try_after_outage(mind.mind_id)

    async def _pass(self, mind: Mind, turn: StoredTurn, *, after: int) -> None:
        await mind.graph.mark_extracted(turn.sequence, turn_id=turn.turn.turn_id, after=after)

    async def _extract(self, mind: Mind, turn: StoredTurn, *, is_cut: bool = False) -> Extracted:
        """What a model finds in *turn*; where it *is_cut*, in less of it, without the turns before it."""
        episode = as_episode(turn, uuid=uuid_of(mind, turn))
        if is_cut:
            episode = replace(episode, said=await anyio.to_thread.run_sync(shortened, episode.said))
        before = () if is_cut else await mind.turns_before(turn, limit=_TURNS_BEFORE)
        previous = [message for earlier in before for message in remembered(earlier)]
        with self._telemetry.step(self.name, mind, (turn,)) as annotate:
            try:
                async with limited(self._turn_seconds):
                    await anyio.to_thread.run_sync(mind.settings.read)  # whose kinds of entities the model is asked for
                    extracted = await mind.graph.extract(episode, previous=previous)
            except TimeoutError as error:
                raise ExtractionTimedOut(f"the turn was not extracted within {self._turn_seconds:g} s") from error
            found = {
                "facts": len(extracted.facts),
                "entities": len(extracted.entities),
                "dropped": extracted.dropped,
            }
            self._telemetry.dropped(facts=extracted.dropped)
            annotate(**found)
            log.debug("turn.extracted", **found)
        self._read_at = self._clock.now()
        return extracted

    async def _retry_parked(self, mind: Mind, parked: tuple[Parked, ...], *, has_new: bool) -> bool:
        """
        Try those of the *parked* turns again whose time it is; whether there were any.

        With *has_new*, those that a model was too slow for wait until the new turns are read.
        """
        is_asked, first = mind.mind_id in self._to_retry, self._to_try.get(mind.mind_id)
        self.forget(mind.mind_id)
        again = [one for one in parked if is_to_be_read_again(one)][:_MOST_READ_AGAIN]
        due = parked
        if not is_asked:
            tried = [one for one in parked if first is not None and is_for_outage(one)]
            due = (*again, *(one for one in tried if not (has_new and is_too_slow(one))))
            if first is not None and has_new and any(map(is_too_slow, tried)):
                self.try_after_outage(mind.mind_id, first=first)
        for one in sorted(due, key=lambda one: (one.sequence != first, one.parked_at)):
            if not await self._retry_one(mind, one, is_asked=is_asked):
                break
        return bool(due)

    async def _retry_one(self, mind: Mind, one: Parked, *, is_asked: bool) -> bool:
        """Try a parked turn again. False where the others have to wait."""
        turn = await mind.transcript.read(one.sequence)
        if not turn.is_remembered:  # erased meanwhile
            await mind.graph.unpark(one)
            return True
        try:
            extracted = await self._extract_again(mind, turn, one)
            late = None if is_to_be_read_again(one) else self._clock.now  # nobody learns what is read again
            await anyio.to_thread.run_sync(partial(index_knowledge, mind, extracted, 0, late=late))
            await mind.graph.unpark(one)
        except MemoryFault as error:
            if is_left_alone(error):  # a mismatch is raised before it counts
                await mind.graph.undo_attempt(uuid_of(mind, turn))
            if is_not_tried(error) or isinstance(error, (GraphUnavailable, HomeFault)):
                if is_asked:
                    self.retry(mind.mind_id)
                elif is_left_alone(error) and is_for_outage(one):
                    return False
                raise
            return await self._failed_again(mind, turn, one, error, is_asked=is_asked)
        self._publish(mind.mind_id, "turn.read", **about(turn))
        return True

    async def _extract_again(self, mind: Mind, turn: StoredTurn, one: Parked) -> Extracted:
        """What a model finds in a parked turn, or in less of it where that takes too long though others were read."""
        episode = uuid_of(mind, turn)
        if episode not in self._to_cut:
            await mind.graph.begin_attempt(episode)
            try:
                return await self._extract(mind, turn)
            except ModelTimedOut:
                if not (is_too_slow(one) and is_over(one, read_at=self._read_at)):
                    raise
            self._to_cut.add(episode)  # also where the next question has to wait
        await mind.graph.begin_attempt(episode)
        try:
            extracted = await self._extract(mind, turn, is_cut=True)
        except MemoryFault as error:
            if not is_not_tried(error):
                self._to_cut.discard(episode)
            raise
        self._to_cut.discard(episode)
        return extracted

    async def _failed_again(
        self, mind: Mind, turn: StoredTurn, one: Parked, error: MemoryFault, *, is_asked: bool
    ) -> bool:
        """Park a turn that was tried again, unless its outage goes on. False where the others have to wait."""
        is_away = isinstance(error, OUTAGES)
        if is_away and is_to_be_read_again(one):
            raise error  # an outage is not the turn's fault: it is read again when that ends
        goes_on = is_away and not is_over(one, read_at=self._read_at)
        if is_asked or not goes_on:
            is_own = isinstance(error, ModelTimedOut) and is_too_slow(one)
            is_last = is_own or is_last_chance(one, most_attempts=self._most_attempts)
            is_final = not is_away or (not goes_on and is_last)
            reason = parking_reason(error, is_final=is_final)
            await self._park(mind, turn, reason, attempts=one.attempts + 1, after=None)
        return is_asked or not is_away

    async def _park(self, mind: Mind, turn: StoredTurn, reason: str, *, attempts: int, after: int | None) -> None:
        """Park *turn*, which stands behind the cursor at *after*; None where it was read, or parked, before."""
        parked = Parked(turn.sequence, turn.turn.turn_id, reason, attempts, self._clock.now())
        await mind.graph.park(parked, after=after)
        self._telemetry.parked()
        self._publish(mind.mind_id, "turn.parked", **about(turn))
        log.warning("turn.parked", mind_id=mind.mind_id, sequence=turn.sequence, reason=reason)

    async def _catch_up(self, mind: Mind, extracted: int) -> None:
        """Read the whole graph into full text where that holds less, or holds what the graph has lost."""
        known = await anyio.to_thread.run_sync(mind.text.cursor, "facts")
        if known == extracted:
            return
        if known > extracted:
            await anyio.to_thread.run_sync(mind.text.clear_knowledge)
        after = 0
        while True:
            page = await mind.graph.knowledge(after=after, limit=_KNOWLEDGE_PAGE)
            if not page.facts and not page.entities:
                break
            await anyio.to_thread.run_sync(index_knowledge, mind, page, 0)
            after += _KNOWLEDGE_PAGE
        await _move_cursor(mind, extracted)


async def _move_cursor(mind: Mind, cursor: int) -> None:
    await anyio.to_thread.run_sync(lambda: mind.text.add_knowledge((), (), cursor=cursor))
