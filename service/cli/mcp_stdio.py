"""`mind-memory mcp`: memory as MCP tools over stdin and stdout, for a host that starts this command itself."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from consolidation.kernel.clock import SystemClock
from consolidation.workspace import checked_mind_id
from service.cli.configuration import read_settings
from service.cli.faults import CommandFailed
from service.cli.lasting_reach import LastingReach
from service.mcp_server.asking import Connection
from service.mcp_server.over_stdio import speak
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from pathlib import Path

    from service.settings import Settings


def serve_host(*, mind: str, session: str | None, home: Path | None, url: str | None) -> None:
    """Speak until stdin closes or a signal comes. Raises ConfigurationFault, InvalidMindId, CommandFailed at once."""
    settings = read_settings(home=home)
    checked_mind_id(mind)
    _check_address(url)
    configure_logs(level=settings.log_level, as_json=settings.log_json, secrets=settings.secrets)
    asyncio.run(_serve_host(settings, mind=mind, session=session, url=url))


def _check_address(url: str | None) -> None:
    if url is not None and (urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname):
        raise CommandFailed(f"{url!r} is no address; it should look like http://127.0.0.1:8001")


async def _serve_host(settings: Settings, *, mind: str, session: str | None, url: str | None) -> None:
    clock = SystemClock()
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    async with LastingReach(settings, url=url, clock=clock) as reach:
        session_id = session or f"mcp-{clock.fresh_id()[:12]}"  # one run of the host is one conversation
        speaking = asyncio.create_task(speak(Connection(reach, mind, session_id, clock.fresh_id)))
        ending = asyncio.create_task(stopping.wait())
        await asyncio.wait({speaking, ending}, return_when=asyncio.FIRST_COMPLETED)
    if not speaking.done():
        os._exit(0)  # a thread still reads stdin, and nothing interrupts it; all else is closed
    ending.cancel()
    await speaking
