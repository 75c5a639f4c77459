"""MCP over stdin and stdout: only the protocol on stdout, until stdin closes."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from service.mcp_server.json_rpc import read_again
from service.mcp_server.server import build_server

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream
    from mcp.types import JSONRPCMessage, RequestId

    from service.mcp_server.api_client import ApiConnection

_LAST_ANSWERS_SECONDS = 15  # a host that wants the end sooner sends SIGTERM


async def speak(connection: ApiConnection) -> None:
    """
    Answer until the host closes stdin, and what it asked before that, for at most 15 s.

    Meanwhile everything else that is printed goes to stderr.
    """
    server = build_server(connection)
    with suppress(BrokenPipeError):  # the host is gone; a group that holds nothing but this error is suppressed too
        async with stdio_server() as (read, write):
            calls = _OpenCalls()
            answers = _Answers(write, calls)
            await server.run(_Messages(read, answers, calls), answers, server.create_initialization_options())


class _OpenCalls:
    """The host's calls that have no answer yet."""

    def __init__(self) -> None:
        self._ids: set[RequestId] = set()
        self._are_answered = anyio.Event()

    def note(self, message: JSONRPCMessage) -> None:
        """Take note of one that came in: a call, or that the host does not wait for one any more."""
        match message:
            case JSONRPCRequest():
                self._ids.add(message.id)
            case JSONRPCNotification(method="notifications/cancelled", params={"requestId": int() | str() as call}):
                self.end(call)

    def end(self, call: RequestId | None) -> None:
        """Take note that this one has its answer."""
        if call is not None:
            self._ids.discard(call)
        if not self._ids:
            self._are_answered.set()

    async def until_answered(self, *, seconds: float) -> None:
        """Wait until all have their answer, or for so long."""
        if self._ids:
            self._are_answered = anyio.Event()
            with anyio.move_on_after(seconds):
                await self._are_answered.wait()


class _Messages(ObjectReceiveStream[SessionMessage | Exception]):
    """
    What the host says, with an answer to each line that is not a message of the protocol.

    The SDK drops such lines over stdio, so that the host's call would wait for ever. It also drops the calls that it
    is at when stdin closes, so the end is told when they have their answers.
    """

    def __init__(self, read: ReadStream[SessionMessage | Exception], answers: _Answers, calls: _OpenCalls) -> None:
        self._read = read
        self._answers = answers
        self._calls = calls

    async def receive(self) -> SessionMessage | Exception:
        try:
            item = await self._next()
        except anyio.EndOfStream:
            await self._calls.until_answered(seconds=_LAST_ANSWERS_SECONDS)
            raise
        self._calls.note(item.message)
        return item

    async def _next(self) -> SessionMessage:
        while isinstance(item := await self._read.receive(), Exception):
            message = read_again(item)
            if isinstance(message, JSONRPCError):
                await self._answers.send(SessionMessage(message))
            elif message is not None:
                return SessionMessage(message)
        return item

    async def aclose(self) -> None:
        await self._read.aclose()


class _Answers(ObjectSendStream[SessionMessage]):
    """What the host is told; which of its calls have an answer is noted."""

    def __init__(self, write: WriteStream[SessionMessage], calls: _OpenCalls) -> None:
        self._write = write
        self._calls = calls

    async def send(self, item: SessionMessage, /) -> None:
        await self._write.send(item)
        if isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self._calls.end(item.message.id)

    async def aclose(self) -> None:
        await self._write.aclose()
