"""Waiting until a mind's turns have been saved and read, or until that leads nowhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio

from consolidation.kernel.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from service.cli.client import MemoryClient

_POLL_SECONDS = 0.2
_STUCK_SECONDS = 60  # of something failing, without a turn being read


@dataclass(frozen=True, slots=True)
class Digested:
    """How it ended: the mind as it is then, and what holds it up, None when everything is read."""

    mind: Mapping[str, Any]
    held_up_by: str | None


async def until_digested(
    memory: MemoryClient,
    mind_id: str,
    *,
    advanced: Callable[[Mapping[str, Any]], None] = lambda _: None,
    stuck_seconds: float = _STUCK_SECONDS,
) -> Digested:
    """Return when nothing waits any more, or when something has failed for *stuck_seconds* without any progress."""
    clock = SystemClock()
    since, last = clock.monotonic(), (-1, -1, -1)
    while True:
        mind = await memory.mind(mind_id)
        graph = mind["graph"]
        advanced(mind)
        if _is_digested(mind):
            return Digested(mind, None)
        now = (graph["lag"], graph["saved"], mind["text"]["sequence"])
        if now != last:
            since, last = clock.monotonic(), now
        reason = graph["waiting_for"] or (None if graph["available"] else "the graph is away")
        if reason is not None and clock.monotonic() - since > stuck_seconds:
            return Digested(mind, reason)
        await anyio.sleep(_POLL_SECONDS)


def _is_digested(mind: Mapping[str, Any]) -> bool:
    graph, text, last = mind["graph"], mind["text"], mind["last_sequence"]
    is_found = text["sequence"] >= last and text["facts"] >= graph["sequence"]
    return bool(is_found and graph["lag"] == 0 and graph["saved"] >= last)


async def until_retried(
    memory: MemoryClient, mind_id: str, parked: Sequence[Mapping[str, Any]], *, stuck_seconds: float = _STUCK_SECONDS
) -> int:
    """Return, when each of the *parked* turns has been tried once more, how many are parked again or still."""
    clock = SystemClock()
    waiting = _attempts(parked)
    since = clock.monotonic()
    while True:
        now = _attempts((await memory.mind(mind_id))["graph"]["parked"])
        left = waiting & now
        if not left or clock.monotonic() - since > stuck_seconds:
            return len(now)
        if left != waiting:
            waiting, since = left, clock.monotonic()
        await anyio.sleep(_POLL_SECONDS)


def _attempts(parked: Sequence[Mapping[str, Any]]) -> set[tuple[int, int]]:
    return {(int(one["sequence"]), int(one["attempts"])) for one in parked}
