"""
From lists of hits to one ranking of turns: scores made comparable, added, and moved by what is known of a turn. Pure.

Every arm is a short list of turns with scores; none of it depends on how many turns there are. The constants were
measured on LoCoMo, on a wide plateau: see tests/benchmarks/README.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import tzinfo

    from service.recall.dates import DateHint
    from service.recall.text_store import Traits

DEPTH = 100

_TINY = 1e-9

type Hits = Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Scale:
    """What a poor score is, and the least that the best must have to count in full."""

    floor: float
    least_top: float


WORDS = Scale(0.0, 0.3)  # BM25; in a mind of a few turns no word is rare enough to mean much
COSINES = Scale(0.2, 0.45)  # of all-MiniLM-L6-v2: unrelated, and plainly related
SHARES = Scale(0.0, 0.0)  # in 0…1 already


_SCALES = {"words": WORDS, "vectors": COSINES, "facts": SHARES, "neighbours": SHARES}


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each arm counts, and how much a turn's traits move it (shares of the best score, or of its own)."""

    words: float = 1.0
    vectors: float = 1.0
    facts: float = 0.3
    neighbours: float = 0.15
    speaker: float = 0.20
    date: float = 0.30
    when: float = 0.10
    asks: float = 0.20
    brief: float = 0.20
    brief_words: float = 8.0


@dataclass(frozen=True, slots=True)
class Arms:
    """What one query found: turns by sequence, with each arm's own score, higher is better."""

    words: Hits = field(default_factory=dict)
    vectors: Hits = field(default_factory=dict)
    facts: Hits = field(default_factory=dict)
    neighbours: Hits = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cues:
    """What a query says besides its words: the people it names, the day it names, whether it asks for a time."""

    people: frozenset[str] = frozenset()
    date: DateHint | None = None
    asks_when: bool = False


@dataclass(frozen=True, slots=True)
class Ranked:
    """A turn with its fused score, and its rank in each arm that found it (from 1)."""

    sequence: int
    score: float
    ranks: Mapping[str, int]


def fuse(
    arms: Arms, *, cues: Cues, traits: Mapping[int, Traits], timezone: tzinfo, weights: Weights
) -> tuple[Ranked, ...]:
    """Rank the turns of one query's *arms*, best first; turns without *traits* are left out."""
    lists = {
        "words": (arms.words, weights.words),
        "vectors": (arms.vectors, weights.vectors),
        "facts": (arms.facts, weights.facts),
        "neighbours": (arms.neighbours, weights.neighbours),
    }
    scaled = {name: normalised(hits, scale=_SCALES[name]) for name, (hits, _) in lists.items()}
    sums = {
        sequence: sum(lists[name][1] * found.get(sequence, 0.0) for name, found in scaled.items())
        for sequence in {sequence for found in scaled.values() for sequence in found}
        if sequence in traits
    }
    best = max(sums.values(), default=0.0)
    places = {name: _places(hits) for name, (hits, _) in lists.items()}
    ranked = [
        Ranked(
            sequence,
            _moved(score, best, cues=cues, traits=traits[sequence], timezone=timezone, weights=weights),
            {name: found[sequence] for name, found in places.items() if sequence in found},
        )
        for sequence, score in sums.items()
    ]
    return tuple(sorted(ranked, key=lambda one: (-one.score, -one.sequence)))


def merged(rankings: Sequence[tuple[float, Sequence[Ranked]]]) -> tuple[Ranked, ...]:
    """One ranking of several queries': each turn by its best, each query's trust taken into account."""
    best: dict[int, Ranked] = {}
    for trust, ranking in rankings:
        top = ranking[0].score if ranking else 0.0
        for one in ranking:
            score = trust * one.score / top if top > 0 else 0.0
            known = best.get(one.sequence)
            if known is None or score > known.score:
                best[one.sequence] = Ranked(one.sequence, score, one.ranks)
    return tuple(sorted(best.values(), key=lambda one: (-one.score, -one.sequence)))


def normalised(hits: Hits, *, scale: Scale) -> dict[int, float]:
    """
    Scores of one list in 0…1, the best one 1 unless even that is weak.

    The floor of a full list is its end: what is below it was not worth a place. A list that is not full comes of a
    small mind, where the last place means nothing; there, the scale knows what a poor score is.
    """
    if not hits:
        return {}
    floor = min(hits.values()) if len(hits) >= DEPTH else scale.floor
    top = max(*hits.values(), scale.least_top, floor + _TINY)
    return {sequence: min(1.0, max(0.0, (score - floor) / (top - floor))) for sequence, score in hits.items()}


def _moved(score: float, best: float, *, cues: Cues, traits: Traits, timezone: tzinfo, weights: Weights) -> float:
    brief = math.exp(-traits.statement_words / weights.brief_words)
    score *= 1.0 - weights.asks * traits.asks - weights.brief * brief
    bonus = 0.0
    if len(cues.people) == 1 and cues.people & set(traits.speakers):
        bonus += weights.speaker
    if cues.date is not None and cues.date.fits(traits.occurred_at.astimezone(timezone).date()):
        bonus += weights.date
    if cues.asks_when and traits.has_time:
        bonus += weights.when
    return score + best * bonus


def _places(hits: Hits) -> dict[int, int]:
    order = sorted(hits, key=lambda sequence: -hits[sequence])
    return {sequence: place for place, sequence in enumerate(order, start=1)}
