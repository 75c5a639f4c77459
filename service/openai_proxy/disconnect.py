"""Waits for an answer only while the client waits for it: a client that disconnects also stops the upstream."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
from starlette.responses import Response

from consolidation.kernel.errors import MemoryFault
from service.http.problems import CLIENT_CLOSED

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request


async def while_connected(request: Request, job: Callable[[], Awaitable[Response]]) -> Response:
    """The result of *job*, which is cancelled when the client disconnects."""
    found: Response = Response(status_code=CLIENT_CLOSED)
    fault: MemoryFault | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(_cancel_when_gone, request, group.cancel_scope)
        try:
            found = await job()
        except MemoryFault as raised:
            fault = raised
        group.cancel_scope.cancel()
    if fault is not None:
        raise fault
    return found


async def _cancel_when_gone(request: Request, scope: anyio.CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
