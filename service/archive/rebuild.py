"""
Rebuild what is derived from a mind's turns: delete graph and full text, which fill again while turns go on.

Deleting is all there is to do. The lanes see two cursors at 0 and close the gap, as after any loss. A marker file in
the mind's folder exists meanwhile, so that a kill never leaves one of the two undeleted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import HomeFault, MemoryFault
from consolidation.kernel.files import remove, replace_bytes
from consolidation.workspace import REBUILDING

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.archive.adopt_graph import GraphAdoption
    from service.archive.ports import ArchivableGraph
    from service.ingest.ingestion import Ingestion
    from service.mind.minds import Mind, Minds
    from service.runtime.background import Background

_RETRY_SECONDS = 2

log = structlog.get_logger()


class Rebuilder:
    """Deletes what can be made again from the transcript."""

    def __init__(
        self,
        *,
        minds: Minds,
        ingestion: Ingestion,
        graph_of: Callable[[str], ArchivableGraph],
        adoption: GraphAdoption,
    ) -> None:
        self._minds = minds
        self._ingestion = ingestion
        self._graph_of = graph_of
        self._adoption = adoption

    async def rebuild(self, mind: Mind) -> int:
        """
        Delete graph and full text of *mind*. Returns how many turns will be ingested again, by themselves.

        Raises GraphUnavailable, HomeFault. What was not deleted then is deleted at the next start.
        """
        marker = mind.workspace.rebuilding
        await self._minds.take_over(mind.mind_id)
        try:
            await anyio.to_thread.run_sync(replace_bytes, marker, b"")
            async with self._ingestion.suspended(mind):
                await self._adoption.complete(mind.workspace)
                await self._graph_of(mind.mind_id).drop()
                await anyio.to_thread.run_sync(mind.text.reset)
                await anyio.to_thread.run_sync(mind.outcomes.reset)
                await anyio.to_thread.run_sync(remove, marker)
        except OSError as error:
            raise HomeFault(f"the mind could not be rebuilt: {error.strerror}") from error
        turns = mind.transcript.positions.remembered_after(0)
        log.info("mind.rebuild_started", mind_id=mind.mind_id, turns=turns)
        return turns

    async def resume(self, background: Background) -> None:
        """Repeat the rebuilds that a kill interrupted, as soon as the graph answers."""
        for mind_id in await self._minds.those_with(lambda folder: REBUILDING in folder.names):
            while self._minds.workspace(mind_id).rebuilding.exists() and not background.is_stopping:
                try:
                    with self._minds.gate.enter(mind_id):
                        await self.rebuild(await self._minds.find(mind_id))
                except MemoryFault as error:
                    log.warning("mind.rebuild_failed", mind_id=mind_id, error=str(error))
                    await background.pause(_RETRY_SECONDS)
