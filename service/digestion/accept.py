"""A posted turn becomes a kept one: stripped of what we injected, told from noise, made durable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import InvalidRequest, MemoryFault, TranscriptUnwritable
from consolidation.kernel.injected import without_injected
from consolidation.kernel.noise import is_blank, kind_of
from consolidation.kernel.tokens import count_tokens
from consolidation.kernel.turns import Kind, Turn

if TYPE_CHECKING:
    from datetime import datetime

    from consolidation.kernel.ports import Clock
    from consolidation.transcript.log import Accepted
    from service.digestion.digest import Digestion
    from service.minds import Mind, Minds
    from service.storytelling.runs import Storytelling
    from service.tally import Tally

_AHEAD = timedelta(days=1)  # more than any clock is wrong by


@dataclass(frozen=True, slots=True)
class DroppedMessage:
    """A posted message that is not remembered."""

    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What became of a posted turn; ``pending_tokens`` wait for the story."""

    accepted: Accepted
    dropped: tuple[DroppedMessage, ...]
    pending_tokens: int


async def accept(
    mind_id: str,
    turn: Turn,
    *,
    minds: Minds,
    digestion: Digestion,
    storytelling: Storytelling,
    clock: Clock,
    tally: Tally,
) -> Acceptance:
    """
    Keep *turn* in the mind's transcript, durably, and wake its digestion; neither graph nor model is needed.

    Raises InvalidRequest, TurnConflict, TranscriptUnwritable; then nothing was stored.
    """
    try:
        mind, accepted, dropped = await _kept(mind_id, turn, minds=minds, now=clock.now())
    except MemoryFault as fault:
        if isinstance(fault, TranscriptUnwritable):
            reason = str(fault).rpartition(": ")[2]
            minds.disk.failed(f"turns can not be stored: {reason}", part="transcript")
        tally.turn("refused")
        raise
    minds.disk.worked(part="transcript")
    tally.turn("accepted" if accepted.is_new else "duplicate")
    digestion.wake(mind)
    return Acceptance(accepted, dropped, storytelling.notice(mind))


async def _kept(
    mind_id: str, turn: Turn, *, minds: Minds, now: datetime
) -> tuple[Mind, Accepted, tuple[DroppedMessage, ...]]:
    _check_times(turn, now=now)
    stripped, dropped = strip(turn)
    tokens = await anyio.to_thread.run_sync(count_tokens, "\n".join(message.line for message in stripped.messages))
    mind = await minds.find_or_create(mind_id)
    return mind, await mind.transcript.append(stripped, tokens=tokens), dropped


def strip(turn: Turn) -> tuple[Turn, tuple[DroppedMessage, ...]]:
    """*turn* as it is kept, and what of it is not remembered. Raises InvalidRequest when nothing is left. Pure."""
    kept, dropped = [], []
    for index, message in enumerate(turn.messages):
        content = without_injected(message.content)
        if is_blank(message.content):
            dropped.append(DroppedMessage(index, "empty"))
        elif is_blank(content):
            dropped.append(DroppedMessage(index, "injected"))
        else:
            kept.append(replace(message, content=content))
    if not kept:
        raise InvalidRequest("every message is empty", pointer="#/messages/0/content")
    stripped = replace(turn, messages=tuple(kept))
    stripped = replace(stripped, kind=kind_of(stripped))
    if stripped.kind in {Kind.HEARTBEAT, Kind.PROBE}:
        known = {one.index for one in dropped}
        noise = [DroppedMessage(i, stripped.kind.value) for i in range(len(turn.messages)) if i not in known]
        dropped = sorted([*dropped, *noise], key=lambda one: one.index)
    return stripped, tuple(dropped)


def _check_times(turn: Turn, *, now: datetime) -> None:
    for index, message in enumerate(turn.messages):
        if message.timestamp is not None and message.timestamp > now + _AHEAD:
            pointer = f"#/messages/{index}/timestamp"
            raise InvalidRequest("is more than a day in the future", pointer=pointer)
