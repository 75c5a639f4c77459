"""
The extracting lane: a model reads each turn, in order, and a turn that can not be read never stops its mind.

A turn that fails ``most_attempts`` times is parked. A provider that is away fails every turn: so while nothing
succeeds, a turn is parked much later than that, and what an outage parked is tried again after it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import (
    EmbedderResting,
    EmbedderUnavailable,
    ExtractionTimedOut,
    GraphUnavailable,
    HomeFault,
    IndexUnusable,
    MemoryFault,
    ModelResting,
    ModelTimedOut,
    ModelUnavailable,
)
from consolidation.kernel.language import detect
from consolidation.kernel.words import stems
from service.digestion.episodes import as_episode
from service.digestion.saving import before
from service.ports import Parked

if TYPE_CHECKING:
    from collections.abc import Callable

    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import Kept
    from service.digestion.steps import Steps
    from service.minds import Mind
    from service.ports import EpisodicGraph, Extracted, StoredEntity

log = structlog.get_logger()

_OUTAGES = (ModelUnavailable, EmbedderUnavailable)
_RESTING = (ModelResting, EmbedderResting)
_OUTAGE_NAMES = tuple(f"{fault.__name__}: " for fault in (*_OUTAGES, ModelTimedOut, *_RESTING))
READ_AGAIN = "what it told went with an erased turn"  # why a turn is parked that is read again as soon as can be
_AGAIN = "tried again: "  # in front of the error of a turn that was given its chance after the outage
_OUTAGE_PATIENCE = 4  # times as many attempts while nothing succeeds: then it may be poison after all
_PREVIOUS = 2
_PAGE = 500
_SKIP = 200


class Extracting:
    """Moves the graph's ``extracted`` cursor and full text's ``facts``."""

    def __init__(
        self,
        graph: EpisodicGraph,
        *,
        clock: Clock,
        uuid_of: Callable[[str, str], str],
        most_attempts: int,
        turn_seconds: float,
        steps: Steps,
    ) -> None:
        """Bind to the graph; a turn has *turn_seconds* for each of *most_attempts*."""
        self._graph = graph
        self._clock = clock
        self._uuid_of = uuid_of
        self._most_attempts = most_attempts
        self._turn_seconds = turn_seconds
        self._steps = steps
        self._to_retry: set[str] = set()

    def retry(self, mind_id: str) -> None:
        """Try a mind's parked turns again at its next step."""
        self._to_retry.add(mind_id)

    def forget(self, mind_id: str) -> None:
        """Know a mind no more."""
        self._to_retry.discard(mind_id)

    async def step(self, mind: Mind) -> bool:
        """Extract the next turn; True while there are more. Raises GraphUnavailable, or what the turn failed of."""
        progress = mind.health.progress = await self._graph.progress(mind.mind_id)
        mind.health.saved, mind.health.extracted = progress.saved, progress.extracted
        if mind.mind_id in self._to_retry:
            await self._retry_parked(mind, progress.parked)
        elif owed := tuple(filter(_is_owed, progress.parked)):
            await self._retry_parked(mind, owed)
        await self._catch_up(mind, progress.extracted)
        waiting = [
            kept
            for kept in await mind.transcript.after(progress.extracted, limit=_SKIP)
            if kept.sequence <= progress.saved
        ]
        kept = next((kept for kept in waiting if kept.is_remembered), None)
        if kept is None:
            if waiting:
                await self._graph.complete(mind.mind_id, waiting[-1].sequence)
                await _move(mind, waiting[-1].sequence)
            return len(waiting) == _SKIP
        await self._extract_or_park(mind, kept, is_outage=any(map(self._is_of_outage, progress.parked)))
        return True

    async def _extract_or_park(self, mind: Mind, kept: Kept, *, is_outage: bool) -> None:
        """*is_outage*: a turn is parked already that failed of the provider, and nothing has succeeded since."""
        attempt = await self._graph.begin(mind.mind_id, self._uuid(mind, kept))
        if attempt > 1:
            await anyio.to_thread.run_sync(mind.text.forget_facts_of, self._uuid(mind, kept))
        try:
            extracted = await self._extracted(mind, kept)
        except (GraphUnavailable, HomeFault):
            raise
        except _RESTING:
            await self._graph.spare(mind.mind_id, self._uuid(mind, kept))  # nothing was asked: no attempt
            raise
        except MemoryFault as error:
            patience = _OUTAGE_PATIENCE if is_outage and isinstance(error, _OUTAGES) else 1
            if attempt < self._most_attempts * patience:
                raise
            await self._park(mind, kept, error, attempt)
            await _move(mind, kept.sequence)
            return
        try:
            await anyio.to_thread.run_sync(index_knowledge, mind, extracted, kept.sequence)
        except IndexUnusable:
            await self._graph.complete(mind.mind_id, kept.sequence)  # full text catches up; no model is asked twice
            raise
        await self._graph.complete(mind.mind_id, kept.sequence)
        if is_outage:
            self.retry(mind.mind_id)

    @staticmethod
    def _is_of_outage(parked: Parked) -> bool:
        """Whether a turn was parked for a provider that was away, and has not been tried again since."""
        return parked.error.startswith(_OUTAGE_NAMES)

    async def _extracted(self, mind: Mind, kept: Kept) -> Extracted:
        episode = as_episode(kept, uuid=self._uuid(mind, kept))
        previous = [self._uuid(mind, earlier) for earlier in await before(mind, kept, limit=_PREVIOUS)]
        with self._steps.working("extracting", mind, (kept,)) as note:
            try:
                async with asyncio.timeout(self._turn_seconds):
                    extracted = await self._graph.extract(mind.mind_id, episode, previous=previous)
            except TimeoutError as error:
                raise ExtractionTimedOut(f"the turn was not extracted within {self._turn_seconds:g} s") from error
            found = {"facts": len(extracted.facts), "entities": len(extracted.entities)}
            note(**found)
            log.debug("turn.read", **found)
        return extracted

    async def _park(self, mind: Mind, kept: Kept, error: MemoryFault, attempts: int, *, again: str = "") -> None:
        reason = f"{again}{type(error).__name__}: {error}"[:500]
        parked = Parked(kept.sequence, kept.turn.turn_id, reason, attempts, self._clock.now())
        await self._graph.park(mind.mind_id, parked)
        self._steps.parked()
        log.warning("turn.parked", mind_id=mind.mind_id, sequence=kept.sequence, reason=reason)

    async def _retry_parked(self, mind: Mind, parked: tuple[Parked, ...]) -> None:
        self._to_retry.discard(mind.mind_id)
        for one in parked:
            kept = await mind.transcript.read(one.sequence)
            if not kept.is_remembered:  # erased meanwhile
                await self._graph.unpark(mind.mind_id, one)
                continue
            await self._graph.begin(mind.mind_id, self._uuid(mind, kept))
            try:
                extracted = await self._extracted(mind, kept)
                await anyio.to_thread.run_sync(index_knowledge, mind, extracted, 0)
            except (GraphUnavailable, HomeFault):
                self.retry(mind.mind_id)
                raise
            except _RESTING:
                await self._graph.spare(mind.mind_id, self._uuid(mind, kept))
                self.retry(mind.mind_id)
                raise
            except MemoryFault as error:
                if _is_owed(one) and isinstance(error, _OUTAGES):
                    raise  # an outage is no fault of the turn's: it is owed until it ends
                await self._park(mind, kept, error, one.attempts + 1, again=_AGAIN)
                continue
            await self._graph.unpark(mind.mind_id, one)

    async def _catch_up(self, mind: Mind, extracted: int) -> None:
        """Read the whole graph into full text where it holds less, or holds what the graph has lost."""
        known = await anyio.to_thread.run_sync(mind.text.cursor, "facts")
        if known == extracted:
            return
        if known > extracted:
            await anyio.to_thread.run_sync(mind.text.forget_knowledge)
        after = 0
        while True:
            page = await self._graph.everything(mind.mind_id, after=after, limit=_PAGE)
            if not page.facts and not page.entities:
                break
            await anyio.to_thread.run_sync(index_knowledge, mind, page, 0)
            after += _PAGE
        await _move(mind, extracted)

    def _uuid(self, mind: Mind, kept: Kept) -> str:
        return self._uuid_of(mind.mind_id, kept.turn.turn_id)


async def _move(mind: Mind, cursor: int) -> None:
    await anyio.to_thread.run_sync(lambda: mind.text.add_knowledge((), (), cursor=cursor))


def _is_owed(parked: Parked) -> bool:
    return parked.error.startswith(READ_AGAIN)


def index_knowledge(mind: Mind, extracted: Extracted, cursor: int) -> None:
    """Put facts and entities into full text and move its cursor ``facts`` to *cursor*, never back. Blocks."""
    fallback = next(iter(mind.text.languages()), "en")
    facts = [(fact, stems(fact.text, language=detect(fact.text, fallback=fallback))) for fact in extracted.facts]
    entities = [(entity, _entity_stems(entity, fallback=fallback)) for entity in extracted.entities]
    mind.text.add_knowledge(facts, entities, cursor=cursor)


def _entity_stems(entity: StoredEntity, *, fallback: str) -> tuple[str, ...]:
    """Of name and summary; the name also as its own language has it, which need not be the summary's."""
    language = detect(entity.summary, fallback=fallback)
    own = detect(entity.name, fallback=language)
    name = dict.fromkeys((*stems(entity.name, language=language), *stems(entity.name, language=own)))
    return (*name, *stems(entity.summary, language=language))
