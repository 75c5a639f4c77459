"""Read and edit what dreams distilled."""

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response

from consolidation.dreams.observations import Level
from consolidation.text.surrogates import as_bytes, encodable
from service.http.dependencies import CallerName, MemoryDep, MindId
from service.http.entity_tags import is_held
from service.http.known_query import KnownQuery
from service.http.markdown import posted_text, wants_markdown
from service.http.openapi import MARKDOWN, answers, answers_with_markdown
from service.http.schemas.fields import Day
from service.http.schemas.observations import (
    OBSERVATIONS_PUT,
    OBSERVED,
    ObservationOut,
    ObservationsIn,
    ObservationsOut,
)
from service.mind.minds import Mind
from service.sleep.observations import ObservationEntry, ObservationsSnapshot

router = APIRouter(prefix="/v1/minds/{mind_id}/observations", tags=["sleep"], route_class=KnownQuery)

IfMatch = Annotated[str | None, Header(max_length=400, description="The ETag of the observations that are replaced.")]


@router.get(
    "",
    summary="What dreams observed",
    response_model=ObservationsOut,
    responses=answers_with_markdown(OBSERVED, 404, 409, 422, 503),
)
async def read(
    mind_id: MindId,
    memory: MemoryDep,
    response: Response,
    level: Annotated[Level | None, Query(description="Only this level.")] = None,
    since: Annotated[Day | None, Query(description="Of this day and later.", examples=["2026-01-09"])] = None,
    accept: Annotated[str, Header(max_length=400)] = "",
    if_none_match: Annotated[str | None, Header(max_length=400)] = None,
) -> ObservationsOut | Response:
    """The observations as JSON, or the whole of observations.md byte for byte with `Accept: text/markdown`."""
    mind = await memory.minds.find(mind_id)
    found = await memory.observations.snapshot(mind)
    headers = {"ETag": found.etag, "Vary": "Accept"}
    if is_held(found.etag, if_none_match=if_none_match):
        return Response(status_code=304, headers=headers)
    if wants_markdown(accept):
        return Response(as_bytes(found.text), media_type=MARKDOWN, headers=headers)
    response.headers.update(headers)
    return _observations_out(mind, found, found.of(level=level, since=since))


@router.put(
    "",
    summary="Replace the observations",
    responses=answers(OBSERVED, 400, 404, 409, 412, 413, 422, 428, 503),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                MARKDOWN: {"schema": {"type": "string"}},
                "application/json": {"schema": ObservationsIn.model_json_schema(), "example": OBSERVATIONS_PUT},
            },
        }
    },
)
async def put(
    mind_id: MindId, memory: MemoryDep, by: CallerName, request: Request, response: Response, if_match: IfMatch = None
) -> ObservationsOut:
    """Send `text/markdown` or JSON, with the ETag of the observations that it replaces. Earlier versions are kept."""
    mind = await memory.minds.find(mind_id)
    found = await memory.observations.put(mind, await posted_text(request, ObservationsIn), expected=if_match)
    await memory.audit_log.note(
        "observations.edited", by=by, mind_id=mind_id, observations=len(found.entries), etag=found.etag
    )
    response.headers["ETag"] = found.etag
    return _observations_out(mind, found, found.entries)


def _observations_out(
    mind: Mind, found: ObservationsSnapshot, entries: tuple[ObservationEntry, ...]
) -> ObservationsOut:
    return ObservationsOut(
        mind_id=mind.mind_id,
        observations=[
            ObservationOut(
                level=one.observation.level.value,
                day=one.observation.day,
                at=one.observation.at,
                text=encodable(one.observation.text),
                is_ours=one.is_ours,
                is_superseded=one.is_superseded,
                sources=list(one.sources),
            )
            for one in entries
        ],
        text=encodable(found.text),
        etag=found.etag,
    )
