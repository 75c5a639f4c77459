"""
Observations as memories: how much each counts by its level, and the search for those who recall on purpose.

RED counts in full, and GRN that is past its 48 hours little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.dreams.observations import INFORMATIONAL_FOR, Level
from consolidation.kernel.errors import HomeFault
from service.journal.scoring import POOL, match_chunks, parse_query
from service.mind.own_settings import agent_zone_of
from service.retrieval.moment import JournalLines
from service.retrieval.remember import ObservationHit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime, tzinfo

    from consolidation.dreams.dream_log import Dreams
    from service.index.observed_lines import ObservedLine
    from service.journal.freshness import JournalFreshness
    from service.journal.scoring import JournalWeights, Match
    from service.mind.minds import Mind
    from service.ports.embedder import Vector

OBSERVATION = "observation:"  # how the id of one begins
UNAVAILABLE = "journal_unavailable"
_WAIT_SECONDS = 10.0
_SHARES: Mapping[Level, float] = {Level.RED: 1.0, Level.YLW: 0.95, Level.GRN: 0.9}
_PAST_SHARE = 0.6  # of what is informational, and was so too long ago


def observation_id(observed: ObservedLine) -> str:
    """The id of an observation as a memory. A line that a person changes is another memory."""
    return f"{OBSERVATION}{observed.digest}"


def level_share(observed: ObservedLine, *, now: datetime, zone: tzinfo) -> float:
    """How much of its score an observation keeps, above 0 and up to 1; *zone* is the agent's."""
    is_past = observed.level is Level.GRN and now - observed.instant(zone) > INFORMATIONAL_FOR
    return _SHARES[observed.level] * (_PAST_SHARE if is_past else 1.0)


def observed_at(observed: ObservedLine, *, now: datetime, zone: tzinfo) -> datetime:
    """When it was by the clock of the agent, whose zone is *zone*; not later than *now*, if it had another one then."""
    return min(observed.instant(zone), now)


class ObservationSearch:
    """Finds the observations of any mind, also those that a later dream said are over."""

    def __init__(self, freshness: JournalFreshness, *, weights: JournalWeights, now: Callable[[], datetime]) -> None:
        self._freshness = freshness
        self._weights = weights
        self._now = now

    async def find(
        self, mind: Mind, query: str, *, vector: Vector | None
    ) -> tuple[tuple[ObservationHit, ...], tuple[str, ...]]:
        """Those that fit *query*, best first, and what was unavailable."""
        try:
            late = await self._freshness.ensure_fresh(mind, seconds=_WAIT_SECONDS, with_vectors=True)
            if mind.journal.is_empty:
                return (), late
            return await anyio.to_thread.run_sync(self._find, mind, query, vector), late
        except (HomeFault, OSError):
            return (), (UNAVAILABLE,)

    def _find(self, mind: Mind, query: str, vector: Vector | None) -> tuple[ObservationHit, ...]:
        parsed = parse_query(query, languages=mind.journal.languages(), language=None, vector=vector)
        matches = match_chunks(mind.journal, parsed, weights=self._weights, most=POOL, only_observations=True)
        dreams, now, zone = mind.dreams.read(), self._now(), agent_zone_of(mind)
        found = [
            _hit(match, match.chunk.observed, now=now, zone=zone, dreams=dreams)
            for match in matches.ranked
            if match.chunk.observed is not None
        ]
        return tuple(sorted(found, key=lambda one: -one.score))


def _hit(match: Match, observed: ObservedLine, *, now: datetime, zone: tzinfo, dreams: Dreams) -> ObservationHit:
    chunk = match.chunk
    return ObservationHit(
        id=observation_id(observed),
        text=chunk.text,
        occurred_at=observed_at(observed, now=now, zone=zone),
        score=min(match.fit, 1.0) * level_share(observed, now=now, zone=zone),
        sequences=dreams.sources(observed.digest),
        note=JournalLines(chunk.path, chunk.start_line, chunk.end_line, chunk.written_at, chunk.text),
    )
