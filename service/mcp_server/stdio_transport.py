"""MCP over stdin and stdout: only the protocol on stdout, until stdin closes."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Self

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError

from service.mcp_server.json_rpc import read_again
from service.mcp_server.server import build_server

if TYPE_CHECKING:
    from types import TracebackType

    from mcp.shared._stream_protocols import ReadStream, WriteStream

    from service.mcp_server.api_client import ApiConnection


async def speak(connection: ApiConnection) -> None:
    """Answer until the host disconnects. Meanwhile everything else that is printed goes to stderr."""
    server = build_server(connection)
    with suppress(BrokenPipeError):  # the host is gone; a group that holds nothing but this error is suppressed too
        async with stdio_server() as (read, write):
            await server.run(_Answering(read, write), write, server.create_initialization_options())


class _Answering:
    """
    What the host says, with an answer to each line that is not a message of the protocol.

    The SDK drops such lines over stdio, so that the host's call would wait for ever.
    """

    def __init__(self, read: ReadStream[SessionMessage | Exception], write: WriteStream[SessionMessage]) -> None:
        self._read = read
        self._write = write

    async def receive(self) -> SessionMessage | Exception:
        while isinstance(item := await self._read.receive(), Exception):
            message = read_again(item)
            if isinstance(message, JSONRPCError):
                await self._write.send(SessionMessage(message))
            elif message is not None:
                return SessionMessage(message)
        return item

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        await self._read.aclose()

    async def __aenter__(self) -> Self:
        await self._read.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._read.__aexit__(kind, error, trace)
