"""What was looked at, and what to mend: findings, printed by section or as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from mind_memory_client import Mind
from rich.console import Console
from rich.table import Table
from rich.text import Text

from service.cli.command import words_of_file_fault
from service.cli.output.terminal import counted, indented, one_line, typed

SOUND, NOTED, DOUBTFUL, BROKEN = "✓", "·", "!", "✗"
_MISMATCH = "EmbedderMismatch"
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


def with_file_faults(what: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """*findings*, until a file can not be read: that is then the last of them."""
    try:
        yield from findings
    except OSError as fault:
        yield file_finding(what, fault)


def findings_elsewhere(url: str | None) -> Iterator[Finding]:
    """That a service at *url*, which may be meant, is not looked at; nothing for None."""
    if url is not None:
        words = f"MIND_MEMORY_URL names the service at {url}; what follows is of the home on this machine"
        yield Finding(
            DOUBTFUL, "service", words, "run this command where that service runs, or name a home with --home"
        )


def file_finding(what: str, fault: OSError) -> Finding:
    """A file that can not be read, with its name."""
    words, mend = words_of_file_fault(fault)
    return Finding(BROKEN, what, words, mend or "see that file")


def findings_of_mind(mind: Mind) -> Iterator[Finding]:
    """How much it holds, how far behind it is and why, parked turns, damaged lines."""
    name, graph = mind.mind_id, mind.graph
    unread = f" but {counted(len(graph.parked), 'turn')}" if graph.parked else ""
    behind = f"{counted(graph.lag, 'turn')} not read yet" if graph.lag else f"all read{unread}"
    words, waiting = f"{counted(mind.turns, 'turn')}, {behind}", graph.waiting_for
    if waiting is None:
        yield Finding(SOUND, name, words)
    elif _MISMATCH in waiting:
        yield Finding(BROKEN, name, waiting, f"configure that embedder again, or run {typed('reindex')}")
    else:
        yield Finding(BROKEN, name, f"{words}: waits for {waiting}", "it goes on by itself once that answers")
    if graph.parked:
        first, turns = graph.parked[0], counted(len(graph.parked), "turn")
        mend = f"{typed(f'retry --mind {name}')} once that is mended"
        yield Finding(DOUBTFUL, name, f"{turns} parked; turn {first.sequence}: {first.error}", mend)
    if mind.damaged:
        files = ", ".join(sorted({one.file for one in mind.damaged}))
        mend = f"their bytes are in minds/{name}/transcript/torn; see what a person can read there"
        yield Finding(BROKEN, name, f"{counted(len(mind.damaged), 'damaged line')} in {files}", mend)
    if mind.settings_fault is not None:
        fault = mind.settings_fault
        place = f", line {fault.line}" if fault.line is not None else ""
        mend = f"mend minds/{name}/settings.toml; the service's values hold meanwhile"
        yield Finding(DOUBTFUL, name, f"settings.toml{place}: {fault.detail}", mend)


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
    indented(console, table, below=1)


def finding_as_json(one: Finding) -> dict[str, str | None]:
    """Return what ``--json`` shows of a finding."""
    return {"what": one.what, "state": _STATES[one.mark], "words": one.words, "mend": one.mend or None}
