"""
What a server keeps of a graph besides it: the statements it was asked, and files in which deleted words live on.

A deleted graph still stands in the append-only file, every word of it, until that is written anew. On a server that is
ours that is done, awaited and looked at; of another it is asked.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from consolidation.kernel.errors import GraphFault, GraphForbidden, GraphUnavailable
from service.erasing.ports import Rewritten
from service.erasing.remains import holds

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from service.adapters.graph.connection import Connection

_LOOK_SECONDS = 0.05
_REWRITE_SECONDS = 600.0
_NOTED_SECONDS = 10.0
_NOTING = ("CMD_INFO", "MAX_INFO_QUERIES")  # both on: statements are noted
_MARKER = "RETURN 1 AS all_before_this_is_to_be_forgotten"


class Emptying:
    """One server; *folder* holds its files where it is ours, else None."""

    def __init__(self, connection: Connection, *, folder: Path | None) -> None:
        """Bind to the server."""
        self._connection = connection
        self._folder = folder

    async def keys(self, graph: str) -> int:
        """How many keys there are of *graph*."""
        return int(await self._connection.command("EXISTS", graph, _asked(graph)))

    async def forget_asked(self, graph: str) -> None:
        """
        Delete what the server was asked of *graph*: statements with people's words in them.

        It notes them a few seconds late: one of ours is waited for, and what came before it is there by then.
        """
        if await self._connection.command("EXISTS", graph) and await self._is_noting():
            await self._until_noted(graph)
        await self._connection.command("DEL", _asked(graph))
        for command in (("GRAPH.SLOWLOG", graph, "RESET"), *((("SLOWLOG", "RESET"),) if self._folder else ())):
            try:
                await self._connection.command(*command)
            except GraphFault as error:
                if _is_away(error):
                    raise
                continue  # no such graph, or not allowed: it lives in memory, and is soon pushed out

    async def _is_noting(self) -> bool:
        try:
            found = [await self._connection.command("GRAPH.CONFIG", "GET", name) for name in _NOTING]
        except GraphFault as error:
            if _is_away(error):
                raise
            return True  # it does not tell
        return all(value for _, value in found)

    async def _until_noted(self, graph: str) -> None:
        await self._connection.read(graph, _MARKER, {})
        for _ in range(int(_NOTED_SECONDS / _LOOK_SECONDS)):
            noted = await self._connection.command("XREVRANGE", _asked(graph), "+", "-", "COUNT", "20")
            if _MARKER in str(noted):
                return
            await asyncio.sleep(_LOOK_SECONDS)

    async def rewrite(self) -> Rewritten:
        """Have the files written anew and wait for it; what the server refuses is told."""
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
        """The server's files that hold one of *forms*, by name; none where it is not ours. Blocks."""
        if self._folder is None or not forms:
            return ()
        found = [file for file in sorted(self._folder.rglob("*")) if file.is_file() and holds(file, forms)]
        return tuple(file.relative_to(self._folder.parent).as_posix() for file in found)

    async def _renewed(self, command: str, kind: str, done: str) -> str:
        """Begin a rewrite after whichever runs, wait until it has ended, and say how."""
        running = f"{kind}_rewrite_in_progress" if kind == "aof" else f"{kind}_bgsave_in_progress"
        status = "aof_last_bgrewrite_status" if kind == "aof" else "rdb_last_bgsave_status"
        try:
            async with asyncio.timeout(_REWRITE_SECONDS):
                await self._until_idle(running)  # one that began earlier may hold what is erased
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
        """Whether there may be a snapshot: one of ours lies in the folder; another server tells its rules, or not."""
        if self._folder is not None:
            return (self._folder / "dump.rdb").exists()
        try:
            found = await self._connection.command("CONFIG", "GET", "save")
        except GraphFault as error:
            if _is_away(error):
                raise
            return True  # it is asked, and refuses, and that is told
        rules = found.values() if isinstance(found, dict) else found[1::2]
        return any(rules) or bool((await self._state()).get("rdb_saves"))


def _asked(graph: str) -> str:
    """The stream in which the server keeps the statements on a graph."""
    return f"telemetry{{{graph}}}"


def _is_away(error: GraphFault) -> bool:
    """Whether it may answer another time; what is forbidden stays so."""
    return isinstance(error, GraphUnavailable) and not isinstance(error, GraphForbidden)
