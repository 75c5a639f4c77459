"""The turns that answer a question which is asked on purpose: ranked as for a pre-turn call, without its filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.turns import Message, Speaker
from consolidation.text.language import detect
from service.mind.own_settings import zone_of
from service.resonance.call import Deadline, PreTurnCall
from service.resonance.seeds import message_seeds
from service.resonance.seeds_model import CallSeeds
from service.resonance.trace_recorder import TraceRecorder
from service.retrieval.fusion import scaled
from service.retrieval.moment import NO_SESSION, Moment, ResonanceRequest
from service.retrieval.remember import LEAST_COSINE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.ports import Clock
    from service.mind.minds import Mind
    from service.ports.spans import Spans
    from service.resonance.arms import QueryHits
    from service.resonance.retrieval import Retrieval

_LEAST_TOP = 1.0  # what a plain answer has at least
_BY_MEANING = frozenset({"vectors", "facts"})  # arms that find something near to whatever is asked


class TurnsOnPurpose:
    """Ranks the turns of any mind; asks no model, and keeps nothing of what was asked."""

    def __init__(self, *, retrieval: Retrieval, clock: Clock, spans: Spans, are_cosines_calibrated: bool) -> None:
        self._retrieval = retrieval
        self._clock = clock
        self._spans = spans
        self._are_cosines_calibrated = are_cosines_calibrated

    async def find(
        self, mind: Mind, query: str, *, asker: str, most: int, is_compared: bool
    ) -> tuple[tuple[tuple[int, float], ...], tuple[str, ...]]:
        """
        The turns that answer *query*, by sequence, with their scores (0…1), best first, and the rungs that it took.

        A turn that is not near *query* and holds no word of it is left out. Nothing is found where there are no
        vectors: the weights are for words and vectors together. *asker* is the name of who asks, "" where they have
        none. The best has 1, unless it *is compared* with those of other minds: then it has less where it fits poorly.
        Raises HomeFault.
        """
        call = await anyio.to_thread.run_sync(self._call, mind, query, asker, most)
        _, _, queries, found = await self._retrieval.turns(call, CallSeeds(message_seeds(call.moment).queries))
        if not any(hits.cosines for hits in queries):
            return (), call.trace.degraded
        telling = self._telling(queries)
        ranking = scaled(found.ranking, least_top=_LEAST_TOP if is_compared else 0.0)
        best = tuple((one.sequence, one.score) for one in ranking if one.sequence in telling)
        return best[:most], call.trace.degraded

    def _call(self, mind: Mind, query: str, asker: str, most: int) -> PreTurnCall:
        now, zone = self._clock.now(), zone_of(mind)
        said = Message(Speaker.USER, query, name=asker or None)
        moment = Moment(
            mind_id=mind.mind_id,
            session_id=NO_SESSION,
            messages=(said,),
            message=query,
            recent=(),
            language=detect(query, fallback=mind.text.main_language()),
            now=now,
            timezone=zone,
        )
        request = ResonanceRequest(
            session_id=NO_SESSION,
            messages=(said,),
            now=now,
            timezone=zone,
            deadline_seconds=None,
            max_fragments=most,
            max_tokens=0,
            relevance=0.0,
            placement="tail",
        )
        deadline = Deadline(self._clock.monotonic, self._clock.monotonic(), None)
        trace = TraceRecorder("", monotonic=self._clock.monotonic, spans=self._spans)
        return PreTurnCall(mind, request, moment, deadline, trace)

    def _telling(self, queries: Sequence[QueryHits]) -> set[int]:
        """The turns that more than a far meaning found."""
        least = LEAST_COSINE if self._are_cosines_calibrated else 0.0
        arms = [arm for hits in queries for arm in hits.arms if arm.name not in _BY_MEANING]
        found = {sequence for arm in arms for sequence in arm.hits}
        near = {sequence for hits in queries for sequence, cosine in hits.cosines.items() if cosine >= least}
        return found | near
