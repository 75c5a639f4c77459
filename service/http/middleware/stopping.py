"""
Answers the calls that the end of the service cuts off: 503, so that whoever waits asks again, and no traceback.

The server cancels what is still open when its time to end is over. A stream that has begun is broken off.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING

import structlog
from starlette.requests import Request

from service.http.problems import ProblemKind, problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

STOPPING = ProblemKind(HTTPStatus.SERVICE_UNAVAILABLE, "service-stopping", "The service stops")
_RETRY_SECONDS = "5"

log = structlog.get_logger()


class AnswerWhenStopping:
    """ASGI middleware, inside whatever words problems for another API."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; answer it here when the service stops before it was answered."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def sent(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or not getattr(scope["app"].state, "is_stopping", False):
                raise
            task.uncancel()
            log.info("request.cut_off", path=Request(scope).url.path, answered=not has_begun)
            if not has_begun:
                detail = "the service stops before this call is answered: try again"
                headers = {"Retry-After": _RETRY_SECONDS, "Connection": "close"}
                await problem(STOPPING, detail=detail, instance=scope["path"], headers=headers)(scope, receive, send)
