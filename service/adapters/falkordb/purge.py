"""
Removes what a server stores of a graph besides the graph: statements that it was sent, and files with deleted words.

Every word of a deleted graph is in the append-only file until that is written anew. On a server of our own we wait for
that, delete damaged files that were set aside, and search all files afterwards. Another server is only asked, and what
the embedded one left in the home before is deleted, unless somebody has written there since. Of a cluster every node is
asked, replicas included: each has a file of its own, and may have served the graph before.
"""

from __future__ import annotations

import asyncio
import shutil
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from consolidation.kernel.errors import GraphFault, GraphForbidden, GraphUnavailable
from service.adapters.falkordb.server import SET_ASIDE
from service.erasure.ports import DONE, Rewritten
from service.erasure.verify import contains

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from service.adapters.falkordb.connection import GraphConnection, ServerProcess

_LOOK_SECONDS = 0.05
_REWRITE_SECONDS = 600.0
_NOTED_SECONDS = 10.0
_IN_STEP_SECONDS = 10.0
_NOTING = ("CMD_INFO", "MAX_INFO_QUERIES")  # where both are on, statements are stored
_MARKER = "RETURN 1 AS all_before_this_is_to_be_forgotten"


@dataclass(frozen=True, slots=True)
class EmbeddedFiles:
    """The folder of the embedded server; unless it is in use, what is there was left before another was configured."""

    folder: Path
    is_in_use: bool


class ServerPurge:
    """Purges a server or a cluster, and the files of the embedded server in the home, if that ever ran."""

    def __init__(self, connection: GraphConnection, *, files: EmbeddedFiles | None) -> None:
        self._connection = connection
        self._files = files
        self._folder = files.folder if files is not None and files.is_in_use else None
        self._left = files.folder if files is not None and not files.is_in_use else None
        self._left_at = _last_written(self._left)

    async def keys(self, graph: str) -> int:
        """Count the keys of *graph*."""
        return sum([int(await self._connection.command("EXISTS", key)) for key in (graph, _statements(graph))])

    async def forget_statements(self, graph: str) -> None:
        """
        Delete the statements on *graph* that the server has stored, with people's words in them.

        It stores them a few seconds late. So a statement of ours is sent and waited for: what came before it is then
        stored, too.
        """
        if await self._connection.command("EXISTS", graph) and await self._stores_statements():
            await self._until_stored(graph)
        processes = await self._connection.processes(graph)
        if len(processes) > 1:  # so that a former master, which may store it too, is told to delete it as well
            await self._connection.command("SET", _statements(graph), "")
        await self._connection.command("DEL", _statements(graph))
        slow = (("GRAPH.SLOWLOG", graph, "RESET"), *((("SLOWLOG", "RESET"),) if self._folder else ()))
        for process, command in product(processes, slow):
            try:
                await process.command(*command)
            except GraphFault as error:
                if _is_away(error) and process.is_serving:
                    raise
                continue  # no such graph, or not allowed: that log is in memory, and short

    async def _stores_statements(self) -> bool:
        try:
            found = [await self._connection.command("GRAPH.CONFIG", "GET", name) for name in _NOTING]
        except GraphFault as error:
            if _is_away(error):
                raise
            return True  # it does not say
        return all(value for _, value in found)

    async def _until_stored(self, graph: str) -> None:
        await self._connection.read(graph, _MARKER, {})
        for _ in range(int(_NOTED_SECONDS / _LOOK_SECONDS)):
            noted = await self._connection.command("XREVRANGE", _statements(graph), "+", "-", "COUNT", "20")
            if _MARKER in str(noted):
                return
            await asyncio.sleep(_LOOK_SECONDS)

    async def rewrite(self, graph: str) -> Rewritten:
        """
        Have the files written anew by every process that may hold something of *graph*, and wait for it.

        The result says what was refused, and by whom. Raises GraphUnavailable where the one that serves it is away.
        """
        await anyio.to_thread.run_sync(self._delete_what_was_left)
        processes = await self._connection.processes(graph)
        await _until_in_step(processes)
        done = await asyncio.gather(*(self._rewritten_by(process) for process in processes))
        append_only = {process.name: one.append_only_file for process, one in zip(processes, done, strict=True)}
        snapshot = {process.name: one.snapshot for process, one in zip(processes, done, strict=True)}
        return Rewritten(_told(append_only), _told(snapshot))

    def search(self, forms: Sequence[str]) -> tuple[str, ...]:
        """Name the files of the embedded server that hold one of *forms*. Blocking."""
        if self._files is None or not forms:
            return ()
        folder = self._files.folder
        found = [file for file in sorted(folder.rglob("*")) if file.is_file() and contains(file, forms)]
        return tuple(file.relative_to(folder.parent).as_posix() for file in found)

    def _delete_what_was_left(self) -> None:
        """Delete what an embedded server left that is not used, unless it was written to since this service began."""
        if self._left is not None and _last_written(self._left) == self._left_at:
            shutil.rmtree(self._left, ignore_errors=True)

    async def _rewritten_by(self, process: ServerProcess) -> Rewritten:
        files = _Files(process, folder=self._folder)
        try:
            return await files.rewrite()
        except GraphFault as error:
            if process.is_serving:
                raise
            return Rewritten(*[f"not written anew, and may hold it: {error}"] * 2)


