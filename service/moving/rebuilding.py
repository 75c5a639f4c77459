"""
What is derived of a mind's turns, dropped and built anew: graph and full text, while turns go on being kept.

Dropping is all there is to do: the lanes see two cursors at 0 and close the gap, as they would after any loss. A mark
in the mind's folder stands while it is under way, so that a kill never leaves one of the two standing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import HomeFault, MemoryFault

if TYPE_CHECKING:
    from service.background import Background
    from service.digestion.digest import Digestion
    from service.minds import Mind, Minds
    from service.moving.arriving import Arriving
    from service.moving.ports import GraphSites

_RETRY_SECONDS = 2

log = structlog.get_logger()


class Rebuilding:
    """Drops what can be made again of the transcript."""

    def __init__(self, *, minds: Minds, digestion: Digestion, sites: GraphSites, arriving: Arriving) -> None:
        """Bind to who builds it again: *digestion*."""
        self._minds = minds
        self._digestion = digestion
        self._sites = sites
        self._arriving = arriving

    async def rebuild(self, mind: Mind) -> int:
        """
        Drop *mind*'s graph and full text; how many turns will be digested again, from now on, by themselves.

        Raises GraphUnavailable, HomeFault: then what was not dropped now is dropped at the next start.
        """
        mark = mind.workspace.rebuilding
        try:
            await anyio.to_thread.run_sync(mark.touch)
            async with self._digestion.halted(mind):
                await self._arriving.settle(mind.workspace)
                await self._sites.drop(mind.mind_id)
                await anyio.to_thread.run_sync(mind.text.begin_anew)
                await anyio.to_thread.run_sync(mark.unlink, True)  # noqa: FBT003 - missing_ok
        except OSError as error:
            raise HomeFault(f"the mind could not be rebuilt: {error.strerror}") from error
        turns = mind.transcript.positions.remembered_after(0)
        log.info("mind.rebuilding", mind_id=mind.mind_id, turns=turns)
        return turns

    async def resume(self, background: Background) -> None:
        """Begin again what a kill cut short, as soon as the graph answers."""
        for mind_id in self._minds.ids():
            while self._minds.workspace(mind_id).rebuilding.exists() and not background.is_stopping:
                try:
                    await self.rebuild(await self._minds.find(mind_id))
                except MemoryFault as error:
                    log.warning("mind.not_rebuilt", mind_id=mind_id, error=str(error))
                    await background.pause(_RETRY_SECONDS)
