"""
An imported mind adopts the graph that was built for it.

One rename moves the mind's folder into place, and a file in that folder names the graph. So the mind is complete from
then on, whenever the process is killed and however long the graph is unavailable. The graph takes the mind's name
before anything else is read from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.files import remove

if TYPE_CHECKING:
    from collections.abc import Callable

    from consolidation.workspace import Workspace
    from service.archive.ports import ArchivableGraph


class GraphAdoption:
    """Called before a mind's graph is first read; nearly always, there is nothing to do."""

    def __init__(self, graph_of: Callable[[str], ArchivableGraph]) -> None:
        self._graph_of = graph_of

    async def complete(self, workspace: Workspace) -> None:
        """Adopt the graph that the mind's folder names, if there is one. Raises GraphUnavailable."""
        site = await anyio.to_thread.run_sync(_site_of, workspace)
        if site is not None:
            await self._graph_of(workspace.folder.name).adopt(site)
            await anyio.to_thread.run_sync(remove, workspace.arriving)


def _site_of(workspace: Workspace) -> str | None:
    try:
        return workspace.arriving.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
