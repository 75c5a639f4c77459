"""What a server keeps of its graphs besides them: noted late, deleted all the same, and found when it is there."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.purge import ServerPurge
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
        await ServerPurge(connection, folder=None).forget_statements("g")

        assert "canary" not in await noted(connection)


async def test_our_own_server_notes_nothing_it_was_asked(tmp_path):
    async with served(tmp_path) as connection:
        await connection.write("g", "CREATE (:X {said: $said})", {"said": "a canary"})
        purge = ServerPurge(connection, folder=tmp_path)
        await purge.forget_statements("g")  # waits for nothing

        assert await connection.command("GRAPH.CONFIG", "GET", "MAX_INFO_QUERIES") == ["MAX_INFO_QUERIES", 0]
        assert await purge.keys("g") == 1


async def test_a_deleted_graph_is_found_in_the_log_until_that_is_written_anew(tmp_path):
    async with served(tmp_path) as connection:
        purge = ServerPurge(connection, folder=tmp_path)
        await connection.write("g", "CREATE (:X {said: $said})", {"said": f"canary {'of a long day ' * 40}"})
        await connection.delete("g")
        before = purge.search(("canary",))
        rewritten = await purge.rewrite()

        assert before and purge.search(("canary",)) == purge.search(()) == ()
        assert rewritten.append_only_file == "rewritten" and rewritten.is_done
