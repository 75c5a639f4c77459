"""
One graph of the server, as who holds one claim of its mind writes to it: every statement carries the fence.

Where several services write to one server, each claim of a mind has an epoch, which only grows. The node ``Lease``
has the highest one that the graph has seen. A statement with a lower one finds no row to go on with: it changes
nothing, and Fenced is raised. So a service that was stopped, and does not know that it lost its claim, can do no harm,
whichever two of its statements that was between.

The fence is the beginning of a statement, and it lets nothing through by handing on no row. What follows must not make
a row of nothing. ``WITH count(n) AS done`` alone does that, so an aggregate is grouped by a node that was found.
Commands that are not Cypher (a deletion, a rename) are obeyed only if nobody has written since the lease was read.

Without a claim, which is one service on one machine, statements are sent as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from consolidation.kernel.sharing_errors import Fenced

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from service.adapters.falkordb.connection import GraphConnection, Rows

_FENCE = """
MERGE (lease:Lease {name: 'lease'}) ON CREATE SET lease.epoch = $epoch
WITH lease WHERE lease.epoch <= $epoch
SET lease.epoch = $epoch, lease.writes = coalesce(lease.writes, 0) + 1
WITH lease
"""  # the count changes each time, so that the server says whether the fence was passed
_EPOCH = "MATCH (lease:Lease) RETURN lease.epoch"
_ANYTHING_ELSE = "MATCH (n) WHERE NOT n:Lease RETURN 1 LIMIT 1"
_LEASE_SECONDS = 86_400  # that the lease of a deleted graph stays: no claim of before is believed in for so long


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a mind; *refused* is called when a write under it was fenced off."""

    epoch: int
    refused: Callable[[], None]


class LeasedGraph:
    """The graph called *name* under a *claim*, which is None where minds are not leased."""

    __slots__ = ("_claim", "connection", "name")

    def __init__(self, connection: GraphConnection, name: str, *, claim: Claim | None) -> None:
        self.connection = connection
        self.name = name
        self._claim = claim

    @property
    def epoch(self) -> int | None:
        """The epoch of the claim."""
        return None if self._claim is None else self._claim.epoch

    async def read(self, cypher: str, words: Mapping[str, object], /) -> Rows:
        """Return the rows of a statement that only reads."""
        return await self.connection.read(self.name, cypher, words)

    async def rows(self, cypher: str, header: str, /) -> Rows:
        """Return the same as the server prints them."""
        return await self.connection.rows(self.name, cypher, header)

    async def write(self, cypher: str, words: Mapping[str, object], /) -> Rows:
        """Return the rows of a statement that writes. Raises Fenced."""
        return (await self.table(cypher, words))[1]

    async def table(self, cypher: str, words: Mapping[str, object], /) -> tuple[list[str], Rows]:
        """Return the names of the columns of such a statement, and its rows. Raises Fenced."""
        if self._claim is None:
            return await self.connection.table(self.name, cypher, words)
        fenced = {**words, "epoch": self._claim.epoch}
        header, rows, properties_set = await self.connection.outcome(self.name, _FENCE + cypher, fenced)
        if not properties_set:
            raise self._refused()
        return header, rows

    async def ask(self, cypher: str, words: Mapping[str, object], /) -> tuple[list[str], Rows]:
        """Return the same of a statement that writes nothing, though nobody has marked it so."""
        return await self.connection.table(self.name, cypher, words)

    async def change_schema(self, statements: Sequence[str], /, *, harmless: Sequence[str]) -> None:
        """Run statements that make or drop indexes, which carry no fence and change nothing that is remembered."""
        await self.connection.write_all(self.name, statements, harmless=harmless)

    async def stay(self) -> None:
        """Have the server keep the graph, which may be the lease that a deleted one has left for a while."""
        if self._claim is not None:
            await self.connection.command("PERSIST", self.name)

    def named(self, name: str, /) -> LeasedGraph:
        """Return another graph of the same mind under the same claim."""
        return LeasedGraph(self.connection, name, claim=self._claim)

    async def delete(self, *, leaves_lease: bool = False) -> None:
        """Drop the graph. *leaves_lease* keeps claims of before away from what may be made anew. Raises Fenced."""
        if self._claim is None:
            await self.connection.delete(self.name)
            return
        lease = [("GRAPH.QUERY", self.name, _leased(self.epoch)), ("EXPIRE", self.name, str(_LEASE_SECONDS))]

        def commands(is_there: bool) -> list[tuple[str, ...]]:  # noqa: FBT001
            gone = [("GRAPH.DELETE", self.name)] if is_there else []
            return [*gone, *(lease if leaves_lease else [])]

        await self.obey(commands)

    async def replace(self, name: str, /) -> None:
        """Take the place of the graph called *name* of the same mind, if there is this one. Raises Fenced."""
        if self._claim is None:
            await self.connection.rename(self.name, name)
        elif await self.connection.command("EXISTS", self.name):
            lease = ("GRAPH.QUERY", name, _leased(self.epoch))
            await self.named(name).obey(lambda _: [("RENAME", self.name, name), lease])

    async def obey(self, commands: Callable[[bool], list[tuple[str, ...]]]) -> None:
        """Have *commands* obeyed at once, if the lease is not of a later claim; they are told if there is a graph."""

        def allowed(rows: Sequence[Sequence[Any]] | None) -> list[tuple[str, ...]]:
            if any(int(epoch) > (self.epoch or 0) for (epoch,) in rows or ()):
                raise self._refused()
            return commands(rows is not None)

        await self.connection.obeyed_if_unchanged(self.name, _EPOCH, allowed)

    def _refused(self) -> Fenced:
        assert self._claim is not None  # noqa: S101 - else nothing is refused
        self._claim.refused()
        return Fenced("another service has claimed this mind: its graph takes nothing from this one any more")


async def is_only_lease(connection: GraphConnection, name: str, /) -> bool:
    """Return whether a graph that exists holds only the lease that a deleted graph left."""
    return not await connection.read(name, _ANYTHING_ELSE, {})


def _leased(epoch: int | None) -> str:
    return f"MERGE (lease:Lease {{name: 'lease'}}) SET lease.epoch = {epoch}"
