"""
The door for an autonomous agent's actions: each is durable before the answer, and tells how tired the agent is.

Where it helps, the agent wonders in the background whether something of the past matters now, and the thought, if there
is one, comes with the next answer: it waits in the traces of the mind. Nothing of that holds up an action.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.corrections.decided_since import is_decided_since
from consolidation.dreams.actions import action_of, action_turn
from consolidation.dreams.fatigue import FatigueLevel, fatigue_level, is_notice_due, notice
from consolidation.dreams.wonder_trigger import reason_to_wonder
from consolidation.kernel.errors import DreamFault, InvalidRequest, Locked, MindErasing, TranscriptUnreadable
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from consolidation.kernel.turns import READ, Speaker
from service.ingest.intake import check_time, emptiness
from service.mind.own_settings import own_settings_of
from service.retrieval.moment import ResonanceRequest
from service.retrieval.put_right import FACT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from consolidation.dreams.actions import Action
    from consolidation.dreams.fatigue import FatigueThresholds
    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import Message
    from consolidation.transcript.positions import Positions
    from service.ingest.intake import AcceptedTurn, DroppedMessage, Intake
    from service.mind.minds import Mind, Minds
    from service.mind.trace_document import TraceDocument
    from service.observability.counters import Tally
    from service.resonance.pipeline import Pipeline
    from service.runtime.background import Background
    from service.sleep.sleeper import Sleeper, SleepStatus

log = structlog.get_logger()

_WINDOW = 20  # turns of the session that a wonder sees
_CUE, _SPOKEN_CHARACTERS = 600, 2_000
_THOUGHT_TOKENS = 300
_ROLES = {Speaker.THOUGHT: Speaker.ASSISTANT, Speaker.TOOL: Speaker.ASSISTANT}


@dataclass(frozen=True, slots=True)
class SurfacedThought:
    """A memory that came up while an agent acted: its text, and by which names its outcome is reported."""

    text: str
    trace_id: str
    flashback_id: str


@dataclass(frozen=True, slots=True)
class AcceptedActions:
    """
    Actions that are on disk, and how the agent is.

    ``actions`` counts the tool calls since its last dream. ``notice`` tells it once that it is tired. ``asleep_until``
    is when its sleep is over, None while it is awake. ``thought`` came up and no other answer has said it.
    """

    turns: tuple[AcceptedTurn, ...]
    dropped: tuple[DroppedMessage, ...]
    actions: int
    fatigue: FatigueLevel
    notice: str | None
    must_sleep: bool
    asleep_until: datetime | None
    thought: SurfacedThought | None


@dataclass(frozen=True, slots=True)
class WonderKnobs:
    """When an agent wonders, how sure a memory must be, and for how many seconds it may be looked for."""

    every: int
    relevance: float
    seconds: float


class ActionIntake:
    """Accepts the actions of every mind."""

    def __init__(
        self,
        intake: Intake,
        *,
        minds: Minds,
        sleeper: Sleeper,
        pipeline: Pipeline,
        clock: Clock,
        background: Background,
        tally: Tally,
        thresholds: FatigueThresholds,
        wonder: WonderKnobs,
    ) -> None:
        self._intake = intake
        self._minds = minds
        self._sleeper = sleeper
        self._pipeline = pipeline
        self._clock = clock
        self._background = background
        self._tally = tally
        self._thresholds = thresholds
        self._wonder = wonder
        self._wondering: set[tuple[str, str]] = set()

    async def accept(self, mind_id: str, session_id: str, actions: Sequence[Action]) -> AcceptedActions:
        """
        Store *actions* durably, all of them or none; each is stored once under its id. The first creates the mind.

        Raises InvalidRequest where an id comes twice, an action is empty, or its time is far ahead, and what
        ``Intake.accept_all`` raises.
        """
        _check(actions, now=self._clock.now())
        turns = [action_turn(one, session_id=session_id, turn_id=one.id or self._clock.fresh_id()) for one in actions]
        accepted = await self._intake.accept_all(mind_id, turns)
        mind = await self._minds.find(mind_id)
        status = await self._status(mind)
        dreams = mind.dreams.known()
        new = [one.sequence for one in accepted if one.is_new] or [one.sequence for one in accepted]  # a retry
        positions, cursor = mind.transcript.positions, dreams.cursor
        calls = positions.tool_calls_after(cursor)
        before = calls - positions.tool_calls_after(max(min(new) - 1, cursor))
        after = calls - positions.tool_calls_after(max(*new, cursor))
        is_due = is_notice_due(before=before, after=after, thresholds=self._thresholds)
        self._count(mind_id, accepted)
        thought = await self._thought(mind, session_id, accepted)  # first: what it says does not come up again
        self._begin_to_wonder(mind, session_id, accepted, cursor=cursor)
        return AcceptedActions(
            turns=accepted,
            dropped=_dropped(accepted),
            actions=calls,
            fatigue=fatigue_level(calls, self._thresholds),
            notice=notice(calls, self._thresholds) if is_due else None,
            must_sleep=status is not None and status.must_sleep,
            asleep_until=status.wake_at if status is not None and status.is_asleep else None,
            thought=thought,
        )

    async def _status(self, mind: Mind) -> SleepStatus | None:
        """How the agent is; None where that can not be read. Its actions are stored, so it must not be an error."""
        part = f"sleep {mind.mind_id}"
        try:
            status = await self._sleeper.status(mind)
        except (DreamFault, OSError) as error:
            mind.disk.failed(f"the sleep of an agent can not be read: {error}", part=part)
            return None
        mind.disk.worked(part=part)
        return status

    async def _thought(self, mind: Mind, session_id: str, accepted: Sequence[AcceptedTurn]) -> SurfacedThought | None:
        """What the answer says: to actions that came before, what it said then; else the thought that waits."""
        traces, newest = mind.trace_log, max(one.sequence for one in accepted)
        said = None if any(one.is_new for one in accepted) else traces.said(session_id, turn=newest)

        def find() -> TraceDocument | None:
            if said is not None and not _is_outdated(mind, said):
                return said
            return traces.deliver(session_id, turn=newest, is_outdated=lambda thought: _is_outdated(mind, thought))

        found = None
        try:
            if said is not None or traces.is_waiting(session_id):
                found = await anyio.to_thread.run_sync(find)
        except (OSError, TranscriptUnreadable, DatabaseUnavailable, Locked, MindErasing) as error:
            log.warning("thought.waits", mind_id=mind.mind_id, session_id=session_id, reason=str(error))
        return SurfacedThought(found.thought or "", found.trace_id, found.shown[0].id) if found is not None else None

    def _count(self, mind_id: str, accepted: Sequence[AcceptedTurn]) -> None:
        kinds = Counter[str]()
        for one in accepted:
            action = action_of(one.stored)
            if one.is_new and action is not None:
                kinds[action.kind] += 1
        self._tally.acted(kinds, mind_id=mind_id)

    def _begin_to_wonder(self, mind: Mind, session_id: str, accepted: Sequence[AcceptedTurn], *, cursor: int) -> None:
        key = (mind.mind_id, session_id)
        past = _last_of_the_past(mind.transcript.positions, cursor=cursor)
        cause = self._cause(mind, accepted, cursor=cursor, has_past=past > 0)
        if cause is None or key in self._wondering or self._background.is_stopping:
            return
        self._wondering.add(key)

        async def wonder() -> None:
            try:
                await self._pipeline.resonate(mind, await self._request(mind, session_id, cause, past=past))
            finally:
                self._wondering.discard(key)

        self._background.start(f"wonder {mind.mind_id}", wonder, owner=mind.mind_id)

    def _cause(self, mind: Mind, accepted: Sequence[AcceptedTurn], *, cursor: int, has_past: bool) -> Action | None:
        """The newest of these actions at which an agent wonders."""
        positions = mind.transcript.positions
        calls = positions.tool_calls_after(cursor)
        for one in reversed(accepted):
            action = action_of(one.stored)
            if action is None or not one.is_new:
                continue
            number = calls - positions.tool_calls_after(one.sequence) if action.kind == "tool_call" else 0
            every = self._wonder.every if action.kind == "tool_call" else 0
            if reason_to_wonder(
                action.kind, is_ok=not action.has_failed, number=number, has_past=has_past, every=every
            ):
                return action
        return None

    async def _request(self, mind: Mind, session_id: str, cause: Action, *, past: int) -> ResonanceRequest:
        turns = await mind.transcript.before_in_session(session_id, mind.transcript.positions.last + 1, limit=_WINDOW)
        own = await own_settings_of(mind)
        seen = [message for stored in turns for message in stored.turn.messages]
        return ResonanceRequest(
            session_id=session_id,
            messages=tuple(map(_as_own_words, seen)),
            now=self._clock.now(),
            timezone=await self._sleeper.zone(mind),
            deadline_seconds=self._wonder.seconds,
            max_fragments=1,
            max_tokens=_THOUGHT_TOKENS,
            relevance=self._wonder.relevance if own.relevance is None else own.relevance,
            placement="tail",
            query=_cue(cause),
            include=frozenset({"flashbacks"}),
            seen_from=past + 1,
            is_wonder=True,
            spoken="\n".join(one.content for one in seen if one.role not in READ)[-_SPOKEN_CHARACTERS:],
        )


def _check(actions: Sequence[Action], *, now: datetime) -> None:
    seen: set[str] = set()
    for at, one in enumerate(actions):
        check_time(one.timestamp, now=now, pointer=f"#/actions/{at}/timestamp")
        if one.id is not None and one.id in seen:
            raise InvalidRequest("is the id of an earlier action of this request", pointer=f"#/actions/{at}/id")
        seen |= {one.id} if one.id is not None else set()
        if one.kind != "tool_call" and emptiness(one.text):
            raise InvalidRequest("has no words", pointer=f"#/actions/{at}/text")
        if one.kind == "tool_call" and not one.tool.strip():
            raise InvalidRequest("names no tool", pointer=f"#/actions/{at}/tool")


def _dropped(accepted: Sequence[AcceptedTurn]) -> tuple[DroppedMessage, ...]:
    """What was not kept of each action, once, although the words of a tool call are also in its metadata."""
    found = (replace(dropped, index=at) for at, one in enumerate(accepted) for dropped in one.dropped)
    return tuple(dict.fromkeys(found))


def _is_outdated(mind: Mind, thought: TraceDocument) -> bool:
    """Whether people put something right of what a thought rests on, since it began to come up. It blocks."""
    sequences = {sequence for shown in thought.shown for sequence in shown.sequences}
    turns = mind.transcript.read_now(sorted(sequences))
    statements = {shown.id.removeprefix(FACT) for shown in thought.shown}
    return is_decided_since(turns, mind.corrections.lines(), since=thought.at, statements=statements)


def _last_of_the_past(positions: Positions, *, cursor: int) -> int:
    """
    The last sequence before this cycle: what the last dream covers, or what was there before the agent's first action.

    0 where nothing of it is remembered.
    """
    last = cursor or (positions.first_action or 1) - 1
    return last if positions.remembered_after(0) > positions.remembered_after(last) else 0


def _as_own_words(message: Message) -> Message:
    """What an agent thought and did, as its own words: so the phases read a window of it."""
    return replace(message, role=_ROLES.get(message.role, message.role), name=None)


def _cue(action: Action) -> str:
    """
    What is looked for: the words of a thought or an error, or what a tool was given and what came back.

    The names of the tool and of its arguments are those of every call of it, and so say nothing of this one.
    """
    words = action.text or "\n".join((" ".join(action.values), *action.outcome))
    return words.strip()[:_CUE] or action.tool or action.kind
