"""Deletes traces that are kept no longer, of every mind there is."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import MemoryFault
from service.mind.trace_files import TraceFiles, day_of, oldest_kept

if TYPE_CHECKING:
    from datetime import date

    from consolidation.kernel.ports import Clock
    from service.mind.mind_listing import MindFolder
    from service.mind.minds import Minds
    from service.runtime.background import Background

log = structlog.get_logger()

_PAUSE_SECONDS = 3600


async def drop_old_traces(minds: Minds, *, keep_days: int, clock: Clock, background: Background) -> None:
    """Delete what is older than *keep_days* days (0: nothing), now and every hour, until the service stops."""
    while (first := oldest_kept(clock.now().date(), days=keep_days)) is not None and not background.is_stopping:
        for mind_id in await minds.those_with(partial(_has_before, first, minds)):
            try:
                await _drop_old(minds, mind_id)
            except (MemoryFault, OSError) as error:  # the next look tries again
                log.warning("traces.not_dropped", mind_id=mind_id, error=str(error))
        await background.pause(_PAUSE_SECONDS)


def _has_before(first: date, minds: Minds, folder: MindFolder) -> bool:
    """Whether a mind has traces from before *first*."""
    days = (day_of(name) for name in folder.names)
    if not any(day is not None and day < first.toordinal() for day in days):
        return False
    with suppress(OSError):  # the name of an earlier version's file does not say of when it is
        return bool(TraceFiles(minds.workspace(folder.mind_id).folder).before(first))
    return True


async def _drop_old(minds: Minds, mind_id: str) -> None:
    with minds.gate.enter(mind_id):
        mind = await minds.find(mind_id)
        days = await anyio.to_thread.run_sync(mind.trace_log.drop_old)
        log.info("traces.dropped", mind_id=mind_id, days=days)
