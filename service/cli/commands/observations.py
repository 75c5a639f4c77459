"""`mind-memory observations`: what dreams distilled, by day and level."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from mind_memory_client.observations import Observation, Observations
from rich.console import Console
from rich.text import Text

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import CommandFailed, Context, MindName, command
from service.cli.connection import connect
from service.cli.output.terminal import note, out, plain, show_json

_STYLES = {"RED": "red", "YLW": "yellow", "GRN": "green"}


@command()
async def observations(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    level: Annotated[str | None, typer.Option(metavar="LEVEL", help="RED, YLW or GRN only.")] = None,
    since: Annotated[str | None, typer.Option(metavar="DAY", help="From this day on, like 2026-01-09.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The API's answer as it is.")] = False,
) -> None:
    """Show what dreams observed, by day."""
    if level is not None and level not in _STYLES:
        raise CommandFailed(f"--level {level}: choose from {', '.join(_STYLES)}")
    asked: dict[str, Any] = {"level": level, "since": since}
    async with connect(context) as connection:
        if as_json:
            show_json(await connection.memory.request("GET", f"/v1/minds/{mind}/observations", query=asked))
            return
        found = await connection.memory.observations(mind, **asked)
    _show(out(), found, mind=mind)


def _show(console: Console, found: Observations, *, mind: str) -> None:
    last = None
    for one in found.observations:
        if one.day != last:
            console.print(Text(f"{'' if last is None else chr(10)}{one.day}", style="bold"))
            last = one.day
        console.print(_line(one), soft_wrap=True)
    if not found.observations:
        note(f"Nothing was observed for {mind} yet, or nothing that was asked for.")


def _line(one: Observation) -> Text:
    line = Text(style="dim" if one.is_superseded else "")
    line.append(one.level, style=f"bold {_STYLES[one.level]}")
    line.append(f" {one.at} {plain(one.text)}")
    if one.is_superseded:
        line.append(" (superseded)", style="italic")
    return line
