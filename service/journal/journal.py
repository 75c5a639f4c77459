"""The journal on purpose: searched, with age and variety taken into account, and read by path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import EmbedderFault
from service.journal.days import decay
from service.journal.diversity import diverse
from service.journal.excerpts import excerpt
from service.journal.matching import POOL, Match, matching, take_apart
from service.journal.places import read

if TYPE_CHECKING:
    from datetime import date

    from consolidation.kernel.ports import Clock
    from service.journal.keeping import Keeping
    from service.journal.matching import Weights
    from service.minds import Mind
    from service.ports import Embedder, Vector

AWAY = "embedder_unavailable"
_PATIENCE_SECONDS = 10.0
_SNIPPET = 700


@dataclass(frozen=True, slots=True)
class Ranking:
    """How fits become a ranking: age, variety, and the score from which on something is told."""

    weights: Weights
    balance: float
    half_life_days: float
    min_score: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that was found, with the part of it that matters; ``score`` is in 0…1."""

    path: str
    start_line: int
    end_line: int
    score: float
    snippet: str


@dataclass(frozen=True, slots=True)
class Page:
    """Some lines of a file, the first of them ``from_line``, of so many."""

    path: str
    text: str
    from_line: int
    lines: int
    total_lines: int


class Journal:
    """Searches and reads the journal of any mind."""

    def __init__(
        self, keeping: Keeping, *, embedder: Embedder | None, clock: Clock, ranking: Ranking, max_file_bytes: int
    ) -> None:
        """Bind to what keeps it fresh; without *embedder*, words alone find."""
        self._keeping = keeping
        self._embedder = embedder
        self._clock = clock
        self._ranking = ranking
        self._max_file_bytes = max_file_bytes

    async def search(
        self, mind: Mind, query: str, *, max_results: int, min_score: float | None
    ) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
        """What answers *query*, best first, and what did not answer us. Raises HomeFault."""
        late = await self._keeping.fresh(mind, seconds=_PATIENCE_SECONDS, is_whole=True)
        vector, away = await self._vector(mind, query)
        least = self._ranking.min_score if min_score is None else min_score
        found = await anyio.to_thread.run_sync(self._found, mind, query, vector, max_results, least)
        return found, away or late

    async def read(self, mind: Mind, path: str, *, from_line: int, lines: int | None) -> Page:
        """
        Lines of a file as they stand.

        Raises JournalPathRefused, JournalFileNotFound, JournalFileTooLarge, OSError.
        """
        root, most = mind.workspace.folder, self._max_file_bytes
        content, _ = await anyio.to_thread.run_sync(lambda: read(root, path, most_bytes=most))
        all_lines = content.decode("utf-8", errors="replace").split("\n")
        if not all_lines[-1]:
            all_lines.pop()  # an end of line ends a line, and begins none
        shown = all_lines[from_line - 1 : None if lines is None else from_line - 1 + lines]
        return Page(path, "\n".join(shown), from_line, len(shown), len(all_lines))

    async def _vector(self, mind: Mind, query: str) -> tuple[Vector | None, tuple[str, ...]]:
        if mind.journal.is_empty or not self._ranking.weights.vectors:
            return None, ()
        if self._embedder is None:
            return None, (AWAY,)
        try:
            return (await self._embedder.embed([query]))[0], ()
        except EmbedderFault:
            return None, (AWAY,)

    def _found(
        self, mind: Mind, query: str, vector: Vector | None, max_results: int, min_score: float
    ) -> tuple[Passage, ...]:
        if mind.journal.is_empty:
            return ()
        knobs, today = self._ranking, self._clock.now().date()
        wanted = take_apart(query, languages=mind.journal.languages(), language=None, vector=vector)
        matches = matching(mind.journal, wanted, weights=knobs.weights, most=POOL).fitting
        scores = {one.chunk.number: self._score(one, today) for one in matches}

        def score(match: Match) -> float:
            return scores[match.chunk.number]

        told = sorted((one for one in matches if score(one) >= min_score), key=score, reverse=True)
        chosen = diverse(told, score=score, alike=Match.like, balance=knobs.balance, limit=max_results)
        best_first = sorted(chosen, key=lambda one: (-score(one), one.chunk.path, one.chunk.start_line))
        return tuple(_passage(one, score(one), wanted.stems) for one in best_first)

    def _score(self, match: Match, today: date) -> float:
        left = decay(match.chunk.day, today=today, half_life_days=self._ranking.half_life_days)
        return min(match.fit, 1.0) * left


def _passage(match: Match, score: float, stems: tuple[str, ...]) -> Passage:
    chunk = match.chunk
    shown = excerpt(chunk, stems=stems, nearest=match.nearest, most=_SNIPPET)
    return Passage(chunk.path, chunk.start_line, chunk.end_line, round(score, 4), shown.text)
