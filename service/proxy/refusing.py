"""Faults as clients of OpenAI's API read them; an upstream's own words go through as they are."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from consolidation.kernel.errors import InvalidRequest, MemoryFault
from consolidation.kernel.secrets import redact
from service.problems import kind_of
from service.upstream import UpstreamRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from fastapi import Request, Response


class OpenAIRoute(APIRoute):
    """A route whose refusals are worded as OpenAI's."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with faults answered."""
        handle = super().get_route_handler()

        async def answered(request: Request) -> Response:
            try:
                return await handle(request)
            except MemoryFault as fault:
                return JSONResponse(worded(fault), _status(fault), _headers(fault))

        return answered


def worded(fault: MemoryFault) -> dict[str, Any]:
    """The body of an answer, or an event in the middle of one."""
    if isinstance(fault, UpstreamRefused) and fault.error is not None:
        return {"error": dict(fault.error)}
    kind = kind_of(fault)
    return {
        "error": {
            "message": redact(str(fault)).text,
            "type": "server_error" if kind.status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error",
            "param": (fault.pointer.lstrip("#/") or None) if isinstance(fault, InvalidRequest) else None,
            "code": kind.slug.replace("-", "_"),
        }
    }


def _status(fault: MemoryFault) -> int:
    if isinstance(fault, UpstreamRefused):
        return fault.status
    # OpenAI knows no 422 of its own: what does not fit is a bad request there.
    return HTTPStatus.BAD_REQUEST if isinstance(fault, InvalidRequest) else kind_of(fault).status


def _headers(fault: MemoryFault) -> dict[str, str]:
    return fault.headers if isinstance(fault, UpstreamRefused) else {}
