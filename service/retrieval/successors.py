"""
What came later: a newer turn may tell what holds now, though it shares nothing with the question.

"How many units am I on?" is near "Lantus, 10 units at bedtime". "He wants it 18 now, with breakfast" is not, but it is
near that turn, or has its rare words. So a turn counts for more by how alike it is to an older one that fits well.
The weights were fitted on made-up lives: see tests/benchmarks/lives/README.md.
"""

from __future__ import annotations

import math
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from service.retrieval.fusion import Ranked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LEAST_LATER = timedelta(hours=1)  # what is said sooner goes on with the same, and changes nothing
MOST_OLDER = 3  # of the best turns, so many may have successors
_BY_VECTORS, _BY_WORDS = 0.24, 0.16
_RARE = 0.4  # of the rarity of a word that stands in one turn alone
_PLAIN = 0.05  # of a score: what moves a turn by less is not told
_MANY_WORDS = 1.5  # rare words in common, from which more of them hardly count


class Likeness(NamedTuple):
    """How alike turns are to an older one, by sequence: the cosines of their vectors, and their rare common words."""

    cosines: Mapping[int, float]
    words: Mapping[int, float]

    def of(self, sequence: int) -> float:
        """What likeness adds to the score of a turn."""
        by_words = math.tanh(self.words.get(sequence, 0.0) / _MANY_WORDS)
        return _BY_VECTORS * max(0.0, self.cosines.get(sequence, 0.0)) + _BY_WORDS * by_words


def with_successors(ranking: Sequence[Ranked], likeness: Mapping[int, Likeness]) -> tuple[Ranked, ...]:
    """
    *ranking* with each turn moved up by how alike it is to an older one; *likeness* by the older ones' sequences.

    A turn that is plainly moved gets a rank as of an arm, ``successors``: that of the older turn.
    """
    if not ranking or ranking[0].score <= 0:
        return tuple(ranking)
    share = {one.sequence: one.score / ranking[0].score for one in ranking if one.sequence in likeness}
    rank = {one.sequence: place for place, one in enumerate(ranking, start=1)}
    moved = [_moved(one, share, likeness, rank) for one in ranking]
    return tuple(sorted(moved, key=lambda one: (-one.score, -one.sequence)))


def common_words(
    words: Mapping[int, frozenset[str]], *, older: int, counts: Mapping[str, int], turns: int
) -> dict[int, float]:
    """
    How much of the rare words of the turn *older* newer ones have, by sequence; a word of one turn alone would count 1.

    *counts* is in how many of all *turns* each word stands.
    """
    every = max(turns, 2)
    rarity = {word: math.log(every / max(counts.get(word, 1), 1)) / math.log(every) for word in words.get(older, ())}
    rare = {word: weight for word, weight in rarity.items() if weight > _RARE}
    return {
        sequence: sum(rare[word] for word in own & rare.keys())
        for sequence, own in words.items()
        if sequence > older and not own.isdisjoint(rare)
    }


def _moved(
    one: Ranked, share: Mapping[int, float], likeness: Mapping[int, Likeness], rank: Mapping[int, int]
) -> Ranked:
    """*one* with what the best of its older turns adds; each counts by how well it fits itself."""
    added = {
        older: share.get(older, 0.0) * likeness[older].of(one.sequence) for older in likeness if older < one.sequence
    }
    best = max(added, key=added.__getitem__, default=None)
    if best is None:
        return one
    ranks = {**one.ranks, "successors": rank.get(best, 1)} if added[best] >= _PLAIN else one.ranks
    return Ranked(one.sequence, one.score + added[best], ranks)
