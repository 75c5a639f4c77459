"""Asks the doorkeeper about every request, before a route sees it; who was let in is in ``request.state.caller``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request

from consolidation.kernel.errors import MemoryFault
from service.access.doorkeeper import Knock
from service.problems import speak_fault

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_POLICY_VIOLATION = 1008


class AccessCheck:
    """ASGI middleware: nothing passes but the lifespan and requests that are let in."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand in front of *app*."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope["state"]
        try:
            caller = state["memory"].doorkeeper.admit(_knock(scope))
        except MemoryFault as fault:
            refusal = await speak_fault(Request(scope), fault)
            await refusal(scope, receive, send)
            return
        await self._app({**scope, "state": {**state, "caller": caller}}, receive, send)


def _knock(scope: Scope) -> Knock:
    client = scope.get("client")
    return Knock(
        path=_path(scope),
        peer=client[0] if client else None,
        host=_header(scope, b"host") or "",
        origin=_header(scope, b"origin"),
        authorization=_header(scope, b"authorization") or "",
    )


def _path(scope: Scope) -> str:
    """The path as the router will read it: without the prefix of a proxy that serves us below one."""
    path, prefix = str(scope["path"]), str(scope.get("root_path", ""))
    return path[len(prefix) :] if prefix and path.startswith(f"{prefix}/") else path


def _header(scope: Scope, wanted: bytes) -> str | None:
    """The header's one value; what was sent twice is not believed, but is there."""
    found = [value for name, value in scope["headers"] if name == wanted]
    return None if not found else found[0].decode("latin-1") if len(found) == 1 else ""
