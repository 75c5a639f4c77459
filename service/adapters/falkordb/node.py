"""One server process: a bounded pool of connections to it, opened at its first use, and one answer past that pool."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from consolidation.kernel.errors import GraphFault, GraphTimedOut
from service.adapters.falkordb.server_errors import foreign, translated

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from redis.asyncio import BlockingConnectionPool

_CONNECT_SECONDS = 2.0  # also on a busy machine, where a second passes before anybody looks
_PORT = 6379


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a read and a write may take, and how many connections one server may have of us."""

    read_seconds: float = 5.0
    write_seconds: float = 30.0
    most: int = 24


class Node:
    """One node of a cluster. What it answers and raises is redis's own."""

    def __init__(self, address: str, *, limits: Limits) -> None:
        self.address = address
        self.name = place_of(address)
        self._limits = limits
        self._opened: Any = None

    async def execute(self, *words: object, is_asking: bool = False, **options: Any) -> Any:  # noqa: ANN401 - redis
        """Return its answer to a command; *is_asking* says that another node has sent us here for this once."""
        if not is_asking:
            return await self._redis().execute_command(*words, **options)
        async with self._redis().pipeline(transaction=False) as both:  # on one connection
            both.execute_command("ASKING")
            both.execute_command(*words, **options)
            return (await both.execute())[1]

    async def transaction(self, run: Callable[[Any], Awaitable[None]], /) -> None:
        """Call *run* with a pipeline, on one connection."""
        async with self._redis().pipeline(transaction=True) as pipeline:
            await run(pipeline)

    async def close(self) -> None:
        """Close all connections to it."""
        if self._opened is not None:
            await self._opened.connection_pool.disconnect()

    def _redis(self) -> Any:  # noqa: ANN401 - redis is half typed
        from redis.asyncio import Redis

        if self._opened is None:
            self._opened = Redis(connection_pool=pool_of(self.address, self._limits))
        return self._opened


def pool_of(address: str, limits: Limits) -> BlockingConnectionPool:
    """Return a pool of connections to the server at *address*; a caller waits for a free one."""
    from redis.asyncio import BlockingConnectionPool

    return BlockingConnectionPool.from_url(
        address,
        max_connections=limits.most,
        timeout=limits.read_seconds,
        socket_connect_timeout=_CONNECT_SECONDS,
        socket_timeout=limits.write_seconds,
        health_check_interval=30,
        decode_responses=True,
        protocol=2,
    )


async def answer_of(address: str, *words: str, seconds: float, reads_replica: bool = False) -> Any:  # noqa: ANN401 - redis
    """
    Return what the server at *address* answers on a connection of its own. Raises GraphFault.

    A replica answers for its master's graphs only where *reads_replica*; else it names the master.
    """
    from redis.asyncio import ConnectionPool, Redis

    limits = {"socket_connect_timeout": min(_CONNECT_SECONDS, seconds), "socket_timeout": seconds}
    pool = ConnectionPool.from_url(
        address, max_connections=1, protocol=2, driver_info=None, decode_responses=True, **limits
    )
    try:
        async with asyncio.timeout(seconds):
            redis: Any = Redis(connection_pool=pool)  # which has one connection
            if reads_replica:
                await redis.execute_command("READONLY")
            return await redis.execute_command(*words)
    except TimeoutError as error:
        raise GraphTimedOut(f"FalkorDB at {place_of(address)} did not answer in time") from error
    except foreign() as error:
        raise translated(error) from error
    finally:
        await pool.disconnect()


async def first_of[Answer](addresses: list[str], ask: Callable[[str], Awaitable[Answer]]) -> Answer:
    """
    Return what *ask* returns of the first address that answers it, and keep that one in front; the others go behind.

    Raises the last GraphFault where none does.
    """
    fault = GraphFault("no address of FalkorDB is known")
    for address in tuple(addresses):
        ask_last(addresses, address)  # also where we are cancelled while it is silent
        try:
            answer = await ask(address)
        except GraphFault as error:
            fault = error
            continue
        ask_last(addresses, address)
        addresses.insert(0, addresses.pop())
        return answer
    raise fault


def ask_last(addresses: list[str], address: str) -> None:
    """Put *address* at the end of *addresses*."""
    with suppress(ValueError):
        addresses.remove(address)
    addresses.append(address)


def place_of(address: str) -> str:
    """Return host and port of an address, or its path: nothing secret."""
    parts = urlsplit(address)
    if parts.hostname is None:
        return parts.path
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{host}:{parts.port or _PORT}"


def host_of(address: str) -> str:
    """Return the host of an address; empty where it has none."""
    return urlsplit(address).hostname or ""
