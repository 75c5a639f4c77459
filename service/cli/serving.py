"""
`mind-memory serve`: memory opened, a port bound, uvicorn run in this process until a signal.

Memory is opened here and lent to the application, so that what is wrong is said in a sentence, not by uvicorn.
"""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import closing
from typing import TYPE_CHECKING

from consolidation.kernel.clock import SystemClock
from service.cli.configuration import read_settings
from service.cli.faults import CommandFailed
from service.cli.home import make_home
from service.cli.listening import listening, server_of, url_of
from service.cli.welcome import welcome
from service.container import open_memory
from service.doorkeeping import is_guarded
from service.presence import Presence, announced
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from service.settings import Settings


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
        with closing(listening(settings)) as listener:
            server = server_of(settings, memory)
            server.should_exit = stopping.is_set()
            # uvicorn raises the signal again when it is done: ours stays, so that memory still closes in order.
            _on_signals(lambda: setattr(server, "should_exit", True))
            token = memory.doorkeeper.owner_token
            presence = Presence(os.getpid(), url_of(settings, listener), SystemClock().now(), token)
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
