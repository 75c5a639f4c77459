"""What vector arms found against what an exact comparison of the same vectors finds: recall@10, and pages that repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tests.benchmarks.figures import mean
from tests.benchmarks.loading import ARMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.ports.embedder import Vectors
    from service.ports.graph import VectorHit, VectorHits
    from tests.benchmarks.loading import Built

_FIRST, _PAGE = 10, 50
_EQUAL = 1e-4  # vectors are rounded: as near as the tenth is good enough


class Exactness:
    """Knows how near the tenth of all is to every query; compares page by page."""

    def __init__(self, made: Built, queries: Vectors) -> None:
        self._queries = queries
        self._vectors: dict[str, Vectors] = {}
        self._places: dict[str, dict[str, int]] = {}
        self._least: dict[str, np.ndarray] = {}
        for arm in ARMS:
            keys, self._vectors[arm] = made.arm(arm)
            self._places[arm] = {str(key): place for place, key in enumerate(keys)}
            self._least[arm] = np.concatenate(
                [self._tenth(arm, queries[at : at + _PAGE]) for at in range(0, len(queries), _PAGE)]
            )
        self._begin()

    def rows(self, first: int, count: int) -> Vectors:
        """The vectors of *count* queries."""
        return self._queries[first : first + count]

    def compare(self, first: int, pages: Sequence[VectorHits]) -> None:
        """Note the answers to the queries from number *first* on."""
        for number, page in enumerate(pages, start=first):
            for arm in ARMS:
                found = getattr(page, arm)
                self._repeats[arm].append(len({one.key for one in found}) < len(found))
                self._recalls[arm].append(self._recall(arm, number, found))

    def take(self) -> dict[str, Any]:
        """By arm, and begin anew: recall@10, the share of pages that name something twice, how many pages; None of none."""
        told = {
            arm: {
                "recall@10": mean(self._recalls[arm]) if self._recalls[arm] else None,
                "repeating": mean(self._repeats[arm]) if self._repeats[arm] else None,
                "compared": len(self._recalls[arm]),
            }
            for arm in ARMS
        }
        self._begin()
        return told

    def _begin(self) -> None:
        self._recalls: dict[str, list[float]] = {arm: [] for arm in ARMS}
        self._repeats: dict[str, list[bool]] = {arm: [] for arm in ARMS}

    def _tenth(self, arm: str, queries: Vectors) -> np.ndarray:
        rows = self._vectors[arm]
        most = min(_FIRST, len(rows))
        return np.partition(queries @ rows.T, -most, axis=1)[:, -most]

    def _recall(self, arm: str, number: int, found: Sequence[VectorHit]) -> float:
        places = {self._places[arm][one.key] for one in found[:_FIRST] if one.key in self._places[arm]}
        near = self._vectors[arm][list(places)] @ self._queries[number] if places else np.zeros(0)
        wanted = min(_FIRST, len(self._vectors[arm]))
        return float((near >= self._least[arm][number] - _EQUAL).sum()) / wanted
