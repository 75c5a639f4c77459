"""Which shard of a cluster serves which slots, as its nodes tell it; a graph lies whole in the slot of its name."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from service.ports.graph_address import beside

if TYPE_CHECKING:
    from collections.abc import Sequence

type Slots = tuple[tuple[int, int], ...]  # ranges, with their ends, in order


@dataclass(frozen=True, slots=True)
class ShardPlace:
    """A shard: its slots, and the addresses of its master and of the replicas that live."""

    slots: Slots
    master: str
    replicas: tuple[str, ...]

    @property
    def name(self) -> str:
        """What people are told of it; a promoted replica changes nothing about it."""
        (first, last), *others = self.slots
        more = f" and {len(others)} more" if others else ""
        return f"slots {first}-{last}{more}"


class ClusterMap:
    """All shards of a cluster, in the order of their slots, and the ids of their *nodes*."""

    def __init__(self, shards: Sequence[ShardPlace], *, nodes: frozenset[str] = frozenset()) -> None:
        self.nodes = nodes
        self.shards = tuple(sorted(shards, key=lambda shard: shard.slots))
        ranges = sorted((first, last, shard) for shard in shards for first, last in shard.slots)
        self._ranges = [(last, shard) for _, last, shard in ranges]
        self._firsts = [first for first, _, _ in ranges]

    def shard_of(self, graph: str) -> ShardPlace | None:
        """Return the shard that serves a graph; None where nobody serves its slot."""
        slot = slot_of(graph)
        at = bisect_right(self._firsts, slot) - 1
        if at < 0 or slot > self._ranges[at][0]:
            return None
        return self._ranges[at][1]


def map_of(answer: Sequence[Any], *, asked: str) -> ClusterMap:
    """Return the map that ``CLUSTER SLOTS`` is; the node at the address *asked* gave it."""
    slots: dict[str, list[tuple[int, int]]] = {}
    replicas: dict[str, tuple[str, ...]] = {}
    for first, last, *nodes in answer:
        master, *others = (_address(node, asked) for node in nodes)
        slots.setdefault(master, []).append((int(first), int(last)))
        replicas[master] = tuple(others)
    shards = [ShardPlace(tuple(sorted(of)), master, replicas[master]) for master, of in slots.items()]
    return ClusterMap(shards, nodes=frozenset(str(node[2]) for _, _, *nodes in answer for node in nodes))


def nodes_of(answer: str, known: ClusterMap, *, asked: str) -> tuple[str, ...]:
    """Return the addresses of all nodes that ``CLUSTER NODES`` names, also of those that are away or serve nothing."""
    found = [address for shard in known.shards for address in (shard.master, *shard.replicas)]
    for line in answer.splitlines():
        node, place, flags = line.split()[:3]
        host, _, port = place.partition(",")[0].partition("@")[0].rpartition(":")
        has_place = int(port or 0) and not {"noaddr", "handshake"} & set(flags.split(","))
        if has_place and node not in known.nodes:
            found.append(_address((host, port), asked))
    return tuple(sorted(found))


def slot_of(graph: str) -> int:
    """Return the slot of a graph."""
    from redis.crc import key_slot

    return key_slot(graph.encode())


def _address(node: Sequence[Any], asked: str) -> str:
    host, port = node[:2]
    if host in {None, "", "?"}:  # it does not know how it is reached: as we have reached it
        host = urlsplit(asked).hostname
    return beside(asked, host=str(host), port=int(port))
