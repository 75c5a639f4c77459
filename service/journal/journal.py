"""The journal, searched on purpose, with age and variety taken into account, and read by path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import EmbedderFault, HomeFault
from consolidation.story.edits import etag_of
from consolidation.text.noise import is_blank
from service.index.journal_dates import decay
from service.index.journal_files import LISTED, fault_of, read
from service.journal.excerpts import excerpt
from service.journal.mmr import diverse
from service.journal.observations import level_share
from service.journal.person_files import PersonFiles, list_files
from service.journal.scoring import POOL, Match, match_chunks, parse_query
from service.mind.own_settings import agent_zone_of

if TYPE_CHECKING:
    import threading
    from collections.abc import Sequence
    from datetime import datetime, tzinfo

    from consolidation.kernel.ports import Clock
    from service.journal.freshness import JournalFreshness
    from service.journal.person_files import JournalEntry
    from service.journal.scoring import JournalWeights
    from service.mind.minds import Mind
    from service.ports.embedder import Embedder, Vector

EMBEDDER_UNAVAILABLE = "embedder_unavailable"
_WAIT_SECONDS = 10.0
_SNIPPET = 700
_CLOSE_SHARE = 0.8  # of the best fit, from which age decides


@dataclass(frozen=True, slots=True)
class Ranking:
    """How scores become a ranking: ageing, variety, and the minimum score of a result."""

    weights: JournalWeights
    balance: float
    half_life_days: float
    min_score: float


@dataclass(frozen=True, slots=True)
class JournalPassage:
    """A chunk that was found, with the relevant part of it; ``score`` is from 0 to 1."""

    path: str
    start_line: int
    end_line: int
    score: float
    snippet: str


@dataclass(frozen=True, slots=True)
class Page:
    """Some lines of a file, beginning with ``from_line``; the number of all its lines, and the ETag of the file."""

    path: str
    text: str
    from_line: int
    lines: int
    total_lines: int
    etag: str


class Journal:
    """Searches and reads the journal of any mind."""

    def __init__(
        self,
        freshness: JournalFreshness,
        *,
        embedder: Embedder | None,
        clock: Clock,
        ranking: Ranking,
        max_file_bytes: int,
        mutex: threading.Lock,
    ) -> None:
        """Without *embedder*, chunks are found by words alone. *mutex* is held by every door to the same files."""
        self._freshness = freshness
        self._embedder = embedder
        self._clock = clock
        self._ranking = ranking
        self._max_file_bytes = max_file_bytes
        self._people = PersonFiles(most_bytes=max_file_bytes, mutex=mutex)

    async def search(
        self, mind: Mind, query: str, *, max_results: int, min_score: float | None
    ) -> tuple[tuple[JournalPassage, ...], tuple[str, ...]]:
        """
        The chunks that answer *query*, best first, and what was unavailable.

        A blank query finds none. Raises HomeFault.
        """
        if is_blank(query):
            return (), ()
        late = await self._freshness.ensure_fresh(mind, seconds=_WAIT_SECONDS, with_vectors=True)
        vector, unavailable = await self._vector(mind, query)
        least = self._ranking.min_score if min_score is None else min_score
        found = await anyio.to_thread.run_sync(self._ranked, mind, query, vector, max_results, least)
        return found, unavailable or late

    async def read(self, mind: Mind, path: str, *, from_line: int, lines: int | None) -> Page:
        """
        Lines of a file as they are.

        Raises JournalPathRefused, JournalFileNotFound, JournalFileTooLarge, OSError.
        """
        root, most = mind.workspace.folder, self._max_file_bytes
        content, _ = await anyio.to_thread.run_sync(lambda: read(root, path, most_bytes=most, also=LISTED))
        all_lines = content.decode("utf-8", errors="replace").split("\n")
        if not all_lines[-1]:
            all_lines.pop()  # a line end ends a line and begins none
        shown = all_lines[from_line - 1 : None if lines is None else from_line - 1 + lines]
        etag = etag_of(content.decode("utf-8", "surrogateescape"))
        return Page(path, "\n".join(shown), from_line, len(shown), len(all_lines), etag)

    async def files(self, mind: Mind) -> tuple[JournalEntry, ...]:
        """Every file, the newest first. Raises HomeFault."""
        try:
            return await anyio.to_thread.run_sync(list_files, mind.workspace.folder)
        except OSError as error:
            raise HomeFault(f"the journal can not be listed: {error.strerror}") from error

    async def put(self, mind: Mind, path: str, text: str, *, expected: str | None) -> Page:
        """
        Put *text* in the place of a person's file whose ETag is *expected*; a search finds its words at once.

        The answer is what was written. Raises JournalPathRefused, JournalFileNotFound, JournalFileNotEditable,
        JournalFileTooLarge, StoryPreconditionMissing, JournalFileChanged, HomeFault.
        """
        root = mind.workspace.folder
        try:
            await anyio.to_thread.run_sync(lambda: self._people.put(root, path, text, expected=expected))
        except OSError as error:
            raise fault_of(error, doing="the file can not be written") from error
        await self._freshness.ensure_fresh(mind, seconds=_WAIT_SECONDS, with_vectors=False)
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        return Page(path, "\n".join(lines), 1, len(lines), len(lines), etag_of(text))

    async def _vector(self, mind: Mind, query: str) -> tuple[Vector | None, tuple[str, ...]]:
        if mind.journal.is_empty or not self._ranking.weights.vectors:
            return None, ()
        if self._embedder is None:
            return None, (EMBEDDER_UNAVAILABLE,)
        try:
            return (await self._embedder.embed_queries([query]))[0], ()
        except EmbedderFault:
            return None, (EMBEDDER_UNAVAILABLE,)

    def _ranked(
        self, mind: Mind, query: str, vector: Vector | None, max_results: int, min_score: float
    ) -> tuple[JournalPassage, ...]:
        if mind.journal.is_empty:
            return ()
        ranking, now, zone = self._ranking, self._clock.now(), agent_zone_of(mind)
        parsed = parse_query(query, languages=mind.journal.languages(), language=None, vector=vector)
        matches = match_chunks(mind.journal, parsed, weights=ranking.weights, most=POOL).ranked
        scores = _aged(matches, [self._weight(one, now, zone) for one in matches])

        def score(match: Match) -> float:
            return scores[match.chunk.number]

        good_enough = sorted((one for one in matches if score(one) >= min_score), key=score, reverse=True)
        chosen = diverse(
            good_enough, score=score, alike=Match.similarity_to, balance=ranking.balance, limit=max_results
        )
        best_first = sorted(chosen, key=lambda one: (-score(one), one.chunk.path, one.chunk.start_line))
        return tuple(_passage(one, score(one), parsed.stems) for one in best_first)

    def _weight(self, match: Match, now: datetime, zone: tzinfo) -> float:
        """Notes lose weight with age, unless their day is asked for; of observations, only what was informational."""
        chunk = match.chunk
        if chunk.observed is not None:
            return level_share(chunk.observed, now=now, zone=zone)
        if match.is_of_day:
            return 1.0
        return decay(chunk.day, today=now.date(), half_life_days=self._ranking.half_life_days)


def _aged(matches: Sequence[Match], weights: Sequence[float]) -> dict[int, float]:
    """
    Scores by chunk number. Of those that fit about as well as the best, the fit counts times its weight by age.

    All others stand below these, in the order of their fits. Their age does not count.
    """
    least_fit = _CLOSE_SHARE * max((one.fit for one in matches), default=0.0)
    scores = {
        one.chunk.number: min(one.fit, 1.0) * weight
        for one, weight in zip(matches, weights, strict=True)
        if one.fit >= least_fit
    }
    others = [one for one in matches if one.fit < least_fit]
    scale = min(1.0, min(scores.values()) / least_fit) if others else 1.0
    return scores | {one.chunk.number: min(one.fit, 1.0) * scale for one in others}


def _passage(match: Match, score: float, stems: tuple[str, ...]) -> JournalPassage:
    chunk = match.chunk
    shown = excerpt(chunk, stems=stems, nearest=match.nearest, most=_SNIPPET)
    return JournalPassage(chunk.path, chunk.start_line, chunk.end_line, round(score, 4), shown.text)
