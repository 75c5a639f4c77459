"""
From lists of hits to one ranking of turns: scores are made comparable, added, and moved by what is known of a turn.

Every arm is a short list of turns with scores, so none of this depends on how many turns there are. The constants were
measured on LoCoMo, on a wide plateau: see tests/benchmarks/README.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import tzinfo

    from service.index.text_store import Traits
    from service.retrieval.periods import Period

DEPTH = 100  # turns that an arm may find of one query
_FEW_TURNS = 30  # in fewer, the newest turn is hardly newer than the first one
_TINY = 1e-9
_SPEAKER = "speaker"

# How many times as much an arm or a trait counts where a query names people who speak in the mind. They talk to each
# other: who asks about them uses their words, and what one of them asks, another one answers.
_ARMS_OF_PEOPLE = {"words": 1.8, "concepts": 0.4, "period": 0.0}
_ASKS_OF_PEOPLE, _ONLY_ASKS_OF_PEOPLE = 3.0, 0.0

type Hits = Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Scale:
    """What a poor score is, and the least that the best must have to count in full."""

    floor: float
    least_top: float


WORDS = Scale(0.0, 0.3)  # BM25; in a mind of a few turns no word is rare enough to mean much
CONCEPTS = Scale(0.0, 1.0)  # BM25, of the few concepts that there are
COSINES = Scale(0.05, 0.35)  # of multilingual-e5-small as we use it: unrelated, and plainly related
WHOLES = Scale(0.0, 1.0)  # shares of all that could be found
SHARES = Scale(0.0, 0.0)  # in 0…1 already


@dataclass(frozen=True, slots=True)
class ArmHits:
    """What one arm found of one query: turns by sequence with its own scores; how much it counts, on which scale."""

    name: str
    hits: Hits
    weight: float
    scale: Scale


@dataclass(frozen=True, slots=True)
class TraitWeights:
    """
    How much a turn's traits move its score, where an arm's best hit counts as much as the arm weighs.

    ``recency`` is for questions about the present, whose newest answer holds. What marks a turn down is negative.
    ``words_unnamed`` is the share of its weight that the arm "words" has where the query names nobody and nothing that
    is known: who names something repeats its word, who does not asks in other words. ``introduces`` moves a turn in
    which somebody says their own name, where that is asked for: a cat has a name, too. ``unnamed`` marks down what
    nobody known told, where several people have names and one of them asks about themselves.
    """

    words_unnamed: float = 0.15
    speaker: float = 0.20
    others: float = -0.50
    unnamed: float = -0.30
    period: float = 0.72
    when: float = 0.30
    answers: float = 0.20
    introduces: float = 0.60
    wanted: float = 0.25
    recency: float = 0.28
    asks: float = -0.05
    only_asks: float = -0.05
    knows_not: float = -0.12
    brief: float = -0.35
    brief_words: float = 8.0


@dataclass(frozen=True, slots=True)
class Cues:
    """
    What a query says besides its words.

    The people it names, the period it names, whether it asks for a time, and whether it is about the present, in which
    what is newer holds; ``newest`` is the last sequence of the mind. ``names_known`` where it names something that the
    mind knows; ``answer_types`` are the kinds of words that may answer it; ``recalls_answer`` where it asks for what
    the assistant said, which is found where the person wanted something. Where several people have names, ``own`` are
    the turns in which the one speaks whom it is about, ``others`` those in which only others do; ``unnamed`` those of
    nobody known, where it is about who asks.
    """

    people: frozenset[str] = frozenset()
    period: Period | None = None
    asks_when: bool = False
    is_present: bool = False
    newest: int = 1
    names_known: bool = False
    answer_types: frozenset[str] = frozenset()
    recalls_answer: bool = False
    own: frozenset[int] = frozenset()
    others: frozenset[int] = frozenset()
    unnamed: frozenset[int] = frozenset()


class Ranked(NamedTuple):
    """A turn with its fused score, and its rank in each arm that found it (from 1). A tuple: hundreds are made."""

    sequence: int
    score: float
    ranks: Mapping[str, int]


def fuse(
    arms: Sequence[ArmHits], *, cues: Cues, traits: Mapping[int, Traits], timezone: tzinfo, weights: TraitWeights
) -> tuple[Ranked, ...]:
    """Rank the turns that the *arms* found for one query, best first; turns without *traits* are left out."""
    parts: dict[int, list[float]] = {}
    ranks: dict[int, dict[str, int]] = {}
    for arm in arms:
        weight = arm.weight * _share(arm.name, cues=cues, weights=weights)
        for sequence, score in normalised(arm.hits, scale=arm.scale).items():
            parts.setdefault(sequence, []).append(weight * score)
        for rank, sequence in enumerate(sorted(arm.hits, key=arm.hits.__getitem__, reverse=True), start=1):
            ranks.setdefault(sequence, {})[arm.name] = rank
    sums = {sequence: sum(found) for sequence, found in parts.items() if sequence in traits}
    ranked = [
        Ranked(
            sequence,
            score + _moved(sequence, cues=cues, traits=traits[sequence], timezone=timezone, weights=weights),
            ranks[sequence],
        )
        for sequence, score in sums.items()
    ]
    ranked.sort(key=lambda one: (-one.score, -one.sequence))
    if cues.others:  # a trace shows it as an arm that found all turns of one speaker
        for rank, one in enumerate((one for one in ranked if one.sequence in cues.own), start=1):
            ranks[one.sequence][_SPEAKER] = rank
    return tuple(ranked)


def with_corrections(ranking: Sequence[Ranked], denied: Mapping[int, int]) -> tuple[Ranked, ...]:
    """*ranking* with each turn that denies another (*denied*: denied to denying) at least as high as what it denies."""
    by_sequence = {one.sequence: one for one in ranking}
    for wrong, right in sorted(denied.items()):
        old, new = by_sequence.get(wrong), by_sequence.get(right)
        if old is not None and (new is None or new.score <= old.score):
            by_sequence[right] = Ranked(right, old.score + _TINY, new.ranks if new is not None else old.ranks)
    return tuple(sorted(by_sequence.values(), key=lambda one: (-one.score, -one.sequence)))


def merged(rankings: Sequence[tuple[float, Sequence[Ranked]]]) -> tuple[Ranked, ...]:
    """
    One ranking of several queries, each with its trust (0…1): a turn counts by the query that fits it best.

    Scores are never negative. Those of several queries can be compared: a query that finds nothing good stays low.
    """
    best: dict[int, Ranked] = {}
    for trust, ranking in rankings:
        for one in ranking:
            score = trust * max(one.score, 0.0)
            known = best.get(one.sequence)
            if known is None or score > known.score:
                best[one.sequence] = Ranked(one.sequence, score, one.ranks)
    return tuple(sorted(best.values(), key=lambda one: (-one.score, -one.sequence)))


def scaled(ranking: Sequence[Ranked], *, least_top: float = 0.0) -> tuple[Ranked, ...]:
    """
    *ranking*, best first, with scores of at most 1: those of all where the best has none above 0 are 0.

    The best one has 1, unless its own score is less than *least_top*: then it has its share of that.
    """
    top = max(ranking[0].score, least_top) if ranking and ranking[0].score > 0 else 0.0
    return tuple(one._replace(score=round(min(1.0, one.score / top), 4) if top > 0 else 0.0) for one in ranking)


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


def words_and_meaning(words: Hits, meanings: Hits) -> dict[int, float]:
    """The mean of how well the words fit, and the meaning, each in 0…1."""
    by_words, by_meaning = normalised(words, scale=WORDS), normalised(meanings, scale=COSINES)
    return {
        number: (by_words.get(number, 0.0) + by_meaning.get(number, 0.0)) / 2
        for number in by_words.keys() | by_meaning.keys()
    }


def _share(arm: str, *, cues: Cues, weights: TraitWeights) -> float:
    """How much of its weight an arm has for a query that says this."""
    if cues.people:
        return _ARMS_OF_PEOPLE.get(arm, 1.0)
    return weights.words_unnamed if arm == "words" and not cues.names_known else 1.0


def _moved(sequence: int, *, cues: Cues, traits: Traits, timezone: tzinfo, weights: TraitWeights) -> float:
    """What the traits of a turn add to its score."""
    brief = math.exp(-traits.statement_words / weights.brief_words)
    moved = weights.brief * brief + weights.knows_not * traits.knows_not
    moved += weights.asks * traits.asks * (_ASKS_OF_PEOPLE if cues.people else 1.0)
    moved += weights.only_asks * traits.only_asks * (_ONLY_ASKS_OF_PEOPLE if cues.people else 1.0)
    if len(cues.people) == 1 and not cues.people.isdisjoint(traits.speakers):
        moved += weights.speaker
    if cues.period is not None:
        day = traits.occurred_at.astimezone(timezone).date()
        moved += weights.period * (cues.period.fits(day) + cues.period.nearly_fits(day)) / 2
    if cues.asks_when and traits.has_time:
        moved += weights.when
    if cues.answer_types:
        held = cues.answer_types & traits.answers
        moved += weights.answers * len(held) + weights.introduces * ("own_name" in held)
    moved += weights.others * (sequence in cues.others)
    moved += weights.unnamed * (sequence in cues.unnamed)
    moved += weights.wanted * (cues.recalls_answer and traits.wants_answer)
    if cues.is_present:
        moved += weights.recency * (1 - max(cues.newest - sequence, 0) / max(cues.newest, _FEW_TURNS))
    return moved
