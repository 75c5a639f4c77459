"""The runs that tell the story: begin one, watch it; and the window that a backend is about to forget."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Response, status

from consolidation.story.run import Gathered, Run
from consolidation.story.triggers import Trigger
from service.api.dependencies import MemoryDep, MindId
from service.api.documented import answers
from service.container import Memory
from service.minds import Mind
from service.wire.examples import COMPACTED, CONSOLIDATED
from service.wire.fields import SessionId
from service.wire.resonance import UsageOut
from service.wire.story import Compacted, CompactionIn, ConsolidationIn, ConsolidationOut, GatheredOut, RunOut
from service.wire.turns import Dropped

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["story"])


@router.post(
    "/consolidation",
    summary="Tell what waits",
    responses=answers(CONSOLIDATED, 400, 404, 413, 422)
    | {202: {"description": "It goes on", "model": ConsolidationOut}},
)
async def consolidate(
    mind_id: MindId, posted: ConsolidationIn, memory: MemoryDep, response: Response
) -> ConsolidationOut:
    """200 when the run has ended, 202 when it goes on; a run goes on, too, when nobody waits for it any more."""
    mind = await memory.stories.syncing.mind(mind_id, trigger=Trigger(posted.trigger))
    first = memory.stories.syncing.before(mind, trigger=Trigger(posted.trigger))
    task = memory.stories.telling.begin(mind, trigger=Trigger(posted.trigger), first=first, skips=posted.skip)
    if posted.wait:
        await asyncio.wait({task})
    else:
        response.status_code = status.HTTP_202_ACCEPTED
    return await _state(mind, memory)


@router.get("/consolidation", summary="The last run, and what waits", responses=answers(CONSOLIDATED, 404, 422))
async def consolidation(mind_id: MindId, memory: MemoryDep) -> ConsolidationOut:
    """How far a run has come, or how the last one ended, since the service began."""
    return await _state(await memory.minds.find(mind_id), memory)


@router.post(
    "/sessions/{session_id:path}/compaction",
    status_code=status.HTTP_202_ACCEPTED,
    summary="Keep a window before it is cut",
    responses=answers(COMPACTED, 400, 404, 409, 413, 422, 503, 507, status=202),
)
async def compact(
    mind_id: MindId,
    session_id: Annotated[SessionId, Path(examples=["telegram:42"])],
    posted: CompactionIn,
    memory: MemoryDep,
) -> Compacted:
    """What the transcript does not hold becomes turns; then the story is told, in the background."""
    mind = await memory.minds.find_or_create(mind_id)
    messages = [message.as_message() for message in posted.messages]
    synced = await memory.stories.syncing.compaction(mind, session_id, messages)
    memory.stories.telling.begin(mind, trigger=Trigger.SESSION_SYNC)
    return Compacted(
        mind_id=mind_id,
        session_id=session_id,
        new_messages=synced.new_messages,
        known_messages=synced.known_messages,
        turn_ids=list(synced.turn_ids),
        dropped=[Dropped.model_validate({"index": one.index, "reason": one.reason}) for one in synced.dropped],
        pending_tokens=memory.stories.telling.pending_tokens(mind),
    )


async def _state(mind: Mind, memory: Memory) -> ConsolidationOut:
    state = await memory.stories.telling.state(mind)
    run = memory.stories.telling.last_run(mind)
    return ConsolidationOut(
        mind_id=mind.mind_id,
        is_running=memory.stories.telling.is_running(mind),
        pending_turns=state.pending_turns,
        pending_tokens=state.pending_tokens,
        last_run=_run(run) if run is not None else None,
    )


def _run(run: Run) -> RunOut:
    return RunOut(
        trigger=run.trigger,
        started_at=run.started_at,
        ended_at=run.ended_at,
        turns=run.turns,
        told=run.told,
        chapters=run.chapters,
        compressed=run.compressed,
        reason=run.reason,
        error=run.error,
        gathered=_gathered(run.gathered) if run.gathered is not None else None,
        usage=UsageOut.of(run.usage),
    )


def _gathered(gathered: Gathered) -> GatheredOut:
    return GatheredOut(files=gathered.files, turns=gathered.turns, new=gathered.new, skipped=list(gathered.skipped))
