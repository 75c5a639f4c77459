"""How tired an agent was over the last days, and when it slept: counted anew from the transcript and its dreams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.dreams.fatigue_history import fatigue_points

if TYPE_CHECKING:
    from datetime import datetime

    from consolidation.dreams.dream_files import DreamFiles
    from consolidation.dreams.fatigue_history import FatiguePoint
    from consolidation.dreams.sleep_state import PastSleep
    from service.mind.minds import Mind

_PAGE = 500
_MOST_CALLS = 20_000  # newest first: more are more than a plot shows


@dataclass(frozen=True, slots=True)
class FatigueHistory:
    """Points and sleeps, oldest first; ``asleep_since`` is None while the agent is awake."""

    points: tuple[FatiguePoint, ...]
    sleeps: tuple[PastSleep, ...]
    asleep_since: datetime | None


async def read_fatigue(mind: Mind, files: DreamFiles, *, since: datetime, now: datetime) -> FatigueHistory:
    """How tired the mind's agent was from *since* to *now*. Raises DreamUnwritable, TranscriptUnreadable."""
    state, dreams = await anyio.to_thread.run_sync(lambda: (files.state(), files.dreams()))
    before = max((one.last_sequence for one in dreams.records if one.t < since), default=0)
    sequences = mind.transcript.positions.tool_calls(after=before)
    calls: list[tuple[int, datetime]] = []
    for start in range(max(len(sequences) - _MOST_CALLS, 0), len(sequences), _PAGE):
        turns = await mind.transcript.read_many(sequences[start : start + _PAGE])
        calls += [(one.sequence, one.accepted_at) for one in turns]
    return FatigueHistory(
        fatigue_points(calls, dreams.records, since=since, now=now),
        tuple(one for one in state.sleeps(now) if one.woke_at >= since),
        state.asleep_at if state.is_asleep(now) else None,
    )
