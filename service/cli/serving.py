"""
`mind-memory serve`: memory opened, a port bound, uvicorn run in this process until a signal.

Memory is opened here and lent to the application, so that what is wrong is said in a sentence, not by uvicorn.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING

import uvicorn

from consolidation.kernel.clock import SystemClock
from service.app import create_app
from service.cli.configuration import read_settings
from service.cli.faults import CommandFailed
from service.cli.home import make_home
from service.cli.welcome import welcome
from service.container import open_memory
from service.doorkeeping import is_guarded
from service.presence import Presence, announced
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from service.settings import Settings

_OPEN_CALLS_SECONDS = 2  # of the ten that container runtimes give; closing memory takes the rest
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - named, not bound


def serve(*, host: str | None, port: int | None, home: Path | None) -> None:
    """Serve until a signal. Raises CommandFailed, ConfigurationFault, KeysUnreadable, HomeLocked."""
    settings = read_settings(host=host, port=port, home=home)
    _keep_strangers_out(settings)
    make_home(settings.folder)
    configure_logs(level=settings.log_level, as_json=settings.log_json, secrets=settings.secrets)
    asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    stopping = asyncio.Event()
    _on_signals(stopping.set)
    async with open_memory(settings) as memory:
        with closing(_listening(settings)) as listener:
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
            server = uvicorn.Server(config)
            server.should_exit = stopping.is_set()
            # uvicorn raises the signal again when it is done: ours stays, so that memory still closes in order.
            _on_signals(lambda: setattr(server, "should_exit", True))
            token = memory.doorkeeper.owner_token
            presence = Presence(os.getpid(), _url(settings, listener), SystemClock().now(), token)
            with announced(settings.folder, presence):
                welcome(settings, url=presence.url, minds=memory.minds.ids(), keys=memory.doorkeeper.live_keys())
                await server.serve(sockets=[listener])


def _on_signals(act: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, act)


def _keep_strangers_out(settings: Settings) -> None:
    if is_guarded(settings, now=SystemClock().now()):
        return
    raise CommandFailed(
        f"{settings.host} can be reached from outside this machine, and no key protects what is remembered: "
        "make one with `mind-memory keys create`, or keep --host 127.0.0.1; where the port is published on loopback "
        "only, as a container's may be, MIND_MEMORY_TRUST_NETWORK=true lets it listen without a key"
    )


def _listening(settings: Settings) -> socket.socket:
    host, port = settings.host, settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (while")[0]
        raise CommandFailed(
            f"port {port} on {host} can not be listened on ({reason.lower()}): stop what has it, or choose another "
            "with --port, 0 for any that is free"
        ) from error


def _url(settings: Settings, listener: socket.socket) -> str:
    host = _EVERYWHERE.get(settings.host, settings.host)
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{listener.getsockname()[1]}"
