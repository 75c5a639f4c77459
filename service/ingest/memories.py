"""
Memories that somebody has us keep on purpose: sentences with an importance, each a thought of the bot's own.

They take the way of every turn, so secrets are masked, and erase, export and rebuild know them. What is not worth a
memory is not stored, and the answer says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.errors import InvalidRequest
from consolidation.kernel.turns import IMPORTANCE, Message, Speaker, Turn, TurnKind
from service.ingest.importance import LEAST_IMPORTANCE
from service.ingest.intake import OFF_THE_RECORD, DroppedMessage, check_time, emptiness

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from consolidation.kernel.ports import Clock
    from service.ingest.intake import AcceptedTurn, Intake
    from service.observability.counters import Tally

BELOW_THRESHOLD = "below the write threshold"


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A sentence to remember, its importance from 0 to 1, and when it happened; saved once under its ``id``."""

    text: str
    importance: float
    id: str | None = None
    occurred_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class SavedMemory:
    """A memory that is on disk; ``index`` is its place among those that were posted."""

    index: int
    turn: AcceptedTurn
    importance: float


@dataclass(frozen=True, slots=True)
class SavedMemories:
    """What was saved, and what was not, or not as it was: by place and with the reason."""

    saved: tuple[SavedMemory, ...]
    dropped: tuple[DroppedMessage, ...]


async def save_memories(
    intake: Intake, mind_id: str, memories: Sequence[NewMemory], *, session_id: str, clock: Clock, tally: Tally
) -> SavedMemories:
    """
    Store *memories* durably, all that are worth it or none. Nothing is stored twice under one id.

    One below the write threshold, without words or off the record is dropped. Raises InvalidRequest where an id comes
    twice or a time is in the future, and what ``Intake.accept`` raises.
    """
    _check(memories, now=clock.now())
    every = [_turn(one, session_id=session_id, turn_id=one.id or clock.fresh_id()) for one in memories]
    privacy = await intake.privacy_of(mind_id)
    reasons = [
        OFF_THE_RECORD if privacy.is_off_the_record(turn) else _reason_against(one)
        for one, turn in zip(memories, every, strict=True)
    ]
    dropped = [DroppedMessage(at, reason) for at, reason in enumerate(reasons) if reason]
    gone = {one.index for one in dropped}
    kept = [(at, one) for at, one in enumerate(memories) if at not in gone]
    turns = [every[at] for at, _ in kept]
    accepted = await intake.accept_all(mind_id, turns) if turns else ()
    saved = tuple(SavedMemory(at, turn, one.importance) for (at, one), turn in zip(kept, accepted, strict=True))
    dropped += [DroppedMessage(one.index, change.reason) for one in saved for change in one.turn.dropped]
    for one in saved:
        tally.memory("saved" if one.turn.is_new else "duplicate")
    for _ in gone:
        tally.memory("dropped")
    return SavedMemories(saved, tuple(sorted(dropped, key=lambda one: one.index or 0)))


def _check(memories: Sequence[NewMemory], *, now: datetime) -> None:
    seen: set[str] = set()
    for at, one in enumerate(memories):
        check_time(one.occurred_at, now=now, pointer=f"#/memories/{at}/occurred_at")
        if one.id is not None and one.id in seen:
            raise InvalidRequest("is the id of an earlier memory of this request", pointer=f"#/memories/{at}/id")
        seen |= {one.id} if one.id is not None else set()


def _reason_against(memory: NewMemory) -> str:
    return BELOW_THRESHOLD if memory.importance < LEAST_IMPORTANCE else emptiness(memory.text)


def _turn(memory: NewMemory, *, session_id: str, turn_id: str) -> Turn:
    return Turn(
        turn_id=turn_id,
        session_id=session_id,
        messages=(Message(Speaker.THOUGHT, memory.text, memory.occurred_at),),
        kind=TurnKind.MEMORY,
        metadata={IMPORTANCE: memory.importance},
    )
