"""
Memories of other minds that a mind also reads: each is searched as itself, with its own gate, corrections and outcomes.

What surfaces of them says whose it is, and keeps its own words. Nothing of them is kept in the mind that reads: its
traces name them by their ids alone, so that an erasure in their own mind leaves no word behind.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import MemoryFault
from service.mind.also_read import UNAVAILABLE
from service.mind.foreign_mind import ForeignMind
from service.mind.trace_document import FiltersTrace
from service.resonance.call import Deadline, PreTurnCall
from service.resonance.order import in_order
from service.resonance.proof import prove
from service.resonance.selection import Filtered, select
from service.resonance.standing_instructions import is_standing
from service.resonance.supposed_mind import supposed
from service.resonance.trace_recorder import TraceRecorder
from service.retrieval.mind_of_turns import mind_of_turns
from service.retrieval.moment import NO_SESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from service.mind.minds import Mind
    from service.ports.spans import Spans
    from service.resonance.filters import Filters
    from service.resonance.retrieval import Retrieval
    from service.resonance.seeds_model import CallSeeds
    from service.retrieval.moment import Fragment, Moment, ResonanceRequest, Shortlist

_SHARE = 0.75  # of the time: the own mind is searched in 0.7

log = structlog.get_logger()


class OtherMinds:
    """Searches the minds that a call also reads, and joins what surfaces of them to what the own mind remembers."""

    def __init__(self, *, retrieval: Retrieval, filters: Filters, monotonic: Callable[[], float], spans: Spans) -> None:
        self._retrieval = retrieval
        self._filters = filters
        self._monotonic = monotonic
        self._spans = spans

    async def search(self, call: PreTurnCall, seeds: CallSeeds) -> tuple[Fragment, ...]:
        """What may surface of each mind, all searched at once. A mind that fails or is late is left out."""
        found = await asyncio.gather(*(self._found(mind, call, seeds) for mind in call.request.also_read))
        return tuple(fragment for one in found for fragment in one)

    async def join(
        self, call: PreTurnCall, own: Shortlist[Fragment], others: Sequence[Fragment]
    ) -> Shortlist[Fragment]:
        """*own* with *others*, best first as far as there is room; without what this session was shown lately."""
        if not others:
            return own
        request = call.request
        echoes = call.mind.trace_log.echoes(
            request.session_id,
            turns=self._filters.echo_turns_of(call.mind),
            before=request.as_of,
            but_for=request.again_of,
        )
        left = Filtered(tuple(others))
        left = left.without({one.id: "echo: shown lately" for one in others if echoes.include(one.id, frozenset())})
        proven = await anyio.to_thread.run_sync(partial(prove, call.mind, left.fragments, message=call.moment.message))
        left = left.without(dict.fromkeys(proven.held_back, "outcome: contradicted"))
        standing = tuple(filter(is_standing, own.first))  # they have their places, whatever surfaces beside them
        found = (*(one for one in own.first if not is_standing(one)), *left.fragments)
        chosen = select(
            Filtered(tuple(sorted(found, key=lambda one: -one.score)), left.dropped),
            drops_weak=False,
            limit=max(request.max_fragments - len(standing), min(request.max_fragments, 1)),
            timezone=request.timezone,
        )
        ordered = in_order(chosen.fragments)
        first = (*ordered, *standing[: request.max_fragments - len(ordered)])
        kept = tuple(one.id for one in first)
        call.trace.note(FiltersTrace(dropped={**call.trace.dropped, **chosen.dropped}, kept=kept))
        return replace(own, first=first, limit=request.max_fragments)

    async def found_in(
        self, mind: Mind, *, request: ResonanceRequest, moment: Moment, seeds: CallSeeds, seconds: float | None
    ) -> tuple[tuple[Fragment, ...], tuple[str, ...]]:
        """
        What may surface of *mind* in a call that another worker answers, within *seconds*, and the rungs that it took.

        Raises TimeoutError, MemoryFault, OSError.
        """
        trace = TraceRecorder("", monotonic=self._monotonic, spans=self._spans)
        deadline = Deadline(self._monotonic, self._monotonic(), seconds)
        call = PreTurnCall(mind, request, moment, deadline, trace)
        async with asyncio.timeout(seconds):
            asked = await _asked(mind, call, trace)
            chosen = await self._filters.choose(asked, await self._retrieval.search(asked, seeds))
        return chosen.first, trace.degraded

    async def _found_elsewhere(self, mind: ForeignMind, call: PreTurnCall, seeds: CallSeeds) -> tuple[Fragment, ...]:
        seconds = call.deadline.left(share=_SHARE)
        request = replace(call.request, also_read=())
        plain = replace(seeds, question=None, wonders=None)  # what is left are values
        async with asyncio.timeout(seconds):
            found, degraded = await mind.search(request, call.moment, plain, seconds=seconds)
        call.trace.degrade(*degraded)
        return tuple(found)

    async def _found(self, mind: Mind | ForeignMind, call: PreTurnCall, seeds: CallSeeds) -> tuple[Fragment, ...]:
        try:
            chosen = await (
                self._found_elsewhere(mind, call, seeds)
                if isinstance(mind, ForeignMind)
                else self._found_here(mind, call, seeds)
            )
        except (TimeoutError, MemoryFault, OSError) as error:
            log.info("resonance.mind_not_read", mind_id=mind.mind_id, reason=str(error) or type(error).__name__)
            call.trace.degrade(UNAVAILABLE)
            return ()
        return tuple(replace(one, id=f"{mind.mind_id}/{one.id}", mind_id=mind.mind_id) for one in chosen)

    async def _found_here(self, mind: Mind, call: PreTurnCall, seeds: CallSeeds) -> tuple[Fragment, ...]:
        trace = TraceRecorder(call.trace.trace_id, monotonic=self._monotonic, spans=self._spans)
        async with asyncio.timeout(call.deadline.left(share=_SHARE)):
            asked = await _asked(mind, call, trace)
            candidates = await self._retrieval.search(asked, seeds)
            chosen = await self._filters.choose(asked, candidates)
        call.trace.degrade(*trace.degraded)
        return chosen.first


async def _asked(mind: Mind, call: PreTurnCall, trace: TraceRecorder) -> PreTurnCall:
    """*call* as if it asked *mind*, in no session: what that mind said under the same id is not in sight here."""
    request = replace(call.request, session_id=NO_SESSION, also_read=(), seen_from=None)
    if request.what_if is not None:
        mind = await supposed(mind, request.what_if)
    if request.turns:
        mind = await mind_of_turns(mind, request.turns)
    moment = replace(call.moment, mind_id=mind.mind_id, session_id=NO_SESSION)
    return replace(call, mind=mind, request=request, moment=moment, trace=trace)
