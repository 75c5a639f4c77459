"""How long things took, counted into buckets: a histogram for each kind of thing."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

INSTANT = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)  # seconds, upper bounds
TURN = (0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
REQUEST = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
PATIENT = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)


@dataclass(frozen=True, slots=True)
class Spread:
    """One histogram as it stands: how many took at most each bound, all of them last; seconds together."""

    bounds: tuple[float, ...]
    up_to: tuple[int, ...]
    seconds: float


class Durations:
    """Histograms by key; to be written from one thread."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        """Count up to each of *bounds*, and beyond the last."""
        self._bounds = bounds
        self._counts: dict[tuple[str, ...], list[int]] = {}
        self._seconds: dict[tuple[str, ...], float] = {}

    def add(self, *key: str, seconds: float) -> None:
        """Something of this *key* took so long."""
        if key not in self._counts:
            self._counts[key], self._seconds[key] = [0] * (len(self._bounds) + 1), 0.0
        self._counts[key][bisect_left(self._bounds, seconds)] += 1
        self._seconds[key] += seconds

    def spreads(self) -> Mapping[tuple[str, ...], Spread]:
        """What was counted so far, by key."""
        return {
            key: Spread(self._bounds, tuple(accumulate(counts)), self._seconds[key])
            for key, counts in self._counts.items()
        }
