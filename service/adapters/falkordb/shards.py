"""
The shards of a cluster: who serves what, as any node that answers tells it, and what stands before each.

A shard is known by its slots. A failover leaves them as they are, so it keeps its guard when a replica is promoted.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from consolidation.kernel.errors import GraphFault, GraphUnavailable
from service.adapters.falkordb.cluster_map import ClusterMap, map_of, nodes_of
from service.adapters.falkordb.guard import Guard
from service.adapters.falkordb.node import answer_of, ask_last, first_of, place_of
from service.adapters.falkordb.server_errors import foreign, translated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.adapters.circuit_breaker import CircuitBreaker
    from service.adapters.falkordb.cluster_map import ShardPlace, Slots

_NODE_SECONDS = 1.0  # for a node that is asked about the others
_OK = "cluster_state:ok"


class Shard:
    """One shard as it is now; one that lost or got slots is another."""

    def __init__(self, place: ShardPlace, *, guard: Guard) -> None:
        self.place = place
        self.guard = guard
        self.is_doubtful = False  # its master did not answer: who it is now is asked before the next call


class Shards:
    """All shards; none before the first ``look``."""

    def __init__(self, addresses: Sequence[str], *, breaker: CircuitBreaker | None, seconds: float) -> None:
        """*addresses* are of some nodes. The shards' breakers, siblings of *breaker*, give a master *seconds*."""
        self._named = tuple(addresses)
        self._sources = list(addresses)  # who is asked about the others: who answered last comes first
        self._breaker = breaker
        self._seconds = seconds
        self._map = ClusterMap(())
        self._shards: dict[Slots, Shard] = {}
        self._looking = asyncio.Lock()
        self._looks = 0

    @property
    def all(self) -> tuple[Shard, ...]:
        """All shards, in the order of their slots."""
        return tuple(self._shards.values())

    def of(self, graph: str) -> Shard | None:
        """Return the shard of a graph; None where its slot is nobody's, as far as is known."""
        place = self._map.shard_of(graph)
        return None if place is None else self._shards[place.slots]

    async def serving(self, graph: str) -> Shard:
        """Return the shard of a graph. Raises GraphUnavailable where its slot is nobody's."""
        if (known := self.of(graph)) is not None:
            return known
        await self.look()
        if (shard := self.of(graph)) is None:
            raise GraphUnavailable("no shard of FalkorDB's cluster serves the slot of this graph")
        return shard

    def doubt(self, shard: Shard) -> None:
        """Note that the master of a shard gave no answer: it may be the master no longer."""
        shard.is_doubtful = True
        ask_last(self._sources, shard.place.master)

    async def look(self, *, first: str = "") -> None:
        """Ask any node who serves what now, *first* before others. Raises GraphUnavailable where none knows."""
        looks = self._looks
        if first:
            self._sources.insert(0, first)
        async with self._looking:
            if self._looks == looks:  # else somebody has looked while we waited
                self._adopt(await first_of(self._sources, _map_by))
                self._looks += 1

    async def nodes(self) -> tuple[str, ...]:
        """Return the addresses of all nodes that the cluster knows, with replicas and those that are away."""
        await self.look()
        return await first_of(self._sources, self._nodes_by)

    def _adopt(self, found: ClusterMap) -> None:
        if self._breaker is not None:
            self._breaker.dependency.split([place.name for place in found.shards])
        shards: dict[Slots, Shard] = {}
        for place in found.shards:
            shard = shards[place.slots] = self._shards.get(place.slots) or Shard(place, guard=self._guard(place))
            shard.place, shard.is_doubtful = place, False
        self._shards, self._map = shards, found
        nodes = {address for place in found.shards for address in (place.master, *place.replicas)}
        known = [one for one in self._sources if one in nodes]
        # Those we were given stay: where every node has moved to another host, their names still lead to one.
        self._sources = list(dict.fromkeys((*known, *sorted(nodes), *self._named)))

    def _guard(self, place: ShardPlace) -> Guard:
        if self._breaker is None:
            return Guard(None, ask=self.look)
        breaker = self._breaker.sibling(self._breaker.dependency.shards[place.name])
        return Guard(breaker, ask=lambda: self._ask(place.slots))

    async def _ask(self, slots: Slots) -> None:
        """Return when the shard of these slots serves, by whichever master, or is no more. Raises GraphFault."""
        await self.look()
        shard = self._shards.get(slots)
        if shard is None:
            return
        master = shard.place.master
        try:
            state = await answer_of(master, "CLUSTER", "INFO", seconds=self._seconds)
        except GraphFault as fault:
            raise type(fault)(f"{place_of(master)}: {fault}") from fault
        if _OK not in str(state):
            raise GraphUnavailable(f"FalkorDB's cluster is down, says {place_of(master)}")

    async def _nodes_by(self, address: str) -> tuple[str, ...]:
        answer = await answer_of(address, "CLUSTER", "NODES", seconds=_NODE_SECONDS)
        return nodes_of(str(answer), self._map, asked=address)


async def _map_by(address: str) -> ClusterMap:
    """Return the map that a node knows. Raises GraphUnavailable where it knows none."""
    answer = await answer_of(address, "CLUSTER", "SLOTS", seconds=_NODE_SECONDS)
    if not answer:
        raise GraphUnavailable(f"FalkorDB at {place_of(address)} knows of no shard")
    try:
        return map_of(answer, asked=address)
    except foreign() as error:
        raise translated(error) from error
