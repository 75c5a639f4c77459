"""How long calls take and how many are answered a second, with one caller or several, within a time limit."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    # The number of a call in; what was wrong with the answer out, None for a whole one.
    Call = Callable[[int], Awaitable[str | None]]


@dataclass(frozen=True, slots=True)
class Taken:
    """The seconds of each call, of all of them together, and why some were not whole; rounds add up."""

    each: tuple[float, ...] = ()
    together: float = 0.0
    wrong: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Taken) -> Taken:
        return Taken(self.each + other.each, self.together + other.together, self.wrong + other.wrong)

    @property
    def figures(self) -> dict[str, Any]:
        """Median and 95th percentile, calls a second, and how many were not whole, by reason."""
        rate = round(len(self.each) / self.together, 2) if self.together else 0.0
        return {**latency(self.each), "per second": rate, "not whole": dict(self.wrong)}


async def timed(callers: Sequence[Call], *, seconds: float, most: int = 5_000, first: int = 0) -> Taken:
    """
    Let every caller call again and again until *seconds* are over or *most* calls were begun, numbered from *first*.

    A call under way is waited for, and counts. What raises or is not whole is counted by its reason, and its time too.
    """
    numbers = iter(range(first, first + most))
    each: list[float] = []
    wrong: Counter[str] = Counter()
    began = time.perf_counter()

    async def go_on(call: Call) -> None:
        for number in numbers:
            at = time.perf_counter()
            try:
                reason = await call(number)
            except Exception as error:
                reason = type(error).__name__
            each.append(time.perf_counter() - at)
            if reason is not None:
                wrong[reason] += 1
            if time.perf_counter() - began > seconds:
                return

    await asyncio.gather(*map(go_on, callers))
    return Taken(tuple(each), time.perf_counter() - began, wrong)


async def side_by_side(
    calls: dict[str, Call], *, callers: dict[str, int], seconds: float, rounds: int
) -> dict[str, dict[str, Any]]:
    """
    Every call with each number of callers, *seconds* in all, in turns: a busy minute of the machine hits all alike.

    The first call of each is waited for before, and not counted.
    """
    for call in calls.values():
        await call(0)
    taken = {name: dict.fromkeys(callers, Taken()) for name in calls}
    for number in range(rounds):
        for name, call in calls.items():
            for label, many in callers.items():
                first = number * 1_000 + 1
                taken[name][label] += await timed([call] * many, seconds=seconds / rounds, most=1_000, first=first)
    return {name: {label: of.figures for label, of in cells.items()} for name, cells in taken.items()}


def latency(taken: Sequence[float]) -> dict[str, Any]:
    """Samples in seconds as median and 95th percentile in milliseconds."""
    p50, p95 = (round(float(np.percentile(taken, share)) * 1000, 2) for share in (50, 95)) if taken else (0.0, 0.0)
    return {"samples": len(taken), "p50 ms": p50, "p95 ms": p95}
