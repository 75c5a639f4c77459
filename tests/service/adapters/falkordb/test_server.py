"""The embedded server: it loses nothing, has one owner, dies with it, and is started again when it dies or stalls."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from contextlib import asynccontextmanager

import psutil
import pytest
from structlog.testing import capture_logs

from consolidation.kernel.errors import HomeLocked
from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.server import EmbeddedServer
from tests.support.embedded_graph import served
from tests.support.paths import ROOT
from tests.support.waiting import until_async

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def watched(folder, *, stalled_seconds):
    """A server that is started again when it dies or stalls, as a service has it."""
    async with served(folder, stalled_seconds=stalled_seconds) as (server, connection):
        watching = asyncio.create_task(server.watch())
        try:
            yield server, connection
        finally:
            watching.cancel()


async def test_what_was_written_survives_a_kill(tmp_path):
    async with served(tmp_path) as (server, connection):
        for number in range(50):
            await connection.write("g", "CREATE (:N {number: $number})", {"number": number})
        server._process.send_signal(signal.SIGKILL)
        await server._process.wait()
    async with served(tmp_path) as (_, connection):
        assert await connection.read("g", "MATCH (n:N) RETURN count(n)", {}) == [[50]]


async def test_one_that_neither_answers_nor_works_is_started_again_with_all_it_had(tmp_path):
    async with watched(tmp_path, stalled_seconds=1) as (server, connection):
        await connection.write("g", "CREATE (:N)", {})
        stalled = server._process.pid
        await (await connection.client()).execute_command("CLIENT", "PAUSE", "600000", "ALL")

        await until_async(lambda: server._process.pid != stalled)
        await server.wait_until_ready()

        assert await connection.read("g", "MATCH (n:N) RETURN count(n)", {}) == [[1]]


class FailingOnce(EmbeddedServer):
    """A server on a machine that has no memory for its second start."""

    starts = 0

    async def _spawn(self, *, append_only):
        self.starts += 1
        if self.starts == 2:
            raise OSError("Cannot allocate memory")
        await super()._spawn(append_only=append_only)


async def test_one_that_can_not_be_started_again_is_tried_once_more(tmp_path):
    server = FailingOnce(tmp_path)
    await server.start()
    await server.wait_until_ready()
    watching = asyncio.create_task(server.watch())
    try:
        server._process.kill()

        await until_async(lambda: server.starts == 3)
        await server.wait_until_ready()
    finally:
        watching.cancel()
        await server.stop()


async def test_one_whose_sockets_folder_was_deleted_comes_back_at_the_same_address(tmp_path):
    """Broken: the folder is made once, so that a cleaner of temporary files ends the graph for good."""
    async with watched(tmp_path, stalled_seconds=1) as (server, connection):
        await connection.write("g", "CREATE (:N)", {})
        stalled = server._process.pid
        shutil.rmtree(server._socket.parent)

        await until_async(lambda: server._process.pid != stalled)
        await server.wait_until_ready()

        assert server._socket.parent.stat().st_mode & 0o777 == 0o700
        assert await connection.read("g", "MATCH (n:N) RETURN count(n)", {}) == [[1]]


async def test_a_start_that_the_server_gives_up_is_logged_with_its_reason_and_tried_again(tmp_path):
    """Broken: the log says that it is started again, and not that it never was."""
    async with watched(tmp_path, stalled_seconds=30) as (server, connection):
        await connection.write("g", "CREATE (:N)", {})
        with capture_logs() as logs:
            server._socket.unlink()
            server._socket.mkdir()  # so that it can not listen there
            server._process.kill()
            await until_async(lambda: logs)
        server._socket.rmdir()
        await until_async(server._socket.is_socket)

        assert {one["event"] for one in logs} == {"embedded_graph.not_started"}
        assert "Failed opening Unix socket" in logs[0]["reason"]
        assert await connection.read("g", "MATCH (n:N) RETURN count(n)", {}) == [[1]]


_AT = "1:M # Internal error in RDB reading offset 0, function at rdb.c:5096"
_OF_GRAPH = f"{_AT} -> The RDB file contains module data for the module type 'graph', that the responsible module is not able to load\n"
_DIVERGED = (
    "1:M # <graph> Diverged applying GRAPH.EFFECT on graph 'g' while loading from disk: failed to apply effects\n"
)


@pytest.mark.parametrize(
    ("said", "is_emptied"),
    [
        (f"1:M # Short read or OOM loading DB.\n{_AT}\n", False),
        (f"1:M # <module> Failed loading Graph, FalkorDB version (99) is not forward compatible.\n{_OF_GRAPH}", False),
        (f"1:M # <module> GRAPH.EFFECT version mismatch expected version <= 2 got: 3\n{_DIVERGED}", False),
        (f"1:M # <module> Failed loading graph key 'g': unexpected buffer type\n{_OF_GRAPH}", True),
        (f"1:M # <module> GRAPH.EFFECT encountered unknown effect type 0\n{_DIVERGED}", True),
        (f"{'1:M * <module> Done decoding graph\n' * 9999}{_AT} -> RDB CRC error\n", True),
        (f"1:M * Ready to accept connections unix\n{_AT} -> RDB CRC error\n", False),  # of a graph that came back later
    ],
)
async def test_one_whose_files_are_damaged_begins_empty_and_keeps_what_another_start_may_load(
    tmp_path, said, is_emptied
):
    """Redis says the same of damaged files as where memory is short, or a newer FalkorDB wrote them."""
    async with watched(tmp_path, stalled_seconds=30) as (server, connection):
        await connection.write("g", "CREATE (:N)", {})
        before = server._process
        (tmp_path / "redis.log").write_text(said)
        before.kill()

        await until_async(lambda: server._process is not before)
        await server.wait_until_ready()

        assert await connection.read("g", "MATCH (n:N) RETURN count(n)", {}) == ([] if is_emptied else [[1]])


async def test_one_that_crashes_at_its_files_each_time_begins_empty(tmp_path):
    """Broken: only what it says of damage counts, and it is started for ever without a word in the log."""
    async with served(tmp_path) as (_, connection):
        await connection.write("g", "CREATE (:N {name: 'Lyon'})", {})
    [appended] = (tmp_path / "appendonlydir").glob("*.incr.aof")
    content = bytearray(appended.read_bytes())
    at = content.index(b"GRAPH.EFFECT") + 74
    content[at : at + 8] = b"\xff" * 8  # FalkorDB 4.22 does not survive it
    appended.write_bytes(content)
    server = EmbeddedServer(tmp_path)
    await server.start()
    watching, connection = asyncio.create_task(server.watch()), GraphConnection(server.url)
    try:
        with capture_logs() as logs:
            await until_async(lambda: (tmp_path / "redis.log").read_bytes().count(b"Ready to accept") == 2)
        assert await connection.read("g", "MATCH (n:N) RETURN count(n)", {}) == []
    finally:
        watching.cancel()
        await connection.close()
        await server.stop()

    assert [one["event"] for one in logs] == [*["embedded_graph.not_started"] * 2, "embedded_graph.damaged"]
    assert {one["reason"] for one in logs} == {"redis-server crashed while it loaded, by signal 6"}


async def test_one_that_crashes_before_it_reads_its_files_keeps_them(tmp_path):
    """Broken: what crashes while a package is upgraded, or with a log that a full disk does not take, counts as damage."""
    async with watched(tmp_path, stalled_seconds=30) as (server, connection):
        await connection.write("g", "CREATE (:N)", {})
        with capture_logs() as logs:
            for _ in range(3):
                before = server._process
                (tmp_path / "redis.log").write_bytes(b"")
                before.send_signal(signal.SIGSEGV)
                await until_async(lambda before=before: server._process is not before)
                await server.wait_until_ready()

        assert {one["event"] for one in logs} == {"embedded_graph.not_started"}
        assert await connection.read("g", "MATCH (n:N) RETURN count(n)", {}) == [[1]]


async def test_a_crash_at_work_is_logged_and_leaves_nobodys_words(tmp_path):
    """Broken: redis-server writes a report of it, in which FalkorDB puts the statements at work."""
    async with watched(tmp_path, stalled_seconds=30) as (server, connection):
        client, statement = await connection.client(), "UNWIND range(0, 1000000000) AS n WITH n WHERE n < 0 RETURN"
        asking = asyncio.create_task(
            client.execute_command("GRAPH.QUERY", "g", f"{statement} 'Zebulon sails to Ithaca'")
        )
        await until_async(lambda: sum(psutil.Process(server._process.pid).cpu_times()[:2]) > 1)
        with capture_logs() as logs:
            server._process.send_signal(signal.SIGSEGV)
            await until_async(lambda: logs)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

    assert (logs[0]["event"], logs[0]["reason"]) == ("embedded_graph.crashed", "redis-server crashed, by signal 11")
    assert "Ithaca" not in (tmp_path / "redis.log").read_text(errors="replace")


async def test_one_that_is_silent_and_works_is_left_alone(tmp_path):
    async with watched(tmp_path, stalled_seconds=1) as (server, connection):
        before = server._process.pid

        busy = "local began = os.clock() while os.clock() - began < 4 do end"  # in the one thread that answers
        await (await connection.client()).execute_command("EVAL", busy, "0")

        assert server._process.pid == before


@pytest.mark.parametrize("is_stopped", [True, False])
async def test_one_that_is_idle_or_was_stopped_by_somebody_is_left_alone(tmp_path, is_stopped):
    async with watched(tmp_path, stalled_seconds=2) as (server, connection):
        before = server._process.pid
        if is_stopped:
            server._process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(5)
        server._process.send_signal(signal.SIGCONT)

        await connection.ping()

        assert server._process.pid == before


async def test_a_second_owner_of_a_folder_is_refused(tmp_path):
    async with served(tmp_path):
        with pytest.raises(HomeLocked, match="in use by another process"):
            await EmbeddedServer(tmp_path).start()


class Snapshotting(EmbeddedServer):
    """A server as older versions ran it."""

    async def _spawn(self, *, append_only):
        await super()._spawn(append_only=False)


async def test_a_folder_with_only_a_snapshot_becomes_append_only_without_loss(tmp_path):
    old = Snapshotting(tmp_path)
    await old.start()
    await old.wait_until_ready()
    connection = GraphConnection(old.url)
    await connection.write("g", "CREATE (:N {number: 7})", {})
    await (await connection.client()).execute_command("SAVE")
    await connection.close()
    await old.stop()
    assert (tmp_path / "dump.rdb").exists()
    assert not (tmp_path / "appendonlydir").exists()

    for _ in range(2):
        async with served(tmp_path) as (_, connection):
            assert await connection.read("g", "MATCH (n:N) RETURN n.number", {}) == [[7]]
            assert (tmp_path / "appendonlydir").exists()


async def test_the_server_dies_with_its_parent(tmp_path):
    program = (
        "import asyncio, pathlib, sys\n"
        "from service.adapters.falkordb.server import EmbeddedServer\n"
        "async def main():\n"
        "    server = EmbeddedServer(pathlib.Path(sys.argv[1]))\n"
        "    await server.start(); await server.wait_until_ready()\n"
        "    print(server._process.pid, flush=True); await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    words = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE) as parent:
        server = psutil.Process(int(await asyncio.to_thread(parent.stdout.readline)))
        server.suspend()  # even when it is busy with something else
        parent.kill()
    await asyncio.to_thread(psutil.wait_procs, [server], timeout=5)
    assert not server.is_running() or server.status() == psutil.STATUS_ZOMBIE


async def test_a_start_of_the_server_does_not_fork_this_process(tmp_path):
    """A fork waits for what libraries have to finish, OpenBLAS for its threads: it never ended while they were busy."""
    forks = []
    os.register_at_fork(before=lambda: forks.append("fork"))

    async with served(tmp_path):
        assert forks == []
