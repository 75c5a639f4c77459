"""`mind-memory why`: why memories surfaced or did not, and what became of them."""

from __future__ import annotations

from typing import Annotated

import typer

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import CommandFailed, Context, MindName, command
from service.cli.connection import connect
from service.cli.output.terminal import counted, out, show_json
from service.cli.output.trace import show_trace
from service.index.salience import OUTCOMES, Outcome


@command()
async def why(
    context: Context,
    trace: Annotated[str | None, typer.Argument(metavar="[TRACE]", help="A trace; else the newest.")] = None,
    mind: MindName = DEFAULT_MIND,
    outcome: Annotated[
        list[str] | None,
        typer.Option(metavar="ID=OUTCOME", help=f"Say what became of a memory: {', '.join(OUTCOMES)}; repeatable."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The API's answer as it is.")] = False,
) -> None:
    """Show why memories surfaced before a turn or did not, and what became of them; or say so yourself."""
    judged = dict(map(_judged, outcome or ()))
    async with connect(context) as connection:
        memory = connection.memory
        if judged:
            applied = await memory.report_outcomes(mind, judged, trace_id=trace)
            out().print(f"{counted(applied.applied, 'outcome')} applied to {mind}.")
            if applied.unknown:
                raise CommandFailed(f"not shown there, or no memory: {', '.join(applied.unknown)}")
            return
        if trace is None:
            traces = await memory.traces(mind, limit=1)
            if not traces:
                raise CommandFailed(f"{mind} has no trace: nothing was asked before a turn yet")
            trace = str(traces[0]["trace_id"])
        found = await memory.trace(mind, trace_id=trace)
    if as_json:
        show_json(found)
    else:
        show_trace(out(), found)


def _judged(text: str) -> tuple[str, Outcome]:
    """An id and an outcome. Raises CommandFailed."""
    memory, _, said = text.rpartition("=")
    outcome = next((one for one in OUTCOMES if one == said), None)
    if not memory or outcome is None:
        raise CommandFailed(f"--outcome {text}: write it like episode:12=contradicted, with {', '.join(OUTCOMES)}")
    return memory, outcome
