"""
Where imports are built: each in a folder of its own, whose name says which graph is built for it.

A kill half-way leaves both behind. The next start deletes them.
"""

from __future__ import annotations

import shutil
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from consolidation.kernel.errors import GraphUnavailable, HomeFault
from consolidation.workspace import checked_mind_id
from service.archive.unpack import MIND

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from consolidation.kernel.ports import Clock
    from service.archive.ports import ArchivableGraph
    from service.runtime.background import Background

_RETRY_SECONDS = 2


class Staging:
    """One folder of the home. Whatever it contains of our minds when the service starts is left over from a kill."""

    def __init__(
        self, folder: Path, *, graph_of: Callable[[str], ArchivableGraph], clock: Clock, owns: Callable[[str], bool]
    ) -> None:
        """*folder* must be on the same disk as the minds. *owns* says whether a mind is one of this process."""
        self._folder = folder
        self._graph_of = graph_of
        self._clock = clock
        found = tuple(folder.iterdir()) if folder.is_dir() else ()
        self._leftovers = tuple(one for one in found if owns(one.name.partition(".")[0]))

    @asynccontextmanager
    async def spooled(self, mind_id: str) -> AsyncIterator[Path]:
        """A new folder for the import of a mind. It is deleted when the context ends."""
        folder = self._folder / f"{checked_mind_id(mind_id)}.{self._clock.fresh_id()}"
        try:
            await anyio.to_thread.run_sync(lambda: folder.mkdir(parents=True, mode=0o700))
            yield folder
        except OSError as error:
            raise HomeFault(f"nothing was imported: {error.strerror}") from error
        finally:
            with anyio.CancelScope(shield=True):
                await self._try_to_clear(folder)

    def site(self, folder: Path) -> str:
        """The site where the graph of an import's folder is built."""
        mind_id, _, token = folder.name.partition(".")
        return self._graph_of(mind_id).site(token)

    async def clear(self, background: Background) -> None:
        """Delete what killed imports have left. Tries again while the graph is unavailable."""
        for folder in self._leftovers:
            while not background.is_stopping:
                try:
                    await self._clear(folder)
                    break
                except GraphUnavailable:
                    await background.pause(_RETRY_SECONDS)

    async def _try_to_clear(self, folder: Path) -> None:
        with suppress(GraphUnavailable):  # the next start clears it
            await self._clear(folder)

    async def _clear(self, folder: Path) -> None:
        if (folder / MIND).is_dir():  # otherwise nothing was built, or everything was moved in
            mind_id, _, token = folder.name.partition(".")
            graph = self._graph_of(mind_id)
            await graph.discard(graph.site(token))
        await anyio.to_thread.run_sync(lambda: shutil.rmtree(folder, ignore_errors=True))
