"""The status of the service and its minds, cheap enough to be read every second."""

from typing import Annotated

from fastapi import APIRouter, Query

from consolidation.dreams.fatigue import FatigueThresholds, fatigue_level
from consolidation.kernel.release import installed_version
from consolidation.workspace import mind_id_of
from service.catalog.minds import page_of_minds
from service.http.dependencies import CallerDep, MemoryDep
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.processes import ProcessState, state
from service.http.schemas.minds import OutcomeCounts
from service.http.schemas.resonance import UsageOut
from service.http.schemas.status import (
    STANDING,
    AgentStandingOut,
    DependencyOut,
    LagOut,
    LearntOut,
    MindStandingOut,
    ModelCallOut,
    ResonanceStandingOut,
    StandingOut,
    StoryStandingOut,
)
from service.mind.summary import MindSummary
from service.observability.model_usage import ModelCall

router = APIRouter(prefix="/v1", tags=["health"], route_class=KnownQuery)


@router.get("/status", summary="Status of the service", responses=answers(STANDING, 422))
async def status(
    memory: MemoryDep,
    caller: CallerDep,
    limit: Annotated[int, Query(ge=1, le=500, description="The most minds.")] = 50,
    cursor: Annotated[str | None, Query(max_length=200, description="`next_cursor` of the page before.")] = None,
    mind_id: Annotated[str | None, Query(description="One mind alone; none where there is no such mind.")] = None,
) -> StandingOut:
    """
    Dependencies and circuit breakers; each mind's backlog, last pre-turn calls and cost. Neither graph nor model is
    asked. Minds come in pages, by their ids.
    """
    only = mind_id_of(mind_id, pointer="query/mind_id") if mind_id is not None else None
    among = caller.minds if only is None else tuple(filter(caller.sees, (only,)))
    page = await page_of_minds(memory.minds, among=among, cursor=cursor, limit=limit, fleet=memory.fleet)
    found = await state(memory)
    return StandingOut(
        version=installed_version(),
        started_at=memory.started_at,
        now=memory.clock.now(),
        dependencies=[DependencyOut.model_validate(one) for one in found.dependencies] if caller.sees_all else [],
        model_calls=[_model_call(one) for one in found.model_calls] if caller.sees_all else [],
        learnt=_learnt(found) if caller.sees_all else None,
        minds=[_mind(one, memory.sleep.thresholds) for one in page.items],
        next_cursor=page.next_cursor,
    )


def _learnt(found: ProcessState) -> LearntOut:
    return LearntOut(surfaced=found.surfaced, outcomes=OutcomeCounts(**found.outcomes))


def _model_call(one: ModelCall) -> ModelCallOut:
    first = one.first_words_seconds
    return ModelCallOut(
        at=one.at,
        role=one.role.value,
        model=one.model,
        host=one.host,
        streamed=one.is_streamed,
        first_words_ms=None if first is None else round(first * 1000),
        ms=round(one.usage.seconds * 1000),
        prompt_tokens=one.usage.prompt_tokens,
        completion_tokens=one.usage.completion_tokens,
        cost_usd=one.usage.cost_usd,
        outcome=one.outcome,
        finish=one.finish,
        reason=one.reason,
    )


def _mind(one: MindSummary, thresholds: FatigueThresholds) -> MindStandingOut:
    if one.unknown is not None:
        return MindStandingOut.of_unknown(one.mind_id, reason=one.unknown)
    pending, narration = one.pending, one.narration
    return MindStandingOut(
        mind_id=one.mind_id,
        turns=one.turns,
        sessions=one.sessions,
        lag=LagOut(**{lane.value: lag for lane, lag in one.lags.items()}),
        waiting_for=one.waiting_for,
        parked=one.parked,
        story=StoryStandingOut(
            pending_turns=pending.turns,
            pending_tokens=pending.tokens,
            is_running=narration.is_running,
            received=narration.received,
            waiting_for=narration.error,
        ),
        resonance=ResonanceStandingOut.model_validate(one.calls),
        agent=AgentStandingOut(
            actions=one.agent.actions,
            fatigue=fatigue_level(one.agent.actions, thresholds).value,
            dreams=one.agent.dreams,
            last_dream_at=one.agent.last_dream_at,
        ),
        usage=UsageOut.model_validate(one.usage),
    )
