"""
Keeps services that share a home in a database from using different graphs.

Each asks its graph server for the id of its graphs, and tells the database. Until both have answered once, and while
the others have graphs of another id, the graphs are refused here: nothing is written where the others never look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import GraphFault
from consolidation.kernel.sharing_errors import DatabaseUnavailable

if TYPE_CHECKING:
    from service.observability.dependency_health import Dependency
    from service.ports.graph import Graphs
    from service.ports.shared_home import CustodyDesk
    from service.runtime.background import Background

_LOOK_SECONDS = 1.0
_PART = "common"  # of the graph's health
_NOT_COMPARED = "the graphs of this service have not been compared yet with those of the others on its database"


class CommonGraph:
    """Lets this service use its *graphs* while they are those that the others on its database use."""

    def __init__(self, desk: CustodyDesk, *, graphs: Graphs, health: Dependency, background: Background) -> None:
        """Refuse the graphs until they were compared. *health*, the graph's, says if they are others."""
        self._desk = desk
        self._graphs = graphs
        self._health = health
        self._background = background
        self._is_compared = False
        graphs.refuse(_NOT_COMPARED)

    async def compare(self) -> None:
        """Compare once. What is away is met again by ``run``: until then the graphs stay as they are."""
        try:
            self._desk.graph = await self._graphs.server_id()
            if not self._is_compared:  # else the lease is renewed each second in any case
                await anyio.to_thread.run_sync(self._desk.renew)
        except GraphFault as fault:
            if not self._is_compared:
                self._graphs.refuse(str(fault))
                self._health.failed(str(fault), part=_PART)
            return
        except DatabaseUnavailable:  # logged once, by its Dependency
            return
        reason = self._desk.other_graph()
        self._graphs.refuse(reason)
        if reason is not None:
            self._health.failed(reason, part=_PART, stays=True)
        else:
            self._health.worked(part=_PART, wakes_waiters=not self._is_compared)
        self._is_compared = True

    async def run(self) -> None:
        """Compare again and again. Never returns."""
        while await self._background.pause(_LOOK_SECONDS):
            await self.compare()
