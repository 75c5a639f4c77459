"""After a turn: what is kept."""

import re
from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Header, status

from consolidation.kernel.errors import InvalidRequest, TurnIdMismatch
from consolidation.kernel.turns import Turn
from service.api.dependencies import MemoryDep, MindId
from service.api.documented import answers
from service.digestion.accept import accept
from service.wire.examples import KEPT
from service.wire.turns import Dropped, TurnIn, TurnKept

OUTCOMES = "mind_memory.outcomes"

VISIBLE = r"[!-~]([ -~]*[!-~])?"  # ASCII: what else a header holds depends on who reads it

IdempotencyKey = Annotated[
    str | None,
    Header(max_length=200, description="The turn's id, if not in it.", json_schema_extra={"pattern": f"^{VISIBLE}$"}),
]

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["turns"])


@router.post(
    "/turns",
    status_code=status.HTTP_202_ACCEPTED,
    summary="Keep a turn",
    responses=answers(KEPT, 400, 404, 409, 410, 413, 422, 503, 507, status=202),
)
async def keep(
    mind_id: MindId,
    posted: TurnIn,
    memory: MemoryDep,
    idempotency_key: IdempotencyKey = None,
) -> TurnKept:
    """The turn is on disk when this answers. The same turn posted again gets the first answer again."""
    kept = await accept(
        mind_id,
        _turn(posted, idempotency_key, fresh_id=memory.clock.fresh_id),
        minds=memory.minds,
        digestion=memory.digestion,
        storytelling=memory.stories.telling,
        clock=memory.clock,
        discretion=memory.discretion,
        tally=memory.tally,
    )
    return TurnKept(
        mind_id=mind_id,
        turn_id=kept.accepted.kept.turn.turn_id,
        sequence=kept.accepted.kept.sequence,
        accepted_at=kept.accepted.kept.accepted_at,
        pending_tokens=kept.pending_tokens,
        dropped=[Dropped.model_validate({"index": one.index, "reason": one.reason}) for one in kept.dropped],
        duplicate=not kept.accepted.is_new,
    )


def _turn(posted: TurnIn, key: str | None, *, fresh_id: Callable[[], str]) -> Turn:
    if key is not None and posted.turn_id is not None and key != posted.turn_id:
        raise TurnIdMismatch("Idempotency-Key and turn_id differ", pointer="#/turn_id")
    if key is not None and re.fullmatch(VISIBLE, key) is None:
        raise InvalidRequest("must be printable ASCII text", pointer="header/Idempotency-Key")
    return Turn(
        turn_id=posted.turn_id or key or fresh_id(),
        session_id=posted.session_id,
        messages=tuple(message.as_message() for message in posted.messages),
        kind=posted.as_kind(),
        metadata=_metadata(posted),
    )


def _metadata(posted: TurnIn) -> dict[str, object]:
    """The caller's metadata and, under a key of our own, what became of the last flashbacks: the log keeps both."""
    if posted.trace_id is None and not posted.outcomes:
        return dict(posted.metadata)
    outcomes = [outcome.model_dump() for outcome in posted.outcomes]
    return {**posted.metadata, OUTCOMES: {"trace_id": posted.trace_id, "outcomes": outcomes}}
