"""What one resonance adds to the figures: how it ended, what each filter kept back, what surfaced again."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from service.resonance.filters import is_echo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.resonance.ledger import Ledger
    from service.resonance.moment import Flashback, Moment
    from service.resonance.trace import Trace
    from service.spans import Told
    from service.tally import Tally

REPEAT_TURNS = 100  # of a session: wider than the echo filter, which looks perfect within its own window


def count(
    tally: Tally, moment: Moment, trace: Trace, *, flashbacks: Sequence[Flashback], shown: Ledger
) -> dict[str, Told]:
    """Add it all to *tally*, before it is among what was *shown*; what a span is told of it."""
    outcome = "late" if "deadline" in trace.degraded else "surfaced" if flashbacks else "silent"
    tally.resonance(outcome, rungs=trace.degraded, timings=trace.timings)
    tally.held(Counter(reason.partition(":")[0].replace("-", "_") for reason in trace.dropped.values()))
    repeats = 0
    if flashbacks:
        echoes = shown.echoes(moment.session_id, turns=REPEAT_TURNS)
        repeats = sum(is_echo(one.fragment, echoes) for one in flashbacks)
        tally.surfaced((one.fragment.kind for one in flashbacks), repeats=repeats)
    return {
        "outcome": outcome,
        "degraded": trace.degraded,
        "flashbacks": len(flashbacks),
        "repeats": repeats,
        "model_calls": trace.usage.calls,
        "cost_usd": trace.usage.cost_usd,
    }
