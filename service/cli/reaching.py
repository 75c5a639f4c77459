"""How a command reaches memory: the service that runs on the home, an address, or the home itself, opened here."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx

from consolidation.kernel.errors import HomeLocked
from service.cli.client import MemoryClient
from service.cli.configuration import read_key
from service.cli.faults import CommandFailed, Unreachable
from service.cli.home import make_home, shortened
from service.cli.in_process import InProcess
from service.cli.terminal import note
from service.presence import find_service

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from pydantic import SecretStr

    from service.presence import Presence
    from service.settings import Settings

_SECONDS = 60
_HEALTH_SECONDS = 5
_LOADING_SECONDS, _POLL_SECONDS = 15, 0.05
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@asynccontextmanager
async def reach(settings: Settings, *, url: str | None = None, is_quiet: bool = False) -> AsyncIterator[MemoryClient]:
    """Lend a client. Raises Unreachable where nothing answers at *url*, CommandFailed where the home is taken."""
    if url is not None:
        async with client_at(url, token=read_key()) as client:
            if not await client.is_alive():
                raise Unreachable(
                    f"nothing answers at {url}: start `mind-memory serve` there, or leave the address out"
                )
            yield client
        return
    home = settings.folder
    present = find_service(home)
    if present is not None:
        async with client_at(present.url, token=present.token) as client:
            if await client.is_alive():
                yield client
                return
    async with open_home(settings, silent=present) as client:
        if settings.falkordb_url is None:
            await _until_loaded(client)
        if not is_quiet:
            note(f"No service runs on {shortened(home)}: it is open in this command alone, until it ends.")
        yield client


@asynccontextmanager
async def open_home(settings: Settings, *, silent: Presence | None = None) -> AsyncIterator[MemoryClient]:
    """The whole service in this process, without a port. *silent* is a service that is there and does not answer."""
    from service.app import create_app

    make_home(settings.folder)
    app = create_app(settings)
    try:
        lifespan = app.router.lifespan_context(app)
        state = await lifespan.__aenter__()
    except HomeLocked as error:
        raise CommandFailed(_locked(settings.folder, silent)) from error
    try:

        async def with_state(scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI is untyped
            await app({**scope, "state": dict(state or {})}, receive, send)

        headers = _bearer((state or {})["memory"].doorkeeper.owner_token)
        async with httpx.AsyncClient(
            transport=InProcess(with_state),
            base_url="http://memory",
            timeout=None,  # noqa: S113 - nothing lies between
            headers=headers,
        ) as http:
            yield MemoryClient(http, place="memory", is_own=True)
    finally:
        await lifespan.__aexit__(None, None, None)


async def answers(settings: Settings, *, url: str | None) -> bool:
    """Whether a service answers, at *url* or on the home. Opens nothing."""
    present = find_service(settings.folder) if url is None else None
    if url is None and present is None:
        return False
    place, token = (url, read_key()) if present is None else (present.url, present.token)
    async with client_at(str(place), token=token) as client:
        return await client.is_alive()


async def _until_loaded(client: MemoryClient) -> None:
    """Give an embedded graph, just started, the time to load; a large one goes on loading beside the command."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_LOADING_SECONDS):
            while set((await client.readiness()).values()) != {"ready"}:  # noqa: ASYNC110 - only asking tells
                await asyncio.sleep(_POLL_SECONDS)


@asynccontextmanager
async def client_at(url: str, *, token: SecretStr) -> AsyncIterator[MemoryClient]:
    """A client of what is at *url*, whether it answers or not. Raises Unreachable where that is no address."""
    try:
        is_near = urlsplit(url).hostname in _LOOPBACK  # a proxy has no business between us
        timeout = httpx.Timeout(_SECONDS, connect=_HEALTH_SECONDS)
        http = httpx.AsyncClient(base_url=url, timeout=timeout, trust_env=not is_near, headers=_bearer(token))
    except (httpx.InvalidURL, ValueError) as error:
        raise Unreachable(f"{url!r} is no address; it should look like http://127.0.0.1:8001") from error
    async with http:
        yield MemoryClient(http, place=url, is_own=False)


def _bearer(token: SecretStr) -> dict[str, str]:
    return {"Authorization": f"Bearer {token.get_secret_value()}"} if token.get_secret_value() else {}


def _locked(home: Path, silent: Presence | None) -> str:
    if silent is not None:
        return (
            f"{shortened(home)} belongs to the service with process id {silent.pid}, which does not answer at "
            f"{silent.url}: wait a moment, or end it with `kill {silent.pid}`"
        )
    return (
        f"{shortened(home)} is in use by another mind-memory command: wait until it ends, "
        "or run `mind-memory serve`, which all commands can share"
    )
