"""A posted turn becomes a kept one: stripped of secrets and of what we injected, told from noise, made durable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.discretion import voided
from consolidation.kernel.errors import InvalidRequest, MemoryFault, TranscriptUnwritable
from consolidation.kernel.injected import without_injected
from consolidation.kernel.noise import is_blank, kind_of
from consolidation.kernel.tokens import count_tokens
from consolidation.kernel.turns import Kind, Turn

if TYPE_CHECKING:
    from datetime import datetime

    from consolidation.kernel.discretion import Discretion
    from consolidation.kernel.ports import Clock
    from consolidation.transcript.log import Accepted
    from service.digestion.digest import Digestion
    from service.minds import Mind, Minds
    from service.spans import Told
    from service.storytelling.runs import Storytelling
    from service.tally import Tally

log = structlog.get_logger()

_AHEAD = timedelta(days=1)  # more than any clock is wrong by


OFF_THE_RECORD = "off_the_record"
_SECRET = "secret: "  # noqa: S105 - how a reason begins


@dataclass(frozen=True, slots=True)
class DroppedMessage:
    """A posted message that is not remembered, or a secret that was taken out of it; without index, of the metadata."""

    index: int | None
    reason: str

    @property
    def is_secret(self) -> bool:
        """Whether the message is kept, without a secret."""
        return self.reason.startswith(_SECRET)


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
    discretion: Discretion,
    tally: Tally,
) -> Acceptance:
    """
    Keep *turn* in the mind's transcript, durably, and wake its digestion; neither graph nor model is needed.

    Raises InvalidRequest, TurnConflict, TranscriptUnwritable; then nothing was stored.
    """
    began = clock.monotonic()
    with digestion.steps.keeping(mind_id, turn) as note:
        try:
            mind, accepted, dropped = await _kept(mind_id, turn, minds=minds, now=clock.now(), discretion=discretion)
        except MemoryFault as fault:
            if isinstance(fault, TranscriptUnwritable):
                reason = str(fault).rpartition(": ")[2]
                minds.disk.failed(f"turns can not be stored: {reason}", part="transcript")
            tally.turn("refused")
            raise
        minds.disk.worked(part="transcript")
        seconds = clock.monotonic() - began
        outcome = "accepted" if accepted.is_new else "duplicate"
        tally.turn(outcome, seconds=seconds if accepted.is_new else None)
        told: dict[str, Told] = {
            "outcome": outcome,
            "sequence": accepted.kept.sequence,
            "kind": accepted.kept.turn.kind.value,
        }
        note(**told, dropped=len(dropped))
        log.info("turn.kept", **told, dropped=len(dropped), ms=round(seconds * 1000, 2))
        digestion.wake(mind)
        return Acceptance(accepted, dropped, storytelling.notice(mind))


async def _kept(
    mind_id: str, turn: Turn, *, minds: Minds, now: datetime, discretion: Discretion
) -> tuple[Mind, Accepted, tuple[DroppedMessage, ...]]:
    _check_times(turn, now=now)
    stripped, dropped, tokens = await anyio.to_thread.run_sync(_measured, turn, discretion)
    mind = await minds.find_or_create(mind_id)
    return mind, await mind.transcript.append(stripped, tokens=tokens), dropped


def _measured(turn: Turn, discretion: Discretion) -> tuple[Turn, tuple[DroppedMessage, ...], int]:
    stripped, dropped = strip(turn, discretion=discretion)
    return stripped, dropped, count_tokens("\n".join(message.line for message in stripped.messages))


def strip(turn: Turn, *, discretion: Discretion) -> tuple[Turn, tuple[DroppedMessage, ...]]:
    """
    *turn* as it is kept, and what of it is not remembered.

    Raises InvalidRequest when nothing is left. Pure.
    """
    if discretion.is_off_the_record(turn):
        return voided(turn), tuple(DroppedMessage(at, OFF_THE_RECORD) for at in range(len(turn.messages)))
    dropped = {at: reason for at, message in enumerate(turn.messages) if (reason := _emptiness(message.content))}
    places = [at for at in range(len(turn.messages)) if at not in dropped]
    if not places:
        raise InvalidRequest("every message is empty", pointer="#/messages/0/content")
    kept = (replace(turn.messages[at], content=without_injected(turn.messages[at].content)) for at in places)
    found = discretion.without_secrets(replace(turn, messages=tuple(kept)))
    stripped = replace(found.turn, kind=kind_of(found.turn))
    if stripped.kind in {Kind.HEARTBEAT, Kind.PROBE}:
        dropped |= dict.fromkeys(places, stripped.kind.value)
    secrets = [DroppedMessage(places[at], _SECRET + kind) for at, kinds in found.kinds.items() for kind in kinds]
    told = sorted([*(DroppedMessage(at, reason) for at, reason in dropped.items()), *secrets], key=_place)
    return stripped, (*told, *(DroppedMessage(None, _SECRET + kind) for kind in found.metadata_kinds))


def _emptiness(content: str) -> str:
    """Why a message says nothing of its own; empty when it does."""
    if is_blank(content):
        return "empty"
    return "injected" if is_blank(without_injected(content)) else ""


def _place(dropped: DroppedMessage) -> int:
    return dropped.index or 0


def _check_times(turn: Turn, *, now: datetime) -> None:
    for index, message in enumerate(turn.messages):
        if message.timestamp is not None and message.timestamp > now + _AHEAD:
            pointer = f"#/messages/{index}/timestamp"
            raise InvalidRequest("is more than a day in the future", pointer=pointer)
