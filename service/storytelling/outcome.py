"""What a run came to, told where it is looked for: the log, the mind's cost, the standing of the disk."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from consolidation.story.run import Run
    from service.minds import Mind

log = structlog.get_logger()


def told_of(error: BaseException) -> str:
    """What a run's state says of an error that nobody foresaw, or of its being stopped."""
    is_stopped = isinstance(error, asyncio.CancelledError)
    return "stopped before its end" if is_stopped else "an unforeseen error; it is logged"


def note(mind: Mind, run: Run) -> None:
    """Tell of a run that has ended."""
    mind.health.usage += run.usage
    part = f"story {mind.mind_id}"
    if run.is_of_disk:
        mind.disk.failed("a story can not be read or written; its mind's status says why", part=part)
    else:
        mind.disk.worked(part=part)
    log.info(
        "story.told",
        mind_id=mind.mind_id,
        trigger=run.trigger,
        turns=run.told,
        of=run.turns,
        chapters=run.chapters,
        compressed=run.compressed,
        error=run.error,
    )
