"""Import the graph of an archive into a site of the server: read line by line, check, write in batches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import ArchiveUnreadable
from service.archive.graph_rows import KINDS, NotARow, decode, renamed
from service.archive.layout import GRAPH
from service.archive.unpack import LONGEST_LINE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
    from typing import IO

    from service.archive.graph_rows import Row
    from service.archive.ports import ArchivableGraph
    from service.ports.embedder import Embedder, EmbedderIdentity

_BATCH_ROWS, _BATCH_BYTES = 500, 1024 * 1024
_EMBEDDED = {"Entity": ("name", "name_embedding"), "RELATES_TO": ("fact", "fact_embedding")}


@dataclass(frozen=True, slots=True)
class ImportedGraph:
    """How many rows were imported, by kind, and whether their vectors were made again."""

    by_kind: Mapping[str, int]
    is_reembedded: bool

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(self.by_kind.values())


class GraphImporter:
    """Builds graphs in sites. A site is a graph that nobody reads yet."""

    def __init__(
        self,
        graph_of: Callable[[str], ArchivableGraph],
        *,
        embedder: Embedder,
        identity: Callable[[], Awaitable[EmbedderIdentity]],
    ) -> None:
        """*embedder* makes vectors again if the caller wants that."""
        self._graph_of = graph_of
        self._embedder = embedder
        self._identity = identity

    async def build(
        self,
        rows: IO[bytes],
        *,
        site: str,
        mind_id: str,
        dimension: int,
        uuids: Mapping[str, str],
        reembeds: bool,
    ) -> ImportedGraph:
        """
        Build the graph of *rows* in *site* for the mind *mind_id*. *uuids* maps old uuids of episodes to new ones.

        *rows* are lines of ``graph_rows`` with vectors of *dimension* numbers; without rows, none is built. Raises
        ArchiveUnreadable, GraphUnavailable, EmbedderFault.
        """
        reader = _RowReader(dimension=dimension)
        graph, is_prepared = self._graph_of(mind_id), False
        while batch := await anyio.to_thread.run_sync(reader.batch, rows):
            if not is_prepared:
                await graph.prepare_site(site, embedder=await self._identity())
                is_prepared = True
            new = [renamed(row, uuids) for row in batch]
            if reembeds:
                new = await self._reembedded(new)
            if new:
                await graph.put(site, new)
        return ImportedGraph(reader.counted, is_reembedded=reembeds)

    async def _reembedded(self, rows: Sequence[Row]) -> list[Row]:
        """Replace the vectors of names and facts. Leave out passages and their cursor, so that they are saved again."""
        kind = rows[0].kind
        if kind == "Passage":
            return []
        if kind == "Cursor":
            return [row for row in rows if row.key != "saved"]
        if kind not in _EMBEDDED:
            return [replace(row, vectors={}) for row in rows]
        text, vector = _EMBEDDED[kind]
        made = await self._embedder.embed([str(row.properties[text]) or " " for row in rows])
        return [replace(row, vectors={vector: found}) for row, found in zip(rows, made, strict=True)]


class _RowReader:
    """Reads rows, and refuses duplicates, edges without their nodes and rows out of order."""

    def __init__(self, *, dimension: int) -> None:
        self._dimension = dimension
        self._known: dict[str, set[str | int]] = {kind: set() for kind in KINDS}
        self._line = 0
        self._pending: Row | None = None
        self.counted = dict.fromkeys(KINDS, 0)

    def batch(self, source: IO[bytes]) -> list[Row]:
        """The next rows, all of one kind; empty at the end. Raises ArchiveUnreadable."""
        rows = [self._pending] if self._pending is not None else []
        self._pending = None
        size = 0
        for line in self._lines(source):
            row = self._row(line)
            if rows and row.kind != rows[0].kind:
                self._pending = row
                break
            rows.append(row)
            size += len(line)
            if len(rows) == _BATCH_ROWS or size > _BATCH_BYTES:
                break
        return rows

    def _lines(self, source: IO[bytes]) -> Iterator[bytes]:
        while line := source.readline(LONGEST_LINE):
            self._line += 1
            yield line

    def _row(self, line: bytes) -> Row:
        try:
            row = decode(line, dimension=self._dimension)
            self._check(row)
        except NotARow as error:
            detail = f"line {self._line} of {GRAPH} is not a row of a graph: {error}"
            raise ArchiveUnreadable(detail, pointer=GRAPH) from error
        self._known[row.kind].add(row.key)
        self.counted[row.kind] += 1
        return row

    def _check(self, row: Row) -> None:
        known = self._known[row.kind]
        if row.key in known or (row.kind == "RELATED_TO" and row.key in self._known["RELATES_TO"]):
            raise NotARow("it occurs twice")
        for label, end in zip(KINDS[row.kind].ends or (), row.ends or (), strict=True):
            if end not in self._known[label]:
                raise NotARow(f"it joins a node of kind {label} that does not come before it")
        if row.kind == "Cursor" and (row.key not in {"saved", "extracted"} or row.properties["sequence"] < 0):
            raise NotARow("there is no such cursor")
