"""What a run of crashes came to, as tables for a person."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tests.crash.steps import DEEDS


@dataclass(frozen=True)
class Tally:
    """One run: what was done, and in ``broken`` by name what became of it that must not."""

    name: str
    seconds: float
    answers: int
    accepted: int
    edits: int
    outcomes: int
    refused: int
    steps: tuple[str, ...]
    reached: Counter
    deeds: Counter
    moments: Counter
    broken: dict[str, list]

    @property
    def kills(self):
        """How often anything was killed."""
        return sum(times for (_, deed), times in self.deeds.items() if deed != "full disk") + self.moments.total()


def tables(tallies):
    """All of it, as text."""
    return "\n\n".join([*map(_steps, tallies), _sums(tallies), *filter(None, map(_examples, tallies))])


def _steps(tally):
    rows = [[tally.name, "reached", *DEEDS]]
    for step in tally.steps:
        rows.append([step, tally.reached[step], *(tally.deeds[step, deed] for deed in DEEDS)])
    rows.append(["random moment", "", *(tally.moments[deed] for deed in DEEDS)])
    return aligned(rows)


def _sums(tallies):
    names = dict.fromkeys(name for tally in tallies for name in tally.broken)
    rows = [["", *(tally.name for tally in tallies)]]
    rows.append(["seconds", *(f"{tally.seconds:g}" for tally in tallies)])
    for what in ("kills", "answers", "accepted", "refused", "edits", "outcomes"):
        rows.append([what, *(getattr(tally, what) for tally in tallies)])
    for name in names:
        rows.append([name, *(len(tally.broken[name]) if name in tally.broken else "-" for tally in tallies)])
    return aligned(rows)


def _examples(tally):
    return "\n".join(f"{tally.name}: {name}: {found[:5]}" for name, found in tally.broken.items() if found)


def aligned(rows):
    widths = [max(len(str(row[at])) for row in rows) for at in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            str(cell).ljust(width) if at == 0 else str(cell).rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths))
        )
        for row in rows
    )