class _Files:
    """The append-only file and the snapshot of one server process; *folder* as above."""

    def __init__(self, process: ServerProcess, *, folder: Path | None) -> None:
        self._process = process
        self._folder = folder

    async def rewrite(self) -> Rewritten:
        """Have them written anew and wait for it; the result says what the server refused."""
        if self._folder is not None:
            await anyio.to_thread.run_sync(partial(shutil.rmtree, self._folder / SET_ASIDE, ignore_errors=True))
            await self._process.command("CONFIG", "SET", "rdbcompression", "no")  # so that it can be searched
        try:
            append_only = (
                await self._renewed("BGREWRITEAOF", "aof", "rewritten") if await self._is_appending() else "off"
            )
            snapshot = await self._renewed("BGSAVE", "rdb", "saved") if await self._is_snapshotting() else "off"
        finally:
            if self._folder is not None:
                await self._process.command("CONFIG", "SET", "rdbcompression", "yes")
        return Rewritten(append_only, snapshot)

    async def _renewed(self, command: str, kind: str, done: str) -> str:
        """Begin a rewrite after the one that runs, wait until it has ended, and return how it ended."""
        running = f"{kind}_rewrite_in_progress" if kind == "aof" else f"{kind}_bgsave_in_progress"
        status = "aof_last_bgrewrite_status" if kind == "aof" else "rdb_last_bgsave_status"
        try:
            async with asyncio.timeout(_REWRITE_SECONDS):
                await self._until_idle(running)  # one that began earlier may contain what is erased
                await self._process.command(command)
                state = await self._until_idle(running)
        except GraphFault as error:
            if _is_away(error):
                raise
            return f"refused: {error}"
        except TimeoutError:
            return "asked for, and not yet done"
        return done if state[status] == "ok" else f"failed: {state[status]}"

    async def _until_idle(self, running: str) -> dict[str, Any]:
        while True:
            state = await self._state()
            if not any(state.get(name) for name in (running, "aof_rewrite_scheduled")):
                return state
            await asyncio.sleep(_LOOK_SECONDS)

    async def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = await self._process.command("INFO", "persistence")
        return state

    async def _is_appending(self) -> bool:
        return bool((await self._state()).get("aof_enabled"))

    async def _is_snapshotting(self) -> bool:
        """Return whether there may be a snapshot: a file in our folder, or by the rules of another server."""
        if self._folder is not None:
            return (self._folder / "dump.rdb").exists()
        try:
            found = await self._process.command("CONFIG", "GET", "save")
        except GraphFault as error:
            if _is_away(error):
                raise
            return True  # then it is asked for one, refuses, and the result says so
        rules = found.values() if isinstance(found, dict) else found[1::2]
        return any(rules) or bool((await self._state()).get("rdb_saves"))


async def _until_in_step(processes: Sequence[ServerProcess]) -> None:
    """Return when each replica that lives has obeyed what its master had until now, and soon in any case."""
    if len(processes) == 1:
        return
    until: dict[str, int] = {}
    for _ in range(int(_IN_STEP_SECONDS / _LOOK_SECONDS)):
        states = await asyncio.gather(*(_replication(process) for process in processes))
        for state in states:
            if state.get("role") == "master":
                until.setdefault(state["master_replid"], int(state["master_repl_offset"]))
        followers = [state for state in states if state.get("role") == "slave"]
        if all(int(one["slave_repl_offset"]) >= until.get(one["master_replid"], 0) for one in followers):
            return
        await asyncio.sleep(_LOOK_SECONDS)


async def _replication(process: ServerProcess) -> dict[str, Any]:
    try:
        state: dict[str, Any] = await process.command("INFO", "replication")
    except GraphFault:
        return {}  # away, or it does not say
    return state


def _told(states: Mapping[str, str]) -> str:
    """Return the one state that all processes are in, else the best of what is done, else what is not done by name."""
    undone = {name: state for name, state in states.items() if state not in DONE}
    if not undone:
        return max(states.values(), key=lambda state: state != "off")
    return "; ".join(f"{name}: {state}" if name else state for name, state in undone.items())


def _statements(graph: str) -> str:
    """Return the stream in which the server stores the statements on a graph."""
    return f"telemetry{{{graph}}}"


def _last_written(folder: Path | None) -> int:
    """When a file of *folder* was last written, in nanoseconds; 0 where there is none."""
    newest = 0
    for file in folder.rglob("*") if folder is not None else ():
        with suppress(FileNotFoundError):  # a server makes files that it soon renames
            newest = max(newest, file.stat().st_mtime_ns if file.is_file() else 0)
    return newest


def _is_away(error: GraphFault) -> bool:
    """Return whether the server may answer another time; what is forbidden stays forbidden."""
    return isinstance(error, GraphUnavailable) and not isinstance(error, GraphForbidden)
