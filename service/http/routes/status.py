"""The status of the service and its minds, cheap enough to be read every second."""

from importlib.metadata import version

import anyio.to_thread
from fastapi import APIRouter

from consolidation.kernel.errors import MemoryFault, NotFound
from consolidation.kernel.ports import Usage
from service.composition.container import Memory
from service.http.dependencies import CallerDep, MemoryDep
from service.http.openapi import answers
from service.http.schemas.resonance import UsageOut
from service.http.schemas.status import (
    STANDING,
    DependencyOut,
    LagOut,
    MindStandingOut,
    ModelCallOut,
    ResonanceStandingOut,
    StandingOut,
    StoryStandingOut,
)
from service.mind.health import LaneName
from service.mind.minds import Mind
from service.mind.trace_log import TraceLog
from service.observability.dependency_health import Dependency
from service.observability.model_usage import ModelCall

_TRACES = 200

router = APIRouter(prefix="/v1", tags=["health"])


@router.get("/status", summary="Status of the service", responses=answers(STANDING))
async def status(memory: MemoryDep, caller: CallerDep) -> StandingOut:
    """
    Dependencies and circuit breakers; each mind's backlog, last pre-turn calls and cost. Neither graph nor model is
    asked.
    """
    found = [await _opened(mind_id, memory) for mind_id in memory.minds.ids() if caller.sees(mind_id)]
    minds = [one for one in found if isinstance(one, Mind)]
    calls = await anyio.to_thread.run_sync(lambda: [_calls(one.trace_log) for one in minds])
    standings = [_mind(one, which) for one, which in zip(minds, calls, strict=True)]
    return StandingOut(
        version=version("mind-memory"),
        started_at=memory.started_at,
        now=memory.clock.now(),
        dependencies=[_dependency(one) for one in memory.telemetry.dependencies.all.values()]
        if caller.sees_all
        else [],
        model_calls=[_model_call(one) for one in memory.telemetry.usage.last_calls] if caller.sees_all else [],
        minds=[*standings, *(one for one in found if isinstance(one, MindStandingOut))],
    )


async def _opened(mind_id: str, memory: Memory) -> Mind | MindStandingOut | None:
    """The mind, or the reason why it can not be opened. None if it was erased at this moment."""
    try:
        return await memory.minds.find(mind_id)
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
            usage=UsageOut.model_validate(Usage()),
        )


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


def _mind(one: Mind, calls: ResonanceStandingOut) -> MindStandingOut:
    pending, run = one.story.pending(one.transcript.positions), one.story.last_run
    return MindStandingOut(
        mind_id=one.mind_id,
        turns=len(one.transcript.positions),
        sessions=one.transcript.positions.sessions(),
        lag=LagOut(**{lane.value: one.lag(lane) for lane in LaneName}),
        waiting_for=one.health.waiting_for,
        parked=len(one.health.parked),
        story=StoryStandingOut(
            pending_turns=pending.turns,
            pending_tokens=pending.tokens,
            is_running=one.story.is_running,
            received=run.received if run is not None else 0,
            waiting_for=run.error if run is not None else None,
        ),
        resonance=calls,
        usage=UsageOut.model_validate(one.health.usage),
    )


def _calls(log: TraceLog) -> ResonanceStandingOut:
    """A summary of the newest traces in memory."""
    traces = log.recent(limit=_TRACES)
    newest = traces[0] if traces else None
    return ResonanceStandingOut(
        calls=len(traces),
        surfaced=sum(one.surfaced for one in traces),
        last_at=newest.at if newest is not None else None,
        last_surfaced=newest.surfaced if newest is not None else None,
    )
