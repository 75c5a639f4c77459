"""
Errors as Zep's clients read them: `{"message"}` in version 2 of its API, `{"error": {…}}` in version 4.

A request that can not be served is a 400 there. Its clients would try a 501 or a 409 again, for nothing.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from service.http.middleware.problem_translation import ProblemTranslation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp

_DOOR = re.compile(r"/zep(?:/.*)?")
_V2 = "/zep/api/v2"
_STATUS: dict[int, int] = {
    HTTPStatus.UNPROCESSABLE_ENTITY: HTTPStatus.BAD_REQUEST,
    HTTPStatus.CONFLICT: HTTPStatus.BAD_REQUEST,
    HTTPStatus.NOT_IMPLEMENTED: HTTPStatus.BAD_REQUEST,
    HTTPStatus.METHOD_NOT_ALLOWED: HTTPStatus.BAD_REQUEST,
    HTTPStatus.GONE: HTTPStatus.NOT_FOUND,
}


class ZepErrors(ProblemTranslation):
    """ASGI middleware that translates every problem document that leaves by Zep's door."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap *app*."""
        super().__init__(app, door=_DOOR, translation=_translated)


def _translated(problem: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    told = problem["detail"]
    if str(problem.get("instance", "")).rpartition(_V2)[1]:
        return _status(problem), {"message": told}
    first = next(iter(problem.get("errors", ())), None)
    param = first["pointer"].lstrip("#/") or None if first is not None else None
    code = str(problem["type"]).rpartition("/")[2].replace("-", "_")
    return _status(problem), {"error": {"code": code, "message": told, "param": param}}


def _status(problem: Mapping[str, Any]) -> int:
    status = int(problem["status"])
    return _STATUS.get(status, status)
