"""Receipts of erasures that ended."""

from typing import Annotated

from fastapi import APIRouter, Query

from service.catalog.cursors import cursor_of, place_in
from service.composition.container import Memory
from service.http.dependencies import MemoryDep, MindName
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.erasures import ERASURES, ErasuresAsked, ErasuresOut, KeptReceiptOut

router = APIRouter(prefix="/v1", tags=["erasing"], route_class=KnownQuery)

_LIST = "erasures"


@router.get("/minds/{mind_id}/erasures", summary="Receipts of a mind", responses=answers(ERASURES, 404, 422, 503))
async def of_mind(mind_id: MindName, asked: Annotated[ErasuresAsked, Query()], memory: MemoryDep) -> ErasuresOut:
    """Receipts, newest first: when, by whom and how much, and none of the words; also of a mind that was erased."""
    page = await _page(memory, asked, mind_id=mind_id)
    if not page.items and asked.cursor is None:
        await memory.minds.find(mind_id)
    return page


@router.get("/erasures", summary="Receipts of all minds", responses=answers(ERASURES, 404, 422, 503))
async def of_all(asked: Annotated[ErasuresAsked, Query()], memory: MemoryDep) -> ErasuresOut:
    """Receipts of all minds, also of those that were erased whole. Not with a key for certain minds."""
    return await _page(memory, asked, mind_id=None)


async def _page(memory: Memory, asked: ErasuresAsked, *, mind_id: str | None) -> ErasuresOut:
    place = place_in(_LIST, asked.cursor, int)
    before = int(place[0]) if place is not None else None
    found, is_more = await memory.erasure.receipts.newest(mind_id=mind_id, before=before, limit=asked.limit)
    return ErasuresOut(
        items=[KeptReceiptOut.model_validate(kept) for _, kept in found],
        next_cursor=cursor_of(_LIST, found[-1][0]) if is_more else None,
    )
