"""A bound port, its address as others reach it, and the server that answers there."""

from __future__ import annotations

import logging
import socket
from contextlib import nullcontext
from typing import TYPE_CHECKING

import uvicorn

from service.app import create_app
from service.cli.faults import CommandFailed

if TYPE_CHECKING:
    from service.container import Memory
    from service.settings import Settings

_OPEN_CALLS_SECONDS = 2  # of the ten that container runtimes give; closing memory takes the rest
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - named, not bound


def listening(settings: Settings) -> socket.socket:
    """The port, bound. Raises CommandFailed where it can not be."""
    host, port = settings.host, settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (while")[0]
        raise CommandFailed(
            f"port {port} on {host} can not be listened on ({reason.lower()}): stop what has it, or choose another "
            "with --port, 0 for any that is free"
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


def server_of(settings: Settings, memory: Memory) -> uvicorn.Server:
    """What answers, with *memory* lent to it: it closes nothing."""
    config = uvicorn.Config(
        create_app(settings, opening=lambda _: nullcontext(memory)),
        log_config=None,
        log_level=max(logging.WARNING, logging.getLevelNamesMapping()[settings.log_level]),
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=_OPEN_CALLS_SECONDS,
    )
    return uvicorn.Server(config)
