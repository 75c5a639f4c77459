"""
The minds of a home, a page at a time. Of those that are open or resting, no file is read.

Where several workers serve the home, each is asked for its own minds.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import MemoryFault, NotFound, WorkerUnavailable
from service.catalog.cursors import cursor_of, place_in
from service.mind.summary import MindSummary

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from service.mind.minds import Minds
    from service.workers.fleet import Fleet

_LIST = "minds"
SUMMARIES = "summaries"  # the question to another worker


@dataclass(frozen=True, slots=True)
class MindPage:
    """Minds by their ids, and where the next page begins; None at the end."""

    items: tuple[MindSummary, ...]
    next_cursor: str | None


async def page_of_minds(
    minds: Minds,
    *,
    among: Collection[str] | None,
    cursor: str | None = None,
    limit: int,
    fleet: Fleet | None = None,
    is_whole: bool = False,
) -> MindPage:
    """
    Up to *limit* (at most 500) of the minds, after *cursor*, that are *among* these; None stands for all.

    A mind that can not be opened, or whose worker is away, is listed with the reason. Raises InvalidRequest for a bad
    cursor, and WorkerUnavailable where a page that *is_whole* would lack what a worker knows.
    """
    place = place_in(_LIST, cursor, str)
    ids = await anyio.to_thread.run_sync(_ids, minds, among)
    first = bisect_right(ids, place[0]) if place is not None else 0
    found = ids[first : first + limit + 1]
    shown = found[:limit]
    known = await (summaries_of(minds, shown) if fleet is None else _from_workers(fleet, shown, is_whole=is_whole))
    next_cursor = cursor_of(_LIST, shown[-1]) if len(found) > limit else None
    return MindPage(tuple(known[mind_id] for mind_id in shown if mind_id in known), next_cursor)


async def summaries_of(minds: Minds, mind_ids: Sequence[str]) -> dict[str, MindSummary]:
    """The summaries of at most 500 minds of this process, by id; none of one that was erased at this moment."""
    known = await minds.summaries(mind_ids)
    opened = [await _opened(minds, mind_id) for mind_id in mind_ids if mind_id not in known]
    return known | {one.mind_id: one for one in opened if one is not None}


async def _from_workers(fleet: Fleet, mind_ids: Sequence[str], *, is_whole: bool) -> dict[str, MindSummary]:
    async def ask(number: int, wanted: list[str]) -> dict[str, MindSummary]:
        try:
            found: dict[str, MindSummary] = await fleet.workers[number].ask(SUMMARIES, wanted)
        except WorkerUnavailable as fault:
            if is_whole:
                raise
            return {mind_id: _failing(mind_id, fault) for mind_id in wanted}
        return found

    found = await asyncio.gather(*(ask(number, wanted) for number, wanted in fleet.by_owner(mind_ids).items()))
    return {mind_id: one for summaries in found for mind_id, one in summaries.items()}


def _ids(minds: Minds, among: Collection[str] | None) -> Sequence[str]:
    return minds.ids() if among is None else sorted(minds.known() & set(among))


async def _opened(minds: Minds, mind_id: str) -> MindSummary | None:
    """The mind, or the reason why it can not be opened. None if it was erased at this moment."""
    try:
        return await minds.summary(mind_id)
    except NotFound:
        return None
    except MemoryFault as fault:
        return _failing(mind_id, fault)


def _failing(mind_id: str, fault: MemoryFault) -> MindSummary:
    return MindSummary(mind_id, unknown=f"{type(fault).__name__}: {fault}")
