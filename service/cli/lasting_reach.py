"""
Reaches memory for as long as a host of ours lives: for days, over restarts of the service.

Where no service runs on the home, this process becomes one that others share. One that was there is given time to come
back first: who restarts it must find the home free.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Self

from consolidation.kernel.errors import HomeLocked, MemoryFault
from service.cli.configuration import read_key
from service.cli.faults import CommandFailed, Unreachable
from service.cli.faults import Refused as Declined
from service.cli.home import shortened
from service.cli.reaching import client_at
from service.mcp_server.asking import Answer, Away, Refused
from service.presence import find_service

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from pydantic import SecretStr

    from consolidation.kernel.ports import Clock
    from service.cli.client import MemoryClient
    from service.cli.sharing import Host
    from service.settings import Settings

_RETURNS_SECONDS, _PATIENCE_SECONDS = 8, 15
_POLL_SECONDS = 0.1


class LastingReach:
    """An async context. Its one service may be at another address each time it is asked."""

    def __init__(self, settings: Settings, *, url: str | None, clock: Clock) -> None:
        """Reach what is at *url*, or the service of the settings' home."""
        self._settings = settings
        self._url = url
        self._clock = clock
        self._key = read_key() if url is not None else None
        self._clients: dict[tuple[str, str], MemoryClient] = {}
        self._open = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._host: Host | None = None
        self._was_there = False
        self._gone_at: float | None = None

    async def ask(
        self, method: str, path: str, *, params: Mapping[str, object] | None = None, json: object = None
    ) -> Answer:
        """What the service answers; a call that met nobody is made again while there is hope. Raises Refused, Away."""
        patience = _PATIENCE_SECONDS if self._was_there or self._url is None else 0
        until = self._clock.monotonic() + patience
        while True:
            try:
                async with self._opening:
                    client = await self._client()
                answer = await client.ask(method, path, params=params, json=json)
            except Declined as refusal:
                raise Refused(refusal.status, {"detail": str(refusal), **refusal.body}) from refusal
            except (Unreachable, HomeLocked) as fault:
                if self._clock.monotonic() >= until:
                    self._was_there = False
                    raise Away(str(fault)) from fault
                await asyncio.sleep(_POLL_SECONDS)
            except (CommandFailed, MemoryFault, OSError) as fault:
                raise Away(f"memory can not be opened: {fault}") from fault
            else:
                self._was_there, self._gone_at = True, None
                return answer

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.aclose()
        if self._host is not None:
            await self._host.close()

    async def _client(self) -> MemoryClient:
        if self._url is not None and self._key is not None:
            return await self._at(self._url, self._key)
        if self._host is None:
            present = find_service(self._settings.folder)
            if present is not None:
                return await self._at(present.url, present.token)
            self._wait_for_its_return()
            self._host = _host_of(self._settings)
        try:
            presence = await self._host.presence()
        except Exception:
            self._host = None
            raise
        return await self._at(presence.url, presence.token)

    def _wait_for_its_return(self) -> None:
        """Raise Unreachable while a service that was there may only be restarting."""
        now = self._clock.monotonic()
        self._gone_at = now if self._gone_at is None else self._gone_at
        if self._was_there and now - self._gone_at < _RETURNS_SECONDS:
            raise Unreachable(f"the service of {shortened(self._settings.folder)} has stopped")

    async def _at(self, url: str, token: SecretStr) -> MemoryClient:
        place = (url, token.get_secret_value())
        if place not in self._clients:
            self._clients[place] = await self._open.enter_async_context(client_at(url, token=token))
        return self._clients[place]


def _host_of(settings: Settings) -> Host:
    from service.cli.sharing import Host  # the whole service: a host that is let in elsewhere never needs it

    return Host(settings)
