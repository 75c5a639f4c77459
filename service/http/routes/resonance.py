"""The pre-turn call."""

from dataclasses import replace
from functools import partial

from fastapi import APIRouter

from consolidation.kernel.errors import InvalidRequest, MindNotFound
from consolidation.kernel.ports import Usage
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from consolidation.kernel.turns import TurnKind
from service.composition.container import Memory
from service.http.dependencies import CallerDep, MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.routes.turns import spoken
from service.http.schemas.examples import RESONATED
from service.http.schemas.resonance import (
    FlashbackOut,
    InjectedMessage,
    ResonanceIn,
    ResonanceOut,
    StableOut,
    UsageOut,
    VolatileOut,
    sources_out,
)
from service.index.turn_fields import EVERY_TURN
from service.mind.also_read import OTHERS_SHARE, checked_minds, opened_minds
from service.mind.copies import DATABASE_UNAVAILABLE, outage
from service.mind.own_settings import OwnSettings, in_time, own_settings_of
from service.resonance.call import Deadline
from service.resonance.injection import etag, injected
from service.retrieval.moment import Flashback, Part, ResonanceAnswer, ResonanceRequest, WhatIf
from service.settings.sections import ResonanceSettings
from service.voice.hearing import HeardWindow

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["resonance"], route_class=KnownQuery)


@router.post("/resonance", summary="What surfaces before a turn", responses=answers(RESONATED, 400, 404, 413, 422))
async def resonate(mind_id: MindId, posted: ResonanceIn, memory: MemoryDep, caller: CallerDep) -> ResonanceOut:
    """At most a few flashbacks in the user's language, or silence, within `deadline_ms`, whatever fails."""
    began = memory.clock.monotonic()
    heard = await _heard(mind_id, posted, memory)
    deadline = Deadline(memory.clock.monotonic, began, _deadline(posted, memory))
    request = _request(posted, heard, OwnSettings(), memory, began=began)
    named = None if posted.also_read is None else checked_minds(posted.also_read, mind_id=mind_id, sees=caller.sees)
    try:
        mind = await memory.minds.find_in_time(mind_id, seconds=deadline.left())
    except TimeoutError:  # a long mind is being opened, and will be open for a later call
        return _silence(mind_id, request, why="the deadline came first", degraded=("deadline",))
    except MindNotFound as fault:  # a bot asks before the first turn, too
        return _silence(mind_id, request, why=str(fault))
    except DatabaseUnavailable as fault:  # there is no copy here to answer from
        return _silence(mind_id, request, why=str(fault), degraded=(DATABASE_UNAVAILABLE,))
    own = await in_time(own_settings_of(mind), seconds=deadline.left())
    request = _request(posted, heard, own, memory, began=began)
    request = replace(request, degraded=(*request.degraded, *outage(memory.minds.copies)))
    left = partial(deadline.left, share=OTHERS_SHARE)
    async with opened_minds(
        memory.minds, mind_id, asked=named, own=own, sees=caller.sees, fleet=memory.fleet, left=left
    ) as others:
        request = replace(request, also_read=others.minds, lacks_minds=others.lacks_minds)
        found = await memory.pipeline.resonate(mind, request)
    return _answer(mind_id, found, known_etag=posted.known_story_etag, shows_trace="trace" in posted.include)


def _what_if(posted: ResonanceIn) -> WhatIf | None:
    """What the call supposes; None for a real one. Raises InvalidRequest."""
    if posted.probe:
        return WhatIf(posted.as_of, frozenset(posted.without))
    asked = {
        "as_of": posted.as_of is not None,
        "without": bool(posted.without),
        "again_of": posted.again_of is not None,
        "trace": "trace" in posted.include,
    }
    name = next((name for name, is_asked in asked.items() if is_asked), None)
    if name is not None:
        pointer = "#/include" if name == "trace" else f"#/{name}"
        raise InvalidRequest(f"`{name}` is for a call with `probe: true`", pointer=pointer)
    return None


