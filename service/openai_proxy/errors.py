"""
Errors in OpenAI's format. An upstream's own error is passed on unchanged.

What is refused before a route of the proxy is reached (a wrong key, a body that is too large, an unknown path) is
translated, since clients of OpenAI's API read no problem documents.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from consolidation.kernel.errors import InvalidRequest, MemoryFault, UpstreamRefused
from consolidation.secrets.redaction import redact
from service.http.middleware.problem_translation import ProblemTranslation
from service.http.problems import headers_of, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping

    from fastapi import Request, Response
    from starlette.types import ASGIApp

_DOOR = re.compile(r"/v1/(?:chat|completions|embeddings|models|responses)(?:/.*)?")  # where such clients knock


class OpenAIRoute(APIRoute):
    """A route that answers errors in OpenAI's format."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with errors caught and answered."""
        handle = super().get_route_handler()

        async def handle_faults(request: Request) -> Response:
            try:
                return await handle(request)
            except MemoryFault as fault:
                return JSONResponse(error_body(fault), _status(fault), _headers(fault))

        return handle_faults


def error_body(fault: MemoryFault) -> dict[str, Any]:
    """The body of an error answer, or an error event within a stream."""
    if isinstance(fault, UpstreamRefused) and fault.error is not None:
        return {"error": dict(fault.error)}
    kind = kind_of(fault)
    return {
        "error": {
            "message": redact(str(fault)).text,
            "type": _type(kind.status),
            "param": (fault.pointer.lstrip("#/") or None) if isinstance(fault, InvalidRequest) else None,
            "code": _code(kind.slug),
        }
    }


class OpenAIErrors(ProblemTranslation):
    """ASGI middleware that translates every problem document that leaves by the proxy's door."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app, door=_DOOR, translation=_translated)


def _translated(problem: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    return problem["status"], _translation(problem)


def _translation(problem: Mapping[str, Any]) -> dict[str, Any]:
    first = next(iter(problem.get("errors", ())), None)
    return {
        "error": {
            "message": problem["detail"],
            "type": _type(problem["status"]),
            "param": (first["pointer"].lstrip("#/") or None) if first is not None else None,
            "code": _code(problem["type"].rpartition("/")[2]),
        }
    }


def _type(status: int) -> str:
    return "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"


def _code(slug: str) -> str:
    return slug.replace("-", "_")


def _status(fault: MemoryFault) -> int:
    if isinstance(fault, UpstreamRefused):
        return fault.status
    # OpenAI does not use 422; an invalid request is a 400 there
    return HTTPStatus.BAD_REQUEST if isinstance(fault, InvalidRequest) else kind_of(fault).status


def _headers(fault: MemoryFault) -> dict[str, str]:
    return fault.headers if isinstance(fault, UpstreamRefused) else headers_of(kind_of(fault), fault) or {}
