"""
Phase 2's arm over the journal: what people wrote down and dreams observed, as fragments beside what was said.

It searches while the graph is asked, with the vectors that are made for it anyway, and has the same time. A journal
without notes costs a look at its folder.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, time, tzinfo
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.dreams.observations import Level
from consolidation.kernel.errors import HomeFault
from consolidation.text.words import tokens
from service.journal.excerpts import excerpt
from service.journal.observations import OBSERVATION, level_share, observation_id, observed_at
from service.journal.scoring import match_chunks, parse_query
from service.mind.own_settings import agent_zone_of
from service.resonance.arms import FragmentEvidence, FragmentHits
from service.retrieval.moment import Fragment, JournalLines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from consolidation.dreams.dream_log import Dreams
    from consolidation.kernel.turns import StoredTurn
    from service.index.journal_store import Chunk
    from service.journal.freshness import JournalFreshness
    from service.journal.scoring import JournalQuery, JournalWeights, Match, Matches
    from service.mind.minds import Mind
    from service.ports.embedder import Vectors
    from service.resonance.arms import SearchTerms
    from service.resonance.call import PreTurnCall
    from service.resonance.search_round import SearchRound

_SKIPPED, _UNAVAILABLE = "journal_skipped", "journal_unavailable"
_FRESH_SHARE, _VECTORS_SHARE = 0.15, 0.8  # of the time: for what was just written, for vectors
_LOOKED_AT = 48  # matches of a query, some of which may be observations that are over
_DEPTH = 12  # more than may surface, since some of them say the same or are in sight
_RED = 0.9  # the importance of what is critical, in 0…1
_LONGEST = 420  # characters, as of a turn
_EVENING = time(18)  # so that a note of yesterday is of yesterday all day long


@dataclass(frozen=True, slots=True)
class JournalQueryHits:
    """What one query found in the journal."""

    text: str
    query: JournalQuery
    matches: Matches


@dataclass(frozen=True, slots=True)
class JournalHits:
    """What the queries of a round found, in a journal of so many chunks."""

    queries: tuple[JournalQueryHits, ...] = ()
    chunks: int = 0


class JournalArm:
    """Searches the journal of a mind before a turn."""

    def __init__(self, freshness: JournalFreshness, *, weights: JournalWeights) -> None:
        self._freshness = freshness
        self._weights = weights

    async def search(self, search: SearchRound) -> JournalHits:
        """What the queries find in the journal, as it stands now where that can be read in time."""
        mind, seconds = search.mind, search.seconds
        if mind.is_of_some_turns:
            return JournalHits()
        try:
            async with asyncio.timeout(seconds):
                reading = None if seconds is None else seconds * _FRESH_SHARE
                late = await self._freshness.ensure_fresh(mind, seconds=reading, with_vectors=seconds is None)
                if mind.journal.is_empty:
                    return JournalHits()
                vectors = await _vectors(search)
                hits = await anyio.to_thread.run_sync(
                    self._search, mind, search.queries, search.language, vectors, abandon_on_cancel=True
                )
                search.degrade(*late)
                return hits
        except TimeoutError:
            if not mind.journal.is_empty:
                search.degrade(_SKIPPED)
        except HomeFault:
            search.degrade(_UNAVAILABLE)
        return JournalHits()

    async def fragments(self, found: Sequence[JournalHits], terms: SearchTerms) -> FragmentHits:
        """The best notes as fragments, best first, and what speaks for each."""
        chunks = max((hits.chunks for hits in found), default=0)
        hits = [one for hits in found for one in hits.queries]
        if not hits:
            return FragmentHits(searched=chunks)
        dreams = await _dreams(terms.call)
        fragments, evidence = await anyio.to_thread.run_sync(note_fragments, hits, terms, dreams)
        turns = await _turns_of(terms.call.mind, fragments, dreams)
        return FragmentHits(_with_sources(fragments, turns, dreams, terms), evidence, chunks, turns)

    def _search(self, mind: Mind, queries: Sequence[str], language: str, vectors: Vectors | None) -> JournalHits:
        index = mind.journal
        languages = index.languages()
        found = []
        for at, text in enumerate(queries):
            vector = vectors[at] if vectors is not None else None
            query = parse_query(text, languages=languages, language=language, vector=vector)
            matches = match_chunks(index, query, weights=self._weights, most=_LOOKED_AT)
            found.append(JournalQueryHits(text, query, matches))
        return JournalHits(tuple(found), len(index))


async def _vectors(search: SearchRound) -> Vectors | None:
    """The vectors of the queries, if they come while there is time left to use them."""
    try:
        async with asyncio.timeout(None if search.seconds is None else search.seconds * _VECTORS_SHARE):
            return await search.vectors()
    except TimeoutError:
        return None


async def _dreams(call: PreTurnCall) -> Dreams | None:
    """What is known of observations; None where that can not be read."""
    try:
        return await anyio.to_thread.run_sync(call.mind.dreams.read)
    except OSError:
        call.trace.degrade(_UNAVAILABLE)
        return None


def note_fragments(
    hits: Sequence[JournalQueryHits], terms: SearchTerms, dreams: Dreams | None
) -> tuple[tuple[Fragment, ...], Mapping[str, FragmentEvidence]]:
    """
    The best notes and observations of all queries as fragments, best first, and what speaks for each.

    An observation that a later one of *dreams* said is over is left out; without dreams, each is.
    """
    lines = {match.chunk.observed for one in hits for match in one.matches.ranked if match.chunk.observed is not None}
    over = dreams.over(lines) if dreams is not None else lines
    now = terms.call.moment.local_now
    as_of, zone = terms.call.request.as_of, agent_zone_of(terms.call.mind)
    best: dict[str, tuple[float, Match]] = {}
    for one in hits:
        for match in one.matches.ranked:
            observed = match.chunk.observed
            if observed in over:
                continue
            written_at = match.chunk.written_at
            if as_of is not None and (observed_at(observed, now=now, zone=zone) if observed else written_at) > as_of:
                continue
            key = _id_of(match.chunk)
            known = best.get(key)
            share = level_share(observed, now=now, zone=zone) if observed is not None else 1.0
            # It is ranked among turns, of which the best always has a score of 1.
            score = terms.queries[one.text] * min(match.best_score, 1.0) * share
            if known is None or score > known[0]:
                best[key] = (score, match)
    stems = tuple(dict.fromkeys(stem for one in hits for stem in one.query.stems))
    names = [frozenset(tokens(name)) for name in terms.named.values()]
    fragments, evidence = [], {}
    for score, match in sorted(best.values(), key=lambda pair: (-pair[0], pair[1].chunk.number))[:_DEPTH]:
        fragment = _fragment(match, score, stems, names, _occurred_at(match.chunk, now, zone))
        fragments.append(fragment)
        number = match.chunk.number
        cosines = {one.text: one.matches.cosines[number] for one in hits if number in one.matches.cosines}
        evidence[fragment.id] = FragmentEvidence(match.stems, cosines)
    return tuple(fragments), evidence


async def _turns_of(mind: Mind, fragments: Sequence[Fragment], dreams: Dreams | None) -> Mapping[int, StoredTurn]:
    """The turns that the observations among *fragments* rest on, by sequence."""
    sequences = {at for one in fragments for at in _sequences(one, dreams)}
    return {turn.sequence: turn for turn in await mind.transcript.read_many(sorted(sequences))}


def _with_sources(
    fragments: Sequence[Fragment], turns: Mapping[int, StoredTurn], dreams: Dreams | None, terms: SearchTerms
) -> tuple[Fragment, ...]:
    return tuple(
        replace(one, sources=tuple(terms.source_of(turns[at]) for at in _sequences(one, dreams) if at in turns))
        for one in fragments
    )


def _sequences(fragment: Fragment, dreams: Dreams | None) -> tuple[int, ...]:
    if dreams is None or fragment.kind != "observation":
        return ()
    return dreams.sources(fragment.id.removeprefix(OBSERVATION))


def _fragment(
    match: Match, score: float, stems: Sequence[str], names: Sequence[frozenset[str]], occurred_at: datetime
) -> Fragment:
    chunk, observed = match.chunk, match.chunk.observed
    shown = excerpt(chunk, stems=stems, nearest=match.nearest, most=_LONGEST)
    words = set(tokens(f"{chunk.above}\n{shown.text}"))
    return Fragment(
        id=_id_of(chunk),
        kind="journal" if observed is None else "observation",
        text=shown.text,
        occurred_at=occurred_at,
        score=round(score, 4),
        sources=(),
        is_boosted=any(name <= words for name in names),
        notes=(JournalLines(chunk.path, shown.start_line, shown.end_line, chunk.written_at, shown.text),),
        is_dated=chunk.day is not None,
        importance=_RED if observed is not None and observed.level is Level.RED else None,
    )


def _id_of(chunk: Chunk) -> str:
    return f"journal:{chunk.digest}" if chunk.observed is None else observation_id(chunk.observed)


def _occurred_at(chunk: Chunk, now: datetime, zone: tzinfo) -> datetime:
    """
    When a note is of: the evening of its day, or, of today, the morning; else when it was last written.

    An observation says its time, by the clock of the agent, whose zone is *zone*.
    """
    if chunk.observed is not None:
        return observed_at(chunk.observed, now=now, zone=zone)
    if chunk.day is None:
        return chunk.written_at
    evening = datetime.combine(chunk.day, _EVENING, now.tzinfo)
    return evening if evening <= now else datetime.combine(chunk.day, time(0), now.tzinfo)
