"""
An imported mind takes over the graph that was built for it.

The mind's folder, moved into place in one rename, names that graph: so from then on it is a whole mind, whenever it is
killed and however long the graph is away, and takes over what is its own before anything else is asked of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

if TYPE_CHECKING:
    from consolidation.workspace import Workspace
    from service.moving.ports import GraphSites


class Arriving:
    """Called before a mind's graph is first looked at; nearly always, there is nothing to do."""

    def __init__(self, sites: GraphSites) -> None:
        """Bind to the graph's server."""
        self._sites = sites

    async def settle(self, workspace: Workspace) -> None:
        """Take over what waits. Raises GraphUnavailable."""
        site = await anyio.to_thread.run_sync(_site_of, workspace)
        if site is not None:
            await self._sites.adopt(site, workspace.folder.name)
            await anyio.to_thread.run_sync(workspace.arriving.unlink, True)  # noqa: FBT003 - missing_ok


def _site_of(workspace: Workspace) -> str | None:
    try:
        return workspace.arriving.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
