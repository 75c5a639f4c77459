"""Recall on purpose, and what minds there are."""

from typing import Annotated, Literal

import anyio.to_thread
from fastapi import APIRouter, Query

from consolidation.kernel.errors import GraphFault
from service.api.dependencies import CallerDep, MemoryDep, MindId
from service.api.documented import answers
from service.api.resonance import source_out
from service.container import Memory
from service.minds import Mind
from service.ports import GraphSize, Progress
from service.recall.remember import Remembered, Window
from service.wire.examples import MIND, MINDS, REMEMBERED, RETRIED
from service.wire.fields import Instant, Question
from service.wire.minds import (
    DamageOut,
    GraphOut,
    MemoryOut,
    MindListed,
    MindOut,
    MindsOut,
    ParkedOut,
    RememberedOut,
    Retried,
    StoryOut,
    TextOut,
)
from service.wire.resonance import UsageOut

router = APIRouter(prefix="/v1/minds", tags=["minds"])

Kinds = Annotated[list[Literal["fact", "entity", "episode"]] | None, Query(description="All kinds when left out.")]


@router.get("", summary="Every mind there is", responses=answers(MINDS))
async def minds(memory: MemoryDep, caller: CallerDep) -> MindsOut:
    """The minds of this home; of a key for some minds, those."""
    found = [await memory.minds.find(mind_id) for mind_id in memory.minds.ids() if caller.sees(mind_id)]
    return MindsOut(minds=[_listed(one) for one in found])


@router.get("/{mind_id}", summary="One mind: what it holds, and how far it is", responses=answers(MIND, 404, 422))
async def mind(mind_id: MindId, memory: MemoryDep) -> MindOut:
    """Turns, the graph's progress and what it waits for, parked turns, the story's backlog, damaged lines, cost."""
    found = await memory.minds.find(mind_id)
    positions = found.transcript.positions
    return MindOut(
        mind_id=mind_id,
        turns=len(positions),
        sessions=positions.sessions(),
        last_sequence=positions.last,
        graph=await _graph(found, memory),
        story=await _story(found, memory),
        text=await _text(found),
        damaged=[
            DamageOut(file=one.file, offset=one.offset, length=one.length, reason=one.reason, aside=one.aside)
            for one in found.transcript.damages
        ],
        usage=UsageOut.of(found.health.usage),
    )


@router.post(
    "/{mind_id}/parked/retry",
    status_code=202,
    summary="Try parked turns again",
    responses=answers(RETRIED, 404, 422, 503, status=202),
)
async def retry(mind_id: MindId, memory: MemoryDep) -> Retried:
    """Every parked turn is given to the model once more; one that fails again stays parked."""
    found = await memory.minds.find(mind_id)
    progress = await memory.graph.progress(mind_id)
    memory.digestion.retry(found)
    return Retried(retrying=len(progress.parked))


@router.get("/{mind_id}/remember", summary="Recall on purpose", responses=answers(REMEMBERED, 404, 422))
async def remember(
    mind_id: MindId,
    memory: MemoryDep,
    query: Annotated[Question, Query(description="In words.", examples=["Where does my mother live?"])],
    kinds: Kinds = None,
    since: Annotated[Instant | None, Query(description="Told at or after this time.")] = None,
    until: Annotated[Instant | None, Query(description="Told at or before this time.")] = None,
    at: Annotated[Instant | None, Query(description="Facts that held at this time.")] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
) -> RememberedOut:
    """Facts, entities and episodes that answer a query, best first, with their sources."""
    found = await memory.minds.find(mind_id)
    wanted = frozenset(kinds or ("fact", "entity", "episode"))
    window = Window(since=since, until=until, at=at)
    memories, degraded = await memory.remembering.remember(found, query, kinds=wanted, window=window, limit=limit)
    return RememberedOut(memories=[_memory(one) for one in memories], degraded=list(degraded))


async def _story(found: Mind, memory: Memory) -> StoryOut:
    state = await memory.stories.telling.state(found)
    run = memory.stories.telling.last_run(found)
    return StoryOut(
        sequence=state.sequence,
        pending_turns=state.pending_turns,
        pending_tokens=state.pending_tokens,
        words=state.book.words,
        chapters=len(state.book.chapters),
        last_processed=state.last_processed,
        waiting_for=run.error if run is not None else None,
    )


def _listed(found: Mind) -> MindListed:
    positions = found.transcript.positions
    return MindListed(mind_id=found.mind_id, turns=len(positions), sessions=positions.sessions())


async def _text(mind: Mind) -> TextOut:
    """How far full text is: by its file, or by what was last known of one that can not be read."""
    try:
        sequence, facts = [await anyio.to_thread.run_sync(mind.text.cursor, name) for name in ("turns", "facts")]
    except Exception:  # noqa: BLE001 - the lane says what is the matter; a status tells what it can
        sequence, facts = mind.health.indexed, mind.health.extracted
    return TextOut(sequence=sequence, facts=facts)


async def _graph(found: Mind, memory: Memory) -> GraphOut:
    try:
        progress = await memory.graph.progress(found.mind_id)
        size, is_available = await memory.graph.size(found.mind_id), True
    except GraphFault:
        progress, size, is_available = found.health.progress or Progress(), GraphSize(), False
    return GraphOut(
        available=is_available,
        sequence=progress.extracted,
        saved=progress.saved,
        lag=found.transcript.positions.remembered_after(progress.extracted),
        waiting_for=found.health.indexing or found.health.saving or found.health.extracting,
        parked=[
            ParkedOut(
                sequence=one.sequence,
                turn_id=one.turn_id,
                error=one.error,
                attempts=one.attempts,
                parked_at=one.parked_at,
            )
            for one in progress.parked
        ],
        episodes=size.episodes,
        entities=size.entities,
        facts=size.facts,
    )


def _memory(one: Remembered) -> MemoryOut:
    return MemoryOut(
        id=one.id,
        kind=one.kind,
        text=one.text,
        occurred_at=one.occurred_at,
        valid_at=one.valid_at,
        invalid_at=one.invalid_at,
        score=one.score,
        sources=[source_out(source) for source in one.sources],
    )
