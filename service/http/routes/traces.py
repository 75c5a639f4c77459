"""The traces of pre-turn calls: by page, and one by its id."""

from functools import partial
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Query

from consolidation.kernel.errors import InvalidRequest, TraceNotFound
from service.http.dependencies import MemoryDep, MindId, TraceId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.examples import TRACED
from service.http.schemas.traces import TRACES, TracesAsked, TracesOut
from service.index.trace_index import CallFilter

router = APIRouter(prefix="/v1/minds/{mind_id}/traces", tags=["resonance"], route_class=KnownQuery)


@router.get("", summary="The traces of pre-turn calls", responses=answers(TRACES, 404, 422))
async def traces(mind_id: MindId, asked: Annotated[TracesAsked, Query()], memory: MemoryDep) -> TracesOut:
    """The newest traces of a kind, newest first, as long as traces are kept."""
    if asked.role is not None and asked.memory is None:
        raise InvalidRequest("`role` says what became of `memory`, which is missing", pointer="query/role")
    wanted = CallFilter(asked.session_id, asked.since, asked.before, asked.surfaced, asked.memory, asked.role)
    mind = await memory.minds.find(mind_id)
    page = partial(mind.trace_log.page, wanted, limit=asked.limit, cursor=asked.cursor)
    found = await anyio.to_thread.run_sync(page)
    return TracesOut(traces=[one.as_json() for one in found.traces], next_cursor=found.next_cursor)


@router.get("/{trace_id}", summary="Why a memory surfaced or did not", responses=answers(TRACED, 404, 422))
async def trace(mind_id: MindId, trace_id: TraceId, memory: MemoryDep) -> dict[str, object]:
    """One pre-turn call, phase by phase, and what became of what it showed."""
    mind = await memory.minds.find(mind_id)
    found = await anyio.to_thread.run_sync(mind.trace_log.find, trace_id)
    if found is None:
        raise TraceNotFound("no trace has this id; old traces are deleted")
    standing = await anyio.to_thread.run_sync(mind.outcomes.of_trace, trace_id)
    outcomes = [
        {"id": one.memory, "outcome": one.outcome, "reporter": one.reporter, "at": one.at.isoformat()}
        for one in standing
    ]
    return {**found.as_json(), "outcomes": outcomes}
