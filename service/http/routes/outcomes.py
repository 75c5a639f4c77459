"""The call that tells what became of flashbacks."""

from fastapi import APIRouter

from service.http.dependencies import MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.outcomes import APPLIED, OutcomesApplied, OutcomesIn, by_id

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["resonance"], route_class=KnownQuery)


@router.post("/outcomes", summary="What became of flashbacks", responses=answers(APPLIED, 400, 404, 413, 422, 503, 507))
async def report(mind_id: MindId, posted: OutcomesIn, memory: MemoryDep) -> OutcomesApplied:
    """
    Memories that helped rank higher from now on, and one that was contradicted stays away.

    It is on disk when this answers. Each flashback of a trace has one outcome: the same again changes nothing, another
    takes its place.
    """
    mind = await memory.minds.find(mind_id)
    applied = await memory.outcomes.report(mind, trace_id=posted.trace_id, outcomes=by_id(posted.outcomes))
    return OutcomesApplied.model_validate(applied)
