"""`mind-memory reindex`: every graph of a home embedded anew, after the embedder was changed."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import anyio

from consolidation.kernel.errors import GraphUnavailable
from service.cli.command import Context, command
from service.cli.output.progress import bar
from service.cli.output.terminal import out

if TYPE_CHECKING:
    from service.composition.container import Memory

_READY_SECONDS = 120
_POLL_SECONDS = 0.1


@command(has_url=False)
async def reindex(context: Context) -> None:
    """Embed everything anew, after the embedder was changed; the home must not be in use."""
    from service.composition.container import open_memory

    async with AsyncExitStack() as opened:
        with bar("opening"):
            memory = await opened.enter_async_context(open_memory(context.settings(), is_reindexing=True))
            await _until_ready(memory)
        for mind_id in memory.minds.ids():
            await _reindex(memory, mind_id)


async def _reindex(memory: Memory, mind_id: str) -> None:
    graph = memory.graphs.of(mind_id)
    ours, found = await memory.embedder.identity(), await graph.identity()
    if found is None or found == ours:
        out().print(f"{mind_id}: nothing to do, its vectors are of {ours.embedder}")
        return
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


async def _until_ready(memory: Memory) -> None:
    with anyio.fail_after(_READY_SECONDS):
        while True:
            try:
                await memory.graphs.ping()
            except GraphUnavailable:
                await anyio.sleep(_POLL_SECONDS)
            else:
                return
