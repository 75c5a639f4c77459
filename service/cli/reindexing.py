"""`mind-memory reindex`: every graph of a home embedded anew, after the embedder was changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from consolidation.kernel.errors import GraphUnavailable
from service.cli.configuration import read_settings
from service.cli.progress import bar
from service.cli.terminal import out

if TYPE_CHECKING:
    from pathlib import Path

    from service.container import Memory

_READY_SECONDS = 120
_POLL_SECONDS = 0.1


def reindex(*, home: Path | None) -> None:
    """Embed anew what another embedder made; the home must not be in use. Raises MemoryFault."""
    anyio.run(_reindex, home)


async def _reindex(home: Path | None) -> None:
    from service.container import open_memory

    async with open_memory(read_settings(home=home), is_reindexing=True) as memory:
        await _until_ready(memory)
        for mind_id in memory.minds.ids():
            await _one(memory, mind_id)


async def _one(memory: Memory, mind_id: str) -> None:
    ours, found = await memory.identity(), await memory.graph.identity(mind_id)
    if found is None or found == ours:
        out().print(f"{mind_id}: nothing to do, its vectors are of {ours.embedder}")
        return
    size = await memory.graph.size(mind_id)
    with bar(mind_id, total=size.facts + size.entities) as advanced:
        count = await memory.graph.reindex(mind_id, embedder=ours, advanced=advanced)
    out().print(f"{mind_id}: {count} facts and names embedded anew with {ours.embedder} ({ours.dimension} dimensions)")
    out().print("  its turns follow by themselves when the service runs next", style="dim")


async def _until_ready(memory: Memory) -> None:
    with anyio.fail_after(_READY_SECONDS):
        while True:
            try:
                await memory.graph.ping()
            except GraphUnavailable:
                await anyio.sleep(_POLL_SECONDS)
            else:
                return
