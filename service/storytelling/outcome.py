"""What a run came to, told where it is looked for: log, figures, spans, the mind's cost, the standing of the disk."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from consolidation.kernel.ports import Clock
    from consolidation.story.run import Run
    from service.minds import Mind
    from service.spans import Spans
    from service.tally import Tally

log = structlog.get_logger()


def told_of(error: BaseException) -> str:
    """What a run's state says of an error that nobody foresaw, or of its being stopped."""
    is_stopped = isinstance(error, asyncio.CancelledError)
    return "stopped before its end" if is_stopped else "an unforeseen error; it is logged"


class Outcomes:
    """Told of each run."""

    def __init__(self, *, tally: Tally, spans: Spans, clock: Clock) -> None:
        """Count in *tally*, by *clock*."""
        self._tally = tally
        self._spans = spans
        self._clock = clock

    @contextmanager
    def watching(self, mind: Mind, trigger: str) -> Iterator[Callable[[Run], None]]:
        """A run begins; call what is given with the run that has ended."""
        began, outcome = self._clock.monotonic(), "stopped"
        with self._spans.apart("story.run", mind_id=mind.mind_id, trigger=trigger) as note:

            def ended(run: Run) -> None:
                nonlocal outcome
                outcome = "failed" if run.error is not None else "told" if run.told else "nothing"
                note(outcome=outcome, turns=run.told, of=run.turns, chapters=run.chapters, model_calls=run.usage.calls)
                _tell(mind, run)

            try:
                yield ended
            except Exception:
                outcome = "failed"
                raise
            finally:
                self._tally.story(trigger, outcome, seconds=self._clock.monotonic() - began)


def _tell(mind: Mind, run: Run) -> None:
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
