"""
A home that is served: memory opened, a port bound and announced, HTTP answered in this process.

Memory is opened here and lent to the application, so that a failure is said in a sentence, not by uvicorn.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager, closing, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from consolidation.kernel.clock import SystemClock
from service.adapters.memory_arenas import keep_few_arenas
from service.app import create_app
from service.composition.container import open_memory
from service.http.server import bind, server_of, url_of
from service.runtime.open_files import allow_many_open_files
from service.runtime.service_file import Presence, announced

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from service.composition.container import Memory
    from service.settings.settings import Settings

_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class ServedHome:
    """A home that is open and announced. ``answer`` serves it until ``stop`` is called, and ends the open calls."""

    memory: Memory
    presence: Presence
    answer: Callable[[], Awaitable[None]]
    stop: Callable[[], None]


@asynccontextmanager
async def served_home(settings: Settings, *, is_of_host: bool = False) -> AsyncIterator[ServedHome]:
    """
    Open memory, bind the port, and announce it in the home for as long as the block runs, as a service or *is_of_host*.

    Raises ConfigurationFault where the port can not be bound, and what opening memory raises.
    """
    allow_many_open_files()
    keep_few_arenas()
    async with open_memory(settings) as memory:
        with closing(bind(settings)) as listener:
            url, token = url_of(settings, listener), memory.authenticator.owner_token
            presence = Presence(os.getpid(), url, SystemClock().now(), token, is_of_host)
            with announced(settings.folder, presence):
                # Memory is lent to the application, which closes nothing.
                server = server_of(create_app(settings, opening=lambda _: nullcontext(memory)), settings)
                stop = partial(setattr, server, "should_exit", True)  # noqa: FBT003 - its value
                yield ServedHome(memory, presence, partial(server.serve, sockets=[listener]), stop)


class SharedHome:
    """
    A home that this process opened and others on this machine reach like a service, until ``close``.

    It lives in a task of its own, so that whoever asked for it first may leave before the others.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings.model_copy(update={"host": _LOOPBACK, "port": 0})
        self._is_over = asyncio.Event()
        self._opened: asyncio.Future[Presence] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run())

    async def presence(self) -> Presence:
        """Where it is, once it is open. Raises what opening raises."""
        return await asyncio.shield(self._opened)

    async def close(self) -> None:
        """Close the home, and return when it is closed."""
        self._is_over.set()
        await self._task

    async def _run(self) -> None:
        try:
            async with served_home(self._settings, is_of_host=True) as served:
                answering = asyncio.ensure_future(served.answer())
                try:
                    self._opened.set_result(served.presence)
                    await self._is_over.wait()
                finally:
                    served.stop()
                    await answering
        except Exception as error:
            if self._opened.done():
                raise
            self._opened.set_exception(error)
