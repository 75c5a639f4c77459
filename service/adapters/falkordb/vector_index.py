"""
The vectors of a graph by arm, and what is near a vector: by an index where an arm has grown, else by comparing all.

Indexes of keys are begun here, too, once a graph has grown.

FalkorDB answers two simultaneous queries of one index with some neighbours twice and others missing. So our queries
take turns, and a page with duplicates, which means that another process asked, too, is asked for again.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.errors import GraphFault, GraphTimedOut, GraphUnavailable
from service.adapters.falkordb.schema import has_grown, index_keys
from service.ports.graph import VectorHit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from service.adapters.falkordb.connection import GraphConnection, Rows

type Pages = tuple[tuple[VectorHit, ...], ...]  # a page for each query, nearest first

GROWN = 2_000  # vectors from which on an index is worth its memory; below, comparing all is as fast, and exact
_LOOK_AGAIN_SECONDS = 3.0  # for which an arm without an index is taken to have none
_WIDER, _MORE = 1.5, 10  # more passages are asked for than turns, since two passages of a turn are one hit
_TRIES = 4
_OPTIONS = "{dimension: %d, similarityFunction: 'cosine', M: 32, efConstruction: %d, efRuntime: %d}"


@dataclass(frozen=True, slots=True)
class Arm:
    """One kind of vector: where it is stored, and in Cypher the key of its owner ``x``, a node or a fact."""

    label: str
    attribute: str
    key: str
    is_edge: bool = False
    own: str = ""  # another vector of the same node, compared only where this one is near
    breadth: tuple[int, int] = (200, 200)  # candidates of an insert, and of a query

    @property
    def pattern(self) -> str:
        """The pattern of all that may have such a vector."""
        return f"()-[x:{self.label}]->()" if self.is_edge else f"(x:{self.label})"

    @property
    def beside(self) -> str:
        """The distance of the other vector."""
        return f"vec.cosineDistance(x.{self.own}, v)" if self.own else "NULL"

    @property
    def scan(self) -> str:
        """The statement that finds the nearest to each vector by comparing all."""
        return f"""
        UNWIND range(0, size($vectors) - 1) AS i
        WITH i, vecf32($vectors[i]) AS v
        MATCH {self.pattern} WHERE x.{self.attribute} IS NOT NULL
        WITH i, {self.key} AS key, vec.cosineDistance(x.{self.attribute}, v) AS distance, {self.beside} AS own
        ORDER BY i, distance
        WITH i, collect([key, distance, own])[0..$k] AS best
        UNWIND best AS one
        RETURN i, one[0], one[1], one[2], NULL
        """

    @property
    def ask(self) -> str:
        """The statement that finds the nearest to each vector by the index."""
        procedure, yielded = ("queryRelationships", "relationship") if self.is_edge else ("queryNodes", "node")
        return f"""
        UNWIND range(0, size($vectors) - 1) AS i
        WITH i, vecf32($vectors[i]) AS v
        CALL db.idx.vector.{procedure}('{self.label}', '{self.attribute}', $k, v) YIELD {yielded} AS x, score
        RETURN i, {self.key}, score, {self.beside}, ID(x)
        """

    def vectors_for(self, limit: int) -> int:
        """Return how many vectors to ask for, so that they belong to *limit* different owners."""
        return int(limit * _WIDER) + _MORE if self.own else limit

    def make(self, dimension: int) -> str:
        """Return the statement that makes the index."""
        owner = f"()-[x:{self.label}]-()" if self.is_edge else f"(x:{self.label})"
        return (
            f"CREATE VECTOR INDEX FOR {owner} ON (x.{self.attribute}) OPTIONS {_OPTIONS % (dimension, *self.breadth)}"
        )

    @property
    def drop(self) -> str:
        """The statement that drops the index."""
        owner = f"()-[x:{self.label}]-()" if self.is_edge else f"(x:{self.label})"
        return f"DROP VECTOR INDEX FOR {owner} ON (x.{self.attribute})"


TURNS = Arm("Passage", "leaning", "x.sequence", own="embedding")
FACTS = Arm("RELATES_TO", "fact_embedding", "x.uuid", is_edge=True)
ENTITIES = Arm("Name", "embedding", "x.uuid", breadth=(400, 300))  # names crowd
ARMS = (TURNS, FACTS, ENTITIES)


class VectorIndexes:
    """The vector indexes of all graphs of one server."""

    def __init__(self, connection: GraphConnection, *, grown: int = GROWN) -> None:
        """An arm of *grown* vectors gets an index."""
        self._connection = connection
        self._grown = grown
        self._ready: dict[str, tuple[frozenset[Arm], float]] = {}
        self._keyed: set[str] = set()  # graphs that have indexes of keys
        self._turnstiles: dict[tuple[str, str], asyncio.Lock] = {}

    async def near(self, graph: str, arm: Arm, vectors: str, *, queries: int, limit: int) -> Pages:
        """Return the *limit* nearest to each of *queries* vectors, printed by ``matrix``. Raises GraphUnavailable."""
        header = f"vectors={vectors} k="
        if arm in await self.ready(graph):
            try:
                rows = await self._asked(graph, arm, f"{header}{arm.vectors_for(limit)}")
                return _by_query(rows, queries, limit=limit)
            except (GraphTimedOut, GraphUnavailable):
                raise
            except GraphFault:  # dropped, or being built: compare all
                self._ready.pop(graph, None)
        rows = await self._connection.rows(graph, arm.scan, f"{header}{arm.vectors_for(limit)}")
        return _by_query(rows, queries, limit=limit)

    async def ready(self, graph: str) -> frozenset[Arm]:
        """Return the arms whose index is built."""
        now = asyncio.get_running_loop().time()
        found, until = self._ready.get(graph, (frozenset[Arm](), 0.0))
        if now < until or found == frozenset(ARMS):
            return found
        found = frozenset(arm for arm, is_built in (await self._indexed(graph)).items() if is_built)
        self._ready[graph] = (found, now + _LOOK_AGAIN_SECONDS)
        return found

    async def grow(self, graph: str, *, dimension: int) -> None:
        """Begin an index on every arm that has grown and has none; FalkorDB builds it in the background."""
        if graph not in self._keyed and await has_grown(self._connection, graph):
            await index_keys(self._connection, graph)
            self._keyed.add(graph)
        indexed = await self._indexed(graph)
        for arm in ARMS:
            if arm not in indexed and await self._size(graph, arm) >= self._grown:
                await self._connection.write_all(graph, (arm.make(dimension),), harmless=("already indexed",))

    def look_again(self, graph: str) -> None:
        """Forget which indexes a graph has."""
        self._ready.pop(graph, None)
        self._keyed.discard(graph)

    async def drop(self, graph: str) -> None:
        """Drop every index, before the vectors change their dimension."""
        self.look_again(graph)
        for arm in await self._indexed(graph):
            await self._connection.write_all(graph, (arm.drop,), harmless=("Unable to drop index",))

    async def _asked(self, graph: str, arm: Arm, header: str) -> Rows:
        async with self._turnstiles.setdefault((graph, arm.label), asyncio.Lock()):
            rows: Rows = []
            for _ in range(_TRIES):
                rows = await self._connection.rows(graph, arm.ask, header)
                if len({(row[0], row[4]) for row in rows}) == len(rows):
                    break
            return rows

    async def _indexed(self, graph: str) -> dict[Arm, bool]:
        """
        Return the arms that have an index, and whether it can be asked.

        While the indexes of a label are built anew, the server lists them twice: as they will be, and as they are.
        """
        asked = "CALL db.indexes() YIELD label, types, status RETURN label, types, status"
        as_is: dict[str, str] = {}
        to_be: dict[str, str] = {}
        for label, types, status in await self._connection.rows(graph, asked, ""):
            (as_is if status == "OPERATIONAL" else to_be)[str(label)] = str(types)
        return {
            arm: _has_vector(as_is.get(arm.label, ""), arm.attribute)
            for arm in ARMS
            if _has_vector(to_be.get(arm.label, as_is.get(arm.label, "")), arm.attribute)
        }

    async def _size(self, graph: str, arm: Arm) -> int:
        rows = await self._connection.rows(graph, f"MATCH {arm.pattern} RETURN count(x)", "")
        return int(rows[0][0]) if rows else 0


def _has_vector(types: str, attribute: str) -> bool:
    """Return whether the printed map of a label's indexed attributes has a vector index on *attribute*."""
    _, _, rest = types.partition(f"{attribute}:")
    return "VECTOR" in rest.partition("]")[0]


def _by_query(rows: Iterable[Sequence[object]], queries: int, *, limit: int) -> Pages:
    best: list[dict[str, VectorHit]] = [{} for _ in range(queries)]
    for number, key, distance, beside, _ in rows:
        if key is not None and distance is not None:
            near = best[int(str(number))]
            one = _near(str(key), distance, beside)
            known = near.setdefault(one.key, one)
            if known is not one:
                near[one.key] = VectorHit(one.key, *map(max, known[1:], one[1:]))
    return tuple(tuple(sorted(near.values(), key=lambda one: -one.similarity)[:limit]) for near in best)


def _near(key: str, distance: object, beside: object) -> VectorHit:
    similarity = 1 - float(str(distance))
    return VectorHit(key, similarity, similarity if beside is None else 1 - float(str(beside)))
