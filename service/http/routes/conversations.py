"""What was said, in pages: sessions and turns."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from consolidation.text.surrogates import encodable
from service.catalog.sessions import list_sessions
from service.catalog.turns import TurnItem, TurnQuery
from service.http.dependencies import MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.conversations import (
    SESSIONS,
    TURN,
    TURNS,
    DigestionOut,
    MessageOut,
    SessionOut,
    SessionsAsked,
    SessionsOut,
    ToldInOut,
    TurnOut,
    TurnsAsked,
    TurnsOut,
)
from service.http.schemas.corrections import decision_out
from service.http.schemas.fields import TurnId

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["conversations"], route_class=KnownQuery)


@router.get("/sessions", summary="List sessions", responses=answers(SESSIONS, 404, 422, 503))
async def sessions(mind_id: MindId, asked: Annotated[SessionsAsked, Query()], memory: MemoryDep) -> SessionsOut:
    """The session with the newest turn first. All pages show them as they stood at the first one."""
    mind = await memory.minds.find(mind_id)
    found = await list_sessions(mind, before=asked.before, cursor=asked.cursor, limit=asked.limit)
    return SessionsOut(
        items=[SessionOut.model_validate(one) for one in found.items],
        next_cursor=found.next_cursor,
    )


@router.get("/turns", summary="List turns", responses=answers(TURNS, 404, 422, 503))
async def turns(mind_id: MindId, asked: Annotated[TurnsAsked, Query()], memory: MemoryDep) -> TurnsOut:
    """Turns as they are kept, newest first, or oldest first with `after`."""
    mind = await memory.minds.find(mind_id)
    query = TurnQuery(asked.session_id, asked.after, asked.before, asked.cursor, asked.limit)
    found = await memory.catalog.turns.page(mind, query)
    return TurnsOut(items=[_turn(one) for one in found.items], next_cursor=found.next_cursor)


@router.get("/turns/{turn_id:path}", summary="One turn", responses=answers(TURN, 404, 410, 422, 503))
async def turn(
    mind_id: MindId, turn_id: Annotated[TurnId, Path(examples=["2026-01-09-0001"])], memory: MemoryDep
) -> TurnOut:
    """A turn by its id, or by `episode:` and its sequence."""
    mind = await memory.minds.find(mind_id)
    return _turn(await memory.catalog.turns.one(mind, turn_id))


def _turn(item: TurnItem) -> TurnOut:
    stored, told = item.turn, item.chapters
    return TurnOut(
        id=f"episode:{stored.sequence}",
        sequence=stored.sequence,
        turn_id=stored.turn.turn_id,
        session_id=stored.turn.session_id,
        accepted_at=stored.accepted_at,
        occurred_at=stored.occurred_at,
        kind=stored.turn.kind,
        messages=[MessageOut.model_validate(one) for one in stored.turn.messages],
        metadata=dict(stored.turn.metadata),
        trace_id=item.trace_id,
        digestion=DigestionOut.model_validate(item.digestion),
        chapters=None
        if told is None
        else [ToldInOut(index=one.index, heading=encodable(one.heading), digest=one.digest) for one in told],
        corrections=list(map(decision_out, item.corrections)),
    )
