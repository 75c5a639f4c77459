"""
The way to another process of this service: ASGI calls passed on as they are, and questions with one answer.

An ASGI call is passed on message by message in both directions, so streams, uploads and WebSockets need nothing of
their own, and nobody parses HTTP twice. Each call has a connection to itself; it is used again afterwards.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from consolidation.kernel.errors import WorkerUnavailable
from service.workers.frames import Channel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from starlette.types import Message, Receive, Scope, Send

OPEN, MESSAGE, DONE, ASK, ANSWER, FAILED = "open", "message", "done", "ask", "answer", "failed"

_MOST_IDLE = 64  # connections that wait for the next call
_PASSED_ON = frozenset(
    {
        *("type", "asgi", "http_version", "method", "scheme", "path", "raw_path", "query_string", "root_path"),
        *("headers", "client", "server", "subprotocols", "extensions"),
    }
)
_GONE = "the process that has this mind is being started again"


class WorkerLink:
    """One other process, at its socket."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket
        self.is_ready = True  # what the front knows of a worker; nobody else asks
        self._idle: list[Channel] = []

    def __reduce__(self) -> tuple[type[WorkerLink], tuple[Path]]:
        """A link goes to another process by its address."""
        return WorkerLink, (self.socket,)

    def check(self) -> None:
        """Raise WorkerUnavailable while the other process is known to be away."""
        if not self.is_ready:
            raise WorkerUnavailable(_GONE)

    async def forward(self, scope: Scope, receive: Receive, send: Send, *, state: Mapping[str, object]) -> None:
        """
        Let the other process answer an ASGI call; *state* goes with it.

        Raises WorkerUnavailable where it is gone before the answer has begun, EOFError where it goes meanwhile.
        """
        plain = {name: value for name, value in scope.items() if name in _PASSED_ON}
        has_begun = is_whole = False
        async with self._connected() as channel:
            channel.write((OPEN, {**plain, "state": dict(state)}), (MESSAGE, await receive()))
            pump = asyncio.ensure_future(_pump(channel, receive))
            try:
                while (found := await channel.read())[0] == MESSAGE:
                    has_begun, is_whole = True, _is_last(found[1])
                    await send(found[1])
                if found[0] == FAILED and not is_whole:
                    raise EOFError  # noqa: TRY301 - one answer
            except EOFError as error:
                if has_begun:
                    raise
                if pump.done() and (fault := pump.exception()) is not None:  # the body came too late
                    raise fault from None
                raise WorkerUnavailable(_GONE) from error
            finally:
                pump.cancel()

    async def ask(self, name: str, *args: object, **named: object) -> Any:  # noqa: ANN401 - each question has its own
        """What the other process answers to a question. Raises WorkerUnavailable, also where it failed to answer."""
        async with self._connected() as channel:
            channel.write((ASK, (name, args, named)))
            try:
                kind, value = await channel.read()
            except EOFError as error:
                raise WorkerUnavailable(_GONE) from error
        if kind == FAILED:
            raise WorkerUnavailable(str(value))
        return value

    def close(self) -> None:
        """Close the connections that no call has."""
        while self._idle:
            self._idle.pop().close()

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Channel]:
        """A connection for one call; one that was left early is not used again."""
        channel = await self._channel()
        is_whole = False
        try:
            yield channel
            is_whole = True
        finally:
            if is_whole and not channel.is_closing and len(self._idle) < _MOST_IDLE:
                self._idle.append(channel)
            else:
                channel.close()

    async def _channel(self) -> Channel:
        while self._idle:
            channel = self._idle.pop()
            if not channel.is_closing:
                return channel
            channel.close()
        try:
            return Channel(*await asyncio.open_unix_connection(self.socket))
        except OSError as error:
            raise WorkerUnavailable(_GONE) from error


def _is_last(message: Message) -> bool:
    return message["type"] == "http.response.body" and not message.get("more_body", False)


async def _pump(channel: Channel, receive: Receive) -> None:
    """Pass on what the client sends, the last of which is that it has left."""
    try:
        while True:
            message: Message = await receive()
            channel.write((MESSAGE, message))
            await channel.flush()
            if message["type"] in {"http.disconnect", "websocket.disconnect"}:
                return
    except EOFError:
        return
    except Exception:
        channel.close()
        raise
