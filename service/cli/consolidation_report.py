"""What a telling says at its end: what was told, what was gathered for it, where the story lies, what still waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from service.cli.home import shortened
from service.cli.terminal import counted, one_line, out

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_MOST = 5
type Row = tuple[str, Text]


@dataclass(frozen=True, slots=True)
class Report:
    """A run that has ended, and what waits after it; ``file`` is the story's, where it lies on this machine."""

    mind: str
    is_skipped: bool
    run: Mapping[str, Any]
    pending_turns: int
    pending_tokens: int
    file: Path | None = None


def show_report(report: Report) -> None:
    """Print it."""
    console = out()
    console.print(Text(_head(report), style="bold"))
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, words in _rows(report):
        facts.add_row(name, words)
    if facts.row_count:
        console.print(Padding(facts, (0, 0, 0, 2), expand=False))


def _head(report: Report) -> str:
    run = report.run
    if report.is_skipped:
        turns = counted(run["turns"], "turn")
        return f"{turns} of {report.mind} count as told now, without being told." if run["turns"] else "Nothing waited."
    if run["told"]:
        chapters = f" in {counted(run['chapters'], 'new chapter')}" if run["chapters"] else ""
        of = f" of {run['turns']:,}" if run["told"] < run["turns"] else ""
        return f"Told {run['told']:,}{of} {'turn' if run['turns'] == 1 else 'turns'} of {report.mind}{chapters}."
    if run["error"] is not None:
        return f"Nothing of {report.mind} was told."
    return "Nothing waits: the story is up to date."


def _rows(report: Report) -> Iterator[Row]:
    run = report.run
    if run["compressed"]:
        yield "shortened", Text(f"{counted(run['compressed'], 'old chapter')}, as the story has grown long")
    if run["gathered"] is not None:
        yield from _gathered(run["gathered"])
    usage = run["usage"]
    if usage["calls"]:
        tokens = usage["prompt_tokens"] + usage["completion_tokens"]
        spent = f"{counted(usage['calls'], 'model call')}, {counted(tokens, 'token')}, ${usage['cost_usd']:.4f}"
        yield "spent", Text(spent)
    if report.file is not None:
        yield "story", Text(shortened(report.file))
    if report.pending_turns and run["error"] is None:
        waiting = f"{counted(report.pending_turns, 'turn')} ({counted(report.pending_tokens, 'token')})"
        yield "waiting", Text(f"{waiting}: kept meanwhile, told next time")


def _gathered(gathered: Mapping[str, Any]) -> Iterator[Row]:
    new, turns = gathered["new"], gathered["turns"]
    known = f", {turns - new:,} were there already" if turns > new else ""
    yield "gathered", Text(f"{counted(new, 'new turn')} from {counted(gathered['files'], 'file')}{known}")
    skipped = gathered["skipped"]
    if skipped:
        yield "skipped", Text(f"{len(skipped):,} that can not be read or give no turn", style="yellow")
    for one in skipped[:_MOST]:
        yield "", Text(one_line(one, most=200), style="dim")
    if len(skipped) > _MOST:
        yield "", Text(f"and {len(skipped) - _MOST:,} more", style="dim")
