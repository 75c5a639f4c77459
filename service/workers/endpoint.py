"""The other end of a link: answers ASGI calls by an application, and questions by functions, on a Unix socket."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import structlog

from service.runtime.foreground import Foreground
from service.workers.frames import Channel
from service.workers.link import ANSWER, ASK, DONE, FAILED, MESSAGE, OPEN

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from starlette.types import ASGIApp, Message, Scope

    type Answers = Mapping[str, Callable[..., Awaitable[object]]]

_CLOSE_SECONDS = 1  # for a call that does not notice that nobody waits for it

log = structlog.get_logger()


class Endpoint:
    """
    Listens at *socket* until it is closed. Every call there is from a process of ours, and authenticated already.

    *state* is what the application's lifespan lent it.
    """

    def __init__(
        self, socket: Path, *, answers: Answers, app: ASGIApp | None = None, state: Mapping[str, Any] | None = None
    ) -> None:
        self._socket = socket
        self._answers = answers
        self._app = app
        self._state = state or {}
        self._server: asyncio.Server | None = None
        self._connections: dict[asyncio.Task[Any], Channel] = {}
        self._calls = Foreground()

    async def open(self) -> None:
        """Begin to listen, in the place of one that was killed."""
        self._socket.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._connected, self._socket)

    async def close(self, *, seconds: float) -> None:
        """Take no more calls, and give those that are open so long to end."""
        if self._server is not None:
            self._server.close()
        self._socket.unlink(missing_ok=True)
        await self._calls.until_free(seconds=seconds)
        for channel in self._connections.values():
            channel.close()
        if self._connections:
            await asyncio.wait(self._connections, timeout=_CLOSE_SECONDS)
        for call in self._connections:
            call.cancel()
        if self._connections:
            await asyncio.wait(self._connections, timeout=_CLOSE_SECONDS)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        channel, task = Channel(reader, writer), asyncio.current_task()
        assert task is not None  # noqa: S101 - the server made it
        self._connections[task] = channel
        try:
            while True:
                kind, value = await channel.read()
                if kind == MESSAGE:  # what an ended call did not read any more
                    continue
                with self._calls.call():
                    await (self._call(channel, value) if kind == OPEN else self._answer(channel, kind, value))
        except (EOFError, asyncio.CancelledError):  # cancelled by close alone: asyncio would log that as an error
            return
        finally:
            del self._connections[task]
            channel.close()

    async def _call(self, channel: Channel, scope: Scope) -> None:
        assert self._app is not None  # noqa: S101 - calls are passed on to workers only
        held: list[Message] = []  # a head, which is sent with what follows it

        async def receive() -> Message:
            try:
                _, message = await channel.read()
            except EOFError:
                return _left(scope)
            found: Message = message
            return found

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                held.append(message)
                return
            channel.write(*((MESSAGE, one) for one in (*held, message)))
            held.clear()
            await channel.flush()

        try:
            await self._app({**scope, "state": {**self._state, **scope["state"]}}, receive, send)
        except EOFError:
            raise
        except Exception:
            log.exception("worker.call_failed")
            channel.write((FAILED, None))
        else:
            channel.write((DONE, None))

    async def _answer(self, channel: Channel, kind: str, value: tuple[str, tuple[Any, ...], dict[str, Any]]) -> None:
        assert kind == ASK  # noqa: S101 - there is nothing else to say
        name, args, named = value
        try:
            found = (ANSWER, await self._answers[name](*args, **named))
        except Exception as error:
            log.exception("worker.question_failed", question=name)
            found = (FAILED, f"{type(error).__name__}: {error}")
        channel.write(found)


def _left(scope: Scope) -> Message:
    if scope["type"] == "websocket":
        return {"type": "websocket.disconnect", "code": 1006}
    return {"type": "http.disconnect"}
