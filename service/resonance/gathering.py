"""
Phases 1 to 3 with their questions to the world: what is looked for, what is found, what of it may surface.

The message is searched at once; a model's seeds join when they come in time, and else serve the next turn.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from consolidation.kernel.errors import GraphFault
from service.recall.dates import asks_when, date_hint
from service.resonance.filters import chosen, unseen
from service.resonance.fragments import as_entity_fragments, as_fragments
from service.resonance.fusion import Cues, fuse, merged
from service.resonance.gate import Candidates
from service.resonance.horizon import look
from service.resonance.moment import Silent
from service.resonance.notes import as_notes
from service.resonance.queries import named_in
from service.resonance.relevance import DEPTH
from service.resonance.seeds import added, sow_quickly
from service.resonance.trace import noted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.minds import Mind
    from service.ports import EpisodicGraph
    from service.resonance.deadline import Deadline
    from service.resonance.fusion import Ranked, Weights
    from service.resonance.gate import Gate
    from service.resonance.moment import Fragment, Moment
    from service.resonance.notes import NoteEvidence
    from service.resonance.retrieval import Found, Retrieval, Retrieved
    from service.resonance.trace import Trace
    from service.resonance.wondering import Wondering

_CANDIDATES = 60
_SESSION_LOOK = 60
_RETRIEVAL_SHARE, _ENTITIES_SHARE = 0.7, 0.8
_TRUST = (1.0, 0.9)  # of the message's own words, of a model's
_MENTIONS = 3


class Gathering:
    """Looks, finds and sifts."""

    def __init__(
        self,
        *,
        retrieval: Retrieval,
        graph: EpisodicGraph,
        wondering: Wondering,
        weights: Weights,
        gate: Gate,
        echo_turns: int,
    ) -> None:
        """Bind to what is asked."""
        self._retrieval = retrieval
        self._graph = graph
        self._wondering = wondering
        self._weights = weights
        self._gate = gate
        self._echo_turns = echo_turns

    async def gather(self, mind: Mind, moment: Moment, *, deadline: Deadline, trace: Trace) -> Candidates:
        """Phases 1 and 2: everything that may be meant, best first."""
        with trace.phase("seeds") as notes:
            quick = sow_quickly(moment)
            late = self._wondering.late(mind, moment)
            more = added(late, asked=quick.queries).queries if late is not None else ()
            asking = self._wondering.begin(mind, moment)
            notes |= {"queries": list(quick.queries), "names": list(quick.names), "late": list(more)}
        rounds = [await self._look(mind, moment, (*quick.queries, *more), deadline, trace)]
        if asking is not None:
            seeds = await self._wondering.in_time(asking, mind, moment, deadline=deadline, trace=trace)
            extra = added(seeds, asked=(*quick.queries, *more)).queries if seeds is not None else ()
            rounds.append(await self._look(mind, moment, extra, deadline, trace))
        with trace.phase("retrieval") as notes:
            candidates = await self._candidates(mind, moment, rounds, first=quick.queries, deadline=deadline)
            notes["candidates"] = [noted(fragment) for fragment in candidates.fragments]
        return candidates

    async def sift(
        self,
        mind: Mind,
        moment: Moment,
        candidates: Candidates,
        *,
        limit: int,
        relevance: float,
        notes: dict[str, Any],
    ) -> tuple[Fragment, ...] | Silent:
        """Phase 3: what may surface, or why nothing does."""
        if not candidates.found:
            return Silent("there is nothing to look for")
        turns = candidates.turns
        near = mind.transcript.positions.before_in_session(
            moment.session_id, mind.transcript.positions.last + 1, limit=_SESSION_LOOK
        )
        lately = await mind.transcript.read_many([sequence for sequence in near if sequence not in turns])
        horizon = look(moment.messages, session_id=moment.session_id, known=(*turns.values(), *lately))
        echoes = mind.ledger.echoes(moment.session_id, turns=self._echo_turns)
        sifted = unseen(candidates.fragments, is_hidden=horizon.hides, echoes=echoes)
        notes["dropped"] = sifted.dropped
        if not sifted.kept:
            return Silent(
                "all that was found is in sight or was shown lately" if sifted.dropped else "nothing was found"
            )
        weighed = await anyio.to_thread.run_sync(
            self._gate.weigh, mind, moment, candidates, sifted.kept, abandon_on_cancel=True
        )
        notes["relevance"] = {"probability": round(weighed.sureness, 4), "needed": relevance}
        if weighed.sureness < relevance:
            return Silent("nothing stored seems to be meant")
        if relevance > 0:
            sifted = sifted.without(dict(weighed.stray))
        sifted = chosen(sifted, is_gated=relevance > 0, limit=limit, timezone=moment.timezone)
        notes["dropped"] = sifted.dropped
        notes["kept"] = [fragment.id for fragment in sifted.kept]
        return sifted.kept or Silent("nothing stored seems to be meant" if limit else "no flashbacks were asked for")

    async def _look(
        self, mind: Mind, moment: Moment, queries: Sequence[str], deadline: Deadline, trace: Trace
    ) -> Retrieved:
        with trace.phase("retrieval") as notes:
            retrieved = await self._retrieval.search(
                queries,
                mind=mind,
                language=moment.language,
                now=moment.now,
                seconds=deadline.left(share=_RETRIEVAL_SHARE),
            )
            notes.setdefault("queries", []).extend(queries)
        trace.degrade(*retrieved.degraded)
        return retrieved

    async def _candidates(
        self, mind: Mind, moment: Moment, rounds: Sequence[Retrieved], *, first: Sequence[str], deadline: Deadline
    ) -> Candidates:
        found = tuple(one for retrieved in rounds for one in retrieved.found)
        people = frozenset().union(*(retrieved.people for retrieved in rounds))
        entities = dict(pair for retrieved in rounds for pair in retrieved.entities)
        akin = dict(pair for retrieved in rounds for pair in retrieved.akin)
        ranking = await anyio.to_thread.run_sync(self._ranked, mind, moment, found, people, tuple(first))
        queries = [one.query for one in found]
        sequences = [one.sequence for one in ranking[:_CANDIDATES]]
        turns = {kept.sequence: kept for kept in await mind.transcript.read_many(sequences)}
        facts = {sequence: fact for one in reversed(found) for sequence, fact in one.facts.items()}
        fragments = as_fragments(
            ranking[:_CANDIDATES], turns=turns, facts=facts, queries=queries, named=tuple(entities.values())
        )
        is_silent = any("graph_unavailable" in retrieved.degraded for retrieved in rounds)  # then it is not asked again
        seconds = deadline.left(share=_ENTITIES_SHARE)
        asked = {uuid: uuid in entities for uuid, name in (akin | entities).items() if name not in people}
        known = () if is_silent else await self._entity_fragments(mind, asked, queries, seconds=seconds)
        notes, evidence = await self._notes(moment, rounds, first=first, named=tuple(entities.values()))
        ordered = sorted((*fragments, *known, *notes), key=lambda one: -one.score)
        chunks = max((retrieved.noted.size for retrieved in rounds), default=0)
        return Candidates(tuple(ordered), turns, found, people, evidence, chunks)

    async def _notes(
        self, moment: Moment, rounds: Sequence[Retrieved], *, first: Sequence[str], named: Sequence[str]
    ) -> tuple[tuple[Fragment, ...], Mapping[str, NoteEvidence]]:
        found = [one for retrieved in rounds for one in retrieved.noted.found]
        noticed = [(_TRUST[0] if one.query in first else _TRUST[1], one) for one in found]
        if not noticed:
            return (), {}
        return await anyio.to_thread.run_sync(
            lambda: as_notes(noticed, named=named, now=moment.now, timezone=moment.timezone)
        )

    def _ranked(
        self, mind: Mind, moment: Moment, found: Sequence[Found], people: frozenset[str], first: Sequence[str]
    ) -> tuple[Ranked, ...]:
        rankings = []
        for one in found:
            arms = one.arms
            sequences = {*arms.words, *arms.vectors, *arms.facts, *arms.neighbours}
            cues = Cues(named_in(one.query, people), date_hint(one.query), asks_when(one.query))
            ranked = fuse(
                arms,
                cues=cues,
                traits=mind.text.traits(tuple(sequences)),
                timezone=moment.timezone,
                weights=self._weights,
            )
            rankings.append((_TRUST[0] if one.query in first else _TRUST[1], ranked))
        return merged(rankings)

    async def _entity_fragments(
        self, mind: Mind, asked: Mapping[str, bool], queries: Sequence[str], *, seconds: float | None
    ) -> tuple[Fragment, ...]:
        """*asked* are uuids, and whether the message names them."""
        if not asked:
            return ()
        first = sorted(asked, key=lambda uuid: not asked[uuid])[:DEPTH]
        try:
            async with asyncio.timeout(seconds):
                stored = await self._graph.entities(mind.mind_id, first)
        except (GraphFault, TimeoutError):
            return ()
        episodes = tuple({uuid for entity in stored for uuid in entity.episodes[:_MENTIONS]})
        sequences = await anyio.to_thread.run_sync(mind.text.sequences, episodes)
        read = {kept.sequence: kept for kept in await mind.transcript.read_many(tuple(sequences.values()))}
        turns = {uuid: read[sequence] for uuid, sequence in sequences.items() if sequence in read}
        named = frozenset(uuid for uuid in first if asked[uuid])
        return as_entity_fragments(stored, named=named, turns=turns, queries=queries)
