"""
A TCP proxy that breaks the way to a server: between the service and a graph of a test.

    with FaultProxy("/path/to/redis.sock") as proxy:
        proxy.mode = "blackhole"  # for every connection, old and new, until it is changed again

It runs in a thread of its own, so that a service which blocks its loop can not hold up the faults.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from typing import Self

MODES = ("pass", "refuse", "blackhole", "slow", "half", "garbage", "reset", "lost", "loading")
GARBAGE = b"\x00\xff this is not RESP \x13\x37\r\n" * 3
LOADING = b"-LOADING Redis is loading the dataset in memory\r\n"


class FaultProxy:
    """
    Listens on ``port``; use as a context manager.

    ``slow_seconds`` is added to each answer when *mode* is slow; what holds ``swallowed`` gets none in any mode.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self.slow_seconds = 0.15
        self.swallowed: bytes | None = None
        self.port = 0
        self.connections = 0
        self._mode = "pass"
        self._open: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def url(self) -> str:
        """What to configure as FALKORDB_URL."""
        return f"redis://127.0.0.1:{self.port}"

    @property
    def mode(self) -> str:
        """What becomes of what is asked."""
        return self._mode

    @mode.setter
    def mode(self, mode: str) -> None:
        assert mode in MODES, mode
        self._do(self._switch(mode))

    def cut(self) -> None:
        """Reset every connection that is open, as a server that is started again does."""
        self._do(self._drop())

    def __enter__(self) -> Self:
        self._thread.start()
        self._do(self._listen())
        return self

    def __exit__(self, *_: object) -> None:
        self._do(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    def _do(self, job) -> None:
        asyncio.run_coroutine_threadsafe(job, self._loop).result(10)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, reuse_address=True)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        await self._drop()
        others = asyncio.all_tasks(self._loop) - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _switch(self, mode: str) -> None:
        was, self._mode = self._mode, mode
        if mode == "refuse":
            await self._close()
        elif was == "refuse":
            await self._listen()
        elif mode == "pass":
            await self._drop()  # what was swallowed on them never comes

    async def _drop(self) -> None:
        for writer in tuple(self._open):
            _reset(writer)
        self._open.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._open.add(writer)
        there = None
        try:
            there_reader, there = await self._connect()
            back = asyncio.create_task(self._answers(there_reader, writer))
            with contextlib.suppress(OSError):
                while asked := await reader.read(1 << 16):
                    if not await self._asked(asked, there, writer):
                        break
            back.cancel()
        except OSError:
            pass  # the server itself is away
        finally:
            self._open.discard(writer)
            for one in (there, writer):
                if one is not None:
                    one.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if ":" in self.target:
            host, port = self.target.rsplit(":", 1)
            return await asyncio.open_connection(host, int(port))
        return await asyncio.open_unix_connection(self.target)

    async def _asked(self, asked: bytes, there: asyncio.StreamWriter, writer: asyncio.StreamWriter) -> bool:
        """Hand on what is asked; False when the connection is over."""
        if self.swallowed is not None and self.swallowed in asked:
            return True
        match self._mode:
            case "blackhole":
                return True
            case "reset":
                _reset(writer)
                return False
            case "garbage":
                writer.write(GARBAGE)
                return True
            case "loading":
                writer.write(LOADING * max(asked.count(b"\r\n*"), 1))
                return True
        there.write(asked)
        await there.drain()
        return True

    async def _answers(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while answer := await reader.read(1 << 16):
                match self._mode:
                    case "blackhole":
                        continue
                    case "lost":
                        break  # obeyed, and nobody hears of it
                    case "half":
                        writer.write(answer[: len(answer) // 2])
                        await writer.drain()
                        break
                    case "slow":
                        await asyncio.sleep(self.slow_seconds)
                writer.write(answer)
                await writer.drain()
        writer.close()


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with RST."""
    connection = writer.get_extra_info("socket")
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
