"""
Sends Cypher to FalkorDB: bounded pools of connections, a time limit on everything, errors translated into ours.

Whether there is one server or a cluster is asked at the first use, and only what is opened then knows of it. That is
done off the event loop where FalkorDB's constructor asks the server something synchronously: a server that accepts and
never answers must not freeze us. redis and falkordb are imported then, too: that takes a third of a second, which a
start does not need to wait for.
"""

from __future__ import annotations

import asyncio
from contextlib import nullcontext, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID, uuid4

import anyio.to_thread

from consolidation.kernel.errors import GraphFault, GraphForbidden, GraphTimedOut, GraphUnavailable
from service.adapters.falkordb.cluster import Cluster
from service.adapters.falkordb.guard import Guard
from service.adapters.falkordb.node import Limits, answer_of, first_of, place_of
from service.adapters.falkordb.server_errors import foreign, translated
from service.adapters.falkordb.shards import Shards
from service.adapters.falkordb.single_server import open_single_server
from service.ports.graph_address import addresses

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from falkordb.asyncio import FalkorDB

    from service.adapters.circuit_breaker import CircuitBreaker

type Rows = list[list[Any]]

_NO_GRAPH = "empty key"
_FIRST_SECONDS = 3.0  # for a first answer, and for what FalkorDB's constructor asks
_ONE_OF_SEVERAL_SECONDS = 1.0
_PING_SECONDS = 2.0
_MOST_EXCHANGES = 100
_WRITTEN_SECONDS, _LOOK_SECONDS = 5.0, 0.05  # redis writes after two seconds at the latest


class Residence(Protocol):
    """Where graphs are: in the server's memory, or in files."""

    def using(self, graph: str) -> AbstractAsyncContextManager[None]:
        """Have *graph* in memory inside the block. Raises GraphUnavailable."""
        ...

    async def forget(self, graph: str) -> None:
        """Delete the file of *graph*. Raises GraphUnavailable."""
        ...


class ServerProcess(Protocol):
    """One server process, past the others; one of them ``is_serving`` the graph in question."""

    @property
    def name(self) -> str:
        """Its host and port; empty where it is the only one."""
        ...

    @property
    def is_serving(self) -> bool: ...

    async def command(self, *words: str) -> Any:  # noqa: ANN401 - what redis answers
        """Return its own answer to a command of redis. Raises GraphFault."""
        ...


class Servers(Protocol):
    """What serves the graphs: one server, or the shards of a cluster."""

    @property
    def client(self) -> FalkorDB:
        """What sends each command to the server of its graph."""
        ...

    def guard_of(self, graph: str, /) -> Guard:
        """Return what stands before the server of a graph."""
        ...

    async def transaction(self, graph: str, run: Callable[[Any], Awaitable[None]], /) -> None:
        """Call *run* with a pipeline of redis to the server of a graph. Raises what redis raises."""
        ...

    async def ping(self) -> None:
        """Return when a server answers. Raises GraphFault."""
        ...

    async def command(self, *words: str) -> Any:  # noqa: ANN401 - what redis answers
        """Return what the server of a graph answers, or all servers as one where none is named. Raises GraphFault."""
        ...

    async def beside(self, graph: str, /, *words: str) -> Any:  # noqa: ANN401 - what redis answers
        """Return what the server of a graph answers to a command that names none. Raises GraphFault."""
        ...

    async def processes(self, graph: str, /) -> Sequence[ServerProcess]:
        """Return all processes that may hold something of a graph. Raises GraphFault."""
        ...

    async def aclose(self) -> None:
        """Close all connections; the servers go on."""
        ...


