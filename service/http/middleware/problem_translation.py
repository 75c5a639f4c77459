"""Problem documents in another API's words, at the door where clients of that API knock."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fastapi.responses import JSONResponse
from starlette.datastructures import MutableHeaders

from consolidation.kernel.errors import MemoryFault
from service.http.middleware.access import path_of
from service.http.problems import KINDS, MEDIA_TYPE

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    type Translation = Callable[[Mapping[str, Any]], tuple[int, dict[str, Any]]]


class ProblemTranslation:
    """ASGI middleware that translates every problem document that leaves by paths that match *door*."""

    def __init__(self, app: ASGIApp, *, door: re.Pattern[str], translation: Translation) -> None:
        """*translation* gives the status and the body that take a problem's place."""
        self._app = app
        self._door = door
        self._translation = translation

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and translate its answer if it is a problem."""
        if scope["type"] != "http" or self._door.fullmatch(path_of(scope)) is None:
            await self._app(scope, receive, send)
            return
        translated = _Translated(send, self._translation)
        try:
            await self._app(scope, receive, translated)
        except Exception:
            if not translated.has_begun:
                kind = KINDS[MemoryFault]
                told = {"detail": "An unexpected error; it was logged.", "instance": path_of(scope)}
                unexpected = {"status": 500, "type": kind.slug, **told}
                status, body = self._translation(unexpected)
                await JSONResponse(body, status)(scope, receive, send)
            raise  # the server logs it


class _Translated:
    """Sends messages on. Of a problem, the head is held back until its body is known."""

    def __init__(self, send: Send, translation: Translation) -> None:
        self._send = send
        self._translation = translation
        self._head: Message | None = None
        self._body = b""
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        self.has_begun = True
        if message["type"] == "http.response.start" and MutableHeaders(scope=message).get("content-type") == MEDIA_TYPE:
            self._head = message
        elif self._head is None:
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._finish(self._head)

    async def _finish(self, head: Message) -> None:
        status, found = self._translation(json.loads(self._body))
        body = json.dumps(found, ensure_ascii=False).encode()
        headers = MutableHeaders(scope=head)
        headers["content-type"], headers["content-length"] = "application/json", str(len(body))
        await self._send({**head, "status": status})
        await self._send({"type": "http.response.body", "body": body})
