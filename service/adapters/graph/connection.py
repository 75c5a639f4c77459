"""
Speaks Cypher to FalkorDB: one bounded pool, a time limit on everything, foreign errors translated once.

The client is built lazily and off the event loop, because its constructor asks the server something
synchronously: a server that accepts and never answers must not freeze us. redis and falkordb are imported then, too:
they cost a third of a second, that a start has no need of.
"""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio.to_thread

from consolidation.kernel.errors import ConfigurationFault, GraphFault, GraphTimedOut, GraphUnavailable
from consolidation.kernel.secrets import without_secrets_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from falkordb.asyncio import FalkorDB

type Rows = list[list[Any]]

_SCHEMES = {"redis": "redis", "falkor": "redis", "falkordb": "redis", "rediss": "rediss", "unix": "unix"}
_NO_GRAPH = "empty key"
_CONNECT_SECONDS = 1.0
_FIRST_SECONDS = 3.0  # for a first answer, and the questions of FalkorDB's constructor
_PING_SECONDS = 2.0


class Connection:
    """All graphs of one server. Reads are read-only statements; both raise GraphUnavailable."""

    def __init__(self, url: str, *, read_seconds: float = 5.0, write_seconds: float = 30.0, most: int = 24) -> None:
        """Bind to *url* without connecting. Raises ConfigurationFault when it is not one."""
        self._url = _checked(url)
        self._read_seconds = read_seconds
        self._write_seconds = write_seconds
        self._most = most
        self._client: FalkorDB | None = None
        self._building = asyncio.Lock()

    async def client(self) -> FalkorDB:
        """The falkordb client, built at first use. Raises GraphUnavailable."""
        if self._client is None:
            async with self._building:
                if self._client is None:
                    self._client = await self._built()
        return self._client

    async def ping(self) -> None:
        """Return when the server answers a command, very soon. Raises GraphUnavailable."""
        try:
            async with asyncio.timeout(min(self._read_seconds, _PING_SECONDS)):
                client = await self.client()
                await self._bounded(client.execute_command("PING"), self._read_seconds)
        except TimeoutError as error:
            reason = "yet: it may still be loading its graphs" if self._client is None else "in time"
            raise GraphTimedOut(f"FalkorDB does not answer {reason}") from error

    async def graphs(self) -> frozenset[str]:
        """The names of all graphs there are."""
        client = await self.client()
        return frozenset(await self._bounded(client.list_graphs(), self._read_seconds))

    async def read(self, graph: str, cypher: str, words: Mapping[str, object], /) -> Rows:
        """Rows of a read-only statement; none when there is no such graph, which is not created."""
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
        Rows of a read-only statement as the server prints them (fractions as text): for many rows of plain cells.

        *header* is the text of its parameters (``limit=10 vectors=[[…]]``); nothing of a person's belongs in it. None
        are found where there is no such graph, which is not created.
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
        """Rows of a statement that may write; an error does not mean that it was not done: only MERGE is safe."""
        client = await self.client()
        asking = client.select_graph(graph).query(cypher, dict(words))
        return list((await self._bounded(asking, self._write_seconds)).result_set)

    async def write_all(self, graph: str, statements: Sequence[str], /, *, harmless: Sequence[str] = ()) -> None:
        """Run statements in order; an error that holds one of the words in *harmless* is passed over."""
        for statement in statements:
            try:
                await self.write(graph, statement, {})
            except GraphFault as error:
                if not any(word in str(error) for word in harmless):
                    raise

    async def delete(self, graph: str, /) -> None:
        """Drop a graph; nothing happens when there is none."""
        if graph in await self.graphs():
            client = await self.client()
            await self._bounded(client.select_graph(graph).delete(), self._write_seconds)

    async def running(self) -> str:
        """The statements that the server runs or has waiting, as it prints them."""
        return str((await self.command("GRAPH.INFO"))[:4])

    async def command(self, *words: str) -> Any:  # noqa: ANN401 - what redis answers
        """Whatever the server answers to a command that is no statement."""
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
        from redis.exceptions import RedisError

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
        except TimeoutError as error:  # it says that it loads only between graphs, not while it indexes one
            raise GraphTimedOut("FalkorDB does not answer yet: it may still be loading its graphs") from error
        except (RedisError, OSError) as error:
            raise translated(error) from error
        finally:
            if client is None:  # refused, too late, or given up by who asked
                await pool.disconnect()

    async def _bounded(self, asking: Any, seconds: float) -> Any:  # noqa: ANN401 - falkordb is untyped
        from redis.exceptions import RedisError

        try:
            async with asyncio.timeout(seconds):
                return await asking
        except (RedisError, OSError) as error:
            raise translated(error) from error


async def warm_client() -> None:
    """Import what speaks to FalkorDB, in a thread: the loop runs on, and a caller that gives up waits for nothing."""
    await anyio.to_thread.run_sync(import_module, "falkordb.asyncio", abandon_on_cancel=True)


def translated(error: Exception) -> GraphFault:
    """A foreign error of the server, or of the way to it, as one of ours."""
    from redis import exceptions as redis_errors

    match error:
        case TimeoutError() | redis_errors.TimeoutError():
            return GraphTimedOut("FalkorDB did not answer in time")
        case redis_errors.BusyLoadingError():
            return GraphUnavailable("FalkorDB is still loading its graphs")
        case redis_errors.ResponseError():
            return _refused(str(error))
        case _:
            return GraphUnavailable(f"FalkorDB does not answer: {error}")


def shown(url: str) -> str:
    """*url* without its user, password and query."""
    return without_secrets_of(url)


def _checked(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in _SCHEMES or not (parts.hostname or parts.path):
        known = ", ".join(f"{scheme}://" for scheme in _SCHEMES)
        raise ConfigurationFault(f"FALKORDB_URL is not an address of a FalkorDB (known: {known}): {shown(url)!r}")
    try:
        _ = parts.port
    except ValueError as error:
        raise ConfigurationFault(f"FALKORDB_URL has no proper port: {shown(url)!r}") from error
    return parts._replace(scheme=_SCHEMES[parts.scheme]).geturl()


def _refused(reason: str) -> GraphFault:
    if "timed out" in reason:
        return GraphTimedOut("FalkorDB stopped a query that took too long")
    if "MISCONF" in reason:  # its append-only file could not be written: it takes nothing until that works again
        return GraphUnavailable("FalkorDB's disk is full, or refuses to be written")
    if "OOM" in reason or "out of memory" in reason.lower():
        return GraphUnavailable("FalkorDB is out of memory")
    if "Max pending queries" in reason:
        return GraphUnavailable("FalkorDB has too many queries waiting")
    return GraphFault(reason)
