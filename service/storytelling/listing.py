"""Keeps pending-episodes.log with the transcript: in the background, once for many turns, never in a turn's way."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import HomeFault
from consolidation.story.pending import last_listed, list_anew, list_more

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from consolidation.kernel.turns import Kept
    from service.background import Background
    from service.minds import Mind

log = structlog.get_logger()

_PAGE = 500


@dataclass(slots=True)
class _Listed:
    """How far one mind's list is; None where that is to be read from the file."""

    sequence: int | None = None
    is_waiting: bool = False
    turnstile: asyncio.Lock = field(default_factory=asyncio.Lock)


class Listing:
    """The lists of all minds."""

    def __init__(self, background: Background) -> None:
        self._background = background
        self._listed: dict[str, _Listed] = {}

    def wake(self, mind: Mind, *, told: int) -> None:
        """Say that turns were kept; those above *told* are listed soon."""
        listed = self._listed.setdefault(mind.mind_id, _Listed())
        if listed.is_waiting or self._background.is_stopping:
            return
        listed.is_waiting = True

        async def run() -> None:
            async with listed.turnstile:
                listed.is_waiting = False  # who comes from here on is listed by the next
                try:
                    await _list(mind, listed, told=told)
                except (OSError, HomeFault) as error:
                    _forget(mind, listed, error)
                else:
                    mind.disk.worked(part=_part(mind))

        self._background.start(f"pending {mind.mind_id}", run, of=mind.mind_id)

    def forget(self, mind_id: str) -> None:
        """Know nothing of a mind's list."""
        self._listed.pop(mind_id, None)

    async def list_anew(self, mind: Mind, pending: Callable[[], Awaitable[Sequence[Kept]]]) -> None:
        """Put what is *pending* in the list's place; where the disk refuses, the list is behind, and nothing else."""
        listed = self._listed.setdefault(mind.mind_id, _Listed())
        async with listed.turnstile:
            last = mind.transcript.positions.last
            turns = await pending()
            try:
                await anyio.to_thread.run_sync(list_anew, mind.workspace.pending, turns)
            except OSError as error:
                _forget(mind, listed, error)
            else:
                mind.disk.worked(part=_part(mind))
                listed.sequence = max(last, *(kept.sequence for kept in turns), 0)


def _forget(mind: Mind, listed: _Listed, error: OSError | HomeFault) -> None:
    listed.sequence = None
    mind.disk.failed("what waits to be told can not be listed", part=_part(mind))
    log.debug("pending.unwritable", mind_id=mind.mind_id, error=str(error))


def _part(mind: Mind) -> str:
    return f"pending {mind.mind_id}"


async def _list(mind: Mind, listed: _Listed, *, told: int) -> None:
    file = mind.workspace.pending
    if listed.sequence is None:
        listed.sequence = await anyio.to_thread.run_sync(last_listed, file)
    after = max(listed.sequence, told)
    while page := await mind.transcript.after(after, limit=_PAGE):
        turns = [kept for kept in page if kept.is_remembered]
        await anyio.to_thread.run_sync(list_more, file, turns)
        after = listed.sequence = page[-1].sequence
