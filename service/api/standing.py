"""How everything stands, at a glance: cheap enough to be asked every second."""

from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import version
from typing import Any

import anyio.to_thread
from fastapi import APIRouter

from consolidation.kernel.errors import MemoryFault, NotFound
from consolidation.kernel.ports import Usage
from service.api.dependencies import CallerDep, MemoryDep
from service.api.documented import answers
from service.container import Memory
from service.dependency import Dependency
from service.digestion.backlog import LANES, lag, parked, waiting_for
from service.minds import Mind
from service.resonance.ledger import Ledger
from service.wire.resonance import UsageOut
from service.wire.standing import (
    STANDING,
    DependencyOut,
    LagOut,
    MindStandingOut,
    ResonanceStandingOut,
    StandingOut,
    StoryStandingOut,
)

_TRACES = 200

router = APIRouter(prefix="/v1", tags=["health"])


@router.get("/status", summary="How everything stands", responses=answers(STANDING))
async def status(memory: MemoryDep, caller: CallerDep) -> StandingOut:
    """Dependencies and breakers; each mind's backlog, last pre-turn calls, cost. Neither graph nor model is asked."""
    found = [await _opened(mind_id, memory) for mind_id in memory.minds.ids() if caller.sees(mind_id)]
    minds = [one for one in found if isinstance(one, Mind)]
    calls = await anyio.to_thread.run_sync(lambda: [_calls(one.ledger) for one in minds])
    told = [_mind(one, which, memory) for one, which in zip(minds, calls, strict=True)]
    return StandingOut(
        version=version("mind-memory"),
        started_at=memory.started_at,
        now=memory.clock.now(),
        dependencies=[_dependency(one) for one in memory.dependencies.all.values()] if caller.sees_all else [],
        minds=[*told, *(one for one in found if isinstance(one, MindStandingOut))],
    )


async def _opened(mind_id: str, memory: Memory) -> Mind | MindStandingOut | None:
    """The mind; why it can not be opened, where it can not; None where it was erased at this moment."""
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
            story=StoryStandingOut(pending_turns=0, pending_tokens=0, is_running=False, waiting_for=None),
            resonance=ResonanceStandingOut(calls=0, surfaced=0, last_at=None, last_surfaced=None),
            usage=UsageOut.of(Usage()),
        )


def _dependency(one: Dependency) -> DependencyOut:
    gate = one.gate() if one.gate is not None else None
    return DependencyOut.model_validate({"name": one.name, "trouble": one.trouble, "breaker": gate})


def _mind(one: Mind, calls: ResonanceStandingOut, memory: Memory) -> MindStandingOut:
    telling = memory.stories.telling
    turns, tokens = telling.pending(one)
    run = telling.last_run(one)
    return MindStandingOut(
        mind_id=one.mind_id,
        turns=len(one.transcript.positions),
        sessions=one.transcript.positions.sessions(),
        lag=LagOut(**{lane: lag(one, lane) for lane in LANES}),
        waiting_for=next(filter(None, (waiting_for(one, lane) for lane in LANES)), None),
        parked=parked(one),
        story=StoryStandingOut(
            pending_turns=turns,
            pending_tokens=tokens,
            is_running=telling.is_running(one),
            waiting_for=run.error if run is not None else None,
        ),
        resonance=calls,
        usage=UsageOut.of(one.health.usage),
    )


def _calls(ledger: Ledger) -> ResonanceStandingOut:
    """Of the traces that are at hand, newest first."""
    traces = ledger.recent(limit=_TRACES)
    newest = traces[0] if traces else None
    return ResonanceStandingOut(
        calls=len(traces),
        surfaced=sum(bool(one.get("surfaced")) for one in traces),
        last_at=_instant(newest) if newest is not None else None,
        last_surfaced=bool(newest.get("surfaced")) if newest is not None else None,
    )


def _instant(trace: Mapping[str, Any]) -> datetime | None:
    """When it was; None where a person's edit left it in another shape."""
    try:
        found = datetime.fromisoformat(str(trace.get("at")))
    except ValueError:
        return None
    return found if found.tzinfo is not None else None
