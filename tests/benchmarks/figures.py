"""From single questions to figures: means over all, by category, by conversation, with how sure they are. Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_RESAMPLES, _SEED = 1000, 20261121


@dataclass(frozen=True, slots=True)
class Score:
    """One question's result: the share of its evidence among the first 5 and 10, and whether there was any."""

    conversation: str
    category: str
    recall_5: float
    recall_10: float
    hit_5: bool
    hit_10: bool


def score(
    conversation: str, category: str, evidence: frozenset[str], *, first_5: frozenset[str], first_10: frozenset[str]
) -> Score:
    """Compare what was found with what would have answered."""
    in_5, in_10 = len(evidence & first_5), len(evidence & first_10)
    return Score(conversation, category, in_5 / len(evidence), in_10 / len(evidence), in_5 > 0, in_10 > 0)


def summary(scores: Sequence[Score]) -> dict[str, object]:
    """All questions together, with 95 % intervals of the recalls, and the same by category and by conversation."""
    return {
        **_means(scores),
        "recall@5_interval": interval([one.recall_5 for one in scores]),
        "recall@10_interval": interval([one.recall_10 for one in scores]),
        "by_category": _grouped(scores, lambda one: one.category),
        "by_conversation": _grouped(scores, lambda one: one.conversation),
    }


def interval(values: Sequence[float]) -> list[float]:
    """Where the mean of 95 of 100 resamples of the questions lies."""
    array = np.asarray(values, dtype=float)
    picks = np.random.default_rng(_SEED).integers(0, len(array), (_RESAMPLES, len(array)))
    low, high = np.percentile(array[picks].mean(axis=1), (2.5, 97.5))
    return [round(float(low), 3), round(float(high), 3)]


def mean(values: Sequence[float]) -> float:
    """The mean, to three digits; 0 of nothing."""
    return round(float(np.mean(values)), 3) if len(values) else 0.0


def _grouped(scores: Sequence[Score], key: Callable[[Score], str]) -> dict[str, dict[str, object]]:
    groups: dict[str, list[Score]] = defaultdict(list)
    for one in scores:
        groups[key(one)].append(one)
    return {name: _means(group) for name, group in sorted(groups.items())}


def _means(scores: Sequence[Score]) -> dict[str, object]:
    return {
        "questions": len(scores),
        "recall@5": mean([one.recall_5 for one in scores]),
        "recall@10": mean([one.recall_10 for one in scores]),
        "hit@5": mean([one.hit_5 for one in scores]),
        "hit@10": mean([one.hit_10 for one in scores]),
    }
