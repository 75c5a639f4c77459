"""The minds of a home, a page at a time. Of those that are open or resting, no file is read."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import MemoryFault, NotFound
from service.catalog.cursors import cursor_of, place_in
from service.mind.health import LaneName
from service.mind.summary import MindSummary

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from service.mind.minds import Minds

_LIST = "minds"


@dataclass(frozen=True, slots=True)
class MindPage:
    """Minds by their ids, and where the next page begins; None at the end."""

    items: tuple[MindSummary, ...]
    next_cursor: str | None


async def page_of_minds(
    minds: Minds, *, among: Collection[str] | None, cursor: str | None = None, limit: int
) -> MindPage:
    """
    Up to *limit* (at most 500) of the minds, after *cursor*, that are *among* these; None stands for all.

    A mind that can not be opened is listed with the reason. Raises InvalidRequest for a bad cursor.
    """
    place = place_in(_LIST, cursor, str)
    ids = await anyio.to_thread.run_sync(_ids, minds, among)
    first = bisect_right(ids, place[0]) if place is not None else 0
    found = ids[first : first + limit + 1]
    shown = found[:limit]
    known = await minds.summaries(shown)
    items = [known[mind_id] if mind_id in known else await _opened(minds, mind_id) for mind_id in shown]
    next_cursor = cursor_of(_LIST, shown[-1]) if len(found) > limit else None
    return MindPage(tuple(one for one in items if one is not None), next_cursor)


def _ids(minds: Minds, among: Collection[str] | None) -> Sequence[str]:
    return minds.ids() if among is None else sorted(minds.known() & set(among))


async def _opened(minds: Minds, mind_id: str) -> MindSummary | None:
    """The mind, or the reason why it can not be opened. None if it was erased at this moment."""
    try:
        return await minds.summary(mind_id)
    except NotFound:
        return None
    except MemoryFault as fault:
        return MindSummary(mind_id, waiting={LaneName.INDEXING: f"{type(fault).__name__}: {fault}"})
