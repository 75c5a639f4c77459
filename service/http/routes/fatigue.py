"""How tired an agent was, over days."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query

from service.http.dependencies import MemoryDep, MindId
from service.http.openapi import answers
from service.http.schemas.fatigue import FATIGUE, FatigueOut, FatiguePointOut, PastSleepOut
from service.sleep.fatigue import read_fatigue

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["sleep"])


@router.get("/fatigue", summary="How tired an agent was", responses=answers(FATIGUE, 404, 422, 503))
async def fatigue(mind_id: MindId, memory: MemoryDep, days: Annotated[int, Query(ge=1, le=90)] = 7) -> FatigueOut:
    """Its tool calls since the dream before, call by call, and its sleeps, of the last days."""
    mind, now = await memory.minds.find(mind_id), memory.clock.now()
    since = now - timedelta(days=days)
    found = await read_fatigue(mind, memory.sleep.sleeper.files(mind), since=since, now=now)
    return FatigueOut(
        mind_id=mind_id,
        since=since,
        until=now,
        warning=memory.sleep.thresholds.warning,
        limit=memory.sleep.thresholds.limit,
        points=[FatiguePointOut.model_validate(one) for one in found.points],
        sleeps=[PastSleepOut.model_validate(one.model_dump()) for one in found.sleeps],
        asleep_since=found.asleep_since,
    )
