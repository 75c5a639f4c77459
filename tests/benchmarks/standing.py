"""
What the benchmark of size measures: a copy of a loaded home on an embedded FalkorDB of its own, and the service on it.

FalkorDB runs beside whatever is measured, so that the service, its doors and stock Graphiti meet the same server; a
service is opened in this process to look inside, or in one of its own to go through its doors.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import time
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import psutil

from consolidation.kernel.errors import GraphUnavailable
from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.server import EmbeddedServer
from service.app import create_app
from service.composition.container import open_memory
from tests.benchmarks.contents import GRAPH, MIND
from tests.benchmarks.served import digested, serving
from tests.benchmarks.vectors import WordVectors
from tests.support.embedded_graph import redis_pids
from tests.support.service import QUICK, settings_of
from tests.support.service_process import serving as serving_apart
from tests.support.waiting import until_answered

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from fastapi import FastAPI

    from service.mind.minds import Mind
    from tests.support.service import Running
    from tests.support.service_process import Serving

_MEGABYTE = 1e6
_LOAD_SECONDS = 600  # a FalkorDB that does not come back ends the benchmark
_UNASKED = {"sweep_seconds": 3600}  # lanes run when they are told to


@dataclass(frozen=True, slots=True)
class Standing:
    """A home, the address of the FalkorDB that holds its graph, and how long that took to load."""

    home: Path
    url: str
    pid: int
    load_seconds: float

    @property
    def sizes(self) -> dict[str, float]:
        """Megabytes: FalkorDB's resident memory, and on disk graph, full text and transcript."""
        parts = {"graph": self.home / "graph", "minds": self.home / "minds"}
        disk = {f"{name} on disk": _megabytes(folder) for name, folder in parts.items()}
        return {"FalkorDB in memory": resident(self.pid), **disk}


@asynccontextmanager
async def standing(home: Path | None, *, within: Path) -> AsyncIterator[Standing]:
    """FalkorDB over a copy of *home* (None: an empty one) in *within*; the copy is deleted afterwards."""
    within.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=within) as folder:
        copy = Path(folder) / "home"
        if home is not None:
            shutil.copytree(home, copy)
        server = EmbeddedServer(copy / "graph")
        before, began = set(redis_pids()), time.monotonic()
        await server.start()
        try:
            async with asyncio.timeout(_LOAD_SECONDS):
                await server.wait_until_ready()
                await until_indexed(server.url)
            loaded = round(time.monotonic() - began, 2)
            [pid] = set(redis_pids()) - before
            yield Standing(copy, server.url, pid, loaded)
        finally:
            await server.stop()


@asynccontextmanager
async def opened(stood: Standing) -> AsyncIterator[tuple[Running, Mind]]:
    """The service in this process, with nothing left to digest, and the mind."""
    settings = settings_of(
        stood.home, falkordb_url=stood.url, story={"threshold_tokens": 0}, digestion={**QUICK, **_UNASKED}
    )
    async with serving(stood.home, settings=settings, embedder=WordVectors()) as service:
        mind = await service.memory.minds.find_or_create(MIND)
        _, saving, _ = service.memory.ingestion.lanes
        await saving.step(mind)  # prepares the graph: an index that is new is built now
        await until_indexed(stood.url)
        await digested(service, MIND)
        with service.memory.minds.held(MIND):  # however long stock takes meanwhile
            yield service, mind


@contextmanager
def apart(stood: Standing) -> Iterator[Serving]:
    """The service in a process of its own, ready."""
    env = {"FALKORDB_URL": stood.url, "MIND_MEMORY_STORY__THRESHOLD_TOKENS": "0"}
    with serving_apart(stood.home, factory="tests.benchmarks.standing:create", **env) as served:
        until_answered(lambda: served.http.get("/readyz"), lambda answer: answer.is_success)
        yield served


def create() -> FastAPI:
    """The application of the process apart: the service as it is, with the scripted embedder."""
    return create_app(opening=lambda settings: open_memory(settings, embedder=WordVectors()))


async def until_indexed(url: str) -> None:
    """Return once no index of the graph is being built."""
    connection = GraphConnection(url, read_seconds=600)
    try:
        while not await _is_indexed(connection):
            await asyncio.sleep(0.1)
    finally:
        await connection.close()


async def _is_indexed(connection: GraphConnection) -> bool:
    try:
        rows = await connection.read(GRAPH, "CALL db.indexes() YIELD status RETURN status", {})
    except GraphUnavailable:  # busy: it answers nobody just now
        return False
    return all(row[0] == "OPERATIONAL" for row in rows)


def resident(pid: int) -> float:
    """Megabytes of memory a process holds."""
    return round(psutil.Process(pid).memory_info().rss / _MEGABYTE, 1)


class Caller:
    """One kept HTTP connection over a socket, so cheap that it is the service that is measured."""

    def __init__(self, socket: str) -> None:
        self._socket = socket

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_unix_connection(self._socket)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    async def post(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and JSON of an answer."""
        said = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(said)}"
        )
        self._writer.write(head.encode() + b"\r\n\r\n" + said)
        answer = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(answer.partition("content-length:")[2].partition("\r\n")[0])
        return int(answer.split()[1]), json.loads(await self._reader.readexactly(length))


def _megabytes(folder: Path) -> float:
    return round(sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / _MEGABYTE, 1)
