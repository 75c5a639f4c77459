"""What a run came to, as tables for a person."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from tests.crash.table import aligned


@dataclass(frozen=True)
class Tally:
    """
    One run. In ``broken`` is by name what must not be; ``refusals`` is by name what must have been met.

    ``lonely`` are the faults that came alone, ``digested`` how many turns had been digested, by time.
    """

    seconds: float
    ledger: object
    deeds: tuple
    lonely: tuple
    digested: tuple
    refusals: dict[str, int]
    broken: dict[str, list]

    @property
    def is_kept(self):
        """Whether every promise was kept, and enough was refused to have proved it."""
        return not any(self.broken.values()) and all(self.refusals.values())


def tables(tally):
    """All of it, as text."""
    return "\n\n".join(filter(None, (_waits(tally), _sums(tally), _examples(tally))))


def _waits(tally):
    rows = [["alone", "lasted", "no 202", "one turn", "no pre-turn", "pre-turn", "refused", "nothing digested"]]
    answers = tally.ledger.answers
    looks = [one for one in answers if one.asked == "look"]
    seen = [one for one in looks if one.status == 200]
    for deed in tally.lonely:
        turns = [one.ended - one.began for one in tally.ledger.kept if _meet(one, deed)]
        mine = [one for one in looks if _meet(one, deed) and one.replica != deed.replica]
        rows.append(
            [
                deed.kind,
                *(
                    f"{value:.1f} s"
                    for value in (
                        deed.ended - deed.began,
                        _gap([one.ended for one in answers if one.status == 202], deed),
                        max(turns, default=0),
                        _gap([one.ended for one in seen], deed),
                        max((one.seconds for one in mine), default=0),
                    )
                ),
                sum(one.status != 200 for one in mine),
                f"{_gap(_moves(tally.digested), deed):.1f} s",
            ]
        )
    return aligned(rows) if tally.lonely else ""


def _gap(times, deed):
    """The longest time between two of these that a fault had a part in."""
    return max(
        (then - one for one, then in pairwise(sorted(times)) if one < deed.ended and then > deed.began), default=0
    )


def _moves(digested):
    """When more was digested than before."""
    return [then for (_, before), (then, after) in pairwise(digested) if after > before]


def _meet(one, deed):
    return one.began < deed.ended and one.ended > deed.began


def _sums(tally):
    answers = tally.ledger.answers
    statuses = Counter((one.asked, one.status) for one in answers)
    looks = sorted(one.seconds for one in answers if one.asked == "look" and one.status == 200)
    rows = [["counted", ""], ["seconds of load", f"{tally.seconds:.0f}"]]
    rows += [[f"fault: {kind}", times] for kind, times in sorted(Counter(one.kind for one in tally.deeds).items())]
    rows += [[f"answers: {asked} {status or 'none'}", times] for (asked, status), times in sorted(statuses.items())]
    rows += [["turns kept", len({one.number for one in tally.ledger.kept})], ["edits kept", len(tally.ledger.edits)]]
    if looks:
        rows += [[f"pre-turn p{at}", f"{looks[len(looks) * at // 100] * 1000:.0f} ms"] for at in (50, 95, 99)]
    rows += [[f"met: {about}", times] for about, times in tally.refusals.items()]
    rows += [[name, len(found)] for name, found in tally.broken.items()]
    return aligned(rows)


def _examples(tally):
    wrong = [f"{name}: {found[:5]}" for name, found in tally.broken.items() if found]
    return "\n".join(wrong + [f"never met: {about}" for about, times in tally.refusals.items() if not times])
