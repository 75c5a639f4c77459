"""Refuses a body that is too large, by its announced length and by what really comes, compressed, or no UTF-8 text."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from service.problems import Kind, problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_TOO_LARGE = Kind(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "body-too-large", "The body is too large")
_COMPRESSED = Kind(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "body-compressed", "The body is compressed")
_NO_TEXT = Kind(HTTPStatus.BAD_REQUEST, "body-not-utf-8", "The body is no UTF-8 text")


_MOST_DRAINED = 16 << 20  # bytes read and let go, so that the client hears the refusal instead of a reset


class BodyLimit:
    """
    ASGI middleware: 413 above *most_bytes*, 415 for compression, 400 for other encodings of text.

    json.loads would guess UTF-16 and -32; what is compressed has no size until it is too late.
    """

    def __init__(self, app: ASGIApp, *, most_bytes: int) -> None:
        """Stand in front of *app*."""
        self._app = app
        self._most_bytes = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if announced.isdigit() and int(announced) > self._most_bytes:
            if int(announced) <= _MOST_DRAINED:
                await _drain(receive)
            await self._refuse(scope, receive, send)
            return
        body = await self._read(receive)
        if body is None:
            await self._refuse(scope, receive, send)
            return
        wrong = _COMPRESSED if _is_compressed(scope) else _NO_TEXT if not _is_text(body) else None
        if wrong is not None:
            detail = "a request is JSON or text in UTF-8, without NUL and not compressed"
            await problem(wrong, detail=detail, instance=scope["path"])(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), send)

    async def _read(self, receive: Receive) -> bytes | None:
        """The whole body, which is small; None when it is not."""
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return b"".join(parts)
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._most_bytes:
                await _drain(receive)
                return None
            if not message.get("more_body", False):
                return b"".join(parts)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        detail = f"a request may have {self._most_bytes} bytes"
        headers = {"Connection": "close"}
        await problem(_TOO_LARGE, detail=detail, instance=scope["path"], headers=headers)(scope, receive, send)


async def _drain(receive: Receive) -> None:
    """Let what is still coming go by, up to a limit."""
    size = 0
    while size <= _MOST_DRAINED:
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
    is_told = False

    async def again() -> Message:
        nonlocal is_told
        if is_told:
            return await receive()
        is_told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
