"""
A home that is served: memory opened, a port bound and announced, uvicorn run in this process.

Memory is opened here and lent to the application, so that a failure is said in a sentence, not by uvicorn.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from contextlib import asynccontextmanager, closing, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import uvicorn

from consolidation.kernel.clock import SystemClock
from service.app import create_app
from service.cli.command import CommandFailed
from service.cli.http_protocol import BoundedProtocol
from service.composition.container import open_memory
from service.runtime.service_file import Presence, announced

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from service.composition.container import Memory
    from service.settings.settings import Settings

_OPEN_CALLS_SECONDS = 2  # of the ten that container runtimes give; closing memory takes the rest
_LOOPBACK = "127.0.0.1"
_EVERYWHERE = {"0.0.0.0": _LOOPBACK, "::": "::1", "": _LOOPBACK}  # noqa: S104 - named, not bound


@dataclass(frozen=True, slots=True)
class ServedHome:
    """A home that is open and announced. ``answer`` serves it until ``stop`` is called, and ends the open calls."""

    memory: Memory
    presence: Presence
    answer: Callable[[], Awaitable[None]]
    stop: Callable[[], None]


@asynccontextmanager
async def served_home(settings: Settings) -> AsyncIterator[ServedHome]:
    """
    Open memory, bind the port, and announce it in the home for as long as the block runs.

    Raises CommandFailed where the port can not be bound, and what opening memory raises.
    """
    async with open_memory(settings) as memory:
        with closing(bind(settings)) as listener:
            url, token = url_of(settings, listener), memory.authenticator.owner_token
            presence = Presence(os.getpid(), url, SystemClock().now(), token)
            with announced(settings.folder, presence):
                server = _server_of(settings, memory)
                stop = partial(setattr, server, "should_exit", True)
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
            async with served_home(self._settings) as served:
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


def bind(settings: Settings) -> socket.socket:
    """The port, bound. Raises CommandFailed where it can not be."""
    host, port = settings.host, settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (while")[0]
        raise CommandFailed(
            f"port {port} on {host} is not available ({reason.lower()}): stop what uses it, or choose another "
            "with --port; 0 takes any that is free"
        ) from error
    # What it accepts inherits this. Else an answer's body waits 40 ms for its head to be acknowledged: asyncio sees to
    # it only for sockets that it made itself.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def url_of(settings: Settings, listener: socket.socket) -> str:
    """Where commands on this machine reach *listener*."""
    host = _EVERYWHERE.get(settings.host, settings.host)
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{listener.getsockname()[1]}"


def _server_of(settings: Settings, memory: Memory) -> uvicorn.Server:
    """What answers, with *memory* lent to it: it closes nothing."""
    config = uvicorn.Config(
        create_app(settings, opening=lambda _: nullcontext(memory)),
        log_config=None,
        log_level=max(logging.WARNING, logging.getLevelNamesMapping()[settings.log_level]),
        access_log=False,
        server_header=False,
        ws="none",
        http=partial(  # type: ignore[arg-type] # called as the class would be
            BoundedProtocol, header_seconds=settings.header_seconds, most_connections=settings.max_connections
        ),
        lifespan="on",
        timeout_graceful_shutdown=_OPEN_CALLS_SECONDS,
    )
    return uvicorn.Server(config)
