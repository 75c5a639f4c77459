"""Keeps the graphs' server within a budget of memory: graphs of minds that nobody uses leave it, least used first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from consolidation.kernel.errors import GraphFault, GraphForbidden, GraphUnavailable

if TYPE_CHECKING:
    from service.mind.minds import Minds
    from service.ports.graph import Graphs
    from service.runtime.background import Background

log = structlog.get_logger()

_LOOK_SECONDS = 5.0
_AT_ONCE = 16  # graphs between two looks at who is unused
_ROOM = 0.9  # of the budget: not every new turn makes a graph leave
_UNUSED_SECONDS = 60.0  # after which an open mind is closed, where closed ones were not enough


class GraphEviction:
    """Evicts graphs while their server uses more than *most_bytes* (0: never)."""

    def __init__(self, graphs: Graphs, minds: Minds, *, most_bytes: int, background: Background) -> None:
        self._graphs = graphs
        self._minds = minds
        self._most_bytes = most_bytes
        self._background = background
        self._staying: set[str] = set()  # minds whose graphs could not leave; asked again after their next use
        self._is_failing = False
        minds.when_closed(self._staying.discard)

    async def sweep(self) -> None:
        """Make room again and again, until the service stops."""
        while await self._background.pause(_LOOK_SECONDS):
            try:
                await self.make_room()
            except (GraphFault, OSError) as error:
                # A server that is away is one outage, and its dependency logs it.
                is_known = isinstance(error, GraphUnavailable) and not isinstance(error, GraphForbidden)
                if is_known:
                    continue
                if not self._is_failing:
                    log.warning("graphs.not_evicted", reason=str(error))
                self._is_failing = True
            else:
                self._is_failing = False

    async def make_room(self) -> int:
        """Evict until there is room, if there is none, and return how many graphs left. Raises GraphFault, OSError."""
        evicted = 0
        if not self._most_bytes or await self._graphs.memory() <= self._most_bytes:
            return evicted
        while unused := await self._unused():
            for mind_id in unused:
                if await self._graphs.memory() <= _ROOM * self._most_bytes:
                    return evicted
                evicted += await self._evict(mind_id)
        return evicted

    async def _unused(self) -> tuple[str, ...]:
        """Minds whose graphs may leave; where only open ones are left, some of these are closed."""
        here = await self._graphs.in_memory() - self._staying
        found = await self._minds.least_used(here, limit=_AT_ONCE)
        if not found:
            await self._minds.close_unused(idle_seconds=_UNUSED_SECONDS)
            found = await self._minds.least_used(here, limit=_AT_ONCE)
        return found

    async def _evict(self, mind_id: str) -> bool:
        if self._minds.get(mind_id) is not None:
            return False
        has_left = await self._graphs.evict(mind_id)
        if has_left:
            log.debug("graph.evicted", mind_id=mind_id)
        else:
            self._staying.add(mind_id)
        return has_left
