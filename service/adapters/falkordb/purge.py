"""
Removes what a server stores of a graph besides the graph: statements that it was sent, and files with deleted words.

Every word of a deleted graph is in the append-only file until that is written anew. On a server of our own we wait for
that and search the files afterwards; another server is only asked to do it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from consolidation.kernel.errors import GraphFault, GraphForbidden, GraphUnavailable
from service.erasure.ports import Rewritten
from service.erasure.verify import contains

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from service.adapters.falkordb.connection import GraphConnection

_LOOK_SECONDS = 0.05
_REWRITE_SECONDS = 600.0
_NOTED_SECONDS = 10.0
_NOTING = ("CMD_INFO", "MAX_INFO_QUERIES")  # where both are on, statements are stored
_MARKER = "RETURN 1 AS all_before_this_is_to_be_forgotten"


class ServerPurge:
    """Purges one server; *folder* holds its files where it is ours, otherwise it is None."""

    def __init__(self, connection: GraphConnection, *, folder: Path | None) -> None:
        self._connection = connection
        self._folder = folder

    async def keys(self, graph: str) -> int:
        """Count the keys of *graph*."""
        return int(await self._connection.command("EXISTS", graph, _statements(graph)))

    async def forget_statements(self, graph: str) -> None:
        """
        Delete the statements on *graph* that the server has stored, with people's words in them.

        It stores them a few seconds late. So a statement of ours is sent and waited for: what came before it is then
        stored, too.
        """
        if await self._connection.command("EXISTS", graph) and await self._stores_statements():
            await self._until_stored(graph)
        await self._connection.command("DEL", _statements(graph))
        for command in (("GRAPH.SLOWLOG", graph, "RESET"), *((("SLOWLOG", "RESET"),) if self._folder else ())):
            try:
                await self._connection.command(*command)
            except GraphFault as error:
                if _is_away(error):
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

    async def rewrite(self) -> Rewritten:
        """Have the files written anew and wait for it; the result says what the server refused."""
        if self._folder is not None:
            await self._connection.command("CONFIG", "SET", "rdbcompression", "no")  # so that it can be searched
        try:
            append_only = (
                await self._renewed("BGREWRITEAOF", "aof", "rewritten") if await self._is_appending() else "off"
            )
            snapshot = await self._renewed("BGSAVE", "rdb", "saved") if await self._is_snapshotting() else "off"
        finally:
            if self._folder is not None:
                await self._connection.command("CONFIG", "SET", "rdbcompression", "yes")
        return Rewritten(append_only, snapshot)

    def search(self, forms: Sequence[str]) -> tuple[str, ...]:
        """Name the server's files that hold one of *forms*; none where it is not ours. Blocking."""
        if self._folder is None or not forms:
            return ()
        found = [file for file in sorted(self._folder.rglob("*")) if file.is_file() and contains(file, forms)]
        return tuple(file.relative_to(self._folder.parent).as_posix() for file in found)

    async def _renewed(self, command: str, kind: str, done: str) -> str:
        """Begin a rewrite after the one that runs, wait until it has ended, and return how it ended."""
        running = f"{kind}_rewrite_in_progress" if kind == "aof" else f"{kind}_bgsave_in_progress"
        status = "aof_last_bgrewrite_status" if kind == "aof" else "rdb_last_bgsave_status"
        try:
            async with asyncio.timeout(_REWRITE_SECONDS):
                await self._until_idle(running)  # one that began earlier may contain what is erased
                await self._connection.command(command)
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
        state: dict[str, Any] = await self._connection.command("INFO", "persistence")
        return state

    async def _is_appending(self) -> bool:
        return bool((await self._state()).get("aof_enabled"))

    async def _is_snapshotting(self) -> bool:
        """Return whether there may be a snapshot: a file in our folder, or by the rules of another server."""
        if self._folder is not None:
            return (self._folder / "dump.rdb").exists()
        try:
            found = await self._connection.command("CONFIG", "GET", "save")
        except GraphFault as error:
            if _is_away(error):
                raise
            return True  # then it is asked for one, refuses, and the result says so
        rules = found.values() if isinstance(found, dict) else found[1::2]
        return any(rules) or bool((await self._state()).get("rdb_saves"))


def _statements(graph: str) -> str:
    """Return the stream in which the server stores the statements on a graph."""
    return f"telemetry{{{graph}}}"


def _is_away(error: GraphFault) -> bool:
    """Return whether the server may answer another time; what is forbidden stays forbidden."""
    return isinstance(error, GraphUnavailable) and not isinstance(error, GraphForbidden)
