"""Literal search in every message that was stored."""

from collections.abc import Iterable
from datetime import datetime, tzinfo
from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import APIRouter, Query

from consolidation.corrections.record import Correction
from consolidation.kernel.turns import Speaker
from service.http.dependencies import MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.corrections import decision_out
from service.http.schemas.log import CYCLE, LOG_FOUND, LogItem, LogLineOut, LogOut, LogSearch
from service.mind.copies import outage
from service.mind.own_settings import own_settings_of
from service.mind.spoken_language import spoken_language
from service.resonance.labels import label
from service.retrieval.log_search import LogHit, LogQuery, search_log
from service.retrieval.put_right import put_right_in
from service.retrieval.time_window import TimeWindow

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["log"], route_class=KnownQuery)


@router.get("/log", summary="Search the log word for word", responses=answers(LOG_FOUND, 404, 422, 503))
async def log(mind_id: MindId, asked: Annotated[LogSearch, Query()], memory: MemoryDep) -> LogOut:
    """Find messages that hold these words, newest first in the order of arrival, with the messages around each."""
    query = LogQuery(
        words=asked.query,
        window=TimeWindow(since=asked.since, until=asked.until),
        session_id=asked.session_id,
        role=Speaker(asked.role) if asked.role else None,
        exclude_from=asked.exclude_from if isinstance(asked.exclude_from, datetime) else None,
        excludes_cycle=asked.exclude_from == CYCLE,
        limit=asked.limit,
        context=asked.context,
        cursor=asked.cursor,
    )
    mind = await memory.minds.find(mind_id)
    lacking = outage(memory.minds.copies)
    found = await search_log(mind, query, clock=memory.clock)
    spoken = asked.language if asked.language is not None else await run_sync(spoken_language, mind, asked.query)
    now, zone = memory.clock.now(), (await own_settings_of(mind)).zone(asked.timezone)
    put_right = await put_right_in(mind)
    return LogOut(
        items=[
            _item(hit, put_right.of_turn(hit.turn.sequence), now=now, zone=zone, language=spoken) for hit in found.hits
        ],
        next_cursor=found.next_cursor,
        degraded=[*(["deadline"] if found.is_late else []), *lacking],
    )


def _item(hit: LogHit, decided: Iterable[Correction], *, now: datetime, zone: tzinfo, language: str) -> LogItem:
    turn, age = hit.turn, label(hit.line.at, now=now, timezone=zone, language=language)
    return LogItem(
        sequence=turn.sequence,
        turn_id=turn.turn.turn_id,
        session_id=turn.turn.session_id,
        kind=turn.turn.kind,
        role=hit.line.role,
        name=hit.line.name,
        at=hit.line.at,
        age=age.words,
        date=age.date,
        cycles_ago=hit.cycles_ago,
        text=hit.line.text,
        before=[LogLineOut.model_validate(one) for one in hit.before],
        after=[LogLineOut.model_validate(one) for one in hit.after],
        corrections=list(map(decision_out, decided)),
    )