async def _heard(mind_id: str, posted: ResonanceIn, memory: Memory) -> HeardWindow:
    """The context window in words: those of its audio that come in time."""
    messages = await spoken(posted.messages, memory)
    kind = TurnKind.OFF_THE_RECORD if posted.off_the_record else TurnKind(posted.kind)
    return await memory.voice.hearing.window(mind_id, messages, kind=kind, seconds=_deadline(posted, memory))


def _deadline(posted: ResonanceIn, memory: Memory) -> float | None:
    return memory.deadline_seconds if posted.deadline_ms is None else posted.deadline_ms / 1000 or None


def _request(
    posted: ResonanceIn, heard: HeardWindow, own: OwnSettings, memory: Memory, *, began: float
) -> ResonanceRequest:
    knobs: ResonanceSettings = memory.settings.resonance
    return ResonanceRequest(
        session_id=posted.session_id,
        messages=heard.messages,
        now=posted.now or posted.as_of or memory.clock.now(),
        timezone=own.zone(posted.timezone),
        deadline_seconds=_deadline(posted, memory),
        max_fragments=_first(posted.max_fragments, own.max_fragments, knobs.max_fragments),
        max_tokens=_first(posted.max_tokens, own.max_tokens, knobs.max_tokens),
        relevance=_first(posted.relevance, own.relevance, knobs.relevance),
        placement=posted.placement,
        is_off_the_record=posted.off_the_record,
        kind=TurnKind(posted.kind),
        query=posted.query,
        include=_parts(posted),
        what_if=_what_if(posted),
        degraded=heard.degraded,
        turns=posted.filter.as_filter() if posted.filter is not None else EVERY_TURN,
        began=began,
        again_of=frozenset([posted.again_of] if posted.again_of is not None else ()),
    )


def _first[Number: (int, float)](asked: Number | None, own: Number | None, service: Number) -> Number:
    """What the call asks for, else the mind's own, else the service's."""
    return asked if asked is not None else own if own is not None else service


def _parts(posted: ResonanceIn) -> frozenset[Part]:
    return frozenset("flashbacks" if one == "trace" else one for one in posted.include)


def _answer(mind_id: str, found: ResonanceAnswer, *, known_etag: str | None, shows_trace: bool) -> ResonanceOut:
    return ResonanceOut(
        mind_id=mind_id,
        trace_id=found.trace_id,
        surfaced=bool(found.flashbacks),
        silence=found.silence,
        flashbacks=[_flashback(flashback) for flashback in found.flashbacks],
        block=found.block,
        stable=StableOut(text=None if known_etag == found.stable_etag else found.stable, etag=found.stable_etag),
        volatile=VolatileOut(text=found.block),
        messages=[InjectedMessage.model_validate(message) for message in found.messages],
        degraded=list(found.degraded),
        timings_ms=dict(found.timings),
        usage=UsageOut.model_validate(found.usage),
        trace=found.trace.as_json() if shows_trace else None,
    )


def _silence(mind_id: str, request: ResonanceRequest, *, why: str, degraded: tuple[str, ...] = ()) -> ResonanceOut:
    """The answer for a mind that does not exist yet, or is out of reach. Nothing is created, not even a trace."""
    messages = injected(request.messages, stable="", volatile="", placement=request.placement)
    return ResonanceOut(
        mind_id=mind_id,
        trace_id=None,
        surfaced=False,
        silence=why,
        flashbacks=[],
        block="",
        stable=StableOut(text="", etag=etag("")),
        volatile=VolatileOut(text=""),
        messages=[InjectedMessage.model_validate(message) for message in messages],
        degraded=list(degraded),
        timings_ms={},
        usage=UsageOut.model_validate(Usage()),
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
        sources=sources_out(fragment.sources, fragment.notes, fragment.statement, mind_id=fragment.mind_id),
    )
