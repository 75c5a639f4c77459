"""Writes each mind's pending-episodes.log behind its transcript: in the background, one write for many turns."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import HomeFault
from consolidation.story.pending_episodes import append_pending, last_listed, write_pending

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from consolidation.kernel.turns import StoredTurn
    from service.mind.minds import Mind
    from service.runtime.background import Background

log = structlog.get_logger()

_PAGE = 500


@dataclass(slots=True)
class _Listed:
    """Up to which turn one mind's log goes; None where the file has to be asked. *is_waiting*: a write is to come."""

    sequence: int | None = None
    is_waiting: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class PendingLog:
    """The logs of all minds. A log that can not be written is behind; it fails nothing else."""

    def __init__(self, background: Background) -> None:
        self._background = background
        self._listed: dict[str, _Listed] = {}

    def wake(self, mind: Mind) -> None:
        """Turns were stored: list those that are pending, soon."""
        listed = self._listed.setdefault(mind.mind_id, _Listed())
        if listed.is_waiting or self._background.is_stopping:
            return
        listed.is_waiting = True

        async def run() -> None:
            try:
                await listed.lock.acquire()
            finally:  # also where the job is stopped before it may write
                listed.is_waiting = False  # whatever is stored from here on begins another write
            try:
                await _append(mind, listed)
            except (OSError, HomeFault) as error:
                _give_up(mind, listed, error)
            else:
                mind.disk.worked(part=_part(mind))
            finally:
                listed.lock.release()

        self._background.start(f"pending {mind.mind_id}", run, owner=mind.mind_id)

    async def look(self, mind: Mind) -> None:
        """List the turns that are pending where the log is not there, as after a person deleted it."""
        listed = self._listed.setdefault(mind.mind_id, _Listed())
        if listed.is_waiting or listed.lock.locked() or not mind.story.pending(mind.transcript.positions).tokens:
            return
        if not await anyio.to_thread.run_sync(os.path.lexists, mind.workspace.pending):
            listed.sequence = None
            self.wake(mind)

    async def rewrite(self, mind: Mind, pending: Callable[[], Awaitable[Sequence[StoredTurn]]]) -> None:
        """Put the turns that *pending* returns in the place of the log."""
        listed = self._listed.setdefault(mind.mind_id, _Listed())
        async with listed.lock:
            last = mind.transcript.positions.last
            turns = await pending()
            try:
                await anyio.to_thread.run_sync(write_pending, mind.workspace.pending, turns)
            except OSError as error:
                _give_up(mind, listed, error)
            else:
                mind.disk.worked(part=_part(mind))
                listed.sequence = max(last, *(stored.sequence for stored in turns), 0)

    def forget(self, mind_id: str) -> None:
        """Drop what is known of the log of a mind that was erased or closed."""
        self._listed.pop(mind_id, None)


async def _append(mind: Mind, listed: _Listed) -> None:
    file = mind.workspace.pending
    if listed.sequence is None:
        listed.sequence = await anyio.to_thread.run_sync(last_listed, file)
    after = max(listed.sequence, mind.story.sequence)
    while page := await mind.transcript.after(after, limit=_PAGE):
        turns = [stored for stored in page if stored.is_remembered]
        await anyio.to_thread.run_sync(append_pending, file, turns)
        after = listed.sequence = page[-1].sequence


def _give_up(mind: Mind, listed: _Listed, error: OSError | HomeFault) -> None:
    listed.sequence = None
    mind.disk.failed("the list of pending turns can not be written", part=_part(mind))
    log.debug("pending_log.unwritable", mind_id=mind.mind_id, error=str(error))


def _part(mind: Mind) -> str:
    return f"pending {mind.mind_id}"
