"""
Where imports are built aside: a folder each, which names the graph that is built for it.

A kill half way leaves both; the next start clears them.
"""

from __future__ import annotations

import shutil
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from consolidation.kernel.errors import GraphUnavailable, HomeFault
from consolidation.workspace import checked_mind_id
from service.moving.unpacking import MIND

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from consolidation.kernel.ports import Clock
    from service.background import Background
    from service.moving.ports import GraphSites

_RETRY_SECONDS = 2


class Incoming:
    """One folder of the home; what stands in it when the service starts is litter."""

    def __init__(self, folder: Path, *, sites: GraphSites, clock: Clock) -> None:
        """Bind to *folder*, on the same disk as the minds."""
        self._folder = folder
        self._sites = sites
        self._clock = clock
        self._litter = tuple(folder.iterdir()) if folder.is_dir() else ()

    @asynccontextmanager
    async def spooled(self, mind_id: str) -> AsyncIterator[Path]:
        """A new folder for the import of a mind, gone afterwards; its name tells whose graph is built for it."""
        folder = self._folder / f"{checked_mind_id(mind_id)}.{self._clock.fresh_id()}"
        try:
            await anyio.to_thread.run_sync(lambda: folder.mkdir(parents=True, mode=0o700))
            yield folder
        except OSError as error:
            raise HomeFault(f"nothing was imported: {error.strerror}") from error
        finally:
            with anyio.CancelScope(shield=True):
                await self._cleared(folder)

    def site(self, folder: Path) -> str:
        """Where the graph of an import's folder is built."""
        mind_id, _, token = folder.name.partition(".")
        return self._sites.site(mind_id, token)

    async def clear(self, background: Background) -> None:
        """Clear what imports left behind that were killed; as long as the graph is away, again and again."""
        for folder in self._litter:
            while not background.is_stopping:
                try:
                    await self._clear(folder)
                    break
                except GraphUnavailable:
                    await background.pause(_RETRY_SECONDS)

    async def _cleared(self, folder: Path) -> None:
        with suppress(GraphUnavailable):  # then the next start clears it
            await self._clear(folder)

    async def _clear(self, folder: Path) -> None:
        if (folder / MIND).is_dir():  # else nothing was built, or all of it was moved in
            await self._sites.discard(self.site(folder))
        await anyio.to_thread.run_sync(lambda: shutil.rmtree(folder, ignore_errors=True))
