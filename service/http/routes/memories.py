"""Memories that somebody saves on purpose."""

from fastapi import APIRouter, status

from service.http.dependencies import CallerDep, MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.memories import MEMORIES_SAVED, MemoriesIn, MemoriesSaved, MemoryDropped, MemorySavedOut
from service.ingest.memories import NewMemory, SavedMemory, save_memories

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["memories"], route_class=KnownQuery)


@router.post(
    "/memories",
    status_code=status.HTTP_202_ACCEPTED,
    summary="Save memories on purpose",
    responses=answers(MEMORIES_SAVED, 400, 404, 409, 410, 413, 422, 503, 507, status=202),
)
async def save(mind_id: MindId, posted: MemoriesIn, memory: MemoryDep, caller: CallerDep) -> MemoriesSaved:
    """Each is a thought of the bot's own, on disk when this answers: all that are worth it, or none and an error."""
    await memory.new_minds.check(mind_id, by=caller)
    new = [NewMemory(one.text, one.importance, one.id, one.occurred_at) for one in posted.memories]
    found = await save_memories(
        memory.intake,
        mind_id,
        new,
        session_id=posted.session_id,
        clock=memory.clock,
        tally=memory.telemetry.tally,
    )
    return MemoriesSaved(
        mind_id=mind_id,
        session_id=posted.session_id,
        memories=[_saved(one) for one in found.saved],
        dropped=[MemoryDropped.model_validate(one) for one in found.dropped],
    )


def _saved(one: SavedMemory) -> MemorySavedOut:
    return MemorySavedOut(
        index=one.index,
        turn_id=one.turn.turn_id,
        sequence=one.turn.sequence,
        accepted_at=one.turn.accepted_at,
        importance=one.importance,
        duplicate=not one.turn.is_new,
    )
