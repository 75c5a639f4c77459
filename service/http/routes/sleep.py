"""What an autonomous agent calls: its actions, its sleep, its dreams."""

from datetime import timedelta
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Path, Query, Response, status

from consolidation.dreams.actions import Action
from consolidation.dreams.changes import changed_by_dreams
from consolidation.dreams.dream_log import DreamRecord
from service.composition.container import Memory
from service.http.dependencies import CallerDep, CallerName, MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.fatigue import FATIGUE, FatigueOut, FatiguePointOut, PastSleepOut
from service.http.schemas.fields import SessionId
from service.http.schemas.sleep import (
    ACTIONS_KEPT,
    DREAMT,
    REDREAMT,
    SLEPT,
    STATUS,
    UNDREAMT,
    ActionDropped,
    ActionIn,
    ActionKept,
    ActionsIn,
    ActionsKept,
    DreamIn,
    DreamOut,
    DreamsOut,
    SleepBegunOut,
    SleepIn,
    SleepStatusOut,
    ThoughtOut,
    WakeIn,
    dream_out,
)
from service.mind.minds import Mind
from service.mind.own_settings import own_settings_of
from service.sleep.fatigue import read_fatigue

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["sleep"], route_class=KnownQuery)

DreamNumber = Annotated[int, Path(ge=1, le=1_000_000_000, description="The number of a dream.", examples=[1])]


@router.post(
    "/sessions/{session_id:path}/actions",
    status_code=status.HTTP_202_ACCEPTED,
    summary="Store what an agent did",
    responses=answers(ACTIONS_KEPT, 400, 404, 409, 410, 413, 422, 503, 507, status=202),
)
async def act(
    mind_id: MindId,
    session_id: Annotated[SessionId, Path(examples=["cycle-3"])],
    posted: ActionsIn,
    memory: MemoryDep,
    caller: CallerDep,
) -> ActionsKept:
    """The actions are on disk when this answers. It says how tired the agent is, and what came up meanwhile."""
    await memory.new_minds.check(mind_id, by=caller)
    found = await memory.sleep.actions.accept(mind_id, session_id, [_action(one) for one in posted.actions])
    return ActionsKept(
        mind_id=mind_id,
        session_id=session_id,
        kept=[ActionKept(id=one.turn_id, sequence=one.sequence, duplicate=not one.is_new) for one in found.turns],
        dropped=[ActionDropped.model_validate(one) for one in found.dropped],
        actions=found.actions,
        fatigue=found.fatigue.value,
        notice=found.notice,
        must_sleep=found.must_sleep,
        asleep_until=found.asleep_until,
        thought=ThoughtOut.model_validate(found.thought) if found.thought is not None else None,
    )


@router.post(
    "/sleep",
    status_code=status.HTTP_202_ACCEPTED,
    summary="Let an agent sleep",
    responses=answers(SLEPT, 400, 404, 413, 422, 503, status=202),
)
async def sleep(mind_id: MindId, posted: SleepIn, memory: MemoryDep) -> SleepBegunOut:
    """
    A nap, or a sleep in which what was lived is consolidated. The caller pauses; the dream survives a restart. An agent
    that dreams already and did nothing since goes on with that sleep.
    """
    mind = await memory.minds.find(mind_id)
    begun = await memory.sleep.sleeper.sleep(
        mind, seconds=posted.seconds, session_id=posted.session_id or "", timezone=posted.timezone
    )
    if posted.wait:
        await memory.sleep.sleeper.until_dreamt(mind)
    return SleepBegunOut(
        mind_id=mind_id,
        kind=begun.kind.value,
        pause_seconds=begun.pause_seconds,
        wake_at=begun.wake_at,
        dream_id=begun.dream_id,
    )


@router.get("/sleep", summary="How an agent is", responses=answers(STATUS, 404, 422, 503))
async def sleep_status(mind_id: MindId, memory: MemoryDep) -> SleepStatusOut:
    """Awake, asleep or dreaming; how tired it is; when it dreamt last."""
    return await _status(await memory.minds.find(mind_id), memory)


