"""
Figures of pre-turn calls by day: how many, what came of them, how long they took, what they cost.

Figures of two days can be added. Times are counted in classes, each a tenth longer than the one before.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from service.index.trace_index import CallRow

_STEP = math.log(1.1)


@dataclass(frozen=True, slots=True)
class CallFigures:
    """Calls, in how many something surfaced, rungs taken, times in ms by class, tokens, and cost in US dollars."""

    calls: int = 0
    surfaced: int = 0
    tokens: int = 0
    cost: float = 0.0
    degraded: Counter[str] = field(default_factory=Counter)
    times: Counter[int] = field(default_factory=Counter)

    def __add__(self, other: CallFigures) -> CallFigures:
        return CallFigures(
            self.calls + other.calls,
            self.surfaced + other.surfaced,
            self.tokens + other.tokens,
            self.cost + other.cost,
            self.degraded + other.degraded,
            self.times + other.times,
        )

    def percentile(self, share: float) -> float | None:
        """The time in ms that *share* (0…1) of the calls did not exceed, to a twentieth; None where there are none."""
        left = share * self.times.total()
        for number in sorted(self.times):
            left -= self.times[number]
            if left <= 0:
                return round(math.exp((number + 0.5) * _STEP), 1)
        return None


class DayOfFile(NamedTuple):
    """The day of a call, and the file that its trace stood in."""

    file: int
    day: date


def figures_of(rows: Iterable[CallRow]) -> dict[date, CallFigures]:
    """The figures of some calls, by day (UTC)."""
    found: dict[date, CallFigures] = {}
    for row in rows:
        day = row.at.astimezone(UTC).date()
        time = Counter({math.floor(math.log(max(row.ms, 0.01)) / _STEP): 1})
        one = CallFigures(1, row.surfaced, row.tokens, row.cost, Counter(row.degraded), time)
        found[day] = found[day] + one if day in found else one
    return found


def encoded(file: int, figures: Mapping[date, CallFigures]) -> bytes:
    """The figures of a file of traces as lines, one a day."""
    lines = (
        {
            "file": file,
            "day": day.isoformat(),
            "calls": one.calls,
            "surfaced": one.surfaced,
            "tokens": one.tokens,
            "cost": round(one.cost, 6),
            "degraded": dict(one.degraded),
            "times": {str(number): count for number, count in one.times.items()},
        }
        for day, one in sorted(figures.items())
    )
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def decoded(line: bytes) -> tuple[DayOfFile, CallFigures] | None:
    """One such line; None for what is not one."""
    try:
        found: dict[str, Any] = json.loads(line)
        times = Counter({int(number): int(count) for number, count in found["times"].items()})
        rungs = Counter({str(rung): int(count) for rung, count in found["degraded"].items()})
        figures = CallFigures(
            int(found["calls"]), int(found["surfaced"]), int(found["tokens"]), float(found["cost"]), rungs, times
        )
        return DayOfFile(int(found["file"]), date.fromisoformat(found["day"])), figures
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
