"""
Authenticates every request and WebSocket by its headers, before its body is read. The caller is then in
``request.state.caller``. What is sent for long, as events are, ends as soon as its caller would not be let in any more.

A body with two lengths is refused here as well: nobody may read it.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.websockets import WebSocket

from consolidation.kernel.errors import MemoryFault
from service.access.authenticator import Credentials
from service.http.problems import BODY_LENGTH_UNCLEAR, fault_response, problem, refuse_websocket

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_EVENTS = (b"content-type", b"text/event-stream")
_DRAIN_SECONDS, _MOST_DRAINED = 0.5, 1 << 20


class AccessCheck:
    """ASGI middleware that lets only the lifespan and authenticated requests through."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] == "websocket":
            await self._admit(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if _has_two_lengths(scope):
            detail = "send Content-Length or Transfer-Encoding, not both"
            closing = {"Connection": "close"}
            unclear = problem(BODY_LENGTH_UNCLEAR, detail=detail, instance=scope["path"], headers=closing)
            await unclear(scope, receive, send)
            return
        state = scope["state"]
        authenticator = state["memory"].authenticator
        try:
            caller = authenticator.authenticate(_credentials(scope))
        except MemoryFault as fault:
            refusal = await fault_response(Request(scope), fault)
            if not await _has_ended(receive):
                refusal.headers["Connection"] = "close"
            await refusal(scope, receive, send)
            return
        if scope["method"] == "GET":
            send = _while_admitted(send, partial(authenticator.still_admits, caller))
        with suppress(_NoLongerAdmitted):
            await self._app({**scope, "state": {**state, "caller": caller}}, receive, send)

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        """
        Let a WebSocket through, or refuse it by an answer to its first request.

        ``state.authorize`` authenticates it again and counts as one more request: it may stay open for hours.
        """
        state = scope["state"]
        credentials = _credentials({**scope, "method": "GET"})
        authenticate = partial(state["memory"].authenticator.authenticate, credentials)

        async def authorize() -> None:
            authenticate()

        try:
            caller = authenticate()
        except MemoryFault as fault:
            await refuse_websocket(WebSocket(scope, receive, send), fault)
            return
        await self._app({**scope, "state": {**state, "caller": caller, "authorize": authorize}}, receive, send)


class _NoLongerAdmitted(OSError):
    """What a route is told that goes on sending: as if its client had left."""


def _while_admitted(send: Send, is_admitted: Callable[[], bool]) -> Send:
    """*send*, but a stream of events ends where its caller would not be let in any more."""
    is_of_events = False

    async def send_on(message: Message) -> None:
        nonlocal is_of_events
        if message["type"] == "http.response.start":
            is_of_events = any(header == _EVENTS for header in message["headers"])
        elif is_of_events and not is_admitted():
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            raise _NoLongerAdmitted
        await send(message)

    return send_on


def _has_two_lengths(scope: Scope) -> bool:
    """Whether two readers of the request might see another end of it: the way to smuggle a second one past a proxy."""
    return {b"content-length", b"transfer-encoding"} <= {name for name, _ in scope["headers"]}


async def _has_ended(receive: Receive) -> bool:
    """Drop what a refused caller still sends, for a moment: else its client would see a reset, not the refusal."""
    size = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            while size <= _MOST_DRAINED:
                message = await receive()
                size += len(message.get("body", b""))
                if message["type"] != "http.request" or not message.get("more_body", False):
                    return True
    return False


def _credentials(scope: Scope) -> Credentials:
    client = scope.get("client")
    return Credentials(
        path=path_of(scope),
        peer=client[0] if client else None,
        method=str(scope["method"]),
        host=_header(scope, b"host") or "",
        origin=_header(scope, b"origin"),
        fetch_site=_header(scope, b"sec-fetch-site"),
        fetch_mode=_header(scope, b"sec-fetch-mode"),
        fetch_dest=_header(scope, b"sec-fetch-dest"),
        authorization=_header(scope, b"authorization") or "",
    )


def path_of(scope: Scope) -> str:
    """The path as the router will see it, without the prefix under which a reverse proxy serves us."""
    path, prefix = str(scope["path"]), str(scope.get("root_path", ""))
    return path[len(prefix) :] if prefix and path.startswith(f"{prefix}/") else path


def _header(scope: Scope, header: bytes) -> str | None:
    """The value of a header. A header that was sent twice counts as present and never matches."""
    found = [value for name, value in scope["headers"] if name == header]
    return None if not found else found[0].decode("latin-1") if len(found) == 1 else ""
