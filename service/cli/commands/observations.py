"""`mind-memory observations`: what dreams distilled, by day and level."""

from __future__ import annotations

from typing import Annotated, Any, cast

import typer
from mind_memory_client.observations import Observation, Observations
from rich.console import Console
from rich.text import Text

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import AS_IT_IS, Context, MindName, command, one_of
from service.cli.connection import connect
from service.cli.output.terminal import note, plain

_STYLES = {"RED": "red", "YLW": "yellow", "GRN": "green"}


@command(json=AS_IT_IS)
async def observations(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    level: Annotated[str | None, typer.Option(metavar="LEVEL", help="RED, YLW or GRN only.")] = None,
    since: Annotated[str | None, typer.Option(metavar="DAY", help="From this day on, like 2026-01-09.")] = None,
) -> None:
    """Show what dreams observed, by day."""
    one_of(_STYLES, level, "--level")
    async with connect(context) as connection:
        found = await connection.memory.observations(mind, level=cast("Any", level), since=since)
    connection.show(context, _show, found, mind=mind)


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
