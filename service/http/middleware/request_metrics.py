"""
Counts and times every request, and opens its root span, by the template of its route, since a path contains ids.

There are two layers: the router names the route to the layer next to it, and refusals come from layers in between.
Where several processes serve the home, the one that answers a request counts it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.http.middleware.forward import FORWARDED
from service.ports.spans import NoopSpans

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from service.composition.container import Memory

_ROUTES = "mind_memory.route"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_OTHER = "other"  # open documentation pages share one name
_UNTRACED = frozenset({"/healthz", "/readyz", "/metrics"})  # asked by machines all day long
_NO_SPANS = NoopSpans()


class RequestMetrics:
    """ASGI middleware, the outermost layer, which also sees refusals."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and measure its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        memory: Memory = scope["state"]["memory"]
        monotonic = memory.clock.monotonic
        started, status, routes, forwarded = monotonic(), None, list[str](), list[bool]()

        async def observe(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
            await send(message)

        is_untraced = scope["path"] in _UNTRACED or memory.minds.share.is_front
        spans = _NO_SPANS if is_untraced else memory.telemetry.spans
        with spans.served(scope["headers"]) as record:
            try:
                await self._app({**scope, _ROUTES: routes, FORWARDED: forwarded}, receive, observe)
            finally:
                labels = {"route": routes[0] if routes else _OTHER, "method": _method(scope)}
                record(**labels, status=status)
                if not forwarded:
                    memory.telemetry.tally.request(**labels, status=_class(status), seconds=monotonic() - started)


class RouteName:
    """ASGI middleware, the innermost layer, which tells the outermost one the route."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        try:
            await self._app(scope, receive, send)
        finally:
            if _ROUTES in scope and "endpoint" in scope:
                scope[_ROUTES].append(_template(scope))


def _template(scope: Scope) -> str:
    """The route's path with names in place of ids."""
    route = scope.get("route")
    path = getattr(route, "path_format", None) or getattr(route, "path", None)
    if isinstance(path, str):
        return path
    return str(scope["path"]) if not scope.get("path_params") else str(scope.get("root_path") or _OTHER)


def _method(scope: Scope) -> str:
    method = str(scope["method"])
    return method if method in _METHODS else _OTHER


def _class(status: int | None) -> str:
    """``2xx`` for every status that begins with 2, and so on; ``none`` if no answer was begun."""
    return f"{status // 100}xx" if status is not None else "none"
