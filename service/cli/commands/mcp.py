"""
`mind-memory mcp`: memory as MCP tools over stdin and stdout, for a host that starts this command itself.

A host lives for days, over restarts of the service. Where no service runs on the home, this process becomes one that
others share. A service that was there is given time to come back first: whoever restarts it must find the home free.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING, Annotated, Any, cast
from urllib.parse import urlsplit

import typer
from mind_memory_client import MindMemoryError, RequestRefused, Unreachable

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import HomeLocked, MemoryFault
from consolidation.kernel.ports import Clock
from consolidation.workspace import DEFAULT_MIND
from service.cli.command import CommandFailed, Context, MindName, act_on_signals, command, configure_logs_of, make_home
from service.cli.connection import Address, Connection, connection_to, find_address
from service.cli.output.terminal import shortened
from service.mcp_server.api_client import Answer, ApiConnection, ApiRefused, ApiUnreachable
from service.mcp_server.stdio_transport import speak
from service.observability.log_stream import write_last_lines
from service.settings.settings import Settings

if TYPE_CHECKING:
    from service.serving.home import SharedHome

_RETURN_SECONDS, _PATIENCE_SECONDS = 8, 15
_POLL_SECONDS = 0.1
_DOOR = "/mcp"  # where a service speaks the protocol by itself


@command(logs=True, begins_mind=True)
async def mcp(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    any_mind: Annotated[
        bool, typer.Option("--any-mind", help="Let a tool call name any mind; without it, --mind is the only one.")
    ] = False,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="This conversation's name; else a new one each time.")
    ] = None,
) -> None:
    """
    Memory as MCP tools on stdin and stdout, for hosts like Claude Desktop.

    It is not for a terminal: a host starts it. This is what its configuration needs:

    \b
      {"mcpServers": {"memory": {"command": "mind-memory", "args": ["mcp", "--mind", "ada"]}}}

    A host that takes an address needs no command: `mind-memory serve` speaks MCP at /mcp.
    """  # noqa: D301 - the escape keeps the line below it whole
    settings, clock = context.settings(), SystemClock()
    configure_logs_of(settings)
    stopping = asyncio.Event()
    act_on_signals(stopping.set)
    async with aclosing(LastingConnection(settings, url=context.url, clock=clock)) as api:
        session_id = session or f"mcp-{clock.fresh_id()[:12]}"  # one run of the host is one conversation
        speaking = asyncio.create_task(speak(ApiConnection(api, mind, not any_mind, session_id, clock.fresh_id)))
        ending = asyncio.create_task(stopping.wait())
        await asyncio.wait({speaking, ending}, return_when=asyncio.FIRST_COMPLETED)
    if not speaking.done():
        write_last_lines()
        os._exit(0)  # a thread still reads stdin, and nothing interrupts it; all else is closed
    ending.cancel()
    await speaking


class _NobodyAnswers(Exception):
    """The service is gone, or not there yet: it is worth asking again for a while."""


class LastingConnection:
    """One service, that may be at another address each time it is asked; to be closed."""

    def __init__(self, settings: Settings, *, url: str | None, clock: Clock) -> None:
        """Raises CommandFailed where *url* is not an address, ConfigurationFault for a key that can not be one."""
        if url is not None and (urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname):
            raise CommandFailed(f"{url!r} is not an address; it should look like http://127.0.0.1:8001")
        if url is not None and urlsplit(url).path.rstrip("/").endswith(_DOOR):
            own = url[: url.rindex(_DOOR)]
            raise CommandFailed(f"{url!r} is for hosts that take addresses; the service itself is at {own}")
        self._settings = settings
        self._clock = clock
        self._fixed = find_address(settings, url=url) if url is not None else None
        self._connections: dict[Address, Connection] = {}
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._shared: SharedHome | None = None
        self._was_there = False
        self._gone_at: float | None = None

    async def ask(
        self, method: str, path: str, *, params: Mapping[str, object] | None = None, json: object = None
    ) -> Answer:
        """What the service answers; asked again for a while where nobody is. Raises ApiRefused, ApiUnreachable."""
        is_patient = self._was_there or self._fixed is None
        until = self._clock.monotonic() + (_PATIENCE_SECONDS if is_patient else 0)
        while True:
            try:
                answer = await self._ask_once(method, path, params=params, json=json)
            except _NobodyAnswers as error:
                if self._clock.monotonic() >= until:
                    self._was_there = False
                    raise ApiUnreachable(str(error)) from error
                await asyncio.sleep(_POLL_SECONDS)
            else:
                self._was_there, self._gone_at = True, None
                return answer

    async def aclose(self) -> None:
        """Close the connections, then the home that is shared here."""
        await self._stack.aclose()
        if self._shared is not None:
            await self._shared.close()

    async def _ask_once(self, method: str, path: str, *, params: Mapping[str, object] | None, json: object) -> Answer:
        try:
            async with self._opening:
                connection = await self._connection()
        except HomeLocked as fault:
            raise _NobodyAnswers(str(fault)) from fault
        except (CommandFailed, MemoryFault, OSError) as fault:
            raise ApiUnreachable(f"memory can not be opened: {fault}") from fault
        try:
            return await connection.memory.request(method, path, query=params, body=cast("Any", json))
        except RequestRefused as refusal:
            wait = "" if refusal.retry_after is None else f"{refusal.retry_after:.0f}"
            raise ApiRefused(refusal.status, refusal.problem, retry_after=wait) from refusal
        except Unreachable as error:
            raise _NobodyAnswers(connection.explain(error)) from error
        except MindMemoryError as error:
            raise ApiUnreachable(connection.explain(error)) from error

    async def _connection(self) -> Connection:
        """To the address that was given, the service that runs on the home, or the home that is shared here."""
        if self._fixed is not None:
            return await self._connection_to(self._fixed)
        if self._shared is None:
            found = find_address(self._settings, url=None)
            if found is not None:
                return await self._connection_to(found)
            self._wait_for_its_return()
            make_home(self._settings)
            from service.serving.home import SharedHome  # the whole service, which most hosts never need

            self._shared = SharedHome(self._settings)
        try:
            presence = await self._shared.presence()
        except Exception:
            self._shared = None
            raise
        return await self._connection_to((presence.url, presence.token))

    def _wait_for_its_return(self) -> None:
        """Raise _NobodyAnswers while a service that was there may only be restarting."""
        now = self._clock.monotonic()
        self._gone_at = now if self._gone_at is None else self._gone_at
        if self._was_there and now - self._gone_at < _RETURN_SECONDS:
            raise _NobodyAnswers(f"the service of {shortened(self._settings.folder)} has stopped")

    async def _connection_to(self, place: Address) -> Connection:
        if place not in self._connections:
            self._connections[place] = await self._stack.enter_async_context(connection_to(place))
        return self._connections[place]
