"""How HTTP is served: the port, its address, and uvicorn as it must be set up for our application."""

from __future__ import annotations

import errno
import logging
import socket
from functools import partial
from typing import TYPE_CHECKING

import uvicorn

from consolidation.kernel.errors import ConfigurationFault
from service.http.bounded_protocol import BoundedProtocol

if TYPE_CHECKING:
    from fastapi import FastAPI

    from service.settings.settings import Settings

_OPEN_CALLS_SECONDS = 2  # of the ten that container runtimes give; closing memory takes the rest
_MOST_MESSAGE_BYTES = 64 * 1024  # eight seconds of a telephone
_LOOPBACK = "127.0.0.1"
_EVERYWHERE = {"0.0.0.0": _LOOPBACK, "::": "::1", "": _LOOPBACK}  # noqa: S104 - named, not bound


def bind(settings: Settings) -> socket.socket:
    """The port, bound. Raises ConfigurationFault where it can not be."""
    host, port = settings.host, settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (while")[0]
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            raise ConfigurationFault(
                f"{host} is not an address of this machine ({reason.lower()}): correct --host or MIND_MEMORY_HOST"
            ) from error
        raise ConfigurationFault(
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


def server_of(app: FastAPI, settings: Settings) -> uvicorn.Server:
    """What answers by *app*. Its log is ours, and it tells nobody what it is."""
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level=max(logging.WARNING, logging.getLevelNamesMapping()[settings.log_level]),
        access_log=False,
        server_header=False,
        ws="websockets-sansio",
        ws_max_size=_MOST_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        ws_ping_timeout=None,  # a stream that waits for a model is not read, so neither are its answers to pings
        http=partial(  # type: ignore[arg-type] # called as the class would be
            BoundedProtocol, header_seconds=settings.header_seconds, most_connections=settings.max_connections
        ),
        lifespan="on",
        timeout_graceful_shutdown=_OPEN_CALLS_SECONDS,
    )
    return _Server(config)


class _Server(uvicorn.Server):
    """uvicorn's server, which lets those go who listen to events before it waits for open calls."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what is open, and stop."""
        on_stopping = getattr(getattr(self.config.app, "state", None), "on_stopping", None)
        if on_stopping is not None:
            on_stopping()
        await super().shutdown(sockets)
