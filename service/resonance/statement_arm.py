"""
Phase 2's arm over what people said to put a memory right: facts that no turn told, or that they told otherwise.

All are compared with each query by their words; those that share most, and the newest, by their meaning as well, where
the embedder answers in time.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.corrections.wording import Wording, stems_of
from consolidation.kernel.errors import EmbedderFault
from consolidation.text.words import content_stems, tokens
from service.resonance.arms import FragmentEvidence, FragmentHits
from service.retrieval.moment import Fragment
from service.retrieval.put_right import statement_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from consolidation.corrections.standing import Statement
    from service.ports.embedder import Embedder, Vectors
    from service.resonance.arms import SearchTerms
    from service.resonance.search_round import SearchRound

_SHARE = 0.8  # of the time there is
_MOST_LOOKED_AT = 200  # statements with the most words of a query, and of the newest
_DEPTH = 12  # as of notes: more than may surface
_CHANCE, _CLOSE = 0.25, 0.65  # cosines: of what has nothing to do with a query, and of what answers it


@dataclass(frozen=True, slots=True)
class StatementHits:
    """What each query of a round found: how well each statement fits it, 0…1, and its cosine, by its id."""

    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    cosines: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


class StatementArm:
    """Compares what people said with what is asked."""

    def __init__(self, *, embedder: Embedder) -> None:
        """*embedder* should remember vectors that it made lately."""
        self._embedder = embedder

    async def search(self, search: SearchRound) -> StatementHits:
        """How well each statement fits each query."""
        every = search.names.put_right.standing.statements
        if not every:
            return StatementHits()
        shares = await anyio.to_thread.run_sync(_shares, search.queries, every, search.language)
        statements = _looked_at(every, shares)
        vectors = await search.vectors()
        own = await self._vectors(statements, search) if vectors is not None else None
        cosines: dict[str, dict[str, float]] = {}
        if vectors is not None and own is not None:
            near = vectors @ own.T
            cosines = {
                query: {one.id: float(near[row][at]) for at, one in enumerate(statements)}
                for row, query in enumerate(search.queries)
            }
        scores = {
            query: {
                one.id: max(found.get(one.id, 0.0), _nearness(cosines.get(query, {}).get(one.id, 0.0)))
                for one in statements
            }
            for query, found in shares.items()
        }
        return StatementHits(scores, cosines)

    async def fragments(self, found: Sequence[StatementHits], terms: SearchTerms) -> FragmentHits:
        """What people said, as facts, and what speaks for each."""
        if not any(hits.scores for hits in found):
            return FragmentHits()
        best: dict[str, float] = {}
        for query, by in ((query, by) for hits in found for query, by in hits.scores.items()):
            best |= {key: max(best.get(key, 0.0), terms.queries[query] * share) for key, share in by.items()}
        fitting = [one for one in terms.put_right.standing.statements if best.get(one.id, 0.0) > 0]
        statements = sorted(fitting, key=lambda one: -best[one.id])[:_DEPTH]
        told_at = await _told_at(statements, terms)
        names = [frozenset(tokens(name)) for name in terms.entities.values()]
        fragments, evidence = [], {}
        for one in statements:
            fragment = _fragment(one, min(best[one.id], 1.0), told_at.get(one.id, one.at), names, terms)
            fragments.append(fragment)
            stems = stems_of(one.text, terms.call.moment.language) | Wording.of(one.text).stems
            cosines = {query: by[one.id] for hits in found for query, by in hits.cosines.items() if one.id in by}
            evidence[fragment.id] = FragmentEvidence(stems, cosines)
        return FragmentHits(tuple(fragments), evidence)

    async def _vectors(self, statements: Sequence[Statement], search: SearchRound) -> Vectors | None:
        try:
            async with asyncio.timeout(None if search.seconds is None else search.seconds * _SHARE):
                return await self._embedder.embed([one.text for one in statements])
        except (EmbedderFault, TimeoutError):
            return None


def _nearness(cosine: float) -> float:
    """How well a cosine says that a statement answers a query, 0…1."""
    return min(max((cosine - _CHANCE) / (_CLOSE - _CHANCE), 0.0), 1.0)


async def _told_at(statements: Sequence[Statement], terms: SearchTerms) -> dict[str, datetime]:
    """When what an edit put right was told, by the statement's id: its words are new, what they tell of is not."""
    transcript = terms.call.mind.transcript
    sequences = {one.id: [transcript.positions.sequence_of(turn) for turn in one.turn_ids] for one in statements}
    known = {one for found in sequences.values() for one in found if one is not None}
    turns = {turn.sequence: turn for turn in await transcript.read_many(sorted(known))}
    times = {key: [turns[one].occurred_at for one in found if one in turns] for key, found in sequences.items()}
    return {key: max(found) for key, found in times.items() if found}


def _shares(queries: Sequence[str], statements: Sequence[Statement], language: str) -> dict[str, dict[str, float]]:
    """How much of what each query asks stands in the statements that have any of it, 0…1."""
    found: dict[str, dict[str, float]] = {}
    for query in queries:
        wanted = content_stems(query, language=language)
        shares = ((one.id, len(wanted & stems_of(one.text, language)) / max(len(wanted), 1)) for one in statements)
        found[query] = {key: share for key, share in shares if share}
    return found


def _looked_at(statements: Sequence[Statement], shares: Mapping[str, Mapping[str, float]]) -> tuple[Statement, ...]:
    """The statements that share most with a query, and the newest ones, which may mean it in other words."""
    if len(statements) <= _MOST_LOOKED_AT:
        return tuple(statements)
    best = {one.id: max((by.get(one.id, 0.0) for by in shares.values()), default=0.0) for one in statements}
    sharing = sorted((one for one in statements if best[one.id]), key=lambda one: -best[one.id])[:_MOST_LOOKED_AT]
    return tuple({one.id: one for one in (*sharing, *statements[-_MOST_LOOKED_AT:])}.values())


def _fragment(
    one: Statement, score: float, told_at: datetime, names: Sequence[frozenset[str]], terms: SearchTerms
) -> Fragment:
    decided = terms.put_right.standing.fact(one.text, one.turn_ids)
    words = set(tokens(one.text))
    return Fragment(
        id=statement_id(one),
        kind="fact",
        text=one.text,
        occurred_at=told_at,
        score=round(score, 4),
        sources=(),
        is_boosted=decided.is_pinned or any(name <= words for name in names),
        decided=decided,
        held_back=decided.held_back,
        statement=one,
    )
