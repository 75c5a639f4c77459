"""The runs that write the story; and a session's context window, stored before it is cut, or trimmed."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Response, status

from consolidation.story.triggers import Trigger
from service.composition.container import Memory
from service.http.dependencies import CallerDep, MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.examples import COMPACTED, CONSOLIDATED
from service.http.schemas.fields import SessionId
from service.http.schemas.story import Compacted, CompactionIn, ConsolidationIn, ConsolidationOut, RunOut
from service.http.schemas.trim import TRIMMED, TrimIn, Trimmed, window_response
from service.http.schemas.turns import Dropped
from service.mind.minds import Mind

WINDOWS = r"^/v1/minds/[^/]+/sessions/.+/trim$"  # paths that take a whole context window, pictures included

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["story"], route_class=KnownQuery)


@router.post(
    "/consolidation",
    summary="Write the story now",
    responses=answers(CONSOLIDATED, 400, 404, 413, 422)
    | {202: {"description": "The run goes on", "model": ConsolidationOut}},
)
async def consolidate(
    mind_id: MindId, posted: ConsolidationIn, memory: MemoryDep, response: Response
) -> ConsolidationOut:
    """
    Start a run. The answer is 200 when it has ended and 202 while it goes on. It goes on even if the caller
    disconnects. Where another service that shares the home is at a run of this mind, it begins when that has ended.
    """
    mind = await memory.story.sync.open_mind(mind_id, trigger=Trigger(posted.trigger))
    first = memory.story.sync.importer(mind, trigger=Trigger(posted.trigger))
    task = memory.story.scheduler.begin(mind, trigger=Trigger(posted.trigger), first=first, skips=posted.skip)
    if posted.wait:
        await asyncio.wait({task})
        mind = await memory.minds.find(mind_id)
    else:
        response.status_code = status.HTTP_202_ACCEPTED
    return await _state(mind, memory)


@router.get("/consolidation", summary="The last story run", responses=answers(CONSOLIDATED, 404, 422))
async def consolidation(mind_id: MindId, memory: MemoryDep) -> ConsolidationOut:
    """The progress of the current run, or the result of the last one since the service started."""
    return await _state(await memory.minds.find(mind_id), memory)


@router.post(
    "/sessions/{session_id:path}/compaction",
    status_code=status.HTTP_202_ACCEPTED,
    summary="Store a context window before it is cut",
    responses=answers(COMPACTED, 400, 404, 409, 413, 422, 503, 507, status=202),
)
async def compact(
    mind_id: MindId,
    session_id: Annotated[SessionId, Path(examples=["telegram:42"])],
    posted: CompactionIn,
    memory: MemoryDep,
    caller: CallerDep,
) -> Compacted:
    """Messages that the transcript does not hold become turns. Then the story is written in the background."""
    await memory.new_minds.check(mind_id, by=caller)
    mind = await memory.minds.find_or_create(mind_id)
    messages = [message.as_message() for message in posted.messages]
    synced = await memory.story.sync.compact(mind, session_id, messages)
    memory.story.scheduler.begin(mind, trigger=Trigger.SESSION_SYNC)
    return Compacted(
        mind_id=mind_id,
        session_id=session_id,
        new_messages=synced.new_messages,
        known_messages=synced.known_messages,
        turn_ids=list(synced.turn_ids),
        dropped=[Dropped.model_validate(dropped) for dropped in synced.dropped],
        pending_tokens=mind.story.pending(mind.transcript.positions).tokens,
    )


@router.post(
    "/sessions/{session_id:path}/trim",
    summary="Trim an agent's context window",
    response_model=Trimmed,
    responses=answers(TRIMMED, 400, 404, 409, 413, 422, 503, 507),
)
async def trim(
    mind_id: MindId,
    session_id: Annotated[SessionId, Path(examples=["telegram:42"])],
    posted: TrimIn,
    memory: MemoryDep,
    caller: CallerDep,
) -> Response:
    """
    The newest messages stay as they are, and a call of a tool stays with its result. What leaves is stored before this
    answers, once in any number of attempts; if that fails, the answer is an error, and nothing is trimmed.
    """

    async def open_mind() -> Mind:
        await memory.new_minds.check(mind_id, by=caller)
        return await memory.minds.find_or_create(mind_id)

    found = await memory.story.windows.trim(
        posted.as_given(),
        mind_id=mind_id,
        session_id=session_id,
        keep=posted.keep,
        max_characters=posted.max_characters,
        open_mind=open_mind,
    )
    return window_response(found)


async def _state(mind: Mind, memory: Memory) -> ConsolidationOut:
    pending, run = await memory.story.reader.pending(mind), mind.story.last_run
    return ConsolidationOut(
        mind_id=mind.mind_id,
        is_running=mind.story.is_running,
        pending_turns=pending.turns,
        pending_tokens=pending.tokens,
        last_run=RunOut.model_validate(run) if run is not None else None,
    )
