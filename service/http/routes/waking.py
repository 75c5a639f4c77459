"""What an agent is handed when it wakes. Reading it changes nothing."""

from dataclasses import fields
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Header, Query, Response

from consolidation.dreams.waking import WakingPack
from service.http.dependencies import MemoryDep, MindId
from service.http.entity_tags import is_held
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.waking import WAKING, WakingOut, WakingQuery
from service.sleep.waking import wake_up_pack

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["sleep"], route_class=KnownQuery)

_POINTERS = {
    "log": "log",
    "remember": "remember",
    "observations": "observations",
    "diary": "journal/file?path=diary.md",
    "story": "story",
}


@router.get(
    "/waking",
    summary="What an agent is handed when it wakes",
    response_model=WakingOut,
    responses=answers(WAKING, 404, 422, 503),
)
async def waking(
    mind_id: MindId,
    asked: Annotated[WakingQuery, Query()],
    memory: MemoryDep,
    response: Response,
    if_none_match: Annotated[str | None, Header(max_length=400)] = None,
) -> WakingOut | Response:
    """One text for the beginning of a context, and its parts: the same bytes until a file of the mind changes."""
    mind = await memory.minds.find(mind_id)
    zone = ZoneInfo(asked.timezone) if asked.timezone is not None else None
    pack = await wake_up_pack(mind, session_id=asked.session_id, max_tokens=asked.max_tokens, zone=zone)
    headers = {"ETag": pack.etag}
    if is_held(pack.etag, if_none_match=if_none_match):
        return Response(status_code=304, headers=headers)
    response.headers.update(headers)
    return _waking_out(pack, mind.mind_id)


def _waking_out(pack: WakingPack, mind_id: str) -> WakingOut:
    pointers = {name: f"/v1/minds/{mind_id}/{path}" for name, path in _POINTERS.items()}
    parts = {one.name: getattr(pack, one.name) for one in fields(pack)}
    return WakingOut.model_validate({**parts, "pointers": pointers})
