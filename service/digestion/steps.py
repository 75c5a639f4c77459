"""What is told of each step a turn takes: how long it took, a span linked to what brought it, its ids in logs."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from structlog.contextvars import bound_contextvars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from consolidation.kernel.turns import Kept, Turn
    from service.minds import Mind
    from service.spans import Note, Spans
    from service.tally import Tally


class Steps:
    """Told of by whoever accepts a turn, and by the lanes."""

    def __init__(self, *, tally: Tally, spans: Spans, monotonic: Callable[[], float]) -> None:
        """Count in *tally*, by a clock that never goes back."""
        self._tally = tally
        self._spans = spans
        self._monotonic = monotonic

    @contextmanager
    def keeping(self, mind_id: str, turn: Turn) -> Iterator[Note]:
        """A turn is being accepted; what is done with it later is linked to this."""
        ids = {"mind_id": mind_id, "session_id": turn.session_id, "turn_id": turn.turn_id}
        with bound_contextvars(**ids), self._spans.inside("turn.keep", **ids) as note:
            self._spans.mark(_mark(mind_id, turn.turn_id))
            yield note

    @contextmanager
    def working(self, lane: str, mind: Mind, turns: Sequence[Kept]) -> Iterator[Note]:
        """A lane is at work on *turns*; counted when it is done with them, not when it fails."""
        began = self._monotonic()
        marks = [_mark(mind.mind_id, kept.turn.turn_id) for kept in turns]
        first, last = turns[0], turns[-1]
        alone = {"turn_id": first.turn.turn_id, "session_id": first.turn.session_id} if first is last else {}
        with (
            bound_contextvars(mind_id=mind.mind_id, sequence=last.sequence, **alone),
            self._spans.apart(
                f"digestion.{lane}",
                after=marks,
                mind_id=mind.mind_id,
                turns=len(turns),
                first_sequence=first.sequence,
                last_sequence=last.sequence,
                **alone,
            ) as note,
        ):
            yield note
        self._tally.digest(lane, turns=len(turns), seconds=self._monotonic() - began)

    def failed(self, lane: str) -> None:
        """A lane's step failed; it waits, and tries again."""
        self._tally.lane_failures[lane] += 1

    def parked(self) -> None:
        """A turn was parked."""
        self._tally.parked += 1


def _mark(mind_id: str, turn_id: str) -> str:
    return f"{mind_id} {turn_id}"
