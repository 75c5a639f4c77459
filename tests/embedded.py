"""The embedded graph of a test, from outside: its process, its rows, and ways to hurt it."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager

import psutil

from service.adapters.graph.naming import graph_name


def redis_pids(pid=None):
    """The redis-servers that a process (this one) has started."""
    children = psutil.Process(pid).children(recursive=True)
    return [child.pid for child in children if child.name().startswith("redis-server")]


def kill_graph():
    """Kill the one embedded server without a word."""
    [pid] = redis_pids()
    os.kill(pid, signal.SIGKILL)


@contextmanager
def frozen_graph():
    """The one embedded server accepts and never answers, while this lasts."""
    [pid] = redis_pids()
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def rows(service, mind_id, cypher, **words):
    """What a read-only statement finds in a mind's graph."""
    return await service.memory.graph._connection.read(graph_name(mind_id, prefix="mind_"), cypher, words)


async def column(service, mind_id, cypher, **words):
    """The first column of what a statement finds."""
    return [row[0] for row in await rows(service, mind_id, cypher, **words)]
