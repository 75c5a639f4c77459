"""What an import tells at its end: what was found, what became of it, what memory made of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from service.cli.terminal import counted, day, one_line, out
from service.cli.withheld import is_off_the_record, secrets_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from service.cli.survey import Survey

_MOST = 5
_MINUTE = 60
type Row = tuple[str, Text]


@dataclass(slots=True)
class Report:
    """Filled while an import runs; ``before`` and ``after``: the mind's facts and entities, where the graph tells."""

    mind: str
    survey: Survey
    is_dry: bool
    new: int = 0
    known: int = 0
    erased: int = 0
    conflicts: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    before: tuple[int, int] | None = None
    after: tuple[int, int] | None = None
    withheld: int = 0
    secrets: Counter[str] = field(default_factory=Counter)
    left: int = 0
    held_up_by: str | None = None
    seconds: float = 0.0

    def count(self, kept: Mapping[str, Any]) -> None:
        """Take note of what became of one turn."""
        self.secrets.update(secrets_of(kept["dropped"]))
        if is_off_the_record(kept["dropped"]):
            self.withheld += 1
        elif kept["duplicate"]:
            self.known += 1
        else:
            self.new += 1


def show_report(report: Report) -> None:
    """Print it."""
    console = out()
    took = _took(report.seconds)
    head = (
        f"Nothing imported: a dry run for {report.mind}" if report.is_dry else f"Imported into {report.mind} in {took}"
    )
    console.print(Text(head, style="bold"))
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, words in _rows(report):
        facts.add_row(name, words)
    console.print(Padding(facts, (0, 0, 0, 2), expand=False))
    if not report.is_dry and report.new:
        console.print(f"\n  Ask it something: mind-memory chat --mind {report.mind}", style="dim")


def _rows(report: Report) -> Iterator[Row]:
    found = report.survey
    yield "found", Text(f"{counted(found.turns, 'turn')} in {counted(len(found.sessions), 'session')}")
    if found.first is not None and found.last is not None:
        yield "dated", Text(f"{day(found.first)} – {day(found.last)}")
    if not report.is_dry:
        yield "new", Text(f"{report.new:,}", style="green" if report.new else "")
        yield "known", Text(f"{report.known:,} were already there")
        if report.erased:
            yield "erased", Text(f"{report.erased:,} were erased here, and stay so", style="yellow")
    yield from _some("conflicts", report.conflicts, "with the id of a kept turn, but other words: the kept one stays")
    yield from _some("refused", report.refused, "that can not be kept")
    if report.withheld:
        yield "withheld", Text(f"{counted(report.withheld, 'turn')} off the record: nothing of them is kept")
    if report.secrets:
        kinds = ", ".join(f"{kind} ({number:,})" for kind, number in sorted(report.secrets.items()))
        yield "redacted", Text(f"{kinds}: a mark stands in their place", style="yellow")
    if found.skipped:
        yield from _some("skipped", found.reasons, "that give no turn", total=found.skipped)
    if not report.is_dry:
        if report.before is not None and report.after is not None:
            facts, entities = (after - before for before, after in zip(report.before, report.after, strict=True))
            yield "made", Text(f"{counted(facts, 'fact')} and {counted(entities, 'entity', 'entities')}")
        yield from _waiting(report)


def _some(name: str, found: list[str], what: str, *, total: int | None = None) -> Iterator[Row]:
    """How many, and the first few."""
    number = len(found) if total is None else total
    if not number:
        return
    yield name, Text(f"{number:,} {what}", style="yellow")
    for one in found[:_MOST]:
        yield "", Text(one_line(one, most=200), style="dim")
    if number > _MOST:
        yield "", Text(f"and {number - _MOST:,} more", style="dim")


def _waiting(report: Report) -> Iterator[Row]:
    if report.held_up_by is not None:
        why = f"{counted(report.left, 'turn')}: {one_line(report.held_up_by)}. Nothing is lost; it is tried again"
        yield "unread", Text(why, style="yellow")
    elif report.left:
        yield "unread", Text(f"{counted(report.left, 'turn')}, read while the service runs; `mind-memory status` tells")


def _took(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    return f"{int(seconds // _MINUTE)} min {int(seconds % _MINUTE)} s"
