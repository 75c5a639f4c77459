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
    from io import BufferedReader
    from pathlib import Path

    from service.archive.graph_rows import Row
    from service.archive.manifest import Manifest
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
        file: Path,
        *,
        site: str,
        mind_id: str,
        manifest: Manifest,
        uuids: Mapping[str, str],
        reembeds: bool,
    ) -> ImportedGraph:
        """
        Build the graph of *file* in *site* for the mind *mind_id*. *uuids* maps old uuids of episodes to new ones.

        An archive without a graph builds none. Raises ArchiveUnreadable, GraphUnavailable, EmbedderFault.
        """
        reader = _RowReader(dimension=manifest.embedder.dimension if manifest.embedder is not None else 0)
        if not await anyio.to_thread.run_sync(_has_content, file):
            return ImportedGraph({}, is_reembedded=False)
        graph = self._graph_of(mind_id)
        await graph.prepare_site(site, embedder=await self._identity())
        with file.open("rb") as source:
            while batch := await anyio.to_thread.run_sync(reader.batch, source):
                rows = [renamed(row, uuids) for row in batch]
                if reembeds:
                    rows = await self._reembedded(rows)
                if rows:
                    await graph.put(site, rows)
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


def _has_content(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


class _RowReader:
    """Reads rows, and refuses duplicates, edges without their nodes and rows out of order."""

    def __init__(self, *, dimension: int) -> None:
        self._dimension = dimension
        self._known: dict[str, set[str | int]] = {kind: set() for kind in KINDS}
        self._line = 0
        self._pending: Row | None = None
        self.counted = dict.fromkeys(KINDS, 0)

    def batch(self, source: BufferedReader) -> list[Row]:
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

    def _lines(self, source: BufferedReader) -> Iterator[bytes]:
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
