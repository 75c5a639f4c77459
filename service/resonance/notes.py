"""
Phase 2b's arm over the journal: what people wrote down, as fragments beside what was said.

It looks while the graph is asked, with the vectors that are made for it anyway, and has the same time; a journal
without notes costs a look at its folder.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, time
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import HomeFault
from consolidation.kernel.words import tokens
from service.journal.excerpts import excerpt
from service.journal.matching import matching, take_apart
from service.resonance.moment import Fragment, Note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import tzinfo

    from service.journal.keeping import Keeping
    from service.journal.matching import Match, Matches, Wanted, Weights
    from service.journal.store import Chunk
    from service.minds import Mind
    from service.ports import Vectors

SKIPPED, UNAVAILABLE = "journal_skipped", "journal_unavailable"
_FRESH_SHARE, _MEANING_SHARE = 0.15, 0.8  # of the time: for what was just written, for vectors
_DEPTH = 12  # more than may surface, since some of them say the same or are in sight
_SHORT = 420  # as of a turn
_EVENING = time(18)  # so that a note of yesterday is of yesterday all day long


@dataclass(frozen=True, slots=True)
class Noticed:
    """What one query found in the journal."""

    query: str
    wanted: Wanted
    matches: Matches


@dataclass(frozen=True, slots=True)
class Noted:
    """What all queries found, in a journal of so many chunks; what was late or failed."""

    found: tuple[Noticed, ...] = ()
    size: int = 0
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoteEvidence:
    """What speaks for a note: its stems, and how near it is to each query."""

    stems: frozenset[str]
    cosines: Mapping[str, float] = field(default_factory=dict)


class Notes:
    """Asks the journal of a mind before a turn."""

    def __init__(self, keeping: Keeping, *, weights: Weights) -> None:
        """Bind to what keeps it fresh."""
        self._keeping = keeping
        self._weights = weights

    async def search(
        self,
        mind: Mind,
        queries: Sequence[str],
        *,
        language: str,
        meaning: asyncio.Future[Vectors | None],
        seconds: float | None,
    ) -> Noted:
        """What *queries* find within *seconds* (None: no limit); *meaning* will be their vectors. Never raises."""
        try:
            async with asyncio.timeout(seconds):
                patience = None if seconds is None else seconds * _FRESH_SHARE
                late = await self._keeping.fresh(mind, seconds=patience, is_whole=seconds is None)
                if mind.journal.is_empty:
                    return Noted()
                await asyncio.wait({meaning}, timeout=None if seconds is None else seconds * _MEANING_SHARE)
                vectors = meaning.result() if meaning.done() else None
                found, size = await anyio.to_thread.run_sync(
                    self._search, mind, tuple(queries), language, vectors, abandon_on_cancel=True
                )
                return Noted(found, size, late)
        except TimeoutError:
            return Noted(degraded=() if mind.journal.is_empty else (SKIPPED,))
        except HomeFault:
            return Noted(degraded=(UNAVAILABLE,))

    def _search(
        self, mind: Mind, queries: tuple[str, ...], language: str, vectors: Vectors | None
    ) -> tuple[tuple[Noticed, ...], int]:
        index = mind.journal
        languages = index.languages()
        found = []
        for at, query in enumerate(queries):
            vector = vectors[at] if vectors is not None else None
            wanted = take_apart(query, languages=languages, language=language, vector=vector)
            found.append(Noticed(query, wanted, matching(index, wanted, weights=self._weights, most=_DEPTH)))
        return tuple(found), len(index)


def as_notes(
    noticed: Sequence[tuple[float, Noticed]], *, named: Sequence[str], now: datetime, timezone: tzinfo
) -> tuple[tuple[Fragment, ...], Mapping[str, NoteEvidence]]:
    """The best notes as fragments, best first, and what speaks for each; each query with its trust. Pure."""
    best: dict[str, tuple[float, Match]] = {}
    for trust, one in noticed:
        for match in one.matches.fitting:
            known = best.get(match.chunk.digest)
            score = trust * min(match.at_best, 1.0)  # among turns, whose best counts as 1 whatever it was found by
            if known is None or score > known[0]:
                best[match.chunk.digest] = (score, match)
    stems = tuple(dict.fromkeys(stem for _, one in noticed for stem in one.wanted.stems))
    names = [frozenset(tokens(name)) for name in named]
    fragments, evidence = [], {}
    for score, match in sorted(best.values(), key=lambda pair: (-pair[0], pair[1].chunk.number))[:_DEPTH]:
        fragment = _fragment(match, score, stems, names, now.astimezone(timezone))
        fragments.append(fragment)
        number = match.chunk.number
        cosines = {one.query: one.matches.cosines[number] for _, one in noticed if number in one.matches.cosines}
        evidence[fragment.id] = NoteEvidence(match.stems, cosines)
    return tuple(fragments), evidence


def _fragment(
    match: Match, score: float, stems: Sequence[str], names: Sequence[frozenset[str]], now: datetime
) -> Fragment:
    chunk = match.chunk
    shown = excerpt(chunk, stems=stems, nearest=match.nearest, most=_SHORT)
    words = set(tokens(f"{chunk.above}\n{shown.text}"))
    return Fragment(
        id=f"journal:{chunk.digest}",
        kind="journal",
        text=shown.text,
        occurred_at=_told_at(chunk, now),
        score=round(score, 4),
        sources=(),
        is_boosted=any(name <= words for name in names),
        notes=(Note(chunk.path, shown.start_line, shown.end_line, chunk.written_at, shown.text),),
        is_dated=chunk.day is not None,
    )


def _told_at(chunk: Chunk, now: datetime) -> datetime:
    """When a note is of: the evening of its day, or, of today, the morning; else when it was last written."""
    if chunk.day is None:
        return chunk.written_at
    evening = datetime.combine(chunk.day, _EVENING, now.tzinfo)
    return evening if evening <= now else datetime.combine(chunk.day, time(0), now.tzinfo)
