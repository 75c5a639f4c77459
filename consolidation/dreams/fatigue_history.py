"""How tired an agent was, call by call: pure, from the times of its tool calls and from what its dreams cover."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from consolidation.dreams.dream_log import DreamRecord

_MOST_BETWEEN_DREAMS = 120


@dataclass(frozen=True, slots=True)
class FatiguePoint:
    """The tool calls since the last dream, at an instant."""

    at: datetime
    actions: int


def fatigue_points(
    calls: Sequence[tuple[int, datetime]], dreams: Sequence[DreamRecord], *, since: datetime, now: datetime
) -> tuple[FatiguePoint, ...]:
    """
    How tired an agent was from *since* to *now*, oldest first.

    *calls* are the sequences and instants of its tool calls behind a dream, *dreams* all its dreams, both in their
    order. The count goes to 0 with each dream. Of a long day, some calls are left out; its first
    and its last stay.
    """
    ends = [one.last_sequence for one in dreams]
    found: list[FatiguePoint] = []
    for number, day in groupby(calls, key=lambda call: bisect_left(ends, call[0])):
        times = [at for _, at in day]
        found += _thinned([FatiguePoint(at, count) for count, at in enumerate(times, start=1)])
        if number < len(dreams):
            found.append(FatiguePoint(dreams[number].t, 0))
    if found:
        found.append(FatiguePoint(now, found[-1].actions))
    return _within(tuple(_in_order(found)), since)


def _within(points: tuple[FatiguePoint, ...], since: datetime) -> tuple[FatiguePoint, ...]:
    """*points* from *since* on; how tired it was then comes first, if it had done anything before."""
    start = bisect_left(points, since, key=lambda one: one.at)
    before = (FatiguePoint(since, points[start - 1].actions),) if 0 < start < len(points) else ()
    return (*before, *points[start:])


def _thinned(points: list[FatiguePoint]) -> list[FatiguePoint]:
    step = -(-len(points) // _MOST_BETWEEN_DREAMS)
    return [one for at, one in enumerate(points) if at % step == 0 or at == len(points) - 1]


def _in_order(points: Iterable[FatiguePoint]) -> Iterator[FatiguePoint]:
    """*points*, none earlier than the one before it: a call made while a dream was written counts as made after it."""
    last: datetime | None = None
    for one in points:
        last = one.at if last is None else max(last, one.at)
        yield FatiguePoint(last, one.actions)
