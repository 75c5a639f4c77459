"""
Moves the graph of a mind that nobody uses out of the server's memory into a file, and back at its next use.

Invariants: a graph is in memory, or its file is there; both may be, and then the one in memory is as new or newer. A
file goes only once the server has the graph on its disk. A graph is taken out only where no statement on it is under
way, and whoever asks meanwhile waits until it is back.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import anyio.to_thread
import structlog

from consolidation.kernel.errors import GraphFault, GraphUnavailable
from service.adapters.falkordb.checkpoint_file import (
    Checkpoint,
    CheckpointUnreadable,
    read_checkpoint,
    write_checkpoint,
)
from service.adapters.falkordb.graph_names import site_prefix

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from service.adapters.falkordb.connection import GraphConnection

log = structlog.get_logger()

MOST_MEGABYTES = 32  # of a graph that is moved: the server does nothing else while it dumps and restores one
SETTLE_SECONDS = 5.0  # a log that is synced every second is at most two seconds behind
_REFUSED_DUMPS = ("dump payload", "bad data format")


class GraphCheckpoints:
    """Knows which graphs are in memory. *connection* asks it before each statement."""

    def __init__(
        self,
        connection: GraphConnection,
        *,
        file_of: Callable[[str], Path | None],
        rows_of: Callable[[str], Awaitable[tuple[bytes, int]]],
        rebuild: Callable[[str, Checkpoint], Awaitable[None]],
        settle_seconds: float,
    ) -> None:
        """
        *file_of* names the file of a graph; None for graphs that always stay, such as sites. The file of a graph that
        came back is kept for *settle_seconds* at least.

        *rows_of* reads the rows of a graph and its dimension, *rebuild* makes a graph from the rows of a checkpoint.
        """
        self._connection = connection
        self._file_of = file_of
        self._rows_of = rows_of
        self._rebuild = rebuild
        self._in_memory: set[str] = set()
        self._statements = dict[str, int]()  # so far, on a graph that is being taken out
        self._under_way = Counter[str]()
        self._restored: dict[str, float] = {}  # since when; their files are still there
        self._settle_seconds = settle_seconds
        self._locks = WeakValueDictionary[str, asyncio.Lock]()

    @asynccontextmanager
    async def using(self, graph: str) -> AsyncIterator[None]:
        """Have *graph* in memory inside the block. Raises GraphUnavailable."""
        if graph not in self._in_memory:
            await self._load(graph)
        self._under_way[graph] += 1
        if graph in self._statements:
            self._statements[graph] += 1
        try:
            yield
        finally:
            self._under_way[graph] -= 1
            if not self._under_way[graph]:
                del self._under_way[graph]

    async def forget(self, graph: str) -> None:
        """Delete the file of *graph*, which is in memory or is not to come back. Raises GraphUnavailable."""
        if (file := self._file_of(graph)) is None:
            return
        async with self._lock_of(graph):
            try:
                await anyio.to_thread.run_sync(_delete, file)
            except OSError as error:
                raise GraphUnavailable(f"the checkpoint of a graph can not be deleted: {error.strerror}") from error
            self._restored.pop(graph, None)

    async def evict(self, graph: str) -> bool:
        """
        Take *graph* out of memory; False where it is in use, too large, or not there.

        Raises GraphFault, OSError.
        """
        file = self._file_of(graph)
        if file is None or not 0 <= await self._megabytes(graph) <= MOST_MEGABYTES:
            return False
        if graph in self._statements:
            return False  # it is leaving
        self._statements[graph] = 0
        try:
            rows, dimension = await self._rows_of(graph)
            read_at = self._statements[graph]
            async with self._lock_of(graph):
                if self._under_way[graph] or self._statements[graph] != read_at:
                    return False
                self._in_memory.discard(graph)  # from here on, whoever asks waits for the lock
                return await self._take_out(graph, file, rows=rows, dimension=dimension)
        finally:
            del self._statements[graph]

    async def settle(self) -> None:
        """Delete the files of graphs that came back, once the server has these on its disk. Raises GraphFault."""
        now = asyncio.get_running_loop().time()
        settled = [graph for graph, since in self._restored.items() if now - since >= self._settle_seconds]
        if settled and await self._writes_to_disk():
            for graph in settled:
                await self.forget(graph)

    async def _megabytes(self, graph: str) -> float:
        """How large a graph in memory is; below 0 where there is none."""
        if not await self._connection.command("EXISTS", graph):
            return -1.0
        figures = await self._connection.command("GRAPH.MEMORY", "USAGE", graph)
        return float(dict(zip(figures[::2], figures[1::2], strict=True)).get("total_graph_sz_mb", 0))

    async def _take_out(self, graph: str, file: Path, *, rows: bytes, dimension: int) -> bool:
        if (dump := await self._connection.dump(graph)) is None:
            return False
        await anyio.to_thread.run_sync(write_checkpoint, file, Checkpoint(dump, rows, dimension))
        self._restored.pop(graph, None)
        await self._connection.command("GRAPH.DELETE", graph)
        return True

    async def _load(self, graph: str) -> None:
        file = self._file_of(graph)
        if file is None:
            return
        async with self._lock_of(graph):
            if graph in self._in_memory:
                return
            try:
                is_there = await anyio.to_thread.run_sync(file.exists)
            except OSError as error:
                raise GraphUnavailable(f"the checkpoint of a graph can not be read: {error.strerror}") from error
            if is_there:
                if not await self._connection.command("EXISTS", graph):
                    await self._bring_back(graph, file)
                self._restored[graph] = asyncio.get_running_loop().time()
            self._in_memory.add(graph)

    async def _bring_back(self, graph: str, file: Path) -> None:
        if (checkpoint := await _read(file)) is None:
            return
        site = f"{site_prefix(graph)}checkpoint"
        try:
            # A graph knows its name: one that was dumped as another, such as in a mind's folder that a person copied,
            # would be written to under that one. Renaming tells it.
            await self._connection.restore(site, checkpoint.dump)
            await self._connection.command("RENAME", site, graph)
        except GraphFault as error:
            if not any(sign in str(error).lower() for sign in _REFUSED_DUMPS):
                raise
            log.warning("checkpoint.refused", graph=graph, reason=str(error))  # of another version of the server
            await self._rebuild(graph, checkpoint)

    async def _writes_to_disk(self) -> bool:
        """Whether the server writes a log of what it is told, every second, and is not behind with it."""
        state = await self._connection.command("INFO", "persistence")
        is_well = state.get("aof_last_write_status") == "ok" and not state.get("aof_pending_bio_fsync")
        return bool(state.get("aof_enabled")) and is_well

    def _lock_of(self, graph: str) -> asyncio.Lock:
        lock = self._locks.get(graph)
        if lock is None:
            lock = self._locks[graph] = asyncio.Lock()
        return lock


def _delete(file: Path) -> None:
    file.unlink(missing_ok=True)
    _damaged(file).unlink(missing_ok=True)


def _damaged(file: Path) -> Path:
    return file.with_name(f"{file.name}.damaged")


async def _read(file: Path) -> Checkpoint | None:
    """The checkpoint. One that can not be read is set aside: what it held is made again from the transcript."""
    try:
        return await anyio.to_thread.run_sync(read_checkpoint, file)
    except CheckpointUnreadable as error:
        log.warning("checkpoint.unreadable", file=file.name, reason=str(error))
        await anyio.to_thread.run_sync(file.replace, _damaged(file))
        return None
    except OSError as error:
        raise GraphUnavailable(f"the checkpoint of a graph can not be read: {error.strerror}") from error
