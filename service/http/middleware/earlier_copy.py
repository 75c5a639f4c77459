"""Says in a header that an answer comes from this machine's copies, which may lack something: the database is away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

from service.mind.copies import DATABASE_UNAVAILABLE
from service.observability.dependency_health import DATABASE

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from service.composition.container import Memory

HEADER = "X-Memory-Degraded"
_API, _OF_A_MIND = "/v1/", "/v1/minds/"
_FAULT = 500  # from this status on nothing is answered from a copy


class EarlierCopy:
    """ASGI middleware. Where several machines share a home, it marks what was answered without the database."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and mark its answer."""
        memory: Memory | None = scope.get("state", {}).get("memory")
        copies = memory.minds.copies if memory is not None else None
        if scope["type"] != "http" or memory is None or copies is None:
            await self._app(scope, receive, send)
            return
        began, path = memory.clock.monotonic(), str(scope["path"])

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < _FAULT:
                is_of_home = path.startswith(_API) and not path.startswith(_OF_A_MIND)
                is_away = is_of_home and memory.telemetry.dependencies.get(DATABASE).trouble is not None
                if is_away or copies.went_on_without_database(since=began):
                    MutableHeaders(scope=message)[HEADER] = DATABASE_UNAVAILABLE
            await send(message)

        await self._app(scope, receive, sent)
