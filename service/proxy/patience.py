"""Waits for an answer only as long as somebody waits for it: who hangs up stops the upstream, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
from starlette.responses import Response

from consolidation.kernel.errors import MemoryFault

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

_NOBODY = 499  # nobody reads it


async def while_waited_for(request: Request, job: Callable[[], Awaitable[Response]]) -> Response:
    """What *job* answers, or raises; cancelled when the client goes away."""
    found: Response = Response(status_code=_NOBODY)
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
