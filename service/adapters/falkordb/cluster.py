"""
A FalkorDB cluster: a command goes to the shard of its graph, and what names no graph goes to all masters.

Each shard has a pool, and a breaker, of its own: a master that is away rests the minds of its slots alone, and no call
waits for another shard. That is why redis-py's RedisCluster is not used: one failing node has it drop what it knows of
all of them, and close connections that others are using.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from consolidation.kernel.errors import GraphFault, GraphUnavailable
from service.adapters.falkordb.guard import Guard
from service.adapters.falkordb.node import Node, answer_of, host_of, place_of
from service.ports.graph_address import beside

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from falkordb.asyncio import FalkorDB
    from redis.exceptions import AskError

    from service.adapters.falkordb.node import Limits
    from service.adapters.falkordb.shards import Shard, Shards

_PING_SECONDS = 2.0
_MOST_REDIRECTS = 16
_PAUSE_SECONDS = 0.05  # while a slot is being moved
_MOVING = "FalkorDB's cluster is moving this graph: its nodes point at each other"

# Commands that name no graph.
_EVERYWHERE = frozenset(
    {
        *("BGREWRITEAOF", "BGSAVE", "CONFIG", "DBSIZE", "FLUSHALL", "GRAPH.CONFIG", "GRAPH.INFO", "GRAPH.LIST", "INFO"),
        *("KEYS", "MODULE", "PING", "SAVE", "SLOWLOG"),
    }
)
_KEY_AT = {"GRAPH.MEMORY": 2, "MEMORY": 2, "OBJECT": 2}  # else the key is the first word after the command


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A node of the cluster past every breaker; one alone ``is_serving`` the graph that it was asked for."""

    address: str
    is_serving: bool
    seconds: float

    @property
    def name(self) -> str:
        """Its host and port."""
        return place_of(self.address)

    async def command(self, *words: str) -> Any:  # noqa: ANN401 - what redis answers
        """Return what this node answers to a command of redis. Raises GraphFault."""
        return await answer_of(self.address, *words, seconds=self.seconds, reads_replica=True)


