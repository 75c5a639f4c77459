"""What a server keeps of its graphs besides them: noted late, deleted all the same, and found when it is there."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.purge import EmbeddedFiles, ServerPurge
from service.adapters.falkordb.server import EmbeddedServer

pytestmark = pytest.mark.anyio
NOTED = "telemetry{g}"


@asynccontextmanager
async def served(folder):
    server = EmbeddedServer(folder)
    await server.start()
    await server.wait_until_ready()
    connection = GraphConnection(server.url)
    try:
        yield connection
    finally:
        await connection.close()
        await server.stop()


async def noted(connection):
    """What the server has noted of the graph, once it has noted all that it was asked until now."""
    await connection.read("g", "RETURN 'all until here'", {})
    async with asyncio.timeout(30):
        while "all until here" not in (found := str(await connection.command("XRANGE", NOTED, "-", "+"))):
            await asyncio.sleep(0.05)
    return found


async def test_what_a_server_was_asked_is_forgotten_though_it_notes_it_late(tmp_path):
    async with served(tmp_path) as connection:
        await connection.command("GRAPH.CONFIG", "SET", "MAX_INFO_QUERIES", "1000")  # as a server that is not ours
        await connection.write("g", "CREATE (:X {said: $said})", {"said": "the first canary"})
        assert "the first canary" in await noted(connection)
        await connection.write("g", "CREATE (:X {said: $said})", {"said": "the second canary"})
        await ServerPurge(connection, files=None).forget_statements("g")

        assert "canary" not in await noted(connection)


async def test_our_own_server_notes_nothing_it_was_asked(tmp_path):
    async with served(tmp_path) as connection:
        await connection.write("g", "CREATE (:X {said: $said})", {"said": "a canary"})
        purge = ServerPurge(connection, files=EmbeddedFiles(tmp_path, is_in_use=True))
        await purge.forget_statements("g")  # waits for nothing

        assert await connection.command("GRAPH.CONFIG", "GET", "MAX_INFO_QUERIES") == ["MAX_INFO_QUERIES", 0]
        assert await purge.keys("g") == 1


async def test_damaged_files_that_were_set_aside_go_where_something_is_erased(tmp_path):
    async with served(tmp_path) as connection:
        aside = tmp_path / "appendonlydir.damaged"
        aside.mkdir()
        (aside / "appendonly.aof.1.incr.aof").write_text("a canary")
        purge = ServerPurge(connection, files=EmbeddedFiles(tmp_path, is_in_use=True))
        assert purge.search(("canary",))

        await purge.rewrite("g")

        assert not purge.search(("canary",))


async def test_a_deleted_graph_is_found_in_the_log_until_that_is_written_anew(tmp_path):
    async with served(tmp_path) as connection:
        purge = ServerPurge(connection, files=EmbeddedFiles(tmp_path, is_in_use=True))
        await connection.write("g", "CREATE (:X {said: $said})", {"said": f"canary {'of a long day ' * 40}"})
        await connection.delete("g")
        before = purge.search(("canary",))
        rewritten = await purge.rewrite("g")

        assert before and purge.search(("canary",)) == purge.search(()) == ()
        assert rewritten.append_only_file == "rewritten" and rewritten.is_done


class Process:
    """A server process that obeys its master's commands one by one, each time it is asked how far it is."""

    is_serving = False

    def __init__(self, name, role, *, offset):
        self.name, self.role, self.offset, self.rewrote_at = name, role, offset, None

    async def command(self, *words):
        if words == ("INFO", "replication"):
            self.offset = min(self.offset + 1, 9)
            kind = "master_repl_offset" if self.role == "master" else "slave_repl_offset"
            return {"role": self.role, "master_replid": "a", kind: self.offset}
        if words == ("BGREWRITEAOF",):
            self.rewrote_at = self.offset
        state = {"aof_enabled": 1, "aof_last_bgrewrite_status": "ok", "rdb_saves": 0}
        return state if words == ("INFO", "persistence") else {"save": ""}


class Processes:
    def __init__(self, *of_all):
        self.of_all = of_all

    async def processes(self, _graph):
        return self.of_all


async def test_a_replica_writes_its_file_anew_when_it_has_obeyed_what_its_master_had():
    master, replica = Process("one:1", "master", offset=9), Process("two:2", "slave", offset=5)

    rewritten = await ServerPurge(Processes(replica, master), files=None).rewrite("g")

    assert (replica.rewrote_at, master.rewrote_at, rewritten.is_done) == (9, 9, True)
