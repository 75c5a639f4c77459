"""`mind-memory rebuild`: graph and full text of a mind built anew, watched until all turns are read again."""

from __future__ import annotations

from consolidation.workspace import DEFAULT_MIND
from service.cli.catch_up import until_caught_up
from service.cli.command import CommandFailed, Context, MindName, command
from service.cli.connection import connect
from service.cli.output.progress import bar
from service.cli.output.terminal import counted, known, one_line, out

_GOES_ON = "Stopped watching. What is left is built while the service runs, now or when it runs next."


@command(interrupted=_GOES_ON)
async def rebuild(context: Context, mind: MindName = DEFAULT_MIND) -> None:
    """Build graph and full text anew from the transcript; models read every turn again, which may cost."""
    async with connect(context) as connection:
        with bar("emptying"):
            turns = (await connection.memory.rebuild(mind)).turns
        found, held_up_by = await until_caught_up(connection.memory, mind, shown_as="rebuilding", turns=turns)
    graph = found.graph
    if held_up_by is not None:
        left, why = counted(graph.lag, "turn"), one_line(held_up_by)
        raise CommandFailed(f"{left} of {mind} are not built yet: {why}. It is tried again.")
    out().print(f"{mind} was built anew from {counted(turns, 'turn')}: {known(graph.facts, graph.entities)}")
    if graph.parked:
        out().print(f"  {counted(len(graph.parked), 'turn')} could not be read; see `mind-memory status`")
