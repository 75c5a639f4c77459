"""Erase a mind, a session or a turn everywhere."""

from dataclasses import asdict, replace
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response, status
from pydantic import BaseModel, ConfigDict, Field

from consolidation.text.surrogates import encodable
from consolidation.workspace import checked_mind_id
from service.composition.container import Memory
from service.erasure.receipt import ErasureRequest, Receipt
from service.erasure.service import Unfinished
from service.http.dependencies import CallerName, MemoryDep, MindName
from service.http.known_query import KnownQuery
from service.http.openapi import Answers, answers
from service.http.schemas.erasure import ERASED, ERASED_MIND, ErasedCount, ErasedOut, ErasurePreviewOut
from service.http.schemas.fields import SessionId, TurnId

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["erasing"], route_class=KnownQuery)

_GOES_ON: Answers = {202: {"description": "The erasure goes on", "model": ErasedOut}}


class HowToErase(BaseModel):
    """The query. What is not known is refused: a misspelt `dry_run` must erase nothing."""

    model_config = ConfigDict(extra="forbid")

    dry_run: bool = Field(default=False, description="Only answer what would be erased. Nothing is changed.")


How = Annotated[HowToErase, Query()]


@router.delete("", summary="Erase a mind", responses=answers(ERASED_MIND, 404, 422, 503) | _GOES_ON)
async def erase(
    mind_id: MindName, memory: MemoryDep, by: CallerName, response: Response, how: How
) -> ErasedOut | ErasurePreviewOut:
    """Erase all data of the mind, and the files that people put into its folder. 202 while the graph is unavailable."""
    return await _answered(ErasureRequest(checked_mind_id(mind_id)), how, memory, by, response)


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
    how: How,
) -> ErasedOut | ErasurePreviewOut:
    """
    Erase every turn of the session and what only they said. Chapters written from them go; the other turns in those
    chapters are written again.
    """
    return await _answered(ErasureRequest(checked_mind_id(mind_id), session_id=session_id), how, memory, by, response)


@router.delete(
    "/turns/{turn_id:path}", summary="Erase a turn", responses=answers(ERASED, 404, 409, 410, 422, 503) | _GOES_ON
)
async def erase_turn(
    mind_id: MindName,
    turn_id: Annotated[TurnId, Path(examples=["2026-01-09-0001"])],
    memory: MemoryDep,
    by: CallerName,
    response: Response,
    how: How,
) -> ErasedOut | ErasurePreviewOut:
    """Erase the turn's words and what only it said. Posting it again answers 410."""
    return await _answered(ErasureRequest(checked_mind_id(mind_id), turn_id=turn_id), how, memory, by, response)


async def _answered(
    request: ErasureRequest, how: HowToErase, memory: Memory, by: str, response: Response
) -> ErasedOut | ErasurePreviewOut:
    if how.dry_run:
        found = await memory.erasure.preview(request)
        chapters = [replace(chapter, heading=encodable(chapter.heading)) for chapter in found.chapters]
        shown = asdict(replace(found, chapters=tuple(chapters)))
        return ErasurePreviewOut.model_validate({**shown, **asdict(request), "dry_run": True})
    return await _erased(request, memory, by, response)


async def _erased(request: ErasureRequest, memory: Memory, by: str, response: Response) -> ErasedOut:
    done = await memory.erasure.erase(request, by=by)
    if isinstance(done, Unfinished):
        response.status_code = status.HTTP_202_ACCEPTED
    return _answer(done)


def _answer(done: Receipt | Unfinished) -> ErasedOut:
    receipt = done if isinstance(done, Receipt) else None
    unfinished = done if isinstance(done, Unfinished) else None
    return ErasedOut(
        mind_id=done.request.mind_id,
        session_id=done.request.session_id,
        turn_id=done.request.turn_id,
        began_at=unfinished.began_at if unfinished else None,
        erased_at=receipt.erased_at if receipt else None,
        verified=receipt.is_verified if receipt else False,
        waiting_for=unfinished.waiting_for if unfinished else None,
        erased=[ErasedCount.model_validate(count) for count in receipt.erased] if receipt else [],
        peoples_files=[encodable(name) for name in receipt.peoples_files] if receipt else [],
        edited_by_person=[encodable(heading) for heading in receipt.edited_by_person] if receipt else [],
        left=[encodable(name) for name in receipt.left] if receipt else [],
        append_only_file=receipt.rewritten.append_only_file if receipt else "not yet",
        snapshot=receipt.rewritten.snapshot if receipt else "not yet",
        found=list(receipt.found) if receipt else [],
    )
