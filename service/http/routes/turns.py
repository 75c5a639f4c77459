"""The call after a turn."""

import re
from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Header, status

from consolidation.kernel.errors import InvalidRequest, TurnIdMismatch
from consolidation.kernel.turns import Turn
from service.http.dependencies import CallerDep, MemoryDep, MindId
from service.http.openapi import answers
from service.http.schemas.examples import KEPT
from service.http.schemas.turns import Dropped, TurnIn, TurnKept

OUTCOMES = "mind_memory.outcomes"

VISIBLE = r"[!-~]([ -~]*[!-~])?"  # ASCII only: readers disagree on other bytes in a header

IdempotencyKey = Annotated[
    str | None,
    Header(
        max_length=200,
        description="The turn's id, if the body has none.",
        json_schema_extra={"pattern": f"^{VISIBLE}$"},
    ),
]

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["turns"])


@router.post(
    "/turns",
    status_code=status.HTTP_202_ACCEPTED,
    summary="Store a turn",
    responses=answers(KEPT, 400, 404, 409, 410, 413, 422, 503, 507, status=202),
)
async def keep(
    mind_id: MindId,
    posted: TurnIn,
    memory: MemoryDep,
    caller: CallerDep,
    idempotency_key: IdempotencyKey = None,
) -> TurnKept:
    """The turn is on disk when this answers. Posting the same turn again returns the first answer."""
    await memory.new_minds.check(mind_id, by=caller)
    accepted = await memory.intake.accept(mind_id, _turn(posted, idempotency_key, fresh_id=memory.clock.fresh_id))
    return TurnKept(
        mind_id=mind_id,
        turn_id=accepted.turn_id,
        sequence=accepted.sequence,
        accepted_at=accepted.accepted_at,
        pending_tokens=accepted.pending_tokens,
        dropped=[Dropped.model_validate(dropped) for dropped in accepted.dropped],
        duplicate=not accepted.is_new,
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
    """The caller's metadata and, under a key of ours, the outcomes of the last flashbacks."""
    if posted.trace_id is None and not posted.outcomes:
        return dict(posted.metadata)
    outcomes = [outcome.model_dump() for outcome in posted.outcomes]
    return {**posted.metadata, OUTCOMES: {"trace_id": posted.trace_id, "outcomes": outcomes}}
