"""Recall on purpose."""

from collections.abc import Callable
from typing import Annotated, Literal, NamedTuple

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from service.http.dependencies import CallerDep, MemoryDep, MindId, MindName
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas import turn_filter
from service.http.schemas.corrections import decision_out
from service.http.schemas.examples import REMEMBERED
from service.http.schemas.fields import (
    ASKER,
    KIND_NAMES,
    Asker,
    Instant,
    MindNameIn,
    Question,
    SessionId,
    ShortText,
    Text,
)
from service.http.schemas.minds import MemoryOut, RememberedOut
from service.http.schemas.resonance import sources_out
from service.index.turn_fields import TurnFilter
from service.mind.also_read import UNAVAILABLE, checked_minds, opened_minds
from service.mind.copies import outage
from service.mind.own_settings import MOST_ALSO_READ, own_settings_of
from service.retrieval.remembered import KINDS, Kind, Remembered
from service.retrieval.time_window import TimeWindow

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["minds"], route_class=KnownQuery)


class _Sought(NamedTuple):
    kinds: frozenset[Kind]
    entity_kinds: frozenset[str]


async def _sought(
    kinds: Annotated[
        list[Literal["fact", "entity", "episode", "observation"]] | None, Query(description="All kinds if left out.")
    ] = None,
    entity_kinds: Annotated[
        list[Annotated[str, Field(pattern=KIND_NAMES)]] | None,
        Query(
            max_length=20,
            description="Only entities of these kinds, and facts that join one, like `Person,Place`. The kinds are "
            "those of the setting `ENTITY_KINDS`.",
        ),
    ] = None,
) -> _Sought:
    names = frozenset(name for one in entity_kinds or () for name in one.split(","))
    return _Sought(frozenset(kinds or KINDS), names)


async def _window(
    since: Annotated[Instant | None, Query(description="Said at or after this time.")] = None,
    until: Annotated[Instant | None, Query(description="Said at or before this time.")] = None,
    at: Annotated[Instant | None, Query(description="Facts that were valid at this time.")] = None,
) -> TimeWindow:
    return TimeWindow(since=since, until=until, at=at)


async def _turns(
    session_ids: Annotated[list[SessionId] | None, Query(max_length=50, description=turn_filter.SESSIONS)] = None,
    speakers: Annotated[list[ShortText] | None, Query(max_length=50, description=turn_filter.SPEAKERS)] = None,
    turn_kinds: Annotated[
        list[turn_filter.RememberedKind] | None, Query(max_length=4, description=turn_filter.KINDS)
    ] = None,
    metadata: Annotated[
        Text | None,
        Query(max_length=4_000, description=f'{turn_filter.METADATA} As a JSON object: `{{"project": "apollo"}}`.'),
    ] = None,
) -> TurnFilter:
    kinds = [*(turn_kinds or ())]
    return turn_filter.filter_of(session_ids=session_ids, speakers=speakers, turn_kinds=kinds, metadata=metadata)


class _AlsoRead(NamedTuple):
    named: tuple[str, ...] | None
    sees: Callable[[str], bool]


async def _also_read(
    mind_id: MindName,
    caller: CallerDep,
    also_read: Annotated[
        list[MindNameIn] | None,
        Query(
            max_length=MOST_ALSO_READ,
            description="Other minds that are searched, too, instead of those that are set for the mind.",
        ),
    ] = None,
) -> _AlsoRead:
    if also_read is None:
        return _AlsoRead(None, caller.sees)
    named = checked_minds(also_read, mind_id=mind_id, sees=caller.sees, pointer="query/also_read")
    return _AlsoRead(named, caller.sees)


@router.get("/remember", summary="Recall on purpose", responses=answers(REMEMBERED, 404, 422))
async def remember(
    mind_id: MindId,
    memory: MemoryDep,
    query: Annotated[Question, Query(description="In words.", examples=["Where does my mother live?"])],
    window: Annotated[TimeWindow, Depends(_window)],
    turns: Annotated[TurnFilter, Depends(_turns)],
    also: Annotated[_AlsoRead, Depends(_also_read)],
    sought: Annotated[_Sought, Depends(_sought)],
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    asker: Annotated[Asker | None, Query(description=ASKER)] = None,
) -> RememberedOut:
    """
    Find facts, entities, episodes and observations that answer a query, best first, with their sources.

    Where only some turns are asked for, observations are left out, and entities that other turns tell of, too.
    """
    found = await memory.minds.find(mind_id)
    lacking = outage(memory.minds.copies)
    own = await own_settings_of(found)
    async with opened_minds(
        memory.minds, mind_id, asked=also.named, own=own, sees=also.sees, fleet=memory.fleet, left=lambda: None
    ) as others:
        memories, degraded = await memory.recall.remember_in(
            (found, *others.minds),
            query,
            kinds=sought.kinds,
            window=window,
            limit=limit,
            entity_kinds=sought.entity_kinds,
            turns=turns,
            asker=asker or "",
        )
    lacking += (UNAVAILABLE,) if others.lacks_minds else ()
    return RememberedOut(memories=[_memory_out(one) for one in memories], degraded=[*degraded, *lacking])


def _memory_out(found: Remembered) -> MemoryOut:
    return MemoryOut(
        id=found.id,
        kind=found.kind,
        text=found.text,
        occurred_at=found.occurred_at,
        valid_at=found.valid_at,
        invalid_at=found.invalid_at,
        score=found.score,
        sources=sources_out(found.sources, found.notes, found.statement or found.written, mind_id=found.mind_id),
        is_contradicted=found.is_contradicted,
        corrections=[decision_out(one) for one in found.corrections],
        entity_kind=found.entity_kind or None,
    )
