"""Reports each run of a story: to the log, the metrics, the spans, the mind's cost and the health of the disk."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from consolidation.kernel.ports import Clock
    from consolidation.story.run import Run
    from service.mind.events import Publish
    from service.mind.minds import Mind
    from service.observability.counters import Tally
    from service.ports.spans import Spans

log = structlog.get_logger()


class RunTelemetry:
    """Observes runs."""

    def __init__(self, *, tally: Tally, spans: Spans, clock: Clock, publish: Publish) -> None:
        self._tally = tally
        self._spans = spans
        self._clock = clock
        self._publish = publish

    @contextmanager
    def observe(self, mind: Mind, trigger: str) -> Iterator[Callable[[Run], None]]:
        """Observe one run from its beginning. Call what is yielded with the run once it has ended."""
        began, outcome = self._clock.monotonic(), "stopped"
        with self._spans.apart("story.run", mind_id=mind.mind_id, trigger=trigger) as annotate:

            def ended(run: Run) -> None:
                nonlocal outcome
                outcome = _outcome(run)
                annotate(
                    outcome=outcome,
                    turns=run.narrated,
                    of=run.turns,
                    chapters=run.chapters,
                    model_calls=run.usage.calls,
                )
                _report(mind, run)
                if run.chapters:
                    self._publish(mind.mind_id, "story.told", turns=run.narrated, chapters=run.chapters)

            try:
                yield ended
            except Exception:
                outcome = "failed"
                raise
            finally:
                self._tally.story(trigger, outcome, seconds=self._clock.monotonic() - began)

    def report_refusal(self, mind: Mind, *, before: Run | None, run: Run) -> None:
        """Log why an answer of the model can not be used, where *run* counts more refusals than *before*."""
        known = before.refusals if before is not None and before.started_at == run.started_at else 0
        if run.refusals > known:
            log.warning(
                "story.refused",
                mind_id=mind.mind_id,
                trigger=run.trigger,
                reason=_without_sentences(run.refused[-1]),
                refusals=run.refusals,
            )


def _outcome(run: Run) -> str:
    if run.error is not None:
        return "failed"
    return "told" if run.narrated else "nothing"


def _report(mind: Mind, run: Run) -> None:
    mind.health.usage += run.usage
    part = f"story {mind.mind_id}"
    if run.disk_failed:
        mind.disk.failed("a story can not be read or written; the status of its mind says why", part=part)
    else:
        mind.disk.worked(part=part)
    log.info(
        "story.told",
        mind_id=mind.mind_id,
        trigger=run.trigger,
        turns=run.narrated,
        of=run.turns,
        quoted=run.quoted,
        chapters=run.chapters,
        compressed=run.compressed,
        error=_without_sentences(run.error) if run.error is not None else None,
    )


def _without_sentences(reason: str) -> str:
    """*reason* without the sentences that it shows: they are made of what people said, and a log holds none of it."""
    return re.sub(r"“[^“”]*”", "“…”", reason)
