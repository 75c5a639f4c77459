"""
Counts and times every request, and is the root of its spans. By the template of its route: an address holds ids.

Two layers, since the router names the route to who stands next to it, and refusals come from in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.spans import Unheard

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from service.container import Memory

_FOUND = "mind_memory.route"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_OTHER = "other"  # what anybody may ask for: one name for all of it
_UNTRACED = frozenset({"/healthz", "/readyz", "/metrics"})  # asked by machines, all day long
_QUIET = Unheard()


class RequestWatch:
    """ASGI middleware, the outermost: sees refusals, too."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand in front of *app*."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let everything through, and look at what comes back."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        memory: Memory = scope["state"]["memory"]
        monotonic = memory.clock.monotonic
        began, status, found = monotonic(), None, list[str]()

        async def seen(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
            await send(message)

        spans = _QUIET if scope["path"] in _UNTRACED else memory.spans
        with spans.served(scope["headers"]) as served:
            try:
                await self._app({**scope, _FOUND: found}, receive, seen)
            finally:
                told = {"route": found[0] if found else _OTHER, "method": _method(scope)}
                served(**told, status=status)
                memory.tally.request(**told, status=_class(status), seconds=monotonic() - began)


class RouteName:
    """ASGI middleware, the innermost: tells the outermost which route was taken."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand in front of *app*."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let everything through."""
        try:
            await self._app(scope, receive, send)
        finally:
            if _FOUND in scope and "endpoint" in scope:
                scope[_FOUND].append(_template(scope))


def _template(scope: Scope) -> str:
    """The route's address with names where a request has ids."""
    route = scope.get("route")
    path = getattr(route, "path_format", None) or getattr(route, "path", None)
    if isinstance(path, str):
        return path
    return str(scope["path"]) if not scope.get("path_params") else str(scope.get("root_path") or _OTHER)


def _method(scope: Scope) -> str:
    method = str(scope["method"])
    return method if method in _METHODS else _OTHER


def _class(status: int | None) -> str:
    """``2xx`` for all that begin with 2; ``none`` where no answer was begun."""
    return f"{status // 100}xx" if status is not None else "none"
