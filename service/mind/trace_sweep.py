"""Deletes traces that are kept no longer, of every mind there is."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import MemoryFault
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from service.mind.trace_files import TraceFiles, day_of, oldest_kept

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date

    from consolidation.kernel.ports import Clock
    from service.mind.mind_listing import MindFolder
    from service.mind.minds import Minds
    from service.runtime.background import Background

log = structlog.get_logger()

_PAUSE_SECONDS = 3600


async def drop_old_traces(
    minds: Minds,
    *,
    keep_days: int,
    clock: Clock,
    background: Background,
    stored: Callable[[date], Sequence[str]] | None = None,
) -> None:
    """
    Delete what is older than *keep_days* days (0: nothing), now and every hour, until the service stops.

    Where a home is shared, *stored* says which minds have traces from before a day, whoever uses them. It blocks. Those
    that nobody else works on are claimed.
    """
    while (first := oldest_kept(clock.now().date(), days=keep_days)) is not None and not background.is_stopping:
        for mind_id in await _with_traces_before(first, minds, stored=stored):
            try:
                if minds.custodian is None or await minds.custodian.claims(mind_id):
                    await _drop_old(minds, mind_id)
            except (MemoryFault, OSError) as error:  # the next look tries again
                log.warning("traces.not_dropped", mind_id=mind_id, error=str(error))
        await background.pause(_PAUSE_SECONDS)


async def _with_traces_before(
    first: date, minds: Minds, *, stored: Callable[[date], Sequence[str]] | None
) -> Sequence[str]:
    if stored is None:
        return await minds.those_with(partial(_has_before, first, minds))
    with suppress(DatabaseUnavailable):  # logged once, by its Dependency
        return await anyio.to_thread.run_sync(stored, first)
    return ()


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
