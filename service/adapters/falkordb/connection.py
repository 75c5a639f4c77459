"""
Sends Cypher to FalkorDB: one bounded pool of connections, a time limit on everything, errors translated into ours.

The client is built at its first use and off the event loop, because its constructor asks the server something
synchronously, and a server that accepts and never answers must not freeze us. redis and falkordb are imported then,
too: that takes a third of a second, which a start does not need to wait for.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from consolidation.kernel.errors import (
    GraphCircuitOpen,
    GraphFault,
    GraphTimedOut,
    GraphUnavailable,
    GraphUnwritable,
)
from service.adapters.falkordb.server_errors import foreign, translated
from service.ports.graph_address import checked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from falkordb.asyncio import FalkorDB

    from service.adapters.circuit_breaker import CircuitBreaker

type Rows = list[list[Any]]

_NO_GRAPH = "empty key"
_CONNECT_SECONDS = 1.0
_FIRST_SECONDS = 3.0  # for a first answer, and for what FalkorDB's constructor asks
_PING_SECONDS = 2.0
_WRITING = "writing"


class GraphConnection:
    """The connection to the graphs of one server. Everything may raise GraphUnavailable, reads and writes alike."""

    def __init__(
        self,
        url: str,
        *,
        read_seconds: float = 5.0,
        write_seconds: float = 30.0,
        most: int = 24,
        breaker: CircuitBreaker | None = None,
    ) -> None:
        """Connect to *url* at the first use, watched by *breaker*. Raises ConfigurationFault."""
        self._url = checked(url)
        self._read_seconds = read_seconds
        self._write_seconds = write_seconds
        self._most = most
        self._breaker = breaker
        self._client: FalkorDB | None = None
        self._building = asyncio.Lock()

    async def client(self) -> FalkorDB:
        """Return the client, built at its first use. Raises GraphUnavailable, at once while the breaker is open."""
        self._check()
        if self._client is None:
            async with self._building:
                self._check()  # whoever was before us may have opened the breaker
                if self._client is None:
                    with self._watching():
                        self._client = await self._built()
        return self._client

    async def ask(self) -> None:
        """Ping on a connection of its own, to see whether the server answers anybody. Raises GraphFault."""
        await warm_client()
        from redis.asyncio import ConnectionPool, Redis

        limits = {"socket_connect_timeout": _CONNECT_SECONDS, "socket_timeout": self._read_seconds}
        pool = ConnectionPool.from_url(self._url, max_connections=1, protocol=2, driver_info=None, **limits)
        try:
            async with asyncio.timeout(self._read_seconds):
                await Redis(connection_pool=pool).ping()
        except foreign() as error:
            raise translated(error) from error
        finally:
            await pool.disconnect()

    async def ping(self) -> None:
        """Return when the server answers a command within two seconds. Raises GraphUnavailable."""
        try:
            async with asyncio.timeout(min(self._read_seconds, _PING_SECONDS)):
                client = await self.client()
                await self._bounded(client.execute_command("PING"), self._read_seconds)
        except TimeoutError as error:
            reason = "yet: it may still be loading its graphs" if self._client is None else "in time"
            raise GraphTimedOut(f"FalkorDB does not answer {reason}") from error

    async def graphs(self) -> frozenset[str]:
        """Return the names of all graphs."""
        client = await self.client()
        return frozenset(await self._bounded(client.list_graphs(), self._read_seconds))

    async def read(self, graph: str, cypher: str, words: Mapping[str, object], /) -> Rows:
        """Return the rows of a read-only statement; none where there is no such graph, which is not created."""
        client = await self.client()
        limit = int(self._read_seconds * 1000)
        asking = client.select_graph(graph).ro_query(cypher, dict(words), timeout=limit)
        try:
            return list((await self._bounded(asking, self._read_seconds)).result_set)
        except GraphFault as error:
            if _NO_GRAPH in str(error):
                return []
            raise

    async def rows(self, graph: str, cypher: str, header: str, /) -> Rows:
        """
        Return the rows of a read-only statement as the server prints them, fractions as text: for many plain cells.

        *header* is the text of its parameters (``limit=10 vectors=[[…]]``) and must not hold a person's words. A
        graph that does not exist gives no rows, and is not created.
        """
        client = await self.client()
        asked = f"CYPHER {header} {cypher}" if header else cypher
        limit = int(self._read_seconds * 1000)
        asking = client.connection.execute_command("GRAPH.RO_QUERY", graph, asked, "timeout", limit)
        try:
            answer = await self._bounded(asking, self._read_seconds)
        except GraphFault as error:
            if _NO_GRAPH in str(error):
                return []
            raise
        return list(answer[1]) if len(answer) > 1 else []

    async def write(self, graph: str, cypher: str, words: Mapping[str, object], /) -> Rows:
        """Return the rows of a statement that may write. An error does not mean that nothing was written: use MERGE."""
        return (await self.table(graph, cypher, words))[1]

    async def table(self, graph: str, cypher: str, words: Mapping[str, object], /) -> tuple[list[str], Rows]:
        """Return the names of the columns of such a statement, and its rows."""
        client = await self.client()
        asking = client.select_graph(graph).query(cypher, dict(words))
        with self._writing():
            answer = await self._bounded(asking, self._write_seconds)
        return [str(column[1]) for column in answer.header], list(answer.result_set)

    async def write_all(self, graph: str, statements: Sequence[str], /, *, harmless: Sequence[str] = ()) -> None:
        """Run statements in order; an error that contains one of *harmless* is ignored."""
        for statement in statements:
            try:
                await self.write(graph, statement, {})
            except GraphFault as error:
                if not any(word in str(error) for word in harmless):
                    raise

    async def delete(self, graph: str, /) -> None:
        """Drop a graph, if there is one."""
        if graph in await self.graphs():
            client = await self.client()
            await self._bounded(client.select_graph(graph).delete(), self._write_seconds)

    async def rename(self, graph: str, name: str, /) -> None:
        """Rename a graph, if there is one, and replace any graph that is called *name*."""
        if graph in await self.graphs():
            client = await self.client()
            await self._bounded(client.execute_command("RENAME", graph, name), self._write_seconds)

    async def running(self) -> str:
        """Return the statements that the server runs or has queued, as it prints them."""
        return str((await self.command("GRAPH.INFO"))[:4])

    async def command(self, *words: str) -> Any:  # noqa: ANN401 - what redis answers
        """Return what the server answers to a command of redis."""
        client = await self.client()
        return await self._bounded(client.execute_command(*words), self._read_seconds)

    async def close(self) -> None:
        """Close all connections; the server goes on."""
        if self._client is not None:
            await self._client.connection.aclose()
            await self._client.connection.connection_pool.disconnect()
            self._client = None

    async def _built(self) -> FalkorDB:
        await warm_client()
        from falkordb.asyncio import FalkorDB
        from redis.asyncio import BlockingConnectionPool, Redis

        pool = BlockingConnectionPool.from_url(
            self._url,
            max_connections=self._most,
            timeout=self._read_seconds,
            socket_connect_timeout=_CONNECT_SECONDS,
            socket_timeout=self._write_seconds,
            health_check_interval=30,
            decode_responses=True,
            protocol=2,
        )
        client: FalkorDB | None = None
        try:
            async with asyncio.timeout(min(self._read_seconds, _FIRST_SECONDS)):
                await Redis(connection_pool=pool).ping()  # FalkorDB's constructor leaks a socket when it is refused
                client = await anyio.to_thread.run_sync(lambda: FalkorDB(connection_pool=pool), abandon_on_cancel=True)
                return client
        except TimeoutError as error:  # it answers that it is loading only between graphs, not while it indexes one
            raise GraphTimedOut("FalkorDB does not answer yet: it may still be loading its graphs") from error
        except foreign() as error:
            raise translated(error) from error
        finally:
            if client is None:  # refused, too late, or cancelled
                await pool.disconnect()

    async def _bounded(self, asking: Any, seconds: float) -> Any:  # noqa: ANN401 - falkordb is untyped
        with self._watching():
            try:
                async with asyncio.timeout(seconds):
                    return await asking
            except foreign() as error:
                raise translated(error) from error

    def _check(self) -> None:
        if self._breaker is not None:
            self._breaker.check(GraphCircuitOpen)

    def _watching(self) -> AbstractContextManager[None]:
        if self._breaker is None:
            return nullcontext()
        return self._breaker.watching(self.ask, suspect=GraphUnavailable)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Tell the dependency whether the server refuses writes; reading works all the same."""
        dependency = self._breaker.dependency if self._breaker is not None else None
        try:
            yield
        except GraphUnwritable as fault:
            if dependency is not None:
                dependency.failed(str(fault), part=_WRITING)
            raise
        if dependency is not None:
            dependency.worked(part=_WRITING)


async def warm_client() -> None:
    """Import the client of FalkorDB in a thread; a caller that is cancelled does not wait for it."""
    await anyio.to_thread.run_sync(import_module, "falkordb.asyncio", abandon_on_cancel=True)
