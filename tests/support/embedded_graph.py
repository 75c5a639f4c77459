"""The embedded graph of a test, from outside: its process, its rows, and ways to hurt it."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path

import psutil
import redis

from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.graph_names import graph_name
from service.adapters.falkordb.server import EmbeddedServer, binaries
from tests.support.waiting import until


def redis_pids(pid=None, *, is_deep=True):
    """
    The redis-servers that a process (this one) has started, and, where *is_deep*, those that its children have.

    A cluster that other tests share is not among them.
    """
    children = psutil.Process(pid).children(recursive=is_deep)
    servers = (child for child in children if child.name().startswith("redis-server"))
    return [server.pid for server in servers if "[cluster]" not in " ".join(_words_of(server))]


def _words_of(process):
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


def kill_graph():
    """Kill the one embedded server without a word."""
    [pid] = redis_pids(is_deep=False)
    os.kill(pid, signal.SIGKILL)


@contextmanager
def frozen_graph():
    """The one embedded server accepts and never answers, while this lasts."""
    [pid] = redis_pids(is_deep=False)
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


class served:
    """A server on a folder, ready, with a connection to it."""

    def __init__(self, folder, **options):
        self.server = EmbeddedServer(folder, **options)
        self.folder = folder

    async def __aenter__(self):
        await self.server.start()
        await self.server.wait_until_ready()
        self.connection = GraphConnection(self.server.url)
        self.connection.home = self.folder  # beside which minds are
        return self.server, self.connection

    async def __aexit__(self, *_):
        await self.connection.close()
        await self.server.stop()


async def rows(service, mind_id, cypher, **words):
    """What a read-only statement finds in a mind's graph."""
    return await service.memory.graphs._connection.read(graph_name(mind_id, prefix="mind_"), cypher, words)


async def column(service, mind_id, cypher, **words):
    """The first column of what a statement finds."""
    return [row[0] for row in await rows(service, mind_id, cypher, **words)]


@contextmanager
def graph_server(folder):
    """A FalkorDB of nobody's: its socket's path, and a way to command it past everybody."""
    program, module = binaries()
    path = Path(folder) / "s"
    words = ["--port", "0", "--unixsocket", str(path), "--dir", str(folder), "--save", "", "--loadmodule", str(module)]
    process = subprocess.Popen([str(program), *words], stdout=subprocess.DEVNULL)
    command = redis.Redis(unix_socket_path=str(path))
    try:
        until(lambda: path.exists() or process.poll() is not None)
        assert process.poll() is None, "the graph's server ended by itself"
        yield str(path), command.execute_command
    finally:
        command.close()
        process.kill()
        process.wait()
