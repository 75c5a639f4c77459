"""
Scores chunks against a query by meaning and words, from 0 to 1. Age is not part of the score.

Words count by BM25, as the share of the query's words that the best chunk contains. In a journal of a few chunks no
word is rare, and BM25 alone would be zero. A day named in the query raises the notes of that day.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from consolidation.text.dates import date_hint, without_dates
from consolidation.text.language import detect
from consolidation.text.words import content_words, stems
from service.retrieval.fusion import COSINES, normalised
from service.retrieval.passages import passages

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from consolidation.text.dates import DateHint
    from service.index.journal_index import JournalIndex
    from service.index.journal_store import Chunk
    from service.index.journal_vectors import VectorMatrix
    from service.ports.embedder import Vector

POOL = 100
_MOST_OF_A_DAY = 20


@dataclass(frozen=True, slots=True)
class JournalWeights:
    """The weights of meaning, words and a named day, and the share of the best score below which a chunk is dropped."""

    vectors: float = 0.7
    words: float = 0.3
    day: float = 0.3
    keep_share: float = 0.3


@dataclass(frozen=True, slots=True)
class JournalQuery:
    """A parsed query: each of its words as the stems it may be indexed as, its vector, and the day it names."""

    words: tuple[frozenset[str], ...]
    vector: Vector | None
    day: DateHint | None

    @property
    def stems(self) -> tuple[str, ...]:
        """All stems that are searched for."""
        return tuple(dict.fromkeys(stem for word in self.words for stem in sorted(word)))


@dataclass(frozen=True, slots=True)
class Match:
    """
    A candidate chunk: its score, the better of its two scores, its stems, and the position of its nearest passage.

    ``is_of_day`` says whether the query names its day. ``direction`` is the mean direction of its vectors, used to
    compare it with other chunks.
    """

    chunk: Chunk
    fit: float
    best_score: float
    is_of_day: bool = False
    stems: frozenset[str] = frozenset()
    nearest: int = 0
    direction: Vector | None = field(default=None, compare=False, repr=False)

    def similarity_to(self, other: Match) -> float:
        """The similarity of two chunks, from 0 to 1."""
        if self.direction is not None and other.direction is not None:
            return max(0.0, float(self.direction @ other.direction))
        both = len(self.stems | other.stems)
        return len(self.stems & other.stems) / both if both else 0.0


def parse_query(query: str, *, languages: Iterable[str], language: str | None, vector: Vector | None) -> JournalQuery:
    """Parse a query. *languages* are the journal's; *language* is the query's, if known."""
    known_languages = tuple(languages)
    own = language or detect(query, fallback=next(iter(known_languages), "en"))
    day = date_hint(query)
    bare = (without_dates(query) if day is not None else query) or query
    content = content_words(bare, language=own)
    words = {word: {stem} for word, stem in content.items()} or {stem: {stem} for stem in stems(bare, language=own)}
    for other in known_languages:
        for word, stem in content_words(bare, language=other).items():
            if word in words:
                words[word].add(stem)
    return JournalQuery(tuple(frozenset(one) for one in words.values()), vector, day)


@dataclass(frozen=True, slots=True)
class Matches:
    """The matches of a query, best first, and the cosine of every chunk where there are vectors."""

    ranked: tuple[Match, ...]
    cosines: Mapping[int, float]


def match_chunks(
    index: JournalIndex, query: JournalQuery, *, weights: JournalWeights, most: int, only_observations: bool = False
) -> Matches:
    """At most *most* matches. Does blocking I/O. Raises IndexUnusable."""
    matrix = index.matrix() if query.vector is not None and index.embedder is not None else None
    cosines = matrix.cosines(query.vector) if matrix is not None and query.vector is not None else {}
    wanted = index.observation_numbers() if only_observations else None
    if wanted is not None:
        cosines = {number: cosine for number, cosine in cosines.items() if number in wanted}
    nearest = sorted(cosines, key=lambda number: -cosines[number])[:POOL]
    hits = index.ranked(query.stems, limit=POOL, only_observations=only_observations)
    scores = {hit.number: hit.score for hit in hits}
    pool = tuple(dict.fromkeys((*scores, *nearest, *_chunks_of_day(index, query.day))))
    chunks = index.chunks([number for number in pool if wanted is None or number in wanted])
    words = _by_words(query, scores, index.stems_in(tuple(scores), query.stems))
    meaning = normalised({number: cosines[number] for number in pool if number in cosines}, scale=COSINES)
    vectors = weights.vectors if cosines else 0.0  # without vectors, words count in full
    total_weight = vectors + weights.words
    found = []
    for number, chunk in chunks.items():
        near, by_words = meaning.get(number, 0.0), words.get(number, 0.0)
        of_day = weights.day * _day_match(query.day, chunk.day)
        fit = ((vectors * near + weights.words * by_words) / total_weight if total_weight else 0.0) + of_day
        best_score = max(fit, near * (vectors > 0), by_words * (weights.words > 0))
        found.append(Match(chunk, fit, best_score, is_of_day=of_day > 0))
    ranked = _best_fits(found, weights)[:most]
    stems_held = index.stems([one.chunk.number for one in ranked])
    stemmed = [replace(one, stems=stems_held.get(one.chunk.number, frozenset())) for one in ranked]
    if matrix is None or query.vector is None:
        return Matches(tuple(stemmed), cosines)
    return Matches(tuple(_with_position(one, matrix, query.vector) for one in stemmed), cosines)


def _with_position(match: Match, matrix: VectorMatrix, vector: Vector) -> Match:
    """*match* with the position and direction of its vectors."""
    number = match.chunk.number
    if number not in matrix.row_ranges:
        return match
    before = passages(match.chunk.text)[: matrix.nearest_passage(number, vector)]
    return replace(match, nearest=sum(map(len, before)), direction=matrix.direction(number))


def _best_fits(matches: Sequence[Match], weights: JournalWeights) -> tuple[Match, ...]:
    best = max((one.fit for one in matches), default=0.0)
    fits = [one for one in matches if one.fit > 0 and one.fit >= weights.keep_share * best]
    return tuple(sorted(fits, key=lambda one: (-one.fit, one.chunk.path, one.chunk.start_line)))


def _by_words(
    query: JournalQuery, scores: Mapping[int, float], stems_held: Mapping[int, frozenset[str]]
) -> dict[int, float]:
    """BM25 relative to the best, times the share of the query's words in the best chunk."""
    if not scores or not query.words:
        return {}
    best = max(scores, key=lambda number: scores[number])
    most = max(sum(bool(word & stems_held.get(number, frozenset())) for word in query.words) for number in scores)
    top, share = scores[best], most / len(query.words)
    return {number: share * (score / top if top > 0 else 1.0) for number, score in scores.items()}


def _chunks_of_day(index: JournalIndex, day: DateHint | None) -> tuple[int, ...]:
    """Chunks of the day that the query names, whatever their words."""
    if day is None:
        return ()
    dated = index.numbers_of_day()
    near = {one: _day_match(day, one) for one in dated}
    first = sorted((one for one in near if near[one] > 0), key=lambda one: (-near[one], one))
    return tuple(number for one in first for number in dated[one])[:_MOST_OF_A_DAY]


def _day_match(query: DateHint | None, day: date | None) -> float:
    """1 if a note is of the day or month in question, 0.5 if it is of a day soon after, else 0."""
    if query is None or day is None or not query.fits(day):
        return 0.0
    is_exact = day.month == query.month and query.day in {None, day.day}
    return 1.0 if is_exact else 0.5
