"""What each day or week brought to a mind."""

from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from functools import partial
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Query

from consolidation.kernel.errors import InvalidRequest
from service.http.dependencies import MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.timeline import TIMELINE, CallFiguresOut, TimelineAsked, TimelineBucketOut, TimelineOut
from service.mind.call_figures import CallFigures

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["minds"], route_class=KnownQuery)

_DAYS = timedelta(days=90)


@router.get("/timeline", summary="What each day brought", responses=answers(TIMELINE, 404, 409, 422, 503))
async def timeline(mind_id: MindId, asked: Annotated[TimelineAsked, Query()], memory: MemoryDep) -> TimelineOut:
    """Turns, facts learned and ended, chapters, and pre-turn calls with their times and cost."""
    until = (asked.until or memory.clock.now()).date()
    since = asked.since.date() if asked.since is not None else until - _DAYS
    if since > until:
        raise InvalidRequest("must not be before since", pointer="query/until")
    mind = await memory.minds.find(mind_id)
    days = await anyio.to_thread.run_sync(mind.text.days, since.isoformat(), until.isoformat())
    calls = await anyio.to_thread.run_sync(partial(mind.trace_log.figures, since=since, until=until))
    told = [chapter.first[:10] for chapter in (await memory.story.reader.snapshot(mind)).book.chapters]
    counts: dict[date, Counter[str]] = {date.fromisoformat(day): Counter(found) for day, found in days.items()}
    for day in _days(told, since, until):
        counts.setdefault(day, Counter())["chapters"] += 1
    return TimelineOut(buckets=_buckets(counts, calls, is_weekly=asked.bucket == "week"))


def _days(texts: Iterable[str], since: date, until: date) -> Iterable[date]:
    for text in texts:
        try:
            day = date.fromisoformat(text)
        except ValueError:  # a person may write any digits
            continue
        if since <= day <= until:
            yield day


def _buckets(
    counts: dict[date, Counter[str]], calls: dict[date, CallFigures], *, is_weekly: bool
) -> list[TimelineBucketOut]:
    found: dict[date, tuple[Counter[str], CallFigures]] = {}
    for day in sorted(counts.keys() | calls.keys()):
        start = day - timedelta(days=day.weekday()) if is_weekly else day
        before, figures = found.get(start, (Counter(), CallFigures()))
        found[start] = (before + counts.get(day, Counter()), figures + calls.get(day, CallFigures()))
    return [_bucket(start, *of_start) for start, of_start in found.items()]


def _bucket(start: date, counts: Counter[str], figures: CallFigures) -> TimelineBucketOut:
    return TimelineBucketOut(
        start=start,
        turns=counts["turns"],
        facts_learned=counts["learned"],
        facts_ended=counts["ended"],
        chapters=counts["chapters"],
        resonance=CallFiguresOut(
            calls=figures.calls,
            surfaced=figures.surfaced,
            silent=figures.calls - figures.surfaced,
            degraded=dict(figures.degraded),
            p50_ms=figures.percentile(0.5),
            p95_ms=figures.percentile(0.95),
            tokens=figures.tokens,
            cost_usd=round(figures.cost, 6),
        ),
    )
