"""Maximal marginal relevance: of what fits, the few that do not say the same. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def diverse[T](
    found: Sequence[T], *, score: Callable[[T], float], alike: Callable[[T, T], float], balance: float, limit: int
) -> tuple[T, ...]:
    """
    At most *limit* of *found* (best first), each chosen for its score against how much it is *alike* what was chosen.

    *balance* 1 looks at scores alone, 0 at likeness alone.
    """
    top = max(map(score, found), default=0.0)
    left, chosen = list(found), list[T]()
    nearest = [0.0] * len(left)
    while left and len(chosen) < limit:
        worth = [
            balance * (score(one) / top if top else 0.0) - (1 - balance) * nearest[at] for at, one in enumerate(left)
        ]
        at = max(range(len(left)), key=worth.__getitem__)
        taken = left.pop(at)
        nearest.pop(at)
        chosen.append(taken)
        nearest = [max(known, alike(one, taken)) for known, one in zip(nearest, left, strict=True)]
    return tuple(chosen)