class GraphConnection:
    """The connection to the graphs of all minds. Everything may raise GraphUnavailable, reads and writes alike."""

    def __init__(
        self,
        url: str,
        *,
        read_seconds: float = 5.0,
        write_seconds: float = 30.0,
        most: int = 24,
        breaker: CircuitBreaker | None = None,
    ) -> None:
        """Connect to the addresses in *url* at the first use, watched by *breaker*. Raises ConfigurationFault."""
        self._addresses = list(addresses(url))
        self._limits = Limits(read_seconds, write_seconds, most)
        self._breaker = breaker
        self._guard = Guard(breaker, ask=self.ask)
        self._servers: Servers | None = None
        self._opening = asyncio.Lock()
        self._residence: Residence | None = None
        self.refusal: str | None = None  # while it is set, everything but ``server_id`` raises it as GraphUnavailable

    def reside(self, residence: Residence) -> None:
        """Have *residence* bring each graph into memory before a statement on it."""
        self._residence = residence

    async def client(self) -> FalkorDB:
        """Return the client, built at its first use. Raises GraphUnavailable, at once while the breaker is open."""
        return (await self._opened()).client

    async def ask(self) -> None:
        """Find out on a connection of its own whether a server answers anybody. Raises GraphFault."""
        await warm_client()
        await first_of(self._addresses, self._is_cluster)

    async def ping(self) -> None:
        """Return when a server answers a command within two seconds. Raises GraphUnavailable."""
        try:
            async with asyncio.timeout(min(self._limits.read_seconds, _PING_SECONDS)):
                await (await self._opened()).ping()
        except TimeoutError as error:
            reason = "yet: it may still be loading its graphs" if self._servers is None else "in time"
            raise GraphTimedOut(f"FalkorDB does not answer {reason}") from error

    async def server_id(self, prefix: str, /) -> UUID:
        """
        Return what tells the graphs under *prefix* from those of another server or prefix, made at the first call.

        It lies beside the graphs, so it is lost when they are.
        """
        key = f"{prefix}:server"  # no mind's graph is called so: its id has no colon
        servers = await self._connected()
        if not (found := await servers.command("GET", key)):
            await servers.command("SET", key, str(uuid4()), "NX")  # somebody else may have been faster
            found = await servers.command("GET", key)
        try:
            return UUID(str(found))
        except ValueError as error:
            raise GraphFault(
                f"FalkorDB holds something else where the id of this service's graphs belongs: {key}"
            ) from error

    async def graphs(self, *, beside: str = "") -> frozenset[str]:
        """Return the names of all graphs, or of those that are on one shard with the graph *beside*."""
        servers = await self._opened()
        return frozenset(await (servers.beside(beside, "GRAPH.LIST") if beside else servers.command("GRAPH.LIST")))

    async def read(self, graph: str, cypher: str, words: Mapping[str, object], /) -> Rows:
        """Return the rows of a read-only statement; none where there is no such graph, which is not created."""
        client, guard = await self._way_to(graph)
        seconds = self._limits.read_seconds
        try:
            async with self._using(graph):
                asking = client.select_graph(graph).ro_query(cypher, dict(words), timeout=int(seconds * 1000))
                return list((await guard.call(asking, seconds=seconds)).result_set)
        except GraphFault as error:
            if _NO_GRAPH in str(error):
                return []
            raise

    async def rows(self, graph: str, cypher: str, header: str, /, *, seconds: float | None = None) -> Rows:
        """
        Return the rows of a read-only statement as the server prints them, fractions as text: for many plain cells.

        *header* is the text of its parameters (``limit=10 vectors=[[…]]``) and must not hold a person's words. A
        graph that does not exist gives no rows, and is not created. It has *seconds*, or as long as any read.
        """
        client, guard = await self._way_to(graph)
        asked = f"CYPHER {header} {cypher}" if header else cypher
        seconds = min(seconds or self._limits.read_seconds, self._limits.read_seconds)
        try:
            async with self._using(graph):
                asking = client.execute_command("GRAPH.RO_QUERY", graph, asked, "timeout", int(seconds * 1000))
                answer = await guard.call(asking, seconds=seconds)
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
        header, rows, _ = await self.outcome(graph, cypher, words)
        return header, rows

    async def outcome(self, graph: str, cypher: str, words: Mapping[str, object], /) -> tuple[list[str], Rows, int]:
        """Return the same, and how many properties it has set."""
        client, guard = await self._way_to(graph)
        async with self._using(graph):
            asking = client.select_graph(graph).query(cypher, dict(words))
            with guard.writing():
                answer = await guard.call(asking, seconds=self._limits.write_seconds)
        header = [str(column[1]) for column in answer.header]
        return header, list(answer.result_set), int(answer.properties_set)

    async def write_all(self, graph: str, statements: Sequence[str], /, *, harmless: Sequence[str] = ()) -> None:
        """Run statements in order; an error that contains one of *harmless* is ignored."""
        for statement in statements:
            try:
                await self.write(graph, statement, {})
            except GraphFault as error:
                if not any(word in str(error) for word in harmless):
                    raise

    async def exists(self, graph: str, /) -> bool:
        """Return whether there is a graph of this name."""
        async with self._using(graph):
            return bool(await self.command("EXISTS", graph))

    async def forget_file(self, graph: str, /) -> None:
        """Delete what a file holds of *graph*, which is in memory or is not to come back."""
        if self._residence is not None:
            await self._residence.forget(graph)

    async def delete(self, graph: str, /) -> None:
        """Drop a graph, if there is one."""
        await self.forget_file(graph)
        if await self.command("EXISTS", graph):
            client, guard = await self._way_to(graph)
            await guard.call(client.select_graph(graph).delete(), seconds=self._limits.write_seconds)

    async def rename(self, graph: str, name: str, /) -> None:
        """Rename a graph, if there is one, and replace any graph that is called *name*, which is on the same shard."""
        if await self.command("EXISTS", graph):
            await self.forget_file(name)
            client, guard = await self._way_to(graph)
            await guard.call(client.execute_command("RENAME", graph, name), seconds=self._limits.write_seconds)

    async def obeyed_if_unchanged(
        self, graph: str, reading: str, commands: Callable[[Rows | None], Sequence[Sequence[str]]], /
    ) -> None:
        """
        Read a graph and have the *commands* that this leads to obeyed in one go, if nobody writes to it meanwhile.

        *commands* is called with the rows of *reading*, or None where there is no such graph. If somebody wrote in
        between, both are done again.
        """
        servers = await self._opened()
        guard = servers.guard_of(graph)
        guard.check()

        async def exchange(transaction: Any) -> None:  # noqa: ANN401 - redis is half typed
            await transaction.watch(graph)
            rows: Rows | None = None
            if await transaction.execute_command("EXISTS", graph):
                rows = (await transaction.execute_command("GRAPH.RO_QUERY", graph, reading))[1]
            transaction.multi()
            for command in commands(rows):
                transaction.execute_command(*command)
            await transaction.execute()

        async with self._using(graph):
            with guard.writing():
                await guard.call(_until_unchanged(servers, graph, exchange), seconds=self._limits.write_seconds)

    async def running(self, *, beside: str = "") -> str:
        """Return the statements that the servers, or the one of the graph *beside*, run or have queued, as printed."""
        servers = await self._opened()
        told = await (servers.beside(beside, "GRAPH.INFO") if beside else servers.command("GRAPH.INFO"))
        return str(told)

    async def command(self, *words: str) -> Any:  # noqa: ANN401 - what redis answers
        """Return what the server of a graph, or all masters as one, answer to a command of redis."""
        return await (await self._opened()).command(*words)

    async def until_written(self) -> None:
        """
        Return when what the server has answered is in its append-only file; in any case after a few seconds.

        While its disk is busy, redis answers first and writes up to two seconds later. A kill in between loses that.
        """
        for _ in range(int(_WRITTEN_SECONDS / _LOOK_SECONDS)):
            if not (await self.command("INFO", "persistence")).get("aof_buffer_length"):
                return
            await asyncio.sleep(_LOOK_SECONDS)

    async def dump(self, graph: str, /) -> bytes | None:
        """Return a graph as the server writes it down, None where there is none."""
        client, guard = await self._way_to(graph)
        asking = client.execute_command("DUMP", graph, NEVER_DECODE=[])
        dump: bytes | None = await guard.call(asking, seconds=self._limits.write_seconds)
        return dump

    async def restore(self, graph: str, dump: bytes, /) -> None:
        """
        Make a graph of what ``dump`` returned, in the place of one that is there.

        A graph that was dumped under another name must be renamed before it is written to. Raises GraphFault where
        the server does not know the format.
        """
        client, guard = await self._way_to(graph)
        asking = client.execute_command("RESTORE", graph, 0, dump, "REPLACE")
        with guard.writing():
            await guard.call(asking, seconds=self._limits.write_seconds)

    async def processes(self, graph: str, /) -> Sequence[ServerProcess]:
        """Return all server processes that may hold something of a graph in their files."""
        return await (await self._opened()).processes(graph)

    async def close(self) -> None:
        """Close all connections; the servers go on."""
        servers, self._servers = self._servers, None
        if servers is not None:
            await servers.aclose()

    async def _way_to(self, graph: str) -> tuple[FalkorDB, Guard]:
        """Return what sends to the server of a graph, and what stands before it and lets us pass."""
        servers = await self._opened()
        guard = servers.guard_of(graph)
        guard.check()
        return servers.client, guard

    def _using(self, graph: str) -> AbstractAsyncContextManager[None]:
        return nullcontext() if self._residence is None else self._residence.using(graph)

    async def _opened(self) -> Servers:
        if self.refusal is not None:
            raise GraphUnavailable(self.refusal)
        return await self._connected()

    async def _connected(self) -> Servers:
        self._guard.check()
        if self._servers is None:
            async with self._opening:
                self._guard.check()  # whoever was before us may have opened the breaker
                if self._servers is None:
                    with self._guard.watching():
                        self._servers = await self._open()
        return self._servers

    async def _open(self) -> Servers:
        await warm_client()
        try:
            async with asyncio.timeout(min(self._limits.read_seconds, _FIRST_SECONDS)):
                if not await first_of(self._addresses, self._is_cluster):
                    return await open_single_server(self._addresses[0], guard=self._guard, limits=self._limits)
                shards = Shards(self._addresses, breaker=self._breaker, seconds=self._limits.read_seconds)
                await shards.look()
                return Cluster(shards, limits=self._limits)
        except TimeoutError as error:  # it answers that it is loading only between graphs, not while it indexes one
            raise GraphTimedOut("FalkorDB does not answer yet: it may still be loading its graphs") from error
        except foreign() as error:
            raise translated(error) from error

    async def _is_cluster(self, address: str) -> bool:
        """Return whether the server at *address* belongs to a cluster; one of several has to. Raises GraphFault."""
        seconds = _ONE_OF_SEVERAL_SECONDS if len(self._addresses) > 1 else self._limits.read_seconds
        told = await answer_of(address, "INFO", "server", seconds=seconds)
        if isinstance(told, dict) and told.get("redis_mode") == "cluster":
            return True
        if len(self._addresses) > 1:
            wrong = f"the server at {place_of(address)} belongs to no cluster"
            raise GraphForbidden(f"FALKORDB_URL names several addresses, but {wrong}: name one alone")
        await answer_of(address, "PING", seconds=seconds)  # it tells of itself while it is loading, too
        return False


async def _until_unchanged(servers: Servers, graph: str, exchange: Callable[[Any], Awaitable[None]]) -> None:
    """Repeat a transaction until nobody has changed meanwhile what it read; soon in any case."""
    from redis.exceptions import WatchError

    for _ in range(_MOST_EXCHANGES):
        with suppress(WatchError):
            return await servers.transaction(graph, exchange)
    raise GraphUnavailable("the graph is written to all the while")


async def warm_client() -> None:
    """Import the client of FalkorDB in a thread; a caller that is cancelled does not wait for it."""
    await anyio.to_thread.run_sync(import_module, "falkordb.asyncio", abandon_on_cancel=True)
