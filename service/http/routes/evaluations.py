"""What deep sleeps measured of an agent: by page, and a proposal that a person accepts."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from service.http.dependencies import CallerName, MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.evaluations import ACCEPTED, EVALUATIONS, EvaluationOut, EvaluationsOut

router = APIRouter(prefix="/v1/minds/{mind_id}/evaluations", tags=["sleep"], route_class=KnownQuery)


@router.get("", summary="What deep sleeps measured", responses=answers(EVALUATIONS, 404, 422, 503))
async def listed(
    mind_id: MindId,
    memory: MemoryDep,
    cursor: Annotated[
        int | None, Query(ge=1, le=1_000_000_000, description="`next_cursor` of the page before.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> EvaluationsOut:
    """How the agent did, deep sleep by deep sleep, newest first, each with one setting that a person might change."""
    mind = await memory.minds.find(mind_id)
    page = await memory.sleep.evaluations.listed(mind, below=cursor, limit=limit)
    following = str(page.next_number) if page.next_number is not None else None
    return EvaluationsOut(items=[EvaluationOut.model_validate(one) for one in page.items], next_cursor=following)


@router.post(
    "/{dream}/accept", summary="Accept what a deep sleep proposes", responses=answers(ACCEPTED, 404, 409, 412, 422, 503)
)
async def accept(
    mind_id: MindId,
    dream: Annotated[int, Path(ge=1, le=1_000_000_000, description="The number of an evaluation.", examples=[10])],
    memory: MemoryDep,
    caller: CallerName,
) -> EvaluationOut:
    """
    Set the proposed value in the mind's own settings; accepted again, nothing changes. It is refused (409) where the
    setting has another value by now than the evaluation saw, and where it is the service's.
    """
    mind = await memory.minds.find(mind_id)
    found = await memory.sleep.evaluations.accept(mind, dream, by=caller)
    proposal = found.evaluation.proposal
    if found.etag is not None and proposal is not None:
        keys = [proposal.setting]
        await memory.audit_log.note("settings.changed", by=caller, mind_id=mind_id, keys=keys, etag=found.etag)
    return EvaluationOut.model_validate(found.evaluation)
