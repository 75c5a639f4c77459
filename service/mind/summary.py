"""What lists show of a mind, and what stays in memory of one that is closed: counts and states, none of its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.mind.health import LaneName

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from service.mind.health import Health
    from service.mind.minds import Mind
    from service.mind.story_progress import PendingTurns, StoryProgress
    from service.mind.trace_log import PreTurnCalls


@dataclass(frozen=True, slots=True)
class AgentActivity:
    """What an autonomous agent did: tool calls since its last dream, all its dreams, and when it dreamt last."""

    actions: int
    dreams: int
    last_dream_at: datetime | None


@dataclass(frozen=True, slots=True)
class MindSummary:
    """
    A mind at one moment: turns and sessions, the backlog of the story and of each lane, and the last pre-turn calls.

    ``story`` and ``health`` are the mind's own. A closed mind that is opened again goes on with them.
    """

    mind_id: str
    turns: int
    sessions: int
    pending: PendingTurns
    lags: Mapping[LaneName, int]
    calls: PreTurnCalls
    agent: AgentActivity
    story: StoryProgress
    health: Health


def summary_of(mind: Mind) -> MindSummary:
    """The summary of an open mind. No file is read."""
    positions, dreams = mind.transcript.positions, mind.dreams.known()
    return MindSummary(
        mind_id=mind.mind_id,
        turns=len(positions),
        sessions=positions.sessions(),
        pending=mind.story.pending(positions),
        lags={lane: mind.lag(lane) for lane in LaneName},
        calls=mind.trace_log.summary(),
        agent=AgentActivity(
            positions.tool_calls_after(dreams.cursor), len(dreams.records), dreams.last.t if dreams.last else None
        ),
        story=mind.story,
        health=mind.health,
    )
