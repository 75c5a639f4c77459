"""
In the process in front of several workers: passes a call on to the worker that has the mind it is about.

The path names the mind, or else the route finds out: it raises MindElsewhere, and the call, whose body it has read by
then, is passed on from its beginning. What concerns no mind is answered here.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog
from starlette.requests import Request
from starlette.websockets import WebSocket

from consolidation.kernel.errors import MemoryFault
from service.example.loader import EXAMPLE
from service.http.middleware.access import path_of
from service.http.problems import fault_response, refuse_websocket
from service.workers.share import MindElsewhere

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from service.workers.fleet import Fleet

FORWARDED = "mind_memory.forwarded"  # where a call notes that another process counts it

_MIND = re.compile(r"/v1/minds/(?P<mind_id>[^/]+)(?:/.*)?", re.DOTALL)
_EXAMPLE = "/v1/example"
_NAMES_MIND = re.compile(r"/v1/chat/completions/?|/(?:mem0|graphiti|zep)/.*", re.DOTALL)  # in its own way

log = structlog.get_logger()


class Forward:
    """ASGI middleware, next to the routes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a call on, or answer it here."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        path = path_of(scope)
        mind_id = _mind_of(path)
        if mind_id is not None:
            await _forward(mind_id, scope, receive, send)
        elif scope["type"] == "http" and _NAMES_MIND.fullmatch(path):
            body = _Body(receive)
            try:
                await self._app(scope, body.receive, send)
            except MindElsewhere as elsewhere:
                await _forward(elsewhere.mind_id, scope, body.again(), send)
        else:
            await self._app(scope, receive, send)


class _Body:
    """What a route reads of a request, so that another process may read it again."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._read: list[Message] = []

    async def receive(self) -> Message:
        self._read.append(await self._receive())
        return self._read[-1]

    def again(self) -> Receive:
        read = iter(self._read)

        async def receive() -> Message:
            message = next(read, None)
            return message if message is not None else await self._receive()

        return receive


def _mind_of(path: str) -> str | None:
    if path.rstrip("/") == _EXAMPLE:
        return EXAMPLE
    found = _MIND.fullmatch(path)
    return found["mind_id"] if found is not None else None


async def _forward(mind_id: str, scope: Scope, receive: Receive, send: Send) -> None:
    fleet: Fleet = scope["state"]["memory"].fleet
    link = fleet.owner(mind_id)
    forwarded: list[bool] = scope.get(FORWARDED, [])
    try:
        with fleet.authorizing(scope["state"].get("authorize")) as stream:
            link.check()
            forwarded.append(True)
            await link.forward(scope, receive, send, state={"caller": scope["state"]["caller"], "stream": stream})
    except MemoryFault as fault:
        forwarded.clear()
        if scope["type"] == "websocket":
            await refuse_websocket(WebSocket(scope, receive, send), fault)
        else:
            refusal = await fault_response(Request(scope), fault)
            await refusal(scope, receive, send)
    except EOFError:  # the connection is closed in the middle of the answer, so that nobody takes it for a whole one
        log.warning("worker.lost_in_answer", mind_id=mind_id)
        if scope["type"] == "websocket":
            with suppress(RuntimeError, OSError):
                await send({"type": "websocket.close", "code": 1012})
