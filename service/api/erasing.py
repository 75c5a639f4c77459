"""Erased means erased: a mind, a session, a turn."""

import hashlib
from typing import Annotated

from fastapi import APIRouter, Path, Response, status

from consolidation.workspace import checked_mind_id
from service.api.dependencies import CallerName, MemoryDep, MindName
from service.api.documented import Answers, answers
from service.container import Memory
from service.erasing.erasing import Unfinished
from service.erasing.receipt import Receipt, Wish
from service.wire.erasing import ERASED, ERASED_MIND, ErasedCount, ErasedOut
from service.wire.fields import SessionId, TurnId

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["erasing"])

_GOES_ON: Answers = {202: {"description": "It goes on", "model": ErasedOut}}


@router.delete("", summary="Erase a mind", responses=answers(ERASED_MIND, 404, 422, 503) | _GOES_ON)
async def erase(mind_id: MindName, memory: MemoryDep, by: CallerName, response: Response) -> ErasedOut:
    """Everything it is, wherever that stands; people's files in its folder, too. 202 while the graph holds it up."""
    return await _erased(Wish(checked_mind_id(mind_id)), memory, by, response)


@router.delete(
    "/sessions/{session_id:path}",
    summary="Erase a session",
    responses=answers(ERASED, 404, 409, 410, 422, 503) | _GOES_ON,
)
async def erase_session(
    mind_id: MindName,
    session_id: Annotated[SessionId, Path(examples=["telegram:42"])],
    memory: MemoryDep,
    by: CallerName,
    response: Response,
) -> ErasedOut:
    """Every turn of it, and what only they told. Chapters that told of them go; what else those told is told again."""
    return await _erased(Wish(checked_mind_id(mind_id), session_id=session_id), memory, by, response)


@router.delete(
    "/turns/{turn_id:path}", summary="Erase a turn", responses=answers(ERASED, 404, 409, 410, 422, 503) | _GOES_ON
)
async def erase_turn(
    mind_id: MindName,
    turn_id: Annotated[TurnId, Path(examples=["2026-01-09-0001"])],
    memory: MemoryDep,
    by: CallerName,
    response: Response,
) -> ErasedOut:
    """Its words, and what only it told. Posting it again is 410: what was erased is not kept again."""
    return await _erased(Wish(checked_mind_id(mind_id), turn_id=turn_id), memory, by, response)


async def _erased(wish: Wish, memory: Memory, by: str, response: Response) -> ErasedOut:
    done = await memory.erasing.erase(wish)
    part = wish.session_id or wish.turn_id or ""
    details = {"part": hashlib.sha256(part.encode()).hexdigest()[:16]} if part else {}  # what was erased is not named
    kind = "session" if wish.session_id else "turn" if wish.turn_id else "mind"
    await memory.audit.note(f"{kind}.erased", by=by, mind_id=wish.mind_id, is_done=isinstance(done, Receipt), **details)
    if isinstance(done, Unfinished):
        response.status_code = status.HTTP_202_ACCEPTED
    return _told(done)


def _told(done: Receipt | Unfinished) -> ErasedOut:
    receipt = done if isinstance(done, Receipt) else None
    going_on = done if isinstance(done, Unfinished) else None
    return ErasedOut(
        mind_id=done.wish.mind_id,
        session_id=done.wish.session_id,
        turn_id=done.wish.turn_id,
        began_at=going_on.began_at if going_on else None,
        erased_at=receipt.erased_at if receipt else None,
        verified=receipt.verified if receipt else False,
        waiting_for=going_on.waiting_for if going_on else None,
        erased=[ErasedCount(place=place, unit=unit, count=count) for place, unit, count in receipt.counts]
        if receipt
        else [],
        peoples_files=list(receipt.people) if receipt else [],
        edited_by_person=list(receipt.edited) if receipt else [],
        left=list(receipt.left) if receipt else [],
        append_only_file=receipt.rewritten.append_only_file if receipt else "not yet",
        snapshot=receipt.rewritten.snapshot if receipt else "not yet",
        found=list(receipt.found) if receipt else [],
    )
