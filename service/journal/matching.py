"""
How well each chunk fits a query: meaning and words together, on a scale of 0 to 1 that age has no part in.

Words count by BM25, as the share of the query's words that the best chunk holds: in a journal of a few chunks no word
is rare, and BM25 alone would say nothing. A day that the query names lifts the notes of that day.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from consolidation.kernel.language import detect
from consolidation.kernel.words import content_words, stems
from service.journal.days import day_of
from service.recall.dates import date_hint, without_dates
from service.recall.passages import passages
from service.resonance.fusion import COSINES, normalised

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from service.journal.index import JournalIndex
    from service.journal.matrix import Matrix
    from service.journal.store import Chunk
    from service.ports import Vector
    from service.recall.dates import DateHint

POOL = 100
_OF_A_DAY = 20


@dataclass(frozen=True, slots=True)
class Weights:
    """How much meaning, words and a named day count; and the share of the best below which nothing fits."""

    vectors: float = 0.7
    words: float = 0.3
    day: float = 0.3
    keep_share: float = 0.3


@dataclass(frozen=True, slots=True)
class Wanted:
    """A query taken apart: each of its words as the stems it may be kept as; its vector; the day it names."""

    words: tuple[frozenset[str], ...]
    vector: Vector | None
    day: DateHint | None

    @property
    def stems(self) -> tuple[str, ...]:
        """All that is looked for."""
        return tuple(dict.fromkeys(stem for word in self.words for stem in sorted(word)))


@dataclass(frozen=True, slots=True)
class Match:
    """
    A chunk that may be meant: how well it fits, and at best by one of the two; its stems; where its nearest passage is.

    ``direction`` is where its vectors point, for its likeness to others.
    """

    chunk: Chunk
    fit: float
    at_best: float
    stems: frozenset[str] = frozenset()
    nearest: int = 0
    direction: Vector | None = field(default=None, compare=False, repr=False)

    def like(self, other: Match) -> float:
        """How much two chunks say the same, 0…1."""
        if self.direction is not None and other.direction is not None:
            return max(0.0, float(self.direction @ other.direction))
        both = len(self.stems | other.stems)
        return len(self.stems & other.stems) / both if both else 0.0


def take_apart(query: str, *, languages: Iterable[str], language: str | None, vector: Vector | None) -> Wanted:
    """What to look for; *languages* are the journal's, *language* the query's where it is known."""
    kept_in = tuple(languages)
    own = language or detect(query, fallback=next(iter(kept_in), "en"))
    day = date_hint(query)
    bare = (without_dates(query) if day is not None else query) or query
    telling = content_words(bare, language=own)
    words = {word: {stem} for word, stem in telling.items()} or {stem: {stem} for stem in stems(bare, language=own)}
    for other in kept_in:
        for word, stem in content_words(bare, language=other).items():
            if word in words:
                words[word].add(stem)
    return Wanted(tuple(frozenset(one) for one in words.values()), vector, day)


@dataclass(frozen=True, slots=True)
class Matches:
    """What fits a query, best first; and how near every chunk is to it, where there are vectors."""

    fitting: tuple[Match, ...]
    cosines: Mapping[int, float]


def matching(index: JournalIndex, wanted: Wanted, *, weights: Weights, most: int) -> Matches:
    """What fits, at most *most*. Blocks. Raises IndexUnusable."""
    matrix = index.matrix() if wanted.vector is not None and index.embedder is not None else None
    cosines = matrix.cosines(wanted.vector) if matrix is not None and wanted.vector is not None else {}
    nearest = sorted(cosines, key=lambda number: -cosines[number])[:POOL]
    scores = {hit.number: hit.score for hit in index.ranked(wanted.stems, limit=POOL)}
    pool = tuple(dict.fromkeys((*scores, *nearest, *_of_day(index, wanted.day))))
    chunks = index.chunks(pool)
    words = _by_words(wanted, scores, index.holding(tuple(scores), wanted.stems))
    meaning = normalised({number: cosines[number] for number in pool if number in cosines}, scale=COSINES)
    vectors = weights.vectors if cosines else 0.0  # words count in full where there are no vectors
    whole = vectors + weights.words
    found = []
    for number, chunk in chunks.items():
        near, told = meaning.get(number, 0.0), words.get(number, 0.0)
        of_day = weights.day * _of_that_day(wanted.day, chunk.day)
        fit = ((vectors * near + weights.words * told) / whole if whole else 0.0) + of_day
        found.append(Match(chunk, fit, max(fit, near * (vectors > 0), told * (weights.words > 0))))
    fitting = _fitting(found, weights)[:most]
    held = index.stems([one.chunk.number for one in fitting])
    stemmed = [replace(one, stems=held.get(one.chunk.number, frozenset())) for one in fitting]
    if matrix is None or wanted.vector is None:
        return Matches(tuple(stemmed), cosines)
    return Matches(tuple(_placed(one, matrix, wanted.vector) for one in stemmed), cosines)


def _placed(match: Match, matrix: Matrix, vector: Vector) -> Match:
    """*match* with what its vectors say."""
    number = match.chunk.number
    if number not in matrix.places:
        return match
    before = passages(match.chunk.text)[: matrix.nearest_part(number, vector)]
    return replace(match, nearest=sum(map(len, before)), direction=matrix.direction(number))


def _fitting(matches: Sequence[Match], weights: Weights) -> tuple[Match, ...]:
    best = max((one.fit for one in matches), default=0.0)
    fits = [one for one in matches if one.fit > 0 and one.fit >= weights.keep_share * best]
    return tuple(sorted(fits, key=lambda one: (-one.fit, one.chunk.path, one.chunk.start_line)))


def _by_words(wanted: Wanted, scores: Mapping[int, float], held: Mapping[int, frozenset[str]]) -> dict[int, float]:
    """BM25 as shares of the best, times the share of the query's words that stand in the best."""
    if not scores or not wanted.words:
        return {}
    best = max(scores, key=lambda number: scores[number])
    most = max(sum(bool(word & held.get(number, frozenset())) for word in wanted.words) for number in scores)
    top, share = scores[best], most / len(wanted.words)
    return {number: share * (score / top if top > 0 else 1.0) for number, score in scores.items()}


def _of_day(index: JournalIndex, day: DateHint | None) -> tuple[int, ...]:
    """Chunks of the day that is named, whatever their words."""
    if day is None:
        return ()
    dated = index.dated()
    near = {path: _of_that_day(day, day_of(path)) for path in dated}
    first = sorted((path for path in near if near[path] > 0), key=lambda path: (-near[path], path))
    return tuple(number for path in first for number in dated[path])[:_OF_A_DAY]


def _of_that_day(wanted: DateHint | None, day: date | None) -> float:
    """Whether a note is of the day or month that is asked for; half, where it is of a day soon after."""
    if wanted is None or day is None or not wanted.fits(day):
        return 0.0
    is_exact = day.month == wanted.month and wanted.day in {None, day.day}
    return 1.0 if is_exact else 0.5
