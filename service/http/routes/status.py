"""The status of the service and its minds, cheap enough to be read every second."""

from importlib.metadata import version

from fastapi import APIRouter

from consolidation.dreams.fatigue import FatigueThresholds, fatigue_level
from consolidation.kernel.errors import MemoryFault, NotFound
from consolidation.kernel.ports import Usage
from service.composition.container import Memory
from service.http.dependencies import CallerDep, MemoryDep
from service.http.openapi import answers
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
from service.observability.counters import Tally
from service.observability.dependency_health import Dependency
from service.observability.model_usage import ModelCall

router = APIRouter(prefix="/v1", tags=["health"])


@router.get("/status", summary="Status of the service", responses=answers(STANDING))
async def status(memory: MemoryDep, caller: CallerDep) -> StandingOut:
    """
    Dependencies and circuit breakers; each mind's backlog, last pre-turn calls and cost. Neither graph nor model is
    asked.
    """
    found = [await _standing(mind_id, memory) for mind_id in memory.minds.ids() if caller.sees(mind_id)]
    return StandingOut(
        version=version("mind-memory"),
        started_at=memory.started_at,
        now=memory.clock.now(),
        dependencies=[_dependency(one) for one in memory.telemetry.dependencies.all.values()]
        if caller.sees_all
        else [],
        model_calls=[_model_call(one) for one in memory.telemetry.usage.last_calls] if caller.sees_all else [],
        learnt=_learnt(memory.telemetry.tally) if caller.sees_all else None,
        minds=[*(one for one in found if one is not None)],
    )


async def _standing(mind_id: str, memory: Memory) -> MindStandingOut | None:
    """The mind, or the reason why it can not be opened. None if it was erased at this moment."""
    try:
        return _mind(await memory.minds.summary(mind_id), memory.sleep.thresholds)
    except NotFound:
        return None
    except MemoryFault as fault:
        return MindStandingOut(
            mind_id=mind_id,
            turns=0,
            sessions=0,
            lag=LagOut(indexing=0, saving=0, extracting=0),
            waiting_for=f"{type(fault).__name__}: {fault}",
            parked=0,
            story=StoryStandingOut(pending_turns=0, pending_tokens=0, is_running=False, received=0, waiting_for=None),
            resonance=ResonanceStandingOut(calls=0, surfaced=0, last_at=None, last_surfaced=None),
            agent=AgentStandingOut(actions=0, fatigue="rested", dreams=0, last_dream_at=None),
            usage=UsageOut.model_validate(Usage()),
        )


def _learnt(tally: Tally) -> LearntOut:
    return LearntOut(surfaced=sum(tally.flashbacks.values()), outcomes=OutcomeCounts(**tally.outcomes))


def _dependency(one: Dependency) -> DependencyOut:
    state = one.breaker_state() if one.breaker_state is not None else None
    return DependencyOut.model_validate({"name": one.name, "trouble": one.trouble, "breaker": state})


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
    pending, run = one.pending, one.story.last_run
    return MindStandingOut(
        mind_id=one.mind_id,
        turns=one.turns,
        sessions=one.sessions,
        lag=LagOut(**{lane.value: lag for lane, lag in one.lags.items()}),
        waiting_for=one.health.waiting_for,
        parked=len(one.health.parked),
        story=StoryStandingOut(
            pending_turns=pending.turns,
            pending_tokens=pending.tokens,
            is_running=one.story.is_running,
            received=run.received if run is not None else 0,
            waiting_for=run.error if run is not None else None,
        ),
        resonance=ResonanceStandingOut.model_validate(one.calls),
        agent=AgentStandingOut(
            actions=one.agent.actions,
            fatigue=fatigue_level(one.agent.actions, thresholds).value,
            dreams=one.agent.dreams,
            last_dream_at=one.agent.last_dream_at,
        ),
        usage=UsageOut.model_validate(one.health.usage),
    )
