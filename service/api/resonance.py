"""Before a turn: what surfaces, and why."""

from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Query

from consolidation.kernel.errors import TraceNotFound
from service.api.dependencies import MemoryDep, MindId, TraceId
from service.api.documented import answers
from service.resonance.moment import Asked, Flashback, Note, Source
from service.resonance.pipeline import Resonated
from service.sections import ResonanceSettings
from service.wire.examples import RESONATED, TRACE, TRACES
from service.wire.minds import TracesOut
from service.wire.resonance import (
    FlashbackOut,
    InjectedMessage,
    NoteOut,
    ResonanceIn,
    ResonanceOut,
    SourceOut,
    StableOut,
    UsageOut,
    VolatileOut,
)

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["resonance"])


@router.post("/resonance", summary="What surfaces before a turn", responses=answers(RESONATED, 400, 404, 413, 422))
async def resonate(mind_id: MindId, posted: ResonanceIn, memory: MemoryDep) -> ResonanceOut:
    """At most a few flashbacks in the user's language, or silence; within `deadline_ms`, whatever fails behind it."""
    mind = await memory.minds.find(mind_id)
    asked = _asked(posted, memory)
    return _answer(mind_id, await memory.pipeline.resonate(mind, asked), known_etag=posted.known_story_etag)


@router.get("/traces", summary="The newest resonances", responses=answers(TRACES, 404, 422))
async def traces(mind_id: MindId, memory: MemoryDep, limit: Annotated[int, Query(ge=1, le=200)] = 20) -> TracesOut:
    """The newest traces, newest first."""
    mind = await memory.minds.find(mind_id)
    return TracesOut(traces=list(mind.ledger.recent(limit=limit)))


@router.get("/traces/{trace_id}", summary="Why a memory surfaced or did not", responses=answers(TRACE, 404, 422))
async def trace(mind_id: MindId, trace_id: TraceId, memory: MemoryDep) -> dict[str, object]:
    """One resonance, phase by phase."""
    mind = await memory.minds.find(mind_id)
    found = mind.ledger.find(trace_id)
    if found is None:
        raise TraceNotFound("no trace of this id is kept; old ones rotate away")
    return found


def _asked(posted: ResonanceIn, memory: MemoryDep) -> Asked:
    knobs: ResonanceSettings = memory.settings.resonance
    deadline_ms = knobs.deadline_ms if posted.deadline_ms is None else posted.deadline_ms
    return Asked(
        session_id=posted.session_id,
        messages=tuple(message.as_message() for message in posted.messages),
        now=posted.now or memory.clock.now(),
        timezone=ZoneInfo(posted.timezone),
        deadline_seconds=deadline_ms / 1000 if deadline_ms else None,
        max_fragments=knobs.max_fragments if posted.max_fragments is None else posted.max_fragments,
        max_tokens=knobs.max_tokens if posted.max_tokens is None else posted.max_tokens,
        relevance=knobs.relevance if posted.relevance is None else posted.relevance,
        placement=posted.placement,
        is_off_the_record=posted.off_the_record,
    )


def _answer(mind_id: str, found: Resonated, *, known_etag: str | None) -> ResonanceOut:
    return ResonanceOut(
        mind_id=mind_id,
        trace_id=found.trace_id,
        surfaced=bool(found.flashbacks),
        silence=found.silence,
        flashbacks=[_flashback(flashback) for flashback in found.flashbacks],
        block=found.block,
        stable=StableOut(text=None if known_etag == found.stable_etag else found.stable, etag=found.stable_etag),
        volatile=VolatileOut(text=found.block),
        messages=[InjectedMessage(role=one.role, content=one.content, name=one.name) for one in found.messages],
        degraded=list(found.degraded),
        timings_ms=dict(found.timings),
        usage=UsageOut.of(found.usage),
    )


def _flashback(flashback: Flashback) -> FlashbackOut:
    fragment = flashback.fragment
    return FlashbackOut(
        id=fragment.id,
        kind=fragment.kind,
        text=flashback.text,
        raw=fragment.text,
        label=flashback.label.words,
        date=flashback.label.date,
        occurred_at=fragment.occurred_at,
        score=fragment.score,
        sources=[*map(source_out, fragment.sources), *map(_note_out, fragment.notes)],
    )


def _note_out(note: Note) -> NoteOut:
    return NoteOut(
        path=note.path,
        start_line=note.start_line,
        end_line=note.end_line,
        timestamp=note.written_at,
        excerpt=note.excerpt,
    )


def source_out(source: Source) -> SourceOut:
    """A source as it goes over the wire."""
    return SourceOut(
        turn_id=source.turn_id,
        session_id=source.session_id,
        sequence=source.sequence,
        timestamp=source.timestamp,
        excerpt=source.excerpt,
    )
