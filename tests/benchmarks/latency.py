"""How long calls take and how many are answered a second, with one caller or several, within a time limit."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    # The number of a call in; what was wrong with the answer out, None for a whole one.
    Call = Callable[[int], Awaitable[str | None]]


async def timed(callers: Sequence[Call], *, seconds: float, most: int = 5_000) -> dict[str, Any]:
    """
    Let every caller call again and again until *seconds* are over or *most* calls were begun.

    A call under way is waited for, and counts. What raises or is not whole is counted by its reason, and its time too.
    """
    numbers = iter(range(most))
    taken: list[float] = []
    wrong: dict[str, int] = {}
    began = time.perf_counter()

    async def go_on(call: Call) -> None:
        for number in numbers:
            at = time.perf_counter()
            try:
                reason = await call(number)
            except Exception as error:
                reason = type(error).__name__
            taken.append(time.perf_counter() - at)
            if reason is not None:
                wrong[reason] = wrong.get(reason, 0) + 1
            if time.perf_counter() - began > seconds:
                return

    await asyncio.gather(*map(go_on, callers))
    whole = time.perf_counter() - began
    return {**latency(taken), "per second": round(len(taken) / whole, 2), "not whole": wrong}


def latency(taken: Sequence[float]) -> dict[str, Any]:
    """Samples in seconds as median and 95th percentile in milliseconds."""
    p50, p95 = (round(float(np.percentile(taken, share)) * 1000, 2) for share in (50, 95)) if taken else (0.0, 0.0)
    return {"samples": len(taken), "p50 ms": p50, "p95 ms": p95}
