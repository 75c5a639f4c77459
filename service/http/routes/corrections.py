"""What people put right: decide it, look at it, take it back."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, status

from consolidation.corrections.record import What
from service.corrections.desk import Decision
from service.corrections.targets import Meant
from service.http.dependencies import CallerName, MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.corrections import (
    CORRECTION,
    CORRECTIONS,
    UNDONE,
    CorrectionIn,
    CorrectionOut,
    CorrectionsOut,
    correction_out,
)

router = APIRouter(prefix="/v1/minds/{mind_id}/corrections", tags=["corrections"], route_class=KnownQuery)

CorrectionId = Annotated[
    str,
    Path(max_length=64, description="The id of a correction.", examples=["5f0c1f4b2d3e4a5b8c7d6e5f4a3b2c1d"]),
]


@router.post(
    "",
    status_code=status.HTTP_201_CREATED,
    summary="Put a memory right",
    responses=answers(CORRECTION, 400, 404, 409, 413, 422, 503, 507, status=201),
)
async def correct(mind_id: MindId, posted: CorrectionIn, memory: MemoryDep, caller: CallerName) -> CorrectionOut:
    """
    Decide what holds of a memory. It is on disk when this answers, and holds at once.

    It outlives a rebuild, an export and an import. The same decision again is kept once.
    """
    mind = await memory.minds.find(mind_id)
    meant = posted.target
    decision = Decision(
        What(posted.what),
        Meant(meant.kind, meant.id, meant.text, tuple(meant.turn_ids)) if meant is not None else None,
        posted.to,
        posted.reason,
    )
    kept = await memory.corrections.make(mind, decision, by=caller)
    if kept.is_new:  # the audit log does not name what was put right
        made = kept.correction
        await memory.audit_log.note("memory.corrected", by=caller, mind_id=mind_id, what=made.what, id=made.id)
    return correction_out(kept, duplicate=not kept.is_new)


@router.get("", summary="What was put right", responses=answers(CORRECTIONS, 404, 422, 503))
async def listed(
    mind_id: MindId,
    memory: MemoryDep,
    cursor: Annotated[str | None, Query(max_length=64, description="`next_cursor` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> CorrectionsOut:
    """List the decisions of people, newest first, those that were taken back among them."""
    page = await memory.corrections.listed(await memory.minds.find(mind_id), after=cursor, limit=limit)
    return CorrectionsOut(items=[correction_out(one) for one in page.items], next_cursor=page.next_cursor)


@router.get("/{correction_id}", summary="One correction", responses=answers(CORRECTION, 404, 422, 503))
async def one(mind_id: MindId, correction_id: CorrectionId, memory: MemoryDep) -> CorrectionOut:
    """Read one decision, and whether it stands."""
    return correction_out(await memory.corrections.one(await memory.minds.find(mind_id), correction_id))


@router.delete("/{correction_id}", summary="Take a correction back", responses=answers(UNDONE, 404, 409, 422, 503, 507))
async def undo(mind_id: MindId, correction_id: CorrectionId, memory: MemoryDep, caller: CallerName) -> CorrectionOut:
    """Restore what was before a decision. Both stay in the log."""
    kept = await memory.corrections.undo(await memory.minds.find(mind_id), correction_id, by=caller)
    if kept.is_new:
        made = kept.correction
        await memory.audit_log.note("correction.undone", by=caller, mind_id=mind_id, what=made.what, id=made.id)
    return correction_out(kept, duplicate=not kept.is_new)
