"""The minds of this home, and their state."""

from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Query

from consolidation.kernel.errors import GraphFault
from service.catalog.minds import page_of_minds
from service.composition.container import Memory
from service.example.loader import EXAMPLE
from service.http.dependencies import CallerDep, MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.examples import MIND, MINDS, RETRIED
from service.http.schemas.minds import (
    DamageOut,
    GraphOut,
    MindListed,
    MindOut,
    MindsOut,
    OutcomeCounts,
    ParkedOut,
    Retried,
    StoryOut,
    TextOut,
)
from service.http.schemas.resonance import UsageOut
from service.http.schemas.settings import SettingsFaultOut
from service.http.schemas.sleep import SleepStatusOut
from service.mind.damage import damages_of
from service.mind.health import Health, LaneName
from service.mind.minds import Mind
from service.mind.summary import MindSummary
from service.ports.graph import GraphSize, Progress
from service.retrieval.put_right import put_right_in

router = APIRouter(prefix="/v1/minds", tags=["minds"], route_class=KnownQuery)


@router.get("", summary="List the minds", responses=answers(MINDS, 422))
async def minds(
    memory: MemoryDep,
    caller: CallerDep,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Query(max_length=200, description="`next_cursor` of the page before.")] = None,
) -> MindsOut:
    """The minds of this home that the key may see, by their ids."""
    page = await page_of_minds(memory.minds, among=caller.minds, cursor=cursor, limit=limit, fleet=memory.fleet)
    is_example = await anyio.to_thread.run_sync(lambda: memory.minds.workspace(EXAMPLE).is_example)
    return MindsOut(
        minds=[_listed(one, is_example=is_example and one.mind_id == EXAMPLE) for one in page.items],
        next_cursor=page.next_cursor,
    )


@router.get("/{mind_id}", summary="The state of a mind", responses=answers(MIND, 404, 422))
async def mind(mind_id: MindId, memory: MemoryDep) -> MindOut:
    """Turns, progress of the graph and what it waits for, parked turns, backlog of the story, damaged lines, cost."""
    found = await memory.minds.find(mind_id)
    fault = (await anyio.to_thread.run_sync(found.settings.read)).fault
    positions, standing = found.transcript.positions, (await put_right_in(found)).standing
    return MindOut(
        mind_id=mind_id,
        is_example=await anyio.to_thread.run_sync(lambda: found.workspace.is_example),
        turns=len(positions),
        sessions=positions.sessions(),
        last_sequence=positions.last,
        graph=await _graph(found),
        said=len(standing.said),
        story=await _story(found, memory),
        text=await _text(found),
        outcomes=OutcomeCounts(**await anyio.to_thread.run_sync(found.outcomes.counts)),
        sleep=SleepStatusOut.model_validate(await memory.sleep.sleeper.status(found)),
        damaged=[DamageOut.model_validate(damage) for damage in damages_of(found)],
        settings_fault=SettingsFaultOut.model_validate(fault) if fault is not None else None,
        usage=UsageOut.model_validate(found.health.usage),
    )


@router.post(
    "/{mind_id}/parked/retry",
    status_code=202,
    summary="Try parked turns again",
    responses=answers(RETRIED, 404, 422, 503, status=202),
)
async def retry(mind_id: MindId, memory: MemoryDep) -> Retried:
    """Try every parked turn again. A turn that fails again stays parked."""
    found = await memory.minds.find(mind_id)
    progress = await found.graph.progress()
    await memory.minds.take_over(found.mind_id)
    memory.ingestion.retry(found)
    return Retried(retrying=len(progress.parked))


async def _story(found: Mind, memory: Memory) -> StoryOut:
    story, run = await memory.story.reader.snapshot(found), found.story.last_run
    pending = await memory.story.reader.pending(found)
    return StoryOut(
        sequence=story.sequence,
        pending_turns=pending.turns,
        pending_tokens=pending.tokens,
        words=story.book.words,
        chapters=len(story.book.chapters),
        last_processed=story.last_processed,
        waiting_for=run.error if run is not None else None,
    )


def _listed(found: MindSummary, *, is_example: bool) -> MindListed:
    is_known = found.unknown is None
    return MindListed(
        mind_id=found.mind_id,
        turns=found.turns if is_known else None,
        sessions=found.sessions if is_known else None,
        waiting_for=found.waiting_for,
        is_example=is_example,
    )


async def _text(mind: Mind) -> TextOut:
    """The progress of full text: from its file, or the last known one if the file can not be read."""
    try:
        sequence, facts = [await anyio.to_thread.run_sync(mind.text.cursor, name) for name in ("turns", "facts")]
    except Exception:  # noqa: BLE001 - the lane reports the error; a status shows what is known
        lanes = mind.health.lanes
        sequence, facts = lanes[LaneName.INDEXING].cursor, lanes[LaneName.EXTRACTING].cursor
    return TextOut(sequence=sequence, facts=facts)


def _last_known(health: Health) -> Progress:
    saved, extracted = health.lanes[LaneName.SAVING].cursor, health.lanes[LaneName.EXTRACTING].cursor
    return Progress(saved, extracted, health.parked)


async def _graph(found: Mind) -> GraphOut:
    try:
        progress = await found.graph.progress()
        size, is_available = await found.graph.size(), True
    except GraphFault:
        progress, size, is_available = _last_known(found.health), GraphSize(), False
    return GraphOut(
        available=is_available,
        sequence=progress.extracted,
        saved=progress.saved,
        lag=found.transcript.positions.remembered_after(min(progress.saved, progress.extracted)),
        waiting_for=found.health.waiting_for,
        parked=[ParkedOut.model_validate(parked) for parked in progress.parked],
        episodes=size.episodes,
        entities=size.entities,
        facts=size.facts,
    )
