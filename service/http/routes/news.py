"""What happened in a mind since somebody looked last."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query

from service.http.dependencies import MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.news import NEWS, NewsAsked, NewsOut, news_out

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["minds"], route_class=KnownQuery)

_DAYS = timedelta(days=7)


@router.get("/news", summary="What happened since a time", responses=answers(NEWS, 404, 409, 422, 503))
async def news(mind_id: MindId, asked: Annotated[NewsAsked, Query()], memory: MemoryDep) -> NewsOut:
    """What was learned, ended, told, surfaced, put right and parked: how much, and the newest of each."""
    mind, now = await memory.minds.find(mind_id), memory.clock.now()
    since = asked.since if asked.since is not None else now - _DAYS
    return news_out(await memory.catalog.news.read(mind, since=since, now=now, limit=asked.limit))
