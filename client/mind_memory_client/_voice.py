"""The call that brings an audio stream to memory. Both clients have it."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import aclosing, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import anyio.from_thread
import anyio.to_thread

from mind_memory_client._transport import new_id
from mind_memory_client.audio import BYTES_PER_SECOND, Said, UnsettledAudio
from mind_memory_client.errors import MindMemoryError, RateLimited, Unavailable, Unreachable, refusal

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Generator, Iterable
    from typing import Literal

    from mind_memory_client._transport import AsyncTransport, Transport

log = logging.getLogger("mind_memory_client")

_MOST_UNSETTLED = 64 * 1024 * 1024  # bytes, two hours: then no more frames are taken
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 5.0
_TEMPORARY = (Unreachable, Unavailable, RateLimited)
_RETRY_SECONDS = 600.0
_IDLE = "request-timed-out"  # how the service ends a stream in which nothing comes; there may be more later
_SETTLES = frozenset({"turn", "settled", "ended"})
_NEEDS = "listen needs the package websockets: pip install websockets"


class VoiceCalls:
    """Audio, for the client that blocks."""

    _transport: Transport

    def listen(
        self,
        mind: str,
        session: str,
        frames: Iterable[bytes],
        *,
        stream: str | None = None,
        role: Literal["user", "assistant"] | None = None,
        name: str | None = None,
        started_at: datetime | str | None = None,
        retry_seconds: float = _RETRY_SECONDS,
    ) -> Generator[Said, None, None]:
        """
        Bring a telephone call to memory: ``for said in memory.listen(mind, session, frames):``.

        *frames* are μ-law bytes of 8,000 samples a second, of any size. Each thing that was said comes back when it is
        stored. A connection that breaks is made again, and what was not stored is sent again; *stream* is the id of the
        call, by which the service knows what it has. After *retry_seconds* in which nothing could be brought, the fault
        is raised. What the service can not read is logged as a warning. What *frames* raise is raised when all before
        it is stored. It needs the package ``websockets``.
        """
        with anyio.from_thread.start_blocking_portal() as portal:
            found = _listen(
                self._transport,
                mind,
                session,
                _from_thread(frames),
                stream=stream,
                role=role,
                name=name,
                started_at=started_at,
                retry_seconds=retry_seconds,
            )
            try:
                while (said := portal.call(_next, found)) is not None:
                    yield said
            finally:
                portal.call(found.aclose)


class AsyncVoiceCalls:
    """Audio, for the client that is awaited."""

    _transport: AsyncTransport

    async def listen(
        self,
        mind: str,
        session: str,
        frames: AsyncIterable[bytes],
        *,
        stream: str | None = None,
        role: Literal["user", "assistant"] | None = None,
        name: str | None = None,
        started_at: datetime | str | None = None,
        retry_seconds: float = _RETRY_SECONDS,
    ) -> AsyncGenerator[Said, None]:
        """
        Bring a telephone call to memory: ``async for said in memory.listen(mind, session, frames):``.

        *frames* are μ-law bytes of 8,000 samples a second, of any size. Each thing that was said comes back when it is
        stored. A connection that breaks is made again, and what was not stored is sent again; *stream* is the id of the
        call, by which the service knows what it has. After *retry_seconds* in which nothing could be brought, the fault
        is raised. What the service can not read is logged as a warning. What *frames* raise is raised when all before
        it is stored. It needs the package ``websockets``.
        """
        found = _listen(
            self._transport,
            mind,
            session,
            frames,
            stream=stream,
            role=role,
            name=name,
            started_at=started_at,
            retry_seconds=retry_seconds,
        )
        async with aclosing(found):
            async for said in found:
                yield said


async def _listen(
    transport: Transport | AsyncTransport,
    mind: str,
    session: str,
    frames: AsyncIterable[bytes],
    *,
    stream: str | None,
    retry_seconds: float,
    **query: object,
) -> AsyncGenerator[Said, None]:
    path = f"/v1/minds/{quote(mind, safe='')}/sessions/{quote(session, safe='')}/audio"
    call = _Call(transport, path, {"stream": stream or new_id(), **query}, retry_seconds=retry_seconds)
    tasks = [asyncio.create_task(call.take(frames)), asyncio.create_task(call.bring())]
    try:
        while (told := await call.told.get()) is not None:
            if isinstance(told, BaseException):
                raise told
            yield told
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class _Call:
    """
    One call: its audio comes from one side, and goes over as many connections as it takes.

    ``told`` gives what was said, and at last None, or what the frames raised, or why the call could not be brought.
    """

    def __init__(
        self, transport: Transport | AsyncTransport, path: str, query: dict[str, object], *, retry_seconds: float
    ) -> None:
        self.told: asyncio.Queue[Said | BaseException | None] = asyncio.Queue()
        self._transport, self._path, self._query = transport, path, query
        self._audio = UnsettledAudio()
        self._changed = asyncio.Event()
        self._retry_seconds = retry_seconds
        self._failures = 0  # connections in a row in which nothing was settled
        self._failing_since = 0.0
        self._sent = 0  # the position behind the last byte that was sent
        self._broken: BaseException | None = None  # what the caller's frames raised, where that was their end

    async def take(self, frames: AsyncIterable[bytes]) -> None:
        """Keep each frame until it is settled."""
        try:
            async for frame in frames:
                self._audio.add(frame)
                self._change()
                while len(self._audio) > _MOST_UNSETTLED:
                    await self._changed.wait()
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - whatever the frames raise is the caller's
            self._broken = error
        self._audio.is_whole = True
        self._change()

    async def bring(self) -> None:
        """Connect until the call is over, or until it can not be brought."""
        now = asyncio.get_running_loop().time
        while (fault := await self._fault_of_connection()) is not None:
            if getattr(fault, "slug", "") == _IDLE:
                await self._until_more()
                continue
            self._failures += 1
            self._failing_since = now() if self._failures == 1 else self._failing_since
            if not isinstance(fault, _TEMPORARY) or now() - self._failing_since >= self._retry_seconds:
                self.told.put_nowait(fault)
                return
            if self._failures == 1:
                log.warning("the call is kept here until it can be brought, for %g s: %s", self._retry_seconds, fault)
            asked = getattr(fault, "retry_after", None) or 0.0
            await asyncio.sleep(max(min(_FIRST_PAUSE * 2**self._failures, _LONGEST_PAUSE), asked))
        self.told.put_nowait(self._broken)

    async def _until_more(self) -> None:
        """Return when there are frames that were not sent, or when the call is over."""
        while self._audio.end <= self._sent and not self._audio.is_whole:
            await self._changed.wait()

    async def _fault_of_connection(self) -> MindMemoryError | None:
        """Why a connection did not bring the call to its end; None where it did."""
        try:
            await self._connect()
        except MindMemoryError as error:
            return error
        except OSError as error:
            return Unreachable(str(error))
        return None

    async def _connect(self) -> None:
        """Bring what is not settled over one connection, up to the end of the call. Raises MindMemoryError, OSError."""
        try:
            from websockets.asyncio.client import connect
            from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
        except ImportError as error:
            raise MindMemoryError(_NEEDS) from error
        query = {**self._query, "offset": self._audio.offset}
        address, headers = self._transport.websocket(f"{self._path}?{urlencode(_given(query))}")
        try:
            async with connect(address, additional_headers=headers, compression=None) as socket:
                sending = asyncio.create_task(self._send(socket))
                try:
                    await self._hear(socket)
                finally:
                    sending.cancel()
                    await asyncio.gather(sending, return_exceptions=True)
        except InvalidStatus as error:
            found = {name.lower(): value for name, value in error.response.headers.raw_items()}
            raise refusal(
                error.response.status_code, headers=found, content=bytes(error.response.body or b"")
            ) from error
        except (ConnectionClosed, InvalidHandshake) as error:
            raise Unreachable(f"the stream broke off: {error}", was_sent=True) from error

    async def _send(self, socket: Any) -> None:  # noqa: ANN401 - a connection of websockets
        from websockets.exceptions import ConnectionClosed

        position = self._audio.offset
        with suppress(ConnectionClosed):  # whoever hears, tells
            while True:
                changed = self._changed
                position = max(position, self._audio.offset)
                if part := self._audio.part_at(position):
                    await socket.send(part)
                    position += len(part)
                    self._sent = max(self._sent, position)
                elif self._audio.is_whole:
                    await socket.send(json.dumps({"type": "end"}))
                    return
                else:
                    await changed.wait()

    async def _hear(self, socket: Any) -> None:  # noqa: ANN401 - as above
        """Read what is told, up to the end."""
        while True:
            event = json.loads(await socket.recv())
            if event["type"] == "turn":
                self.told.put_nowait(Said.of(event))
            if event.get("unread"):
                seconds = event["offset"] / BYTES_PER_SECOND
                log.warning("what was said before second %.1f is not stored: %s", seconds, event["unread"])
            if event["type"] in _SETTLES and event["offset"] > self._audio.offset:
                self._audio.settle(event["offset"])
                self._failures = 0
                self._change()
            if event["type"] == "ended":
                self._check_end(event.get("problem"))
                return

    def _check_end(self, problem: dict[str, Any] | None) -> None:
        """Raise what a stream ended with, unless it has ended by itself."""
        if problem is not None:
            content = json.dumps(problem).encode()
            raise refusal(problem["status"], headers={"content-type": "application/problem+json"}, content=content)
        if not self._audio.is_whole:
            raise MindMemoryError("another connection took this stream over")

    def _change(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _given(query: dict[str, object]) -> dict[str, str]:
    """The parameters that are given, as text."""
    given = {name: value for name, value in query.items() if value is not None}
    return {name: value.isoformat() if isinstance(value, datetime) else str(value) for name, value in given.items()}


async def _from_thread(frames: Iterable[bytes]) -> AsyncIterator[bytes]:
    """*frames*, each waited for in a thread."""
    iterator = iter(frames)
    while (frame := await anyio.to_thread.run_sync(next, iterator, None, abandon_on_cancel=True)) is not None:
        yield frame


async def _next(found: AsyncGenerator[Said, None]) -> Said | None:
    return await anext(found, None)
