"""One FalkorDB server by itself: whatever is asked goes to it, and one guard stands before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio.to_thread

from service.adapters.falkordb.node import pool_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from falkordb.asyncio import FalkorDB

    from service.adapters.falkordb.guard import Guard
    from service.adapters.falkordb.node import Limits


class SingleServer:
    """One server; it is also the one process that may hold something of a graph."""

    name = ""
    is_serving = True

    def __init__(self, client: FalkorDB, *, guard: Guard, limits: Limits) -> None:
        self.client = client
        self._guard = guard
        self._limits = limits

    def guard_of(self, _graph: str, /) -> Guard:
        """Return what stands before it."""
        return self._guard

    async def ping(self) -> None:
        """Return when it answers. Raises GraphFault."""
        await self.command("PING")

    async def command(self, *words: str) -> Any:  # noqa: ANN401 - what redis answers
        """Return its answer to a command of redis. Raises GraphFault."""
        self._guard.check()
        return await self._guard.call(self.client.execute_command(*words), seconds=self._limits.read_seconds)

    async def transaction(self, _graph: str, run: Callable[[Any], Awaitable[None]], /) -> None:
        """Call *run* with a pipeline. Raises what redis raises."""
        async with self.client.connection.pipeline(transaction=True) as pipeline:
            await run(pipeline)

    async def beside(self, _graph: str, /, *words: str) -> Any:  # noqa: ANN401 - what redis answers
        """Return its answer to a command that names no graph. Raises GraphFault."""
        return await self.command(*words)

    async def processes(self, _graph: str, /) -> tuple[SingleServer, ...]:
        """Return itself."""
        return (self,)

    async def aclose(self) -> None:
        """Close all connections; the server goes on."""
        await self.client.connection.aclose()
        await self.client.connection.connection_pool.disconnect()


async def open_single_server(address: str, *, guard: Guard, limits: Limits) -> SingleServer:
    """Connect to the server at *address*. Raises what redis raises."""
    from falkordb.asyncio import FalkorDB
    from redis.asyncio import Redis

    pool = pool_of(address, limits)
    client: FalkorDB | None = None
    try:
        await Redis(connection_pool=pool).ping()  # FalkorDB's constructor leaks a socket when it is refused
        client = await anyio.to_thread.run_sync(lambda: FalkorDB(connection_pool=pool), abandon_on_cancel=True)
        return SingleServer(client, guard=guard, limits=limits)
    finally:
        if client is None:  # refused, too late, or cancelled
            await pool.disconnect()
