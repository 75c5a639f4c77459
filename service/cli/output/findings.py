"""What was looked at, and what to mend: findings, printed by section or as JSON."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from service.cli.output.terminal import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

SOUND, NOTED, DOUBTFUL, BROKEN = "✓", "·", "!", "✗"
_STATES = {SOUND: "sound", NOTED: "noted", DOUBTFUL: "doubtful", BROKEN: "broken"}
_STYLES = {SOUND: "green", NOTED: "dim", DOUBTFUL: "yellow", BROKEN: "red"}


class Finding(NamedTuple):
    """One thing that was looked at; ``mend`` says what to do where it is doubtful or broken."""

    mark: str
    what: str
    words: str
    mend: str = ""


def merged(findings: Sequence[Finding]) -> list[Finding]:
    """Findings one after the other that ask for the same, as of four roles with one model, as one."""
    groups = groupby(findings, key=lambda one: (one.mark, one.words, one.mend, "" if one.mend else one.what))
    return [Finding(mark, ", ".join(one.what for one in same), words, mend) for (mark, words, mend, _), same in groups]


def show_findings(console: Console, title: str, findings: Sequence[Finding]) -> None:
    """Print a section."""
    table = Table.grid(padding=(0, 1))
    table.add_column(width=1)
    table.add_column(width=max(12, *(min(len(one.what), 28) for one in findings)), style="dim")
    table.add_column(overflow="fold", ratio=1)
    for one in findings:
        style = _STYLES[one.mark]
        words = Text(one_line(one.words), style=style if one.mend else "")
        if one.mend:
            words.append(f"\n→ {one_line(one.mend)}", style="default")
        table.add_row(Text(one.mark, style=style), one.what, words)
    console.print(title, style="bold")
    console.print(Padding(table, (0, 0, 1, 2), expand=False))


def finding_as_json(one: Finding) -> dict[str, str | None]:
    """Return what ``--json`` shows of a finding."""
    return {"what": one.what, "state": _STATES[one.mark], "words": one.words, "mend": one.mend or None}
