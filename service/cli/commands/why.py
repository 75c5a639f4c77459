"""`mind-memory why`: why memories surfaced or did not, what became of them, and what would surface if."""

from __future__ import annotations

from datetime import datetime, time
from typing import Annotated, Any, Literal, cast

import typer
from mind_memory_client import AsyncMemoryClient

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import CommandFailed, Context, MindName, check_one_of, command, instant_of
from service.cli.connection import connect
from service.cli.output.progress import bar
from service.cli.output.terminal import counted, note, out, show_json
from service.cli.output.trace import show_trace
from service.index.salience import OUTCOMES, Outcome

type _Part = Literal["model", "graph"]

_PARTS = ("model", "graph")
_SESSION = "what-if"  # in which nothing was ever shown


@command(json=True)
async def why(
    context: Context,
    trace: Annotated[str | None, typer.Argument(metavar="TRACE", help="A trace; else the newest.")] = None,
    mind: MindName = DEFAULT_MIND,
    outcome: Annotated[
        list[str] | None,
        typer.Option(metavar="ID=OUTCOME", help=f"Say what became of a memory: {', '.join(OUTCOMES)}; repeatable."),
    ] = None,
    what_if: Annotated[
        str | None, typer.Option(metavar="MESSAGE", help="What would surface before it; nothing of that is noted.")
    ] = None,
    as_of: Annotated[
        str | None, typer.Option(metavar="TIME", help="With --what-if: as of an earlier day, or time.")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="PART", help="With --what-if: without model or graph; repeatable.")
    ] = None,
) -> None:
    """Show why memories surfaced before a turn or did not, and what became of them; or say so yourself."""
    judged, left_out = dict(map(_judged, outcome or ())), cast("tuple[_Part, ...]", tuple(without or ()))
    for part in left_out:
        check_one_of(_PARTS, part, "--without")
    _check_options(trace, outcome, what_if, is_narrowed=as_of is not None or bool(left_out))
    async with connect(context) as connection:
        memory = connection.memory
        if judged:
            applied = await memory.report_outcomes(mind, judged, trace_id=trace)
            words = f"{counted(applied.applied, 'outcome')} applied to {mind}."
            connection.show(context, lambda console: console.print(words))
            if applied.unknown:
                raise CommandFailed(f"not shown there, or no memory: {', '.join(applied.unknown)}")
            return
        if what_if is not None:
            at = instant_of(as_of, "--as-of", at=time.max)
            found = await _supposed(memory, mind, what_if, as_of=at, without=left_out)
        else:
            found = await _noted(memory, mind, trace)
    if context.as_json:
        show_json(found)
    else:
        show_trace(out(), found, is_noted=what_if is None)


async def _noted(memory: AsyncMemoryClient, mind: str, trace: str | None) -> dict[str, Any]:
    """The trace of this id, or the newest. Raises CommandFailed where there is none."""
    if trace is None:
        traces = await memory.traces(mind, limit=1)
        if not traces:
            raise CommandFailed(f"{mind} has no trace: nothing was asked before a turn yet")
        trace = str(traces[0]["trace_id"])
    return await memory.trace(mind, trace_id=trace)


async def _supposed(
    memory: AsyncMemoryClient, mind: str, message: str, *, as_of: datetime | None, without: tuple[_Part, ...]
) -> dict[str, Any]:
    """The trace of a call that is not noted. Raises CommandFailed where there is no such mind."""
    with bar("asking"):
        found = await memory.probe(mind, _SESSION, message, as_of=as_of, without=without, deadline_ms=0)
    if found.trace is None:
        raise CommandFailed(found.silence or f"{mind} does not answer")
    note("What if: nothing of it is noted.")
    return found.trace


def _check_options(trace: str | None, outcome: list[str] | None, what_if: str | None, *, is_narrowed: bool) -> None:
    """Whether the options go together. Raises CommandFailed."""
    if what_if is None and is_narrowed:
        raise CommandFailed("--as-of and --without belong to --what-if, which is missing")
    if what_if is not None and (trace is not None or outcome):
        raise CommandFailed("--what-if asks anew: leave the trace and --outcome out")


def _judged(text: str) -> tuple[str, Outcome]:
    """An id and an outcome. Raises CommandFailed."""
    memory, _, said = text.rpartition("=")
    outcome = next((one for one in OUTCOMES if one == said), None)
    if not memory or outcome is None:
        raise CommandFailed(f"--outcome {text}: write it like episode:12=contradicted, with {', '.join(OUTCOMES)}")
    return memory, outcome
