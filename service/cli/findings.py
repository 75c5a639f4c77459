"""What an examination finds: one line a thing, whether it is sound, and how to mend it where it is not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from service.cli.terminal import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console


class State(StrEnum):
    """How something is."""

    SOUND = "✓"
    NOTED = "·"
    DOUBTFUL = "!"
    BROKEN = "✗"


STYLES = {State.SOUND: "green", State.NOTED: "dim", State.DOUBTFUL: "yellow", State.BROKEN: "red"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; ``mend`` says what to do where it is not sound."""

    state: State
    what: str
    found: str
    mend: str = ""


def sound(what: str, found: str) -> Finding:
    """All is well."""
    return Finding(State.SOUND, what, found)


def noted(what: str, found: str) -> Finding:
    """Neither good nor bad."""
    return Finding(State.NOTED, what, found)


def doubtful(what: str, found: str, *, mend: str) -> Finding:
    """It works, but not as it should."""
    return Finding(State.DOUBTFUL, what, found, mend)


def broken(what: str, found: str, *, mend: str) -> Finding:
    """It does not work."""
    return Finding(State.BROKEN, what, found, mend)


def show_findings(console: Console, title: str, findings: Sequence[Finding]) -> None:
    """One section."""
    if not findings:
        return
    console.print(Text(title, style="bold"))
    table = Table.grid(padding=(0, 1))
    table.add_column(width=1)
    table.add_column(width=max(12, *(min(len(one.what), 28) for one in findings)), style="dim")
    table.add_column(overflow="fold", ratio=1)
    for one in findings:
        style = STYLES[one.state]
        words = Text(one_line(one.found), style=style if one.state in {State.BROKEN, State.DOUBTFUL} else "")
        if one.mend:
            words.append(f"\n→ {one_line(one.mend)}", style="default")
        table.add_row(Text(one.state.value, style=style), one.what, words)
    console.print(Padding(table, (0, 0, 1, 2), expand=False))
