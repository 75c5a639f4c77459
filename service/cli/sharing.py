"""A home opened for one command's sake and shared: while it lasts, others on this machine reach it like `serve`."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager, closing
from typing import TYPE_CHECKING

from consolidation.kernel.clock import SystemClock
from service.cli.home import make_home
from service.cli.listening import listening, server_of, url_of
from service.container import open_memory
from service.presence import Presence, announced

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from service.settings import Settings

_LOOPBACK = "127.0.0.1"


@asynccontextmanager
async def shared(settings: Settings) -> AsyncIterator[Presence]:
    """The whole service on a free port of this machine alone. Raises what opening memory raises, CommandFailed."""
    near = settings.model_copy(update={"host": _LOOPBACK, "port": 0})
    make_home(near.folder)
    async with open_memory(near) as memory:
        with closing(listening(near)) as listener:
            server = server_of(near, memory)
            answering = asyncio.create_task(server.serve(sockets=[listener]))
            token = memory.doorkeeper.owner_token
            presence = Presence(os.getpid(), url_of(near, listener), SystemClock().now(), token)
            try:
                with announced(near.folder, presence):
                    yield presence
            finally:
                server.should_exit = True
                await answering


class Host:
    """Shares a home in a task of its own, so that whoever asked for it first may leave before the others."""

    def __init__(self, settings: Settings) -> None:
        """Nothing is opened yet."""
        self._settings = settings
        self._over = asyncio.Event()
        self._opened: asyncio.Future[Presence] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run())

    async def presence(self) -> Presence:
        """Where it is, once it is open. Raises what opening raises."""
        return await asyncio.shield(self._opened)

    async def close(self) -> None:
        """Close the home, and return when it is."""
        self._over.set()
        await self._task

    async def _run(self) -> None:
        try:
            async with shared(self._settings) as presence:
                self._opened.set_result(presence)
                await self._over.wait()
        except Exception as error:
            if self._opened.done():
                raise
            self._opened.set_exception(error)
