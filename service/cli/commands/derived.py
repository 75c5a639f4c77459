"""What is derived of turns is made anew: parked turns read once more, graph and full text rebuilt, vectors embedded."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import GraphUnavailable
from consolidation.workspace import DEFAULT_MIND
from service.cli.catch_up import until_caught_up, until_retried
from service.cli.command import CommandFailed, Context, MindName, command
from service.cli.connection import connect
from service.cli.output.progress import bar
from service.cli.output.terminal import counted, facts_and_entities, one_line, out, typed
from service.ports.graph_address import shown

if TYPE_CHECKING:
    from service.composition.container import Memory
    from service.settings.settings import Settings


@command()
async def retry(context: Context, mind: MindName = DEFAULT_MIND) -> None:
    """Give parked turns to the model once more."""
    async with connect(context) as connection:
        memory = connection.memory
        parked = (await memory.mind(mind)).graph.parked
        retrying = await memory.retry_parked(mind)
        if not retrying:
            out().print(f"No turn of {mind} is parked.")
        elif connection.is_own:
            with bar("reading"):
                left = await until_retried(memory, mind, parked)
            out().print(f"{counted(retrying, 'parked turn')} tried again: {left} still parked.")
        else:
            turns = counted(retrying, "parked turn")
            out().print(f"{turns} will be tried again; {typed('status')} shows what comes of it.")


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
    holds = facts_and_entities(graph.facts, graph.entities)
    out().print(f"{mind} was built anew from {counted(turns, 'turn')}: {holds}")
    if graph.parked:
        out().print(f"  {counted(len(graph.parked), 'turn')} could not be read; see {typed('status')}")


_LOADING_SECONDS, _SERVER_SECONDS = 120, 5  # an embedded graph loads first
_POLL_SECONDS = 0.1


@command(has_url=False)
async def reindex(context: Context) -> None:
    """Embed everything anew, after the embedder was changed; the home must not be in use."""
    from service.composition.container import open_memory

    settings = context.settings_of_home()
    async with AsyncExitStack() as opened:
        with bar("opening"):
            memory = await opened.enter_async_context(open_memory(settings, is_reindexing=True))
            await _until_ready(memory, settings)
        for mind_id in memory.minds.ids():
            await _reindex(memory, mind_id)


async def _reindex(memory: Memory, mind_id: str) -> None:
    graph = memory.graphs.of(mind_id)
    ours, found = await memory.embedder.identity(), await graph.identity()
    if found is None or found == ours:
        out().print(f"{mind_id}: nothing to do, its vectors are of {ours.embedder}")
        return
    await anyio.to_thread.run_sync(memory.minds.custody.claim_one, mind_id)  # where no service has it
    await memory.minds.wake(mind_id)  # its turns follow when the service runs next
    size = await graph.size()
    done = 0
    with bar(mind_id, total=size.facts + size.entities) as reached:

        def advanced(steps: int) -> None:
            nonlocal done
            done += steps
            reached(done)

        count = await graph.reindex(embedder=ours, advanced=advanced)
    out().print(f"{mind_id}: {count} facts and names embedded anew with {ours.embedder} ({ours.dimension} dimensions)")
    out().print("  its turns follow by themselves when the service runs next", style="dim")


async def _until_ready(memory: Memory, settings: Settings) -> None:
    """Give the graph time to load. Raises CommandFailed with its address, and why it does not answer."""
    url, clock = settings.falkordb_url, SystemClock()
    until = clock.monotonic() + (_LOADING_SECONDS if url is None else _SERVER_SECONDS)
    while True:
        try:
            return await memory.graphs.ping()
        except GraphUnavailable as fault:
            if clock.monotonic() > until:
                where = "the embedded graph" if url is None else f"the graph at {shown(url.get_secret_value())}"
                raise CommandFailed(f"{where} does not answer: {fault}; {typed('doctor')} says what to do") from fault
        await anyio.sleep(_POLL_SECONDS)
