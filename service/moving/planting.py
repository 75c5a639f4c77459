"""The graph of an archive, planted at a site of the server: read line by line, checked, put in batches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio.to_thread

from service.moving.faults import ArchiveUnreadable
from service.moving.members import GRAPH
from service.moving.rows import KINDS, NotARow, decode, renamed
from service.moving.unpacking import LONGEST_LINE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
    from io import BufferedReader
    from pathlib import Path

    from service.moving.manifest import Manifest
    from service.moving.ports import GraphSites
    from service.moving.rows import Row
    from service.ports import Embedder, Identity

_BATCH_ROWS, _BATCH_BYTES = 500, 1024 * 1024
_WORDS_OF = {"Entity": ("name", "name_embedding"), "RELATES_TO": ("fact", "fact_embedding")}


@dataclass(frozen=True, slots=True)
class Planted:
    """How many rows were planted, by kind; and whether their vectors were made anew."""

    by_kind: Mapping[str, int]
    is_reembedded: bool

    @property
    def rows(self) -> int:
        """All of them."""
        return sum(self.by_kind.values())


class Planting:
    """Builds graphs at sites."""

    def __init__(self, sites: GraphSites, *, embedder: Embedder, identity: Callable[[], Awaitable[Identity]]) -> None:
        """Bind to the server, and to what makes vectors anew where that is asked for."""
        self._sites = sites
        self._embedder = embedder
        self._identity = identity

    async def plant(
        self,
        file: Path,
        *,
        site: str,
        mind_id: str,
        manifest: Manifest,
        uuids: Mapping[str, str],
        reembeds: bool,
    ) -> Planted:
        """
        Build the graph of *file* at *site*, to be *mind_id*'s, its episodes called as *uuids* says.

        An archive without a graph builds none. Raises ArchiveUnreadable, GraphUnavailable, EmbedderFault.
        """
        checking = _Checking(dimension=manifest.embedder.dimension if manifest.embedder is not None else 0)
        if not await anyio.to_thread.run_sync(_holds_something, file):
            return Planted({}, is_reembedded=False)
        await self._sites.prepare(site, embedder=await self._identity())
        with file.open("rb") as source:
            while batch := await anyio.to_thread.run_sync(checking.batch, source):
                rows = [renamed(row, uuids) for row in batch]
                if reembeds:
                    rows = await self._reembedded(rows)
                if rows:
                    await self._sites.put(site, rows, mind_id=mind_id)
        return Planted(checking.counted, is_reembedded=reembeds)

    async def _reembedded(self, rows: Sequence[Row]) -> list[Row]:
        """Names and facts with vectors of ours; passages are left out, with the cursor that counts them: saved anew."""
        kind = rows[0].kind
        if kind == "Passage":
            return []
        if kind == "Cursor":
            return [row for row in rows if row.key != "saved"]
        if kind not in _WORDS_OF:
            return [replace(row, vectors={}) for row in rows]
        words, vector = _WORDS_OF[kind]
        made = await self._embedder.embed([str(row.properties[words]) or " " for row in rows])
        return [replace(row, vectors={vector: found}) for row, found in zip(rows, made, strict=True)]


def _holds_something(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


class _Checking:
    """Reads rows, and believes none that stands twice, joins what is not there or comes out of order."""

    def __init__(self, *, dimension: int) -> None:
        self._dimension = dimension
        self._known: dict[str, set[str | int]] = {kind: set() for kind in KINDS}
        self._line = 0
        self._left: Row | None = None
        self.counted = dict.fromkeys(KINDS, 0)

    def batch(self, source: BufferedReader) -> list[Row]:
        """The next rows of one kind; none at the end. Raises ArchiveUnreadable."""
        rows = [self._left] if self._left is not None else []
        self._left = None
        size = 0
        for line in self._lines(source):
            row = self._row(line)
            if rows and row.kind != rows[0].kind:
                self._left = row
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
            detail = f"line {self._line} of {GRAPH} is no row of a graph: {error}"
            raise ArchiveUnreadable(detail, pointer=GRAPH) from error
        self._known[row.kind].add(row.key)
        self.counted[row.kind] += 1
        return row

    def _check(self, row: Row) -> None:
        known = self._known[row.kind]
        if row.key in known or (row.kind == "RELATED_TO" and row.key in self._known["RELATES_TO"]):
            raise NotARow("it stands there twice")
        for label, end in zip(KINDS[row.kind].ends or (), row.ends or (), strict=True):
            if end not in self._known[label]:
                raise NotARow(f"it joins a node of kind {label} that does not stand before it")
        if row.kind == "Cursor" and (row.key not in {"saved", "extracted"} or row.properties["sequence"] < 0):
            raise NotARow("there is no such cursor")