class Cluster:
    """The servers of one cluster, whose shards are known: they were looked for."""

    def __init__(self, shards: Shards, *, limits: Limits) -> None:
        self._shards = shards
        self._limits = limits
        self._nodes: dict[str, Node] = {}
        self._unserved = Guard(None, ask=shards.look)
        self.client = _client_of(self)

    def guard_of(self, graph: str, /) -> Guard:
        """Return what stands before the shard of a graph."""
        shard = self._shards.of(graph)
        return self._unserved if shard is None else shard.guard

    async def execute_command(self, *words: Any, **options: Any) -> Any:  # noqa: ANN401 - what redis takes and answers
        """Return the answer of the graph's shard, or what all masters answer as one. Raises what redis raises."""
        graph = _graph_of(words)
        return await (self._everywhere(*words) if graph is None else self._sent(graph, words, options))

    async def command(self, *words: str) -> Any:  # noqa: ANN401 - what redis answers
        """Return the same, in time and watched. Raises GraphFault."""
        graph = _graph_of(words)
        if graph is None:
            return await self._everywhere(*words)
        guard = self.guard_of(graph)
        guard.check()
        return await guard.call(self._sent(graph, words, {}), seconds=self._limits.read_seconds)

    async def transaction(self, graph: str, run: Callable[[Any], Awaitable[None]], /) -> None:
        """Call *run* with a pipeline to the master of a graph's shard, and again where that has changed."""
        from redis.exceptions import AskError, MovedError, TryAgainError

        for _ in range(_MOST_REDIRECTS):
            shard = await self._shards.serving(graph)
            try:
                await self._reached(shard, lambda node: node.transaction(run))
            except MovedError as moved:
                await self._shards.look(first=_told(moved, shard))
            except (AskError, TryAgainError):
                await asyncio.sleep(_PAUSE_SECONDS)
            else:
                return
        raise GraphUnavailable(_MOVING)

    async def ping(self) -> None:
        """Return when one shard answers. Raises GraphUnavailable where none does."""
        answers = await self._answers("PING", seconds=_PING_SECONDS)
        if all(isinstance(answer, GraphFault) for answer in answers):
            raise answers[0]

    async def beside(self, graph: str, /, *words: str) -> Any:  # noqa: ANN401 - what redis answers
        """Return what the master of a graph's shard answers to a command that names none. Raises GraphFault."""
        return await self._asked(await self._shards.serving(graph), *words)

    async def processes(self, graph: str, /) -> tuple[ServerProcess, ...]:
        """Return all nodes that the cluster knows, with replicas and those that are away, as erasing *graph* needs."""
        found = await self._shards.nodes()
        master = (await self._shards.serving(graph)).place.master
        seconds = self._limits.read_seconds
        return tuple(ServerProcess(address, is_serving=address == master, seconds=seconds) for address in found)

    async def aclose(self) -> None:
        """Close all connections."""
        for node in self._nodes.values():
            await node.close()

    async def _everywhere(self, *words: str) -> Any:  # noqa: ANN401 - redis
        """Return what all masters answer as one. Raises GraphUnavailable where one of them does not."""
        answers = await self._answers(*words)
        for fault in answers:
            if isinstance(fault, GraphFault):
                raise fault
        return merged(answers)

    async def _answers(self, *words: str, seconds: float | None = None) -> list[Any]:
        """Return what each master answers, or the fault that it met."""

        async def answer_or_fault(shard: Shard) -> Any:  # noqa: ANN401 - redis
            try:
                return await self._asked(shard, *words, seconds=seconds)
            except GraphFault as fault:
                return fault

        return await asyncio.gather(*(answer_or_fault(shard) for shard in self._shards.all))

    async def _asked(self, shard: Shard, *words: str, seconds: float | None = None) -> Any:  # noqa: ANN401 - redis
        """Return what the master of a shard answers, in time, watched by the shard's own guard. Raises GraphFault."""
        shard.guard.check()
        return await shard.guard.call(self._answer(shard, words, {}), seconds=seconds or self._limits.read_seconds)

    async def _sent(self, graph: str, words: Sequence[Any], options: dict[str, Any]) -> Any:  # noqa: ANN401 - redis
        """Send a command to who serves a graph, and wherever we are sent from there: it is not obeyed before."""
        from redis.exceptions import AskError, MovedError, TryAgainError

        for _ in range(_MOST_REDIRECTS):
            shard = await self._shards.serving(graph)
            try:
                return await self._answer(shard, words, options)
            except MovedError as moved:
                await self._shards.look(first=_told(moved, shard))
            except AskError as once:
                with suppress(TryAgainError):
                    return await self._node(_told(once, shard)).execute(*words, is_asking=True, **options)
                await asyncio.sleep(_PAUSE_SECONDS)
            except TryAgainError:
                await asyncio.sleep(_PAUSE_SECONDS)
        raise GraphUnavailable(_MOVING)

    async def _answer(self, shard: Shard, words: Sequence[Any], options: dict[str, Any]) -> Any:  # noqa: ANN401 - redis
        """Return what a shard's master answers to a command."""
        return await self._reached(shard, lambda node: node.execute(*words, **options))

    async def _reached(self, shard: Shard, ask: Callable[[Node], Awaitable[Any]]) -> Any:  # noqa: ANN401 - redis
        """Return what a shard's master answers, after it was found out who that is where that is doubtful."""
        from redis.exceptions import ClusterDownError, ResponseError

        if shard.is_doubtful:
            await self._shards.look()
        try:
            return await ask(self._node(shard.place.master))
        except BaseException as error:  # also of a caller that gave up
            if isinstance(error, ClusterDownError) or not isinstance(error, ResponseError):
                self._shards.doubt(shard)
            raise

    def _node(self, address: str) -> Node:
        node = self._nodes.get(address)
        if node is None:
            node = self._nodes[address] = Node(address, limits=self._limits)
        return node


def _told(redirect: AskError, shard: Shard) -> str:
    """Return the address that a master has sent us to; its own host where it names none."""
    master = shard.place.master
    return beside(master, host=redirect.host or host_of(master), port=int(redirect.port))


def _graph_of(words: Sequence[Any]) -> str | None:
    """Return the graph, or the key, that a command names; None where it goes to all masters."""
    name = str(words[0]).upper()
    return None if name in _EVERYWHERE else str(words[_KEY_AT.get(name, 1)])


def merged(answers: Sequence[Any]) -> Any:  # noqa: ANN401 - what redis answers
    """Return as one what all masters answered: numbers are added, lists joined, and what all say is said once."""
    first = answers[0]
    if all(type(answer) in {int, float} for answer in answers):
        return sum(answers)
    if all(isinstance(answer, dict) for answer in answers):
        keys = dict.fromkeys(chain.from_iterable(answers))
        return {key: merged([answer[key] for answer in answers if key in answer]) for key in keys}
    if all(answer == first for answer in answers):
        return first
    if all(isinstance(answer, list) for answer in answers):
        return list(chain.from_iterable(answers))
    return ", ".join(dict.fromkeys(map(str, answers)))


def _client_of(cluster: Cluster) -> FalkorDB:
    """Return a client of FalkorDB's that sends by *cluster*: its own way to one ends in a KeyError, for ever."""
    from falkordb.asyncio import FalkorDB

    client = FalkorDB.__new__(FalkorDB)
    client.connection, client.execute_command = cluster, cluster.execute_command
    return client
