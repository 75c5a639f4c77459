"""What is reported of the lanes: the time of a step, a span linked to the calls that posted its turns, ids in logs."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from structlog.contextvars import bound_contextvars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from consolidation.kernel.turns import StoredTurn
    from service.mind.health import LaneName
    from service.mind.minds import Mind
    from service.observability.counters import Tally
    from service.ports.spans import Annotate, Spans


class LaneTelemetry:
    """Counts, spans and log fields of all lanes."""

    def __init__(self, *, tally: Tally, spans: Spans, monotonic: Callable[[], float]) -> None:
        self._tally = tally
        self._spans = spans
        self._monotonic = monotonic

    @contextmanager
    def step(self, lane: LaneName, mind: Mind, turns: Sequence[StoredTurn]) -> Iterator[Annotate]:
        """Inside, a lane is at work on *turns*. They are counted when it is done with them, not when it fails."""
        began = self._monotonic()
        keys = [span_key(mind.mind_id, turn.turn.turn_id) for turn in turns]
        first, last = turns[0], turns[-1]
        alone = {"turn_id": first.turn.turn_id, "session_id": first.turn.session_id} if first is last else {}
        with (
            bound_contextvars(mind_id=mind.mind_id, sequence=last.sequence, **alone),
            self._spans.apart(
                f"lane.{lane}",
                after=keys,
                mind_id=mind.mind_id,
                turns=len(turns),
                first_sequence=first.sequence,
                last_sequence=last.sequence,
                **alone,
            ) as annotate,
        ):
            yield annotate
        self._tally.digest(lane, turns=len(turns), seconds=self._monotonic() - began)

    def failed(self, lane: LaneName) -> None:
        """A step failed; it will be tried again."""
        self._tally.lane_failures[lane] += 1

    def dropped(self, *, facts: int) -> None:
        """So many facts of a turn were not kept: too slight, or with names that nobody said."""
        self._tally.dropped_facts += facts

    def parked(self) -> None:
        """A turn was parked."""
        self._tally.parked += 1


def span_key(mind_id: str, turn_id: str) -> str:
    """The key of the span that accepted a turn; the spans of the lanes link to it."""
    return f"{mind_id} {turn_id}"