@router.post("/wake", summary="Wake an agent", responses=answers(STATUS, 400, 404, 413, 422, 503))
async def wake(mind_id: MindId, posted: WakeIn, memory: MemoryDep) -> SleepStatusOut:
    """Its sleep is over now. A dream that is under way goes on."""
    mind = await memory.minds.find(mind_id)
    privacy = (await own_settings_of(mind)).privacy(memory.privacy_filter)
    return SleepStatusOut.model_validate(await memory.sleep.sleeper.wake(mind, reason=privacy.note(posted.reason)))


@router.post(
    "/dreams",
    summary="Dream now",
    responses=answers(DREAMT, 400, 404, 413, 422, 503)
    | {202: {"description": "The dream goes on", "model": DreamsOut}},
)
async def dream(mind_id: MindId, posted: DreamIn, memory: MemoryDep, response: Response) -> DreamsOut:
    """
    Consolidate what was lived since the last dream, whatever the interval. The answer is 200 when that has ended, or
    there was nothing, and 202 while it goes on.
    """
    mind = await memory.minds.find(mind_id)
    begun = await memory.sleep.sleeper.dream_now(mind, is_deep=posted.deep, timezone=posted.timezone)
    if posted.wait:
        await memory.sleep.sleeper.until_dreamt(mind)
    elif begun is not None:
        response.status_code = status.HTTP_202_ACCEPTED
    return await _dreams(mind, memory, limit=1)


@router.get("/dreams", summary="The newest dreams", responses=answers(DREAMT, 404, 422, 503))
async def dreams(mind_id: MindId, memory: MemoryDep, limit: Annotated[int, Query(ge=1, le=200)] = 10) -> DreamsOut:
    """What dreams came to, newest first."""
    return await _dreams(await memory.minds.find(mind_id), memory, limit=limit)


@router.post("/dreams/{dream}/undo", summary="Take a dream back", responses=answers(UNDREAMT, 404, 422, 503))
async def undo(mind_id: MindId, dream: DreamNumber, memory: MemoryDep, caller: CallerName) -> DreamOut:
    """
    Its observations and rules leave their files, its reflection and priority no longer count, and what it took out
    comes back. A person's lines stay, and so do the briefing, the priorities and the diary.
    """
    mind = await memory.minds.find(mind_id)
    found = await memory.sleep.sleeper.undo(mind, dream, by=caller)
    await memory.audit_log.note("dream.undone", by=caller, mind_id=mind_id, dream=dream)
    return await _dream(mind, memory, found)


@router.delete("/dreams/{dream}/undo", summary="Let a dream count again", responses=answers(REDREAMT, 404, 422, 503))
async def redo(mind_id: MindId, dream: DreamNumber, memory: MemoryDep, caller: CallerName) -> DreamOut:
    """Restore a dream that was taken back, with its lines. One that counts stays as it is."""
    mind = await memory.minds.find(mind_id)
    found = await memory.sleep.sleeper.redo(mind, dream)
    await memory.audit_log.note("dream.restored", by=caller, mind_id=mind_id, dream=dream)
    return await _dream(mind, memory, found)


async def _dream(mind: Mind, memory: Memory, record: DreamRecord) -> DreamOut:
    _, changes = await anyio.to_thread.run_sync(changed_by_dreams, memory.sleep.sleeper.files(mind))
    return dream_out(record, changes[record.dream])


async def _dreams(mind: Mind, memory: Memory, *, limit: int) -> DreamsOut:
    current = await _status(mind, memory)  # first, so that a dream which it does not call under way is in the list
    found, changes = await anyio.to_thread.run_sync(changed_by_dreams, memory.sleep.sleeper.files(mind))
    newest = found.records[::-1][:limit]
    listed = [dream_out(one, changes[one.dream]) for one in newest]
    return DreamsOut(mind_id=mind.mind_id, dreams=listed, status=current)


async def _status(mind: Mind, memory: Memory) -> SleepStatusOut:
    return SleepStatusOut.model_validate(await memory.sleep.sleeper.status(mind))


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


def _action(one: ActionIn) -> Action:
    return Action(
        kind=one.kind,
        tool=(one.tool or "").strip(),
        input=one.input,
        is_ok=one.ok and one.kind != "error",
        output=one.output,
        text=one.text,
        timestamp=one.timestamp,
        id=one.id,
    )
