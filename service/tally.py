"""What happened since the service began, counted: no names, no words, nothing that grows with what is remembered."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

BUCKETS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)  # seconds, each an upper bound


class Tally:
    """Counts; one for the whole service, written from its event loop."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self.turns: Counter[str] = Counter(accepted=0, duplicate=0, refused=0)
        self.resonances: Counter[str] = Counter(surfaced=0, silent=0, late=0)
        self.rungs: Counter[str] = Counter()
        self.seconds = 0.0
        self.buckets = [0] * (len(BUCKETS) + 1)  # the last has no bound

    def turn(self, outcome: str) -> None:
        """A posted turn was ``accepted``, known already (``duplicate``), or ``refused``."""
        self.turns[outcome] += 1

    def resonance(self, outcome: str, *, rungs: Iterable[str], seconds: float) -> None:
        """A pre-turn call ``surfaced`` something, was ``silent``, or came to its deadline (``late``)."""
        self.resonances[outcome] += 1
        self.rungs.update(rungs)
        self.seconds += seconds
        self.buckets[bisect_left(BUCKETS, seconds)] += 1
