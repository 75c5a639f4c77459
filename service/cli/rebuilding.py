"""`mind-memory rebuild`: graph and full text of a mind built anew, watched until all of it is digested again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from consolidation.workspace import checked_mind_id
from service.cli.configuration import read_settings
from service.cli.digested import until_digested
from service.cli.faults import CommandFailed
from service.cli.progress import bar
from service.cli.reaching import reach
from service.cli.terminal import counted, one_line, out
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def rebuild(*, mind: str, home: Path | None, url: str | None) -> None:
    """Drop, and wait until it is built. Raises CommandFailed."""
    configure_logs(level="ERROR", as_json=False)
    checked_mind_id(mind)
    asyncio.run(_rebuild(mind, home=home, url=url))


async def _rebuild(mind: str, *, home: Path | None, url: str | None) -> None:
    async with reach(read_settings(home=home), url=url) as memory:
        turns = await memory.rebuild(mind)
        with bar("rebuilding", total=turns) as advance:
            done = 0

            def advanced(status: Mapping[str, Any]) -> None:
                nonlocal done
                read = max(turns - int(status["graph"]["lag"]), done)
                advance(read - done)
                done = read

            digested = await until_digested(memory, mind, advanced=advanced)
    graph = digested.mind["graph"]
    if digested.held_up_by is not None:
        why = one_line(digested.held_up_by)
        raise CommandFailed(f"{counted(graph['lag'], 'turn')} of {mind} left to build: {why}. It is tried again.")
    facts, entities = counted(graph["facts"], "fact"), counted(graph["entities"], "entity", "entities")
    out().print(f"{mind} is built anew of {counted(turns, 'turn')}: {facts}, {entities}")
    if graph["parked"]:
        out().print(f"  {counted(len(graph['parked']), 'turn')} could not be read; see `mind-memory status`")
