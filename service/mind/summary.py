"""What lists show of a mind, and what stays known of one that is closed: counts and states, none of its words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from consolidation.kernel.ports import Usage
from service.mind.health import LaneName
from service.mind.story_progress import PendingTurns
from service.mind.trace_log import PreTurnCalls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from service.mind.minds import Mind


@dataclass(frozen=True, slots=True)
class AgentActivity:
    """What an autonomous agent did: tool calls since its last dream, all its dreams, and when it dreamt last."""

    actions: int = 0
    dreams: int = 0
    last_dream_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Narration:
    """Whether a story run is under way, how many characters of an answer it has, and why the last one stopped early."""

    is_running: bool = False
    received: int = 0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class MindSummary:
    """
    A mind at one moment: turns and sessions, the backlog of the story and of each lane, and the last pre-turn calls.

    ``lags`` has every lane, ``waiting`` those that fail, with the reason. ``usage`` is since the service began. Where
    ``unknown`` says why nothing is known of it now, such as a worker that is away, the rest means nothing.
    """

    mind_id: str
    turns: int = 0
    sessions: int = 0
    pending: PendingTurns = field(default_factory=PendingTurns)
    calls: PreTurnCalls = field(default_factory=lambda: PreTurnCalls(0, 0, None, None))
    agent: AgentActivity = field(default_factory=AgentActivity)
    narration: Narration = field(default_factory=Narration)
    parked: int = 0
    lags: Mapping[LaneName, int] = field(default_factory=lambda: dict.fromkeys(LaneName, 0))
    waiting: Mapping[LaneName, str] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    unknown: str | None = None

    @property
    def waiting_for(self) -> str | None:
        """Why nothing is known of it, or why the first of the lanes that wait does so; None while nothing fails."""
        return self.unknown or next((self.waiting[lane] for lane in LaneName if lane in self.waiting), None)


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over minds: turns that each lane has before it, minds whose lane waits, parked turns, and the stories."""

    minds: int
    pending: PendingTurns
    parked: int
    failed_stories: int
    lags: Mapping[LaneName, int] = field(default_factory=lambda: dict.fromkeys(LaneName, 0))
    waiting: Mapping[LaneName, int] = field(default_factory=lambda: dict.fromkeys(LaneName, 0))


def summary_of(mind: Mind) -> MindSummary:
    """The summary of an open mind. No file is read."""
    positions, dreams, run = mind.transcript.positions, mind.dreams.known(), mind.story.last_run
    lanes = mind.health.lanes
    return MindSummary(
        mind_id=mind.mind_id,
        turns=len(positions),
        sessions=positions.sessions(),
        pending=mind.story.pending(positions),
        calls=mind.trace_log.summary(),
        agent=AgentActivity(
            positions.tool_calls_after(dreams.cursor), len(dreams.records), dreams.last.t if dreams.last else None
        ),
        narration=Narration(
            mind.story.is_running, run.received if run is not None else 0, run.error if run is not None else None
        ),
        parked=len(mind.health.parked),
        lags={lane: mind.lag(lane) for lane in LaneName},
        waiting={lane: reason for lane in LaneName if (reason := lanes[lane].waiting_for) is not None},
        usage=mind.health.usage,
    )


def totals_of(minds: Iterable[MindSummary], resting: Totals) -> Totals:
    """The sums over open *minds* and those that are *resting*."""
    found = tuple(minds)
    return Totals(
        minds=resting.minds + len(found),
        pending=PendingTurns(
            resting.pending.turns + sum(one.pending.turns for one in found),
            resting.pending.tokens + sum(one.pending.tokens for one in found),
        ),
        parked=resting.parked + sum(one.parked for one in found),
        failed_stories=resting.failed_stories + sum(one.narration.error is not None for one in found),
        lags={lane: sum(one.lags[lane] for one in found) for lane in LaneName},
        waiting={lane: sum(lane in one.waiting for one in found) for lane in LaneName},
    )
