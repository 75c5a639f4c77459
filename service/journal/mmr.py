"""Maximal marginal relevance (MMR): a few results that fit and do not repeat each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def diverse[T](
    found: Sequence[T], *, score: Callable[[T], float], alike: Callable[[T, T], float], balance: float, limit: int
) -> tuple[T, ...]:
    """
    At most *limit* of *found* (best first). Each is chosen for its score, minus how much it is *alike* the chosen ones.

    *balance* 1 counts scores alone, 0 counts variety alone.
    """
    top = max(map(score, found), default=0.0)
    left, chosen = list(found), list[T]()
    nearest = [0.0] * len(left)
    while left and len(chosen) < limit:
        values = [
            balance * (score(one) / top if top else 0.0) - (1 - balance) * nearest[at] for at, one in enumerate(left)
        ]
        at = max(range(len(left)), key=values.__getitem__)
        best = left.pop(at)
        nearest.pop(at)
        chosen.append(best)
        nearest = [max(known, alike(one, best)) for known, one in zip(nearest, left, strict=True)]
    return tuple(chosen)
