"""What the service knows of one mind's story while it runs, and what it logs of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from consolidation.story.run import Run

log = structlog.get_logger()


@dataclass(slots=True)
class Telling:
    """One mind's story since the service began; times are monotonic seconds, ``owed`` tokens below the cursor."""

    told: int
    heard_at: float
    owed: int = 0
    run: Run | None = None
    tasks: int = 0
    failures: int = 0
    failed_at: float = 0.0
    is_settled: bool = False


def log_run(mind_id: str, run: Run) -> None:
    """Say what became of a run."""
    log.info(
        "story.told",
        mind_id=mind_id,
        trigger=run.trigger,
        turns=run.told,
        of=run.turns,
        chapters=run.chapters,
        compressed=run.compressed,
        error=run.error,
    )
