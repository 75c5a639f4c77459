"""Waits until memory has caught up with a mind's turns: all of them in the graph and in the full-text index."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
from mind_memory_client import AsyncMemoryClient, Mind
from mind_memory_client.models import ParkedTurn

from consolidation.kernel.clock import SystemClock
from service.cli.output.progress import bar

_POLL_SECONDS = 0.2
_STUCK_SECONDS = 60  # of something failing, without a turn being read


async def until_caught_up(
    memory: AsyncMemoryClient,
    mind_id: str,
    *,
    shown_as: str = "reading",
    turns: int | None = None,
    stuck_seconds: float = _STUCK_SECONDS,
) -> tuple[Mind, str | None]:
    """
    Return when nothing waits any more, or when something has failed for *stuck_seconds* without any progress.

    Returns the mind, and why not all of it was read; None when it was. A bar named *shown_as* counts to *turns*, or to
    as many as wait at first.
    """
    clock = SystemClock()
    mind = await memory.mind(mind_id)
    total = mind.graph.lag if turns is None else turns
    since, last = clock.monotonic(), (-1, -1, -1)
    with bar(shown_as, total=total) as reached:
        while True:
            reached(total - mind.graph.lag)
            if _is_caught_up(mind):
                return mind, None
            now = (mind.graph.lag, mind.graph.saved, mind.text.sequence)
            if now != last:
                since, last = clock.monotonic(), now
            reason = mind.graph.waiting_for or (None if mind.graph.available else "the graph is unavailable")
            if reason is not None and clock.monotonic() - since > stuck_seconds:
                return mind, reason
            await anyio.sleep(_POLL_SECONDS)
            mind = await memory.mind(mind_id)


async def until_retried(
    memory: AsyncMemoryClient, mind_id: str, parked: Sequence[ParkedTurn], *, stuck_seconds: float = _STUCK_SECONDS
) -> int:
    """Return, when each of the *parked* turns has been tried once more, how many turns are parked then."""
    clock = SystemClock()
    waiting = _attempts(parked)
    since = clock.monotonic()
    while True:
        now = _attempts((await memory.mind(mind_id)).graph.parked)
        left = waiting & now
        if not left or clock.monotonic() - since > stuck_seconds:
            return len(now)
        if left != waiting:
            waiting, since = left, clock.monotonic()
        await anyio.sleep(_POLL_SECONDS)


def _is_caught_up(mind: Mind) -> bool:
    graph, text, last = mind.graph, mind.text, mind.last_sequence
    return graph.lag == 0 and min(graph.saved, text.sequence) >= last and text.facts >= graph.sequence


def _attempts(parked: Sequence[ParkedTurn]) -> set[tuple[int, int]]:
    return {(one.sequence, one.attempts) for one in parked}
