"""What happens in a mind, as it happens: server-sent events."""

from functools import partial
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response

from service.http.dependencies import MemoryDep, MindName
from service.http.event_stream import MEDIA_TYPE, EventStream
from service.http.known_query import KnownQuery
from service.http.openapi import Answers, answers

_ABOUT = (
    "id: 19c3f2a7b40-12\nevent: turn.kept\n"
    'data: {"at": "2026-01-09T18:30:05+00:00", "turn_id": "2026-01-09-0001", "session_id": "telegram:42", '
    '"sequence": 1}\n\n'
)
_EVENT = {"type": "object", "properties": {name: {"type": "string"} for name in ("id", "event", "data")}}
_STREAM: Answers = {200: {"content": {MEDIA_TYPE: {"schema": _EVENT, "example": _ABOUT}}}}

Follow = Annotated[
    bool, Query(description="Wait for what will happen. If false, the answer is what was missed.", examples=[False])
]

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["minds"], route_class=KnownQuery)


@router.get(
    "/events",
    summary="What happens in a mind, as it happens",
    status_code=HTTPStatus.OK,
    response_class=EventStream,
    responses={**answers({}, 404, 422), **_STREAM},
)
async def events(
    mind_id: MindName,
    memory: MemoryDep,
    follow: Follow = True,  # noqa: FBT002 - a parameter of the query
    last_event_id: Annotated[
        str | None, Header(max_length=100, description="The id of the last event that was received.")
    ] = None,
) -> Response:
    """
    Server-sent events: kinds and ids, no words.

    `reset` says that events may be missing: what was known of the mind should be read anew.
    """
    with memory.minds.gate.enter(mind_id):  # not for as long as somebody listens: an erase waits for who is inside
        await memory.minds.find(mind_id)
        listener = memory.events.listen(mind_id, last_id=last_event_id)
    left = partial(memory.events.leave, mind_id, listener)
    return EventStream(listener, follows=follow, left=left, monotonic=memory.clock.monotonic)
