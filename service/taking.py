"""Taking a home: its lock, and the graph's server in it, or the address of one elsewhere."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from consolidation.kernel.errors import HomeFault, HomeLocked
from consolidation.kernel.files import FolderLock
from service.adapters.graph.server import EmbeddedServer

if TYPE_CHECKING:
    from contextlib import AsyncExitStack
    from pathlib import Path

    from service.settings import Settings

_LOADING_SECONDS = 1.0  # that a start waits for a graph it has to look at; a large one loads beside everything else


def own(home: Path, stack: AsyncExitStack) -> None:
    """Take the home folder for as long as *stack* is open. Raises HomeLocked, HomeFault."""
    lock = FolderLock(home)
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        is_ours = lock.take()
    except OSError as error:
        raise HomeFault(f"{home} can not be used ({error.strerror}): mend it, or set MIND_MEMORY_HOME") from error
    if not is_ours:
        raise HomeLocked(f"{home} is in use by another mind-memory; stop it, or set MIND_MEMORY_HOME to another folder")
    stack.callback(lock.release)


async def embedded(home: Path, stack: AsyncExitStack, *, waits: bool) -> EmbeddedServer:
    """The embedded graph's server, started; a start that *waits* gives it a moment to load."""
    server = EmbeddedServer(home / "graph")
    await server.start()
    stack.push_async_callback(server.stop)
    if waits:
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOADING_SECONDS):
                await server.wait_until_ready()
    return server


def address(settings: Settings) -> str:
    """Where the graph's server is that is not ours."""
    assert settings.falkordb_url is not None  # noqa: S101 - else the server is our own
    return settings.falkordb_url.get_secret_value()
