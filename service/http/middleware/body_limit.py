"""Refuses bodies that are too large, too slow, compressed, or not UTF-8 text. One that is cut off reaches no route."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import structlog
from starlette.requests import ClientDisconnect, Request

from consolidation.kernel.errors import RequestTimedOut
from service.http.problems import (
    BODY_COMPRESSED,
    BODY_NOT_UTF_8,
    BODY_TOO_LARGE,
    fault_response,
    problem,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = structlog.get_logger()

# Bytes read and dropped, so that the client receives the refusal instead of a connection reset.
MOST_DRAINED = 16 << 20


class BodyLimit:
    """
    ASGI middleware: 413 above *most_bytes*, 408 after *seconds*, 415 for compression, 400 for other text encodings.

    json.loads would guess UTF-16 and UTF-32. The size of a compressed body is known only when it is too late.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        most_bytes: int,
        seconds: float,
        uploads: Mapping[str, int] | None = None,
        larger: Mapping[str, int] | None = None,
    ) -> None:
        """
        Bodies for paths that match a pattern of *uploads* may have so many bytes and are passed through: their route
        counts the bytes, and *seconds* are for each part of them. Bodies for paths that match a pattern of *larger* may
        have so many bytes.
        """
        self._app = app
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._uploads = _compiled(uploads)
        self._larger = _compiled(larger)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        most_uploaded_bytes = _most_of(self._uploads, path)
        is_upload = most_uploaded_bytes is not None
        most_bytes = most_uploaded_bytes or _most_of(self._larger, path) or self._most_bytes
        most_announced = most_bytes + (MOST_DRAINED if is_upload else 0)  # up to there, the route refuses in its words
        announced = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if announced.isdigit() and int(announced) > most_announced:
            if int(announced) <= MOST_DRAINED:
                await _drain(receive)
            await _refuse(scope, receive, send, most_bytes=most_bytes)
            return
        if is_upload and not _is_compressed(scope):
            await self._app(scope, self._in_time(receive), send)
            return
        try:
            await self._pass_whole(scope, receive, send, most_bytes=most_bytes)
        except ClientDisconnect:
            log.debug("request.left", path=path)  # nobody waits for an answer

    async def _pass_whole(self, scope: Scope, receive: Receive, send: Send, *, most_bytes: int) -> None:
        """Read the body and pass it on; half a text must not take the place of a whole one. Raises ClientDisconnect."""
        try:
            async with asyncio.timeout(self._seconds):
                body = await self._read(receive, most_bytes=most_bytes)
        except TimeoutError:
            refusal = await fault_response(Request(scope), self._late())
            await refusal(scope, receive, send)
            return
        if body is None:
            await _refuse(scope, receive, send, most_bytes=most_bytes)
            return
        wrong = BODY_COMPRESSED if _is_compressed(scope) else BODY_NOT_UTF_8 if not _is_text(body) else None
        if wrong is not None:
            detail = "the body must be JSON or text in UTF-8, without NUL and not compressed"
            await problem(wrong, detail=detail, instance=scope["path"])(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), send)

    def _in_time(self, receive: Receive) -> Receive:
        """*receive* with a deadline for each part of the body. What it raises then becomes the route's answer."""
        is_over = False

        async def receive_in_time() -> Message:
            nonlocal is_over
            if is_over:  # what comes now is the end of the connection
                return await receive()
            try:
                async with asyncio.timeout(self._seconds):
                    message = await receive()
            except TimeoutError as error:
                raise self._late() from error
            is_over = not message.get("more_body", False)
            return message

        return receive_in_time

    def _late(self) -> RequestTimedOut:
        return RequestTimedOut(f"the body, or its next part, did not arrive within {self._seconds:g} seconds")

    async def _read(self, receive: Receive, *, most_bytes: int) -> bytes | None:
        """The whole body, which is small; None if it is too large. Raises ClientDisconnect where its end is missing."""
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise ClientDisconnect
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > most_bytes:
                await _drain(receive)
                return None
            if not message.get("more_body", False):
                return b"".join(parts)


def _compiled(limits: Mapping[str, int] | None) -> list[tuple[re.Pattern[str], int]]:
    return [(re.compile(pattern), most) for pattern, most in (limits or {}).items()]


def _most_of(limits: Sequence[tuple[re.Pattern[str], int]], path: str) -> int | None:
    """The bytes that a body for *path* may have; None where no pattern matches."""
    return max((most for pattern, most in limits if pattern.search(path)), default=None)


async def _refuse(scope: Scope, receive: Receive, send: Send, *, most_bytes: int) -> None:
    detail = f"a request may have {most_bytes} bytes"
    refusal = problem(BODY_TOO_LARGE, detail=detail, instance=scope["path"], headers={"Connection": "close"})
    await refusal(scope, receive, send)


async def _drain(receive: Receive) -> None:
    """Read and drop what is still coming, up to a limit."""
    size = 0
    while size <= MOST_DRAINED:
        message = await receive()
        size += len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body", False):
            return


def _is_compressed(scope: Scope) -> bool:
    encodings = [value.strip().lower() for name, value in scope["headers"] if name == b"content-encoding"]
    return any(encoding not in {b"", b"identity"} for encoding in encodings)


def _is_text(body: bytes) -> bool:
    try:
        return "\0" not in body.decode()
    except UnicodeDecodeError:
        return False


def _replay(body: bytes, receive: Receive) -> Receive:
    was_replayed = False

    async def receive_replayed() -> Message:
        nonlocal was_replayed
        if was_replayed:
            return await receive()
        was_replayed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_replayed
