"""What happened in a mind since a time: what is asked, what is answered."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import Field

from service.corrections.desk import Kept
from service.http.schemas.corrections import UNDONE, CorrectionOut, correction_out
from service.http.schemas.fields import Answered, Body, Instant
from service.http.schemas.knowledge import FACT, FactOut

if TYPE_CHECKING:
    from service.catalog.news import News

_COUNT = "All of them; `items` are the newest, newest first."


class NewsAsked(Body):
    """Since when, and how much of each kind."""

    since: Instant | None = Field(
        None,
        description="What happened after this time; of the last 7 days, if left out.",
        examples=["2026-01-09T00:00:00Z"],
    )
    limit: int = Field(10, ge=1, le=100, description="Items of each kind.")


class FactsNewsOut(Answered):
    """Facts."""

    count: int = Field(description=_COUNT)
    items: list[FactOut]


class ToldChapterOut(Answered):
    """A chapter that the service wrote, or wrote anew."""

    index: int = Field(description="Its place in the story, from 0.")
    heading: str
    digest: str
    text: str = Field(description="How it begins, at most 400 characters.")
    told_at: datetime | None = Field(description="Null where that was not kept yet: then it tells of new turns.")


class StoryNewsOut(Answered):
    """Chapters."""

    count: int = Field(description=_COUNT)
    items: list[ToldChapterOut]
    version: str | None = Field(
        description="The earliest version of the story that was replaced after `since`, to compare with or return to; "
        "null where there is none."
    )


class SurfacedMemoryOut(Answered):
    """A memory as it was shown."""

    id: str
    text: str


class SurfacedCallOut(Answered):
    """A pre-turn call in which something surfaced."""

    trace_id: str
    session_id: str
    at: datetime
    message: str
    memories: list[SurfacedMemoryOut]


class SurfacedNewsOut(Answered):
    """Pre-turn calls in which something surfaced, as long as traces are kept."""

    count: int = Field(description=_COUNT)
    items: list[SurfacedCallOut]


class PutRightNewsOut(Answered):
    """Decisions of people that were made or taken back."""

    count: int = Field(description=_COUNT)
    items: list[CorrectionOut]


class ParkedTurnOut(Answered):
    """A turn that no model could read, and that is parked still."""

    id: str = Field(description="`episode:…` with its sequence.")
    turn_id: str
    text: str = Field(description="How it begins, at most 400 characters.")
    error: str
    attempts: int
    parked_at: datetime


class ParkedNewsOut(Answered):
    """Turns."""

    count: int = Field(description=_COUNT)
    items: list[ParkedTurnOut]


class NewsOut(Answered):
    """What happened after `since`."""

    since: datetime
    until: datetime = Field(
        description="The `since` of the next answer: now, or right before the first turn whose facts are not known yet."
    )
    turns: int = Field(description="Turns that were accepted, without noise.")
    learned: FactsNewsOut = Field(description="Facts that one of these turns told first.")
    ended: FactsNewsOut = Field(description="Facts whose `invalid_at` lies in this time.")
    told: StoryNewsOut
    surfaced: SurfacedNewsOut
    put_right: PutRightNewsOut
    parked: ParkedNewsOut


def news_out(news: News) -> NewsOut:
    """The news as they are answered."""
    decided = (Kept(one.correction, is_current=one.is_current, undone=one.undone) for one in news.put_right.items)
    return NewsOut(
        since=news.since,
        until=news.until,
        turns=news.turns,
        learned=FactsNewsOut.model_validate(news.learned),
        ended=FactsNewsOut.model_validate(news.ended),
        told=StoryNewsOut.model_validate(news.told),
        surfaced=SurfacedNewsOut.model_validate(news.surfaced),
        put_right=PutRightNewsOut(count=news.put_right.count, items=list(map(correction_out, decided))),
        parked=ParkedNewsOut.model_validate(news.parked),
    )


_SURFACED = {
    "count": 1,
    "last_at": "2026-01-12T09:00:00Z",
    "trace_ids": ["123a9221c574418e9e73e0d4b95b30b0"],
}
NEWS: dict[str, Any] = {
    "since": "2026-01-09T00:00:00Z",
    "until": "2026-01-12T09:30:00Z",
    "turns": 1,
    "learned": {"count": 1, "items": [{**FACT, "surfaced": _SURFACED}]},
    "ended": {"count": 0, "items": []},
    "told": {
        "count": 1,
        "items": [
            {
                "index": 0,
                "heading": "### [2026-01-09 18:30] My mother lives in Lyon",
                "digest": "5d0c1b2a3f4e5d6c",
                "text": "“My mother lives in Lyon.”",
                "told_at": "2026-01-09T18:31:00Z",
            }
        ],
        "version": None,
    },
    "surfaced": {
        "count": 1,
        "items": [
            {
                "trace_id": "123a9221c574418e9e73e0d4b95b30b0",
                "session_id": "telegram:43",
                "at": "2026-01-12T09:00:00Z",
                "message": "Where could I spend a weekend with my mother?",
                "memories": [{"id": "episode:1", "text": "My mother lives in Lyon."}],
            }
        ],
    },
    "put_right": {"count": 1, "items": [UNDONE]},
    "parked": {"count": 0, "items": []},
}
